// Package terminal prints: a command's product, and its messages.
package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// UI is the printing rules: the product goes to Out, everything else to Err, each line of it
// behind the program's name.
type UI struct {
	In       io.Reader
	Out, Err io.Writer
	// Warnings are those about the inputs, for output as data.
	Warnings []string
	// Done is what the command has written elsewhere: "FILE is written". Empty: nothing.
	Done string
	// Unknown is that help was asked for a command that there is not.
	Unknown error
	// site is the Site of a fleet that messages are about, empty in a run of one.
	site string
	// width is that of the terminal behind a Site's output.
	width int
	// screen is the terminal that messages go to, nil for a pipe, a file, a CI job or TERM=dumb.
	screen *os.File
	// asking is held while a message is printed, or a question waits for its answer.
	asking sync.Mutex
}

// quickEnough is how long a stage may take before it is printed.
const quickEnough = time.Second

// MostLines bounds a list on stderr.
const MostLines = 50

// New returns the UI of a process with these streams.
func New(in io.Reader, out, err io.Writer, getenv func(string) string) *UI {
	return &UI{In: in, Out: &product{Writer: out}, Err: err, screen: screenOf(err, getenv)}
}

// screenOf returns a writer that is a terminal which a person watches, nil for any other.
func screenOf(w io.Writer, getenv func(string) string) *os.File {
	if file, _ := w.(*os.File); IsTerminal(w) && getenv("TERM") != "dumb" && getenv("CI") == "" {
		return file
	}
	return nil
}

// Quiet returns a UI without messages.
func (u *UI) Quiet() *UI { return &UI{In: u.In, Out: u.Out, Err: io.Discard} }

// OfSite returns a UI for one Site of a fleet. What it prints is kept in out and err, and each message names the Site,
// if it has a name.
func (u *UI) OfSite(name string, out, err io.Writer) *UI {
	site := &UI{In: strings.NewReader(""), Out: out, Err: err, width: u.Width()}
	if name != "" {
		site.site = text.Line(redact.Text(name)) + ": "
	}
	return site
}

// Warn prints a warning about the inputs.
func (u *UI) Warn(format string, args ...any) {
	words := text.Line(redact.Text(fmt.Sprintf(format, args...)))
	u.Warnings = append(u.Warnings, words)
	u.Say("warning: %s", words)
}

// Say prints one line of messages. Text from outside can neither end the line nor control a terminal or a CI system.
// As a last check, certain secrets are removed.
func (u *UI) Say(format string, args ...any) {
	line := text.Line(redact.Text(fmt.Sprintf(format, args...)))
	u.asking.Lock()
	defer u.asking.Unlock()
	fmt.Fprintln(u.Err, u.fit("sipgen: "+u.site+line))
}

// commands are those in messages, to be copied: of other programs any, of sipgen those with a flag.
var commands = regexp.MustCompile(
	"[ (`'\"]((kubectl|ssh-keyscan|ssh-keygen|git|openssl) |sipgen [a-z]+( [A-Z]+)* -)| >")

// fit breaks a message between words where it is shown on a terminal, and nowhere else. One with a command stays whole:
// who copies half of it runs that.
func (u *UI) fit(line string) string {
	if u.screen == nil || commands.MatchString(line) {
		return line
	}
	return text.Fold(line, terminalWidth(u.screen), "  ")
}

// Stage prints what goes on, on a terminal, unless its end is called soon.
func (u *UI) Stage(name string) (end func()) {
	if u.screen == nil {
		return func() {}
	}
	late := time.AfterFunc(quickEnough, func() { u.Say("%s ...", name) })
	return func() { late.Stop() }
}

// Interactive reports whether a person is at the terminal, who can be asked and sees the question.
func (u *UI) Interactive() bool { return IsTerminal(u.In) && IsTerminal(u.Err) }

// Confirm asks a question on the terminal. Anything but yes is a no.
func (u *UI) Confirm(question string) bool {
	u.asking.Lock()
	defer u.asking.Unlock()
	fmt.Fprintf(u.Err, "sipgen: %s [y/N] ", text.Line(question))
	answer, err := bufio.NewReader(u.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
