package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestInputs plans what the world writes: published samples, and network data in the formats that there are.
func TestInputs(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/inputs/*/site.yaml")
	if err != nil || len(folders) < 4 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, site := range folders {
		dir := filepath.Dir(site)
		first := func(names ...string) string {
			for _, name := range names {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					return filepath.Join(dir, name)
				}
			}
			t.Fatalf("%s: none of %v", dir, names)
			return ""
		}
		args := []string{"plan", "--site", site, "-f", first("specs", "spec.yaml"), "--inventory", first("hosts", "hosts.yaml")}
		if strings.Contains(read(t, site), "virtualHosts:") {
			args = append(args, "--with-virtual-hosts")
		}
		var out bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &out)
		text := strings.ReplaceAll(out.String(), dir+"/", "")
		text = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, "") + "exit code " + string(rune('0'+code)) + "\n"
		want := filepath.Join(dir, "plan.txt")
		if *update {
			if err := os.WriteFile(want, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if was, err := os.ReadFile(want); err != nil || string(was) != text {
			t.Errorf("%s: %v, now\n%s", want, err, text)
		}
	}
}
