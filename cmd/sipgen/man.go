package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
)

// newMan is hidden: releases have the pages in their archives.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands, for man, into a folder",
		Hidden: true,
		Args:   cmdline.Arguments(1, 1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Clean(args[0])
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			// Their date is $SOURCE_DATE_EPOCH, or today.
			return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "SIPGEN", Section: "1", Source: "sipgen " + version(), Manual: "sipgen"}, dir)
		},
	}
}
