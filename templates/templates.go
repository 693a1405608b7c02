// Package templates holds the configuration files for which there is no marshaller. It has no logic: the caller
// validates every value for the format of the template.
//
// {{name}} is a value. Alone on its line it is whole lines, or none.
package templates

import "embed"

// FS is the templates by file name.
//
//go:embed *.tmpl *.sh
var FS embed.FS
