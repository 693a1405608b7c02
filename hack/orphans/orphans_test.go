//go:build linux

package orphans

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// tests stand in for those of a package that starts a process.
type tests func() int

func (t tests) Run() int { return t() }

func TestMain(m *testing.M) {
	leaves := os.Getenv("LEAVES")
	if leaves == "" {
		os.Exit(m.Run())
	}
	patience, _ := time.ParseDuration(os.Getenv("PATIENCE"))
	os.Exit(Tests{tests(func() int {
		if err := exec.Command("sh", "-c", leaves).Run(); err != nil {
			return 2
		}
		return 0
	}), patience}.Run())
}

// A process that outlives what started it is found, named and ended; one that ends by itself in time is none.
func TestRun(t *testing.T) {
	self := need.Value(os.Executable())(t)
	for script, want := range map[string]string{
		"sleep 1000 & exit 0": "sleep 1000",
		"(sh -c 'sleep 1001; true' & sleep 0.1) >/dev/null 2>&1": "sh -c sleep 1001; true",
		"sleep 0.1 & exit 0": "",
	} {
		patience := "0"
		if want != "" {
			patience = "1ms"
		}
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(self)
			command.Env = append(os.Environ(), "LEAVES="+script, "PATIENCE="+patience)
			said, err := command.CombinedOutput()
			assert.Truef(t, (err != nil) == (want != "") && strings.Contains(string(said), want), "%v, %q, want %q",
				err, said, want)
		})
	}
}
