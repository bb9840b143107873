//go:build !race

package enet

const raceEnabled = false

func rounds[T int | uint32 | uint64](full, _ T) T { return full }
