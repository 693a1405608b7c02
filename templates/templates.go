// Package templates holds the configuration files for which there is no marshaller. It has no
// logic: every value that a template takes is validated for its format by the caller.
//
// {{name}} stands for a value. Alone on its line it stands for whole lines, or none.
package templates

import "embed"

// FS is the templates by file name.
//
//go:embed *.tmpl *.sh
var FS embed.FS
