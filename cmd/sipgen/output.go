package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// checkFormat refuses an --output that a command has not.
func checkFormat(found string, want []string) error {
	for _, format := range want {
		if found == format {
			return nil
		}
	}
	hint := ""
	if near := manifest.Nearest(found, want); near != "" {
		hint = redact.Sprintf(", did you mean %q?", near)
	}
	return redact.Errorf("--output: found %q, want %s%s", found, strings.Join(want, ", "), hint)
}

// coloured decides by --color, the environment (https://no-color.org) and whether out is a terminal.
func coloured(when string, out io.Writer, getenv func(string) string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		file, isFile := out.(*os.File)
		return isFile && getenv("NO_COLOR") == "" && term.IsTerminal(int(file.Fd())), nil
	}
	return false, redact.Errorf("--color: found %q, want auto, always or never", when)
}
