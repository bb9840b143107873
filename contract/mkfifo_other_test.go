//go:build !unix

package contract

import "errors"

func mkfifo(string) error { return errors.New("no FIFO on this system") }
