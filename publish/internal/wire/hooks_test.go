package wire

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// packetOf is one of git's packets.
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
