package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

// Placement is a real OpenStack Placement, Debian's, with SQLite on a free port of the loopback interface, with
// nothing in it. Keystone is not there: Placement's own noauth2 takes any token, and lets that of "admin" do
// everything.
type Placement struct {
	// URL is where its API begins, without a slash at the end.
	URL string
	// Token is one with which everything may be done.
	Token string
}

// StartPlacement starts Placement.
func StartPlacement(t testing.TB) *Placement {
	t.Helper()
	program, err := exec.LookPath("placement-api")
	if err != nil {
		need.Missing(t, "no placement-api on this machine; Debian has it in python3-placement")
	}
	dir := t.TempDir()
	writeFile(t, dir, "placement.conf", []byte("[api]\nauth_strategy = noauth2\n[placement_database]\nconnection = sqlite:///"+
		filepath.Join(dir, "placement.sqlite")+"\nsync_on_startup = true\n"))
	port := freePorts(t, 1)[0]
	p := &Placement{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Token: "admin"}
	process := start(t, "placement", []string{"OS_PLACEMENT_CONFIG_DIR=" + dir}, program, "-b", "127.0.0.1", "-p",
		strconv.Itoa(port))
	Wait(t, "Placement", 60*time.Second, func() error {
		if err := process.running(); err != nil {
			return Final(err)
		}
		response, err := http.Get(p.URL + "/")
		if err == nil {
			err = response.Body.Close()
		}
		return err
	})
	return p
}

// Do sends a request of microversion 1.38 and gives the status and the answer, which may be nil.
func (p *Placement) Do(t testing.TB, method, path string, body any) (int, any) {
	t.Helper()
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"X-Auth-Token": {p.Token}, "Openstack-Api-Version": {"placement 1.38"},
		"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%s %s: %s: %v in %q", method, path, response.Status, err, text)
		}
	}
	return response.StatusCode, answer
}

// Must is Do that wants success.
func (p *Placement) Must(t testing.TB, method, path string, body any) any {
	t.Helper()
	status, answer := p.Do(t, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s: found status %d, %v", method, path, status, answer)
	}
	return answer
}
