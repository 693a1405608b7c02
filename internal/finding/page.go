package finding

import (
	"bufio"
	"fmt"
	"io"
)

const intro = `# Findings

%s lists the problems of a site: errors that keep a spec from taking effect, and likely mistakes in valid objects.
Each finding has a code, a place, a message and what to do about it.
An *error* cannot work; a *warning* works, but probably not as intended.
A code keeps its meaning; a retired one is not used again.

A finding that *freezes* its cluster is also in the plan and in the commit. The cluster keeps what it has, as it is, and gets nothing new until
the finding is gone; the other clusters are not affected.

To suppress another finding that is intended, annotate the object that it names (a SIPCluster, a BareMetalHost or the Site), with a reason:

%s

Separate several entries by line breaks or semicolons.
Where two objects conflict, the finding names the second one by namespace and name: annotate that one.
`

const example = "```yaml\nmetadata:\n  annotations:\n    sip.airshipit.org/lint-ignore: \"SIP013: this rack has no label until May\"\n```"

// Page writes the page that explains the codes, in markdown.
func Page(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, intro, "`sipgen lint`", example)
	for _, c := range Codes() {
		effect := c.Severities
		if c.Freezes {
			effect += "; freezes the cluster"
		}
		fmt.Fprintf(out, "\n## %s\n\n**%s.** (%s)\n%s\n%s\n", c.Code, c.Title, effect, c.Meaning, c.Remedy)
	}
	return out.Flush()
}
