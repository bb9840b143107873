//go:build race

package main

// raceDetector: memory then says nothing about the program, and time little.
const raceDetector = true
