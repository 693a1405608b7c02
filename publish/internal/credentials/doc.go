// Package credentials is how to log in to a git server: SSH keys and known hosts, git's credential helper, and what of
// a login no message may hold.
package credentials
