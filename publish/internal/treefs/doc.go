// Package treefs is what a tree of files is, on disk and in a commit: which names it may have, the list of
// the files in it that sipgen owns, and how one is read without leaving it.
package treefs
