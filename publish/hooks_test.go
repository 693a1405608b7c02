package publish

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Where a pull request is opened is what servers say after the push, by hooks that run when the report is out.
func TestWordsAfterThePush(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	hook := "#!/bin/sh\ncat >/dev/null\nsleep 0.3\necho\necho \"Create a pull request for 'sipgen/site' by visiting:\" >&2\necho '  https://git.example.org/acme/fleet/pull/new' >&2\n"
	if err := os.WriteFile(filepath.Join(repo, "hooks", "post-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	target := httpsTarget(t, repo).Target
	target.Path, target.Proposal = "site", "sipgen/site"
	done, err := publishTree(target, tree("a", "1"), meta)
	if err != nil {
		t.Fatal(err)
	}
	if !done.Changed || done.Server != "Create a pull request for 'sipgen/site' by visiting:; https://git.example.org/acme/fleet/pull/new" {
		t.Errorf("found %+v", done)
	}
}

func packetOf(text string) string {
	if text == "" {
		return "0000"
	}
	return fmt.Sprintf("%04x%s", len(text)+4, text)
}

func TestReportComesLast(t *testing.T) {
	report := packetOf("\x01" + packetOf("unpack ok\n") + packetOf("ok refs/heads/main\n") + "0000")
	half, rest := packetOf("\x01"+packetOf("unpack ok\n")), packetOf("\x01"+packetOf("ok refs/heads/main\n")+"0000")
	words, more := packetOf("\x02words\n"), packetOf("\x02more\n")
	for _, row := range []struct{ why, answer, want string }{
		{"words behind", report + words + more + "0000", words + more + report + "0000"},
		{"words before", words + report + "0000", words + report + "0000"},
		{"both", words + half + rest + more + "0000", words + half + more + rest + "0000"},
		{"what only looks like an end", packetOf("\x01x0000") + words + report + "0000", words + packetOf("\x01x0000") + report + "0000"},
		{"no side band", packetOf("unpack ok\n") + packetOf("ok refs/heads/main\n") + "0000", packetOf("unpack ok\n") + packetOf("ok refs/heads/main\n") + "0000"},
		{"an error", report + packetOf("\x03gone"), packetOf("\x03gone") + report},
		{"cut off", report + "00", report + "00"},
		{"nothing", "", ""},
	} {
		for how, reader := range map[string]io.Reader{"at once": strings.NewReader(row.answer), "byte by byte": iotest.OneByteReader(strings.NewReader(row.answer))} {
			r := &reportLast{ReadCloser: io.NopCloser(reader), wait: time.Minute}
			found, err := io.ReadAll(r)
			if string(found) != row.want || err != nil && row.why != "cut off" {
				t.Errorf("%s, %s: found %q, %v\nwant %q", row.why, how, found, err, row.want)
			}
		}
	}
	if found, err := io.ReadAll(&reportLast{ReadCloser: io.NopCloser(strings.NewReader("<html>hello</html>")), wait: time.Minute}); err == nil {
		t.Errorf("found %q", found)
	}
}

// A hook that does not end does not hold the push up for ever: it is done.
func TestHooksThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		report := packetOf("\x01" + packetOf("unpack ok\n") + "0000")
		go func() { _, _ = io.WriteString(writer, report) }()
		started := time.Now()
		r := &reportLast{ReadCloser: reader, wait: hookWait}
		found, err := io.ReadAll(r)
		if !bytes.Equal(found, []byte(report)) || err != nil || time.Since(started) != hookWait {
			t.Errorf("after %s found %q, %v", time.Since(started), found, err)
		}
		synctest.Wait()
	})
}
