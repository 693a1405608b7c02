package setup

import (
	"errors"
	"fmt"
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8s "k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/survey"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// trialRepository is the repository in the folder of the Site, where no other is named.
const trialRepository = "fleet.git"

// answers returns the values of the flags, checked before anything is read, because their errors do not depend on the
// hosts.
func (b *Beginning) answers(site string) (survey.Answers, error) {
	var errs []error
	namespace, name, _ := strings.Cut(b.Cluster, "/")
	if !(schedule.ClusterKey{Namespace: namespace, Name: name}).Valid() {
		errs = append(errs, redact.Errorf("--cluster: found %q, want NAMESPACE/NAME, of lower-case letters, digits and -",
			b.Cluster))
	}
	if b.Engine != "auto" && b.Engine != string(v1alpha1.EngineFlux) && b.Engine != string(v1alpha1.EngineArgoCD) {
		errs = append(errs, redact.Errorf("--engine: found %q, want auto, flux or argocd, in lower case", b.Engine))
	}
	if b.Name != "" && len(k8s.IsDNS1123Label(b.Name)) > 0 {
		errs = append(errs, redact.Errorf("--name: found %q, want at most 63 lower-case letters, digits and -", b.Name))
	}
	url, folder, err := b.repository()
	errs = append(errs, err)
	b.trial = folder
	answers := survey.Answers{Site: b.siteName(), Repository: url, Branch: branchOf(folder),
		Trial: folder != "", Specs: specsFolder,
		Namespace: namespace, Name: name, NodePort: survey.FirstNodePort}
	answers.SSH, _ = (&v1alpha1.Repository{URL: url}).SSH()
	answers.Inventory, err = b.inventoryPath()
	if errors.Join(errs...) == nil {
		answers.Engine = string(v1alpha1.EngineFlux)
		parsed, siteErr := api.ParseSite(site, survey.SiteYAML(&survey.Found{}, answers))
		errs = append(errs, ofFlags(siteErr))
		first := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
		if siteErr == nil {
			for _, found := range tenancy.Of(parsed, nil).Namespace(&first) {
				errs = append(errs, redact.Errorf("--cluster: %s", found.Message))
			}
		}
	}
	return answers, errors.Join(append(errs, err)...)
}

// repository returns the URL of the repository. folder is where it is if that is a path on this machine.
func (b *Beginning) repository() (url, folder string, err error) {
	path := b.Repo
	switch {
	case path == "":
		path = filepath.Join(b.Dir, trialRepository)
	case !isPath(path):
		return path, "", nil
	}
	if folder, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", "", fmt.Errorf("--repo: %w", manifest.WithoutOperation(path, err))
	case !info.IsDir() || !cmdline.IsRepository(folder):
		return "", "", redact.Errorf("--repo: %s: not a bare git repository; "+
			"name a folder that does not exist, and init makes one", path)
	}
	return (&neturl.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String(), folder, nil
}

// trialBranch is the branch of a repository that init makes, and the default of a Site.
const trialBranch = "main"

// branchOf returns the branch that a clone of a repository on this machine begins with.
func branchOf(folder string) string {
	head, err := os.ReadFile(filepath.Join(folder, "HEAD"))
	branch, named := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if folder == "" || err != nil || !named {
		return trialBranch
	}
	return branch
}

// isPath reports whether a repository is named by its place on this machine: a path that begins as one, or a name
// that ends as bare repositories do. git.example.org/fleet.git is a URL without its scheme.
func isPath(repo string) bool {
	for _, begin := range []string{"./", "../", "/"} {
		if strings.HasPrefix(repo, begin) {
			return true
		}
	}
	return strings.HasSuffix(repo, ".git") && !strings.ContainsAny(repo, "/:")
}

// siteName returns the folder's name, as far as it can be one.
func (b *Beginning) siteName() string {
	if b.Name != "" {
		return b.Name
	}
	folder, err := filepath.Abs(b.Dir)
	if err != nil {
		return "site"
	}
	var name strings.Builder
	for _, r := range strings.ToLower(filepath.Base(folder)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			name.WriteRune(r)
		} else if words := name.String(); words != "" && !strings.HasSuffix(words, "-") {
			name.WriteByte('-')
		}
	}
	if short := strings.Trim(text.Truncate(name.String(), 40), "-…"); short != "" {
		return short
	}
	return "site"
}

// checkFolder refuses a folder with letters that a Site's name would lack.
func (b *Beginning) checkFolder() error {
	folder, err := filepath.Abs(b.Dir)
	base := filepath.Base(folder)
	if err != nil || b.Name != "" || !strings.ContainsFunc(base, func(r rune) bool { return r > 'z' && unicode.IsLetter(r) }) {
		return nil
	}
	return redact.Errorf("%s: the folder's name has letters that no Site's name can have, want --name NAME",
		redact.Plain(b.Dir))
}

// inventoryPath returns the inventory as the Site names it: relative to its file.
func (b *Beginning) inventoryPath() (string, error) {
	if b.In.Inventory == app.FromCluster {
		return app.FromCluster, nil
	}
	if b.In.Inventory == manifest.Stdin {
		return "", errors.New("--inventory: standard input cannot be read again, want a file, a folder or the word cluster")
	}
	dir, err := filepath.Abs(b.Dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(b.In.Inventory)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(dir, path)
	return filepath.ToSlash(relative), err
}

// base returns the folder of the hosts' manifests in the repository: as it is in the work tree of git that it lies in,
// else as it is from the Site. guessed: the manifests are in no folder that can be one of a repository.
func (b *Beginning) base() (folder string, guessed bool, err error) {
	path, err := filepath.Abs(b.In.Inventory)
	if err != nil {
		return "", false, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	top, err := filepath.Abs(b.Dir)
	if err != nil {
		return "", false, err
	}
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			top = at
			break
		}
	}
	relative, err := filepath.Rel(top, path)
	folder = filepath.ToSlash(relative)
	if err != nil || folder == "." || !validation.IsFolder(folder) {
		return "hosts", true, nil
	}
	return folder, false, nil
}

// ofFlags returns the errors of a generated Site that come from a flag, by its name: the Site has no file.
func ofFlags(err error) error {
	var errs []error
	flags := map[string]string{"spec.repository.url": "--repo", "metadata.name": "--name"}
	for _, e := range app.Flatten(err) {
		var problem *manifest.Problem
		if errors.As(e, &problem) && flags[problem.Field] != "" {
			errs = append(errs, fmt.Errorf("%s: %s", flags[problem.Field], problem.Message))
		}
	}
	return errors.Join(errs...)
}
