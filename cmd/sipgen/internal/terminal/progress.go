package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/airshipit/sipgen/internal/text"
)

// quickEnough is how long a stage may take before it is shown.
const quickEnough = time.Second

// progress shows on a terminal what is going on, where that takes longer than quickEnough: one line, which is wiped
// before anything else is written. Elsewhere (a pipe, a file, CI, TERM=dumb) it shows nothing. The zero value shows
// nothing.
type progress struct {
	mutex sync.Mutex
	to    *os.File
	after time.Duration
	// stages under way, the inner ones last, and what is shown.
	stages []*stage
	shown  string
}

// stage is something that takes time.
type stage struct {
	name  string
	begun time.Time
}

// progressOn returns a progress for a writer and an environment.
func progressOn(w io.Writer, getenv func(string) string, after time.Duration) *progress {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) || getenv("TERM") == "dumb" || getenv("CI") != "" {
		return &progress{}
	}
	return &progress{to: file, after: after}
}

// stage begins a stage and gives the function that ends it. Stages may be nested; the inner one is shown.
func (p *progress) stage(name string) (end func()) {
	if p == nil || p.to == nil {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	this := &stage{name, time.Now()}
	p.clean(func() { p.stages = append(p.stages, this) })
	go func() {
		defer close(gone)
		wait := time.NewTimer(p.after)
		defer wait.Stop()
		for {
			select {
			case <-done:
				return
			case <-wait.C:
				p.show(this)
				wait.Reset(200 * time.Millisecond)
			}
		}
	}()
	return func() {
		close(done)
		<-gone
		p.clean(func() {
			p.stages = slices.DeleteFunc(p.stages, func(s *stage) bool { return s == this })
		})
	}
}

// quiet shows nothing until its end is called: an answer is typed where the stage would be shown.
func (p *progress) quiet() (end func()) {
	if p == nil || p.to == nil {
		return func() {}
	}
	this := &stage{}
	p.clean(func() { p.stages = append(p.stages, this) })
	return func() {
		p.clean(func() {
			p.stages = slices.DeleteFunc(p.stages, func(s *stage) bool { return s == this })
		})
	}
}

// wipe goes to the line's beginning and erases it (ECMA-48, which every terminal but TERM=dumb supports).
const wipe = "\r\x1b[K"

// show draws a stage, unless it has an inner one. What is wider than the terminal would not be wiped as a whole.
func (p *progress) show(this *stage) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.stages[len(p.stages)-1] != this {
		return
	}
	line := fmt.Sprintf("sipgen: %s, %d s", this.name, int(time.Since(this.begun).Seconds()))
	if width, _, err := term.GetSize(int(p.to.Fd())); err == nil && width > 1 {
		line = text.Truncate(line, width-1)
	}
	if line != p.shown {
		p.shown = line
		_, _ = io.WriteString(p.to, wipe+line)
	}
}

// clean wipes the line, and keeps it so while f runs.
func (p *progress) clean(f func()) {
	if p == nil || p.to == nil {
		f()
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown != "" {
		_, _ = io.WriteString(p.to, wipe)
		p.shown = ""
	}
	f()
}
