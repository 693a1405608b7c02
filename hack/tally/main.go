// Command tally reads what go test -json prints and prints what go test prints: a line a package, and of a test that
// fails what it said. What is not of go test passes as it is. The last line is the sum:
//
//	1234 passed, 0 failed, 2 skipped
//
// Its exit code is 1 if a test failed. With CI=true in the environment a skipped test fails the run, too: there, what a
// test needs is installed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/hack/need"
)

func main() { os.Exit(tally(os.Stdin, os.Stdout, need.CI())) }

// event is a line of go test -json; see go doc test2json.
type event struct{ Action, Package, Test, Output string }

func tally(in io.Reader, out io.Writer, ci bool) int {
	passed, failed, skipped := 0, []string{}, []string{}
	// said is what tests have printed that have not ended, by package and name.
	said := map[string][]string{}
	end := func(e event) {
		name := e.Package + " " + e.Test
		lines := said[name]
		delete(said, name)
		switch {
		case e.Test != "" && e.Action == "pass":
			passed++
		case e.Test != "" && e.Action == "skip":
			skipped = append(skipped, name+": "+strings.Join(strings.Fields(strings.Join(lines, "")), " "))
		case e.Action != "fail":
			fmt.Fprint(out, slices.Concat([]string{""}, lines)[len(lines)]) // the last
		case e.Test == "" && slices.ContainsFunc(failed, func(f string) bool { return strings.HasPrefix(f, name) }):
			fmt.Fprint(out, strings.Join(lines, ""))
		default:
			// Of a package that failed by itself: a test that was running has not ended, and what it said is all there
			// is.
			for other, of := range said {
				if e.Test == "" && strings.HasPrefix(other, name) {
					fmt.Fprint(out, strings.Join(of, ""))
				}
			}
			failed = append(failed, name)
			fmt.Fprint(out, strings.Join(lines, ""))
		}
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadString('\n')
		var e event
		switch json.Unmarshal([]byte(line), &e); e.Action {
		case "":
			fmt.Fprint(out, line)
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			said[e.Package+" "+e.Test] = append(said[e.Package+" "+e.Test], e.Output)
		case "pass", "fail", "skip":
			end(e)
		}
		if err != nil {
			break
		}
	}
	for _, skip := range skipped {
		fmt.Fprintf(out, "skipped: %s\n", skip)
	}
	for _, name := range failed {
		fmt.Fprintf(out, "failed: %s\n", name)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, len(failed), len(skipped))
	if len(failed) > 0 || ci && len(skipped) > 0 {
		return 1
	}
	return 0
}
