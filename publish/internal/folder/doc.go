// Package folder is a tree in a folder on disk: one run at a time reads or writes it, and never outside of it, and a
// run that is killed while it writes is finished by the next one.
package folder
