// Package wire is the talk with a git server, below go-git: no answer over https but a pack is longer than 64 MiB, none
// comes from another server, or is waited for without an end, and what servers print is made fit for one line.
package wire
