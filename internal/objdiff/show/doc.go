// Package show writes a difference: for a terminal, for patch(1), as a comment on a pull request, as GitHub's
// annotations, and for programs. The writers depend on the difference only: same trees, same bytes.
package show
