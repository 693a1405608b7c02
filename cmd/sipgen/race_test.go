//go:build race

package main

// raceDetector: the program is some ten times slower with it, and takes some ten times the memory.
const raceDetector = true
