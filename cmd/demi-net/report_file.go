package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"demi.network/runtime"
	"demi.network/runtime/fault"
)

// writeReport writes a report to a path. Of a file, a reader sees the old text
// or the whole new one; a device or pipe is written to, and stays what it is.
func writeReport(path string, r runtime.Report) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "the report")
	}
	to, special, err := reportPath(path)
	switch {
	case err != nil:
	case special:
		err = writeInto(to, append(b, '\n'))
	default:
		err = replaceFile(to, append(b, '\n'))
	}
	return reportFault(path, err)
}

// checkReportPath says at the start whether a report can be written at the end.
// It leaves no trace. "" asks for no report.
func checkReportPath(path string) error {
	if path == "" {
		return nil
	}
	to, special, err := reportPath(path)
	if err == nil && !special {
		var tmp *os.File
		if tmp, err = os.CreateTemp(filepath.Dir(to), ".report-*"); err == nil {
			err = errors.Join(tmp.Close(), os.Remove(tmp.Name()))
		}
	}
	return reportFault(path, err)
}

func reportFault(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Usage, "the report cannot be written to %s", path)
}

// reportPath follows links, so that it is the file that is replaced and not the
// link to it. special says that it is no file; then it is asked for as it was
// given: what /dev/stdout leads to has no name of its own.
func reportPath(path string) (to string, special bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, false, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return path, true, nil
	}
	to, err = filepath.EvalSymlinks(path)
	return to, false, err
}

// reportLinger is how long a pipe's reader has for a report.
const reportLinger = time.Second

// writeInto writes to what is no file, and does not wait for a pipe that nobody
// reads.
func writeInto(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_ = f.SetWriteDeadline(time.Now().Add(reportLinger)) // what has none does not wait either
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// replaceFile writes a whole file beside path and renames it.
func replaceFile(path string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	// Others may read it, as they may what a shell's > writes.
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(tmp.Name()))
	}
	return err
}
