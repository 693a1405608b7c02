// Command clidoc prints the command reference, docs/cli.md: what people wrote in it, and below it sipgen's own help,
// with the flags of several commands once.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// mark is the line of docs/cli.md between both.
const mark = "<!-- make generate writes what follows from sipgen COMMAND --help. -->"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "clidoc:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "clidoc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := folder + "/sipgen"
	build := exec.Command("go", "build", "-o", binary, "./cmd/sipgen")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	all := map[string]string{"": ""}
	if all[""], err = help(binary, ""); err != nil {
		return err
	}
	names := append([]string{""}, commands(all[""])...)
	times := map[string]int{}
	for _, name := range names[1:] {
		if all[name], err = help(binary, name); err != nil {
			return err
		}
		for _, one := range flags(all[name]) {
			times[words(one)]++
		}
	}
	page, err := os.ReadFile("docs/cli.md")
	if err != nil {
		return err
	}
	written, _, ok := strings.Cut(string(page), mark)
	if !ok {
		return fmt.Errorf("docs/cli.md: no line %q", mark)
	}
	fmt.Print(written, mark, "\n")
	fmt.Print("\n## Common flags\n\nFlags of several commands are in this table, and those of most commands in [sipgen options](#sipgen-options).\n\n| flag | meaning | commands |\n|---|---|---|\n")
	for _, name := range names[1:] {
		for _, one := range flags(all[name]) {
			if times[words(one)] < common || strings.Contains(one, "--help") {
				continue
			}
			times[words(one)] = 0
			flag, meaning, _ := strings.Cut(strings.TrimSpace(one), "   ")
			fmt.Printf("| `%s` | %s | %s |\n", flag, words(meaning), strings.Join(having(words(one), names[1:], all), ", "))
		}
	}
	for _, name := range names {
		text := all[name]
		for _, one := range flags(text) {
			if _, ok := times[words(one)]; ok && (times[words(one)] == 0 || strings.Contains(one, "  help for ")) {
				text = strings.Replace(text, one, "", 1)
			}
		}
		fmt.Printf("\n## %s\n\n```\n%s```\n", strings.TrimSpace("sipgen "+name), strings.TrimSuffix(text, "\nFlags:\n"))
	}
	return nil
}

// common is in how many commands a flag is described once.
const common = 3

// flag is one flag of a help text, with the lines that its text continues on.
var flag = regexp.MustCompile(`(?m)^ +(?:-\w, )?--\S.*\n(?: {12,}\S.*\n)*`)

func flags(help string) []string {
	_, list, _ := strings.Cut(help, "\nFlags:\n")
	return flag.FindAllString(list, -1)
}

// words returns a flag's text without its columns.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// having returns the commands that have a flag with these words.
func having(one string, names []string, all map[string]string) (commands []string) {
	for _, name := range names {
		if slices.ContainsFunc(flags(all[name]), func(other string) bool { return words(other) == one }) {
			commands = append(commands, name)
		}
	}
	return commands
}

// help returns what a command prints.
func help(binary, command string) (string, error) {
	args := strings.Fields(command + " --help")
	if command == "options" {
		args = args[:1]
	}
	text, err := exec.Command(binary, args...).Output()
	if err != nil {
		return "", fmt.Errorf("sipgen %s: %w", strings.Join(args, " "), err)
	}
	return string(text), nil
}

// commands returns the names that sipgen's own help lists, but for help itself.
func commands(help string) []string {
	_, list, _ := strings.Cut(help, "\nAvailable Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "help" {
			names = append(names, fields[0])
		}
	}
	return names
}
