// Command browser shows pages to a real Chromium, by day and by night, and tells what a script in each page sees. It
// is a module of its own, so that what drives a browser is not among sipgen's dependencies. The tests of
// internal/picture run it:
//
//	browser -chromium /usr/bin/chromium -script look.js [-screenshots DIR] [-width N] page.html picture.svg …
//
// It prints a JSON object for each page and color scheme, one a line: file, scheme, what the script gives (seen), and
// what the page said to the console or asked of the network (said). Its exit code is 1 if the browser does not do as
// it is told.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// page is what is told of a page in a color scheme.
type page struct {
	File   string          `json:"file"`
	Scheme string          `json:"scheme"`
	Seen   json.RawMessage `json:"seen"`
	Said   []string        `json:"said"`
}

func main() {
	chromium := flag.String("chromium", "", "the browser's path")
	script := flag.String("script", "", "a file with the script; the value of its last expression is told")
	screenshots := flag.String("screenshots", "", "a folder for a picture of each page")
	width := flag.Int("width", 1400, "the width of the window in pixels")
	flag.Parse()
	if err := run(*chromium, *script, *screenshots, *width, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

func run(chromium, script, screenshots string, width int, files []string) error {
	look, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium),
		chromedp.WindowSize(1400, 900),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	ctx, leave := chromedp.NewContext(ctx)
	defer leave()
	if err := chromedp.Run(ctx); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, file := range files {
		for _, scheme := range []string{"light", "dark"} {
			shown, picture, err := show(ctx, file, scheme, string(look), width, screenshots != "")
			if err != nil {
				return fmt.Errorf("%s, %s: %w", file, scheme, err)
			}
			if screenshots != "" {
				name := strings.ReplaceAll(filepath.Base(file), ".", "-") + "-" + scheme + ".png"
				if err := os.WriteFile(filepath.Join(screenshots, name), picture, 0o600); err != nil {
					return err
				}
			}
			if err := out.Encode(shown); err != nil {
				return err
			}
		}
	}
	return nil
}

// show opens a file in a tab of its own.
func show(parent context.Context, file, scheme, look string, width int, screenshot bool) (page, []byte, error) {
	ctx, leave := chromedp.NewContext(parent)
	defer leave()
	address := (&url.URL{Scheme: "file", Path: file}).String()
	var mutex sync.Mutex
	shown := page{File: file, Scheme: scheme, Said: []string{}}
	say := func(words string) {
		mutex.Lock()
		defer mutex.Unlock()
		shown.Said = append(shown.Said, words)
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			say("console: " + string(e.Type))
		case *runtime.EventExceptionThrown:
			say("exception: " + e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			say("log: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address {
				say("asked for " + e.Request.URL)
			}
		}
	})
	actions := []chromedp.Action{
		network.Enable(), log.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		emulation.SetDeviceMetricsOverride(int64(width), 900, 1, false),
		chromedp.Navigate(address),
		chromedp.Evaluate(look, &shown.Seen),
	}
	var picture []byte
	if screenshot {
		actions = append(actions, chromedp.FullScreenshot(&picture, 100))
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		return page{}, nil, err
	}
	mutex.Lock()
	defer mutex.Unlock()
	return shown, picture, nil
}
