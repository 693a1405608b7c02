package infra

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/templates"
)

func TestFillWantsEveryValueAndNoOther(t *testing.T) {
	good := values{"name": "n", "purpose": "p", "maxConn": "1", "hardStop": "2", "bind": "3", "connect": "4s", "check": "4s", "queue": "4s", "client": "4s", "server": "4s", "tunnel": "4s",
		"globalLines": "", "defaultsLines": "    option x\n"}
	for want, change := range map[string]func(values){
		"":                                func(values) {},
		"no value for purpose":            func(v values) { delete(v, "purpose") },
		"it has no backend":               func(v values) { v["backend"] = "s" },
		"name: found a control":           func(v values) { v["name"] = "n\nglobal" },
		"purpose: found a control":        func(v values) { v["purpose"] = "p\r" },
		"no value for name\ntemplate hap": func(v values) { clear(v) },
	} {
		v := values{}
		for name, value := range good {
			v[name] = value
		}
		change(v)
		text, err := fill("haproxy-head.cfg.tmpl", v)
		switch {
		case want == "" && (err != nil || !strings.HasPrefix(string(text), "# n: p\n") || strings.Contains(string(text), "{{")):
			t.Errorf("found %q, %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || text != nil):
			t.Errorf("want %q, found %q, %v", want, text, err)
		}
	}
	if _, err := fill("ssh_config.tmpl", values{"name": "n", "hosts": "Host a"}); err == nil || !strings.Contains(err.Error(), "hosts: want whole lines") {
		t.Errorf("half a line: %v", err)
	}
	// A value is text: nothing in it is looked up.
	text, err := fill("ssh_config.tmpl", values{"name": "{{hosts}}", "hosts": "{{name}}\n"})
	if err != nil || !strings.Contains(string(text), "that {{hosts}} leads") || !strings.Contains(string(text), "\n{{name}}\n") {
		t.Errorf("found %q, %v", text, err)
	}
}

// Every brace of a template is part of a placeholder that fill knows.
func TestTemplatesHavePlaceholdersOnly(t *testing.T) {
	files, err := fs.Glob(templates.FS, "*.tmpl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := templates.FS.ReadFile(file)
		need.OK(t, err)
		if rest := placeholder.ReplaceAllString(string(text), ""); strings.Contains(rest, "{{") || strings.Contains(rest, "}}") {
			t.Errorf("%s: a placeholder that fill does not know", file)
		}
	}
}
