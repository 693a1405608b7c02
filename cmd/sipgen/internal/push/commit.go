package push

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
)

// commitFlags are the flags for a commit's metadata.
type commitFlags struct {
	author        string
	message       string
	signKey       string
	requireSigned bool
	trailers      []string
}

func (c *commitFlags) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.author, "author", "",
		`the commit's author, "Name <address>" (default: $GIT_AUTHOR_NAME and $GIT_AUTHOR_EMAIL, else sipgen)`)
	flags.StringVarP(&c.message, "message", "m", "", "the commit's subject line (default: the changes)")
	flags.StringVar(&c.signKey, "sign-key", "",
		"sign the commit with this private key `FILE`, SSH or armored OpenPGP; "+
			"its passphrase is $SIPGEN_SIGN_PASSPHRASE, or in the file $SIPGEN_SIGN_PASSPHRASE_FILE")
	flags.StringArrayVar(&c.trailers, "trailer", nil,
		"add the trailer `KEY=VALUE` to the commit, for example 'Signed-off-by=Name <address>'; repeatable")
	flags.BoolVar(&c.requireSigned, "require-signed", false, "push no unsigned commit")
}

// meta returns the commit's author, signer and rules; the message comes with the plan.
func (c *commitFlags) meta(now time.Time) (publish.Meta, error) {
	meta := publish.Meta{When: now, RequireSigned: c.requireSigned}
	var errs []error
	who, err := parseAuthor(c.author, os.Getenv)
	errs = append(errs, err)
	meta.Author = who
	if c.signKey != "" {
		passphrase, unread := cmdline.Secret("SIPGEN_SIGN_PASSPHRASE", os.Getenv)
		meta.Signer, err = readSigner(c.signKey, passphrase, now)
		errs = append(errs, unread, err)
	}
	if strings.ContainsAny(c.message, "\n\r") {
		errs = append(errs, errors.New("--message: has a line break, want one line"))
	}
	for _, text := range c.trailers {
		trailer, err := parseTrailer(text)
		errs = append(errs, err)
		meta.Trailers = append(meta.Trailers, trailer)
	}
	return meta, errors.Join(errs...)
}

// trailerKey is a key as git's interpret-trailers reads it.
var trailerKey = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// parseTrailer reads KEY=VALUE. The keys of sipgen's own trailers are refused: sipgen and the reviewer of a pull
// request find the inputs of a commit by them.
func parseTrailer(text string) (publish.Trailer, error) {
	key, value, found := strings.Cut(text, "=")
	value = strings.TrimSpace(value)
	own := strings.ToLower(key)
	switch {
	case !found || !trailerKey.MatchString(key) || value == "" || strings.ContainsFunc(value, unicode.IsControl):
		return publish.Trailer{}, redact.Errorf("--trailer: want KEY=VALUE: letters, digits and -, "+
			"and a value on one line; found %s", redact.Value(text))
	case strings.HasSuffix(own, strings.ToLower(digestTrailer)), strings.HasPrefix(own, "sipgen-"), own == "dry-commit":
		return publish.Trailer{}, redact.Errorf("--trailer: %s is a key of sipgen's own", key)
	}
	return publish.Trailer{Key: key, Value: value}, nil
}

// readSigner reads a private key of the kind in its first line.
func readSigner(file, passphrase string, now time.Time) (publish.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--sign-key: %w", err)
	}
	if strings.Contains(string(text), "BEGIN PGP PRIVATE KEY") {
		return publish.OpenPGPSigner(file, passphrase, now)
	}
	return publish.SSHSigner(file, passphrase)
}

// parseAuthor reads "Name <address>", or takes git's own environment variables.
func parseAuthor(text string, getenv func(string) string) (publish.Signature, error) {
	if text == "" {
		who := publish.Signature{Name: getenv("GIT_AUTHOR_NAME"), Email: getenv("GIT_AUTHOR_EMAIL")}
		if who.Name == "" {
			who.Name = "sipgen"
		}
		if who.Email == "" {
			who.Email = "sipgen@localhost"
		}
		return who, nil
	}
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name == "" {
		return publish.Signature{}, errors.New(`--author: want "Name <address>"`)
	}
	return publish.Signature{Name: address.Name, Email: address.Address}, nil
}

// CommitMessage returns what changes, and from which inventory: of a snapshot with its time, which does not depend on
// when the commit is made. What was proposed is published with the same message.
func CommitMessage(l *app.Loaded, plan *report.Plan, subject string) string {
	text := report.CommitMessage(plan, subject)
	switch {
	case l.Live:
		text += fmt.Sprintf("\nInventory: %s, live\n", l.Hosts.Context)
	case !l.Hosts.TakenAt.IsZero():
		text += fmt.Sprintf("\nInventory: %s, of %s\n", l.Hosts.Context, l.Hosts.TakenAt.Format(time.RFC3339))
	}
	return text
}

// FilesOf returns the files that a commit changes. Only the commit knows whether sipgen wrote the files before.
func FilesOf(changes []publish.Change) []report.File {
	files := make([]report.File, 0, len(changes))
	for _, change := range changes {
		files = append(files, report.File{Path: change.Path, Kind: string(change.Kind), Foreign: change.Foreign})
	}
	return files
}

// digestTrailer ends the keys of trailers that are for programs.
const digestTrailer = "-Digest"

// Trailers name the inputs of the commit, by digests that are the same for the same inputs, in whatever files and
// order.
func Trailers(l *app.Loaded, version string) ([]publish.Trailer, error) {
	specs, err := digestOf(l.Clusters)
	if err != nil {
		return nil, err
	}
	hosts, err := digestOf(l.Hosts.Hosts)
	if err != nil {
		return nil, err
	}
	return []publish.Trailer{
		{Key: "Specs" + digestTrailer, Value: specs},
		{Key: "Inventory" + digestTrailer, Value: hosts},
		{Key: app.VersionTrailer, Value: version},
	}, nil
}

func digestOf(value any) (string, error) {
	text, err := json.Marshal(value)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}
