// Package objects is git's objects: those of a repository read as files, those of a pack that a server sent, kept
// within bounds, and new ones made in memory. Nothing here asks a server.
package objects
