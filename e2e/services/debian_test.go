package services

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

// TestDebianMirrorsThatHang: a mirror that takes connections and never answers costs its time and no more; the next one is asked, and if none gives
// the packages nothing is left behind.
func TestDebianMirrorsThatHang(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("apt-get"); err != nil {
		need.Missing(t, "Debian's mirrors: no apt-get on this machine")
	}
	var mirrors []string
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		need.OK(t, err)
		defer listener.Close()
		mirrors = append(mirrors, "http://"+listener.Addr().String()+"/debian")
	}
	folder := t.TempDir()
	cmd := exec.Command("bash", filepath.Join("..", "..", "hack", "debian-root.sh"), "trixie", filepath.Join(folder, "root"), "hostname")
	cmd.Env = append(os.Environ(), "DEBIAN_MIRROR="+strings.Join(mirrors, " "), "DEBIAN_TIMEOUT=2")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "no mirror gave the packages") {
		t.Errorf("%v: %s", err, out)
	}
	for _, mirror := range mirrors {
		need.Words(t, mirror, string(out), mirror+" did not give the packages within 2 s")
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
