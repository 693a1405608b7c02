// Package show writes a difference: for a terminal, as a comment on a pull request, and for programs. The writers
// depend on the difference only: same trees, same bytes.
package show
