// Package wire is the talk with a git server, below go-git: no answer is longer than git may keep, goes to another
// server, or is waited for without an end, and what servers print is made fit for one line.
package wire
