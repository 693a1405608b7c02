package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// quickEnough is how long a stage may take before it is shown.
const quickEnough = time.Second

// progress shows on a terminal what is going on, where that takes longer than quickEnough: one line, which is wiped before anything
// else is written. Elsewhere (a pipe, a file, CI, TERM=dumb) it shows nothing. The zero value shows nothing.
type progress struct {
	mutex sync.Mutex
	to    io.Writer
	after time.Duration
	// stages under way, the inner ones last, and the one that is shown.
	stages []*progressbar.ProgressBar
	shown  *progressbar.ProgressBar
}

// progressOn is a progress for a writer and an environment.
func progressOn(w io.Writer, getenv func(string) string, after time.Duration) *progress {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) || getenv("TERM") == "dumb" || getenv("CI") != "" {
		return &progress{}
	}
	return &progress{to: w, after: after}
}

// stage begins a stage and gives the function that ends it. Stages may be nested; the inner one is shown.
func (p *progress) stage(name string) (end func()) {
	if p == nil || p.to == nil {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.to), progressbar.OptionSetDescription("sipgen: "+name),
		progressbar.OptionSpinnerType(14), progressbar.OptionSetSpinnerChangeInterval(0), // else it draws by itself, for ever
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetRenderBlankState(false))
	begun := time.Now()
	p.clean(func() { p.stages = append(p.stages, bar) })
	go func() {
		defer close(gone)
		wait := time.NewTimer(p.after)
		defer wait.Stop()
		for {
			select {
			case <-done:
				return
			case <-wait.C:
				p.show(bar, fmt.Sprintf("sipgen: %s, %d s", name, int(time.Since(begun).Seconds())))
				wait.Reset(200 * time.Millisecond)
			}
		}
	}()
	return func() {
		close(done)
		<-gone
		p.clean(func() {
			p.stages = slices.DeleteFunc(p.stages, func(b *progressbar.ProgressBar) bool { return b == bar })
		})
	}
}

// show draws a stage, unless it has an inner one.
func (p *progress) show(bar *progressbar.ProgressBar, words string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.stages[len(p.stages)-1] != bar {
		return
	}
	p.shown = bar
	bar.Describe(words)
}

// clean wipes the line, and keeps it so while f runs.
func (p *progress) clean(f func()) {
	if p == nil || p.to == nil {
		f()
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown != nil {
		_ = p.shown.Clear()
		p.shown = nil
	}
	f()
}
