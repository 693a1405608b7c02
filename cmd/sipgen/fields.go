package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/fields"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

func newFields(ui *terminal.UI) *cobra.Command {
	var output cmdline.Output
	command := &cobra.Command{
		Use:   "fields KIND[.FIELD...]",
		Short: "Explain the fields of SIPCluster and Site, offline",
		Long: `Explain a field of SIPCluster or Site and the fields below it, without a cluster. Write the kind,
then the field as in messages: site.spec.brake.

-o json-schema prints the JSON Schema of the kind, for editors and other checkers.`,
		Example: `  sipgen fields site.spec.repository
  sipgen fields sipcluster.spec.nodes.Worker
  sipgen fields site -o json-schema > site.schema.json`,
		Args: cmdline.Arguments(1, 1, "sipcluster, site, or a field of them as in site.spec.repository"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			kind, path, err := kindOf(args[0])
			if err != nil {
				return err
			}
			if output.Format == "json-schema" {
				if path != "" {
					return redact.Errorf("%s: -o json-schema is for a whole kind: %s", redact.Plain(args[0]),
						strings.ToLower(kind.Name))
				}
				text, err := kind.JSONSchema()
				if err == nil {
					_, err = ui.Out.Write(text)
				}
				return err
			}
			field, known, parent := kind.At(path)
			if field == nil {
				return noField(kind, path, known, parent)
			}
			_, err = fmt.Fprint(ui.Out, kind.Explain(field, helpWidth(ui)))
			return err
		},
	}
	output.Flag(command, "text", "json-schema")
	return command
}

// kindOf returns the kind that a path begins with, and the rest of it.
func kindOf(path string) (*fields.Kind, string, error) {
	kinds, err := fields.Kinds()
	if err != nil {
		return nil, "", err
	}
	first, rest, _ := strings.Cut(path, ".")
	var names []string
	for i := range kinds {
		name := strings.ToLower(kinds[i].Name)
		if strings.EqualFold(first, name) {
			return &kinds[i], rest, nil
		}
		names = append(names, name)
	}
	hint := ""
	if near := manifest.Nearest(first, names); near != "" {
		hint = redact.Sprintf(", did you mean %q?", near)
	}
	return nil, "", redact.Errorf("found %q, want %s%s", first, strings.Join(names, " or "), hint)
}

func noField(kind *fields.Kind, path string, known []string, parent string) error {
	below := strings.ToLower(kind.Name)
	if parent != "" {
		below += "." + parent
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path, parent), ".")
	step, _, _ := strings.Cut(rest, ".")
	if near := manifest.Nearest(step, known); near != "" {
		return redact.Errorf("%s has no field %q, did you mean %q?", below, step, near)
	}
	if len(known) == 0 {
		return redact.Errorf("%s has no fields below it", below)
	}
	return redact.Errorf("%s has no field %q, want one of %s", below, step, strings.Join(known, ", "))
}
