package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	k8s "k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// OfBase writes one more site of a fleet: a kustomization of the Site in a base, and of the specs beside it.
func (b *Beginning) OfBase(ui *terminal.UI, base string) error {
	if b.Name != "" && len(k8s.IsDNS1123Label(b.Name)) > 0 {
		return redact.Errorf("--name: found %q, want at most 63 lower-case letters, digits and -", b.Name)
	}
	if err := b.checkFolder(); err != nil {
		return err
	}
	if !kustomization.Is(base) {
		return redact.Errorf("--base: %s: want a folder with a kustomization of the Site that the sites share", base)
	}
	for _, name := range []string{"site.yaml", "kustomization.yaml"} {
		if _, err := os.Lstat(filepath.Join(b.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return redact.Errorf("%s is there already, and init changes no file", filepath.Join(b.Dir, name))
		}
	}
	shared, err := (&app.Inputs{Site: base}).LoadSite(nil)
	if err != nil {
		return err
	}
	files, missing, err := b.filesOfBase(base, shared)
	if err != nil {
		return err
	}
	var written []string
	for _, file := range files {
		name := filepath.Join(b.Dir, filepath.FromSlash(file.path))
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = writeNew(name, []byte(file.text))
		}
		if err != nil {
			break
		}
		written = append(written, name)
	}
	if err == nil { // as every command reads it
		_, err = (&app.Inputs{Site: b.Dir}).LoadSite(nil)
	}
	if err != nil {
		for _, name := range written {
			_ = os.Remove(name)
		}
		return err
	}
	for _, name := range written {
		fmt.Fprintf(ui.Out, "wrote %s\n", text.Line(name))
	}
	shown := quoted(redact.Plain(b.Dir))
	for _, next := range missing {
		ui.Say("%s", next)
	}
	ui.Say("next: read the kustomization, then sipgen lint --site %s and sipgen plan --site %s", shown, shown)
	return nil
}

// newFile is a file below the site's folder.
type newFile struct{ path, text string }

// filesOfBase returns the kustomizations of a site, and what is still missing for its inputs.
func (b *Beginning) filesOfBase(base string, shared *v1alpha1.Site) (files []newFile, missing []string, err error) {
	name := b.siteName()
	to, err := relative(b.Dir, base)
	if err != nil {
		return nil, nil, err
	}
	folder := path.Join(cmp.Or(shared.Spec.Repository.Path, "sites"), name)
	var site strings.Builder
	fmt.Fprintf(&site, "# Site %s: what is different from the Site in %s.\nresources: [%s]\n", name, to, to)
	site.WriteString("# A label chooses sites: sipgen plan --site 'sites/*' --select wave=1\n" +
		"# labels: [{pairs: {wave: \"1\"}}]\n")
	site.WriteString("patches:\n- target: {kind: Site}\n  patch: |\n")
	fmt.Fprintf(&site, "    - {op: replace, path: /metadata/name, value: %q}\n", name)
	fmt.Fprintf(&site, "    - {op: add, path: /spec/repository/path, value: %q}\n", folder)
	if argo := &shared.Spec.ArgoCD; shared.Spec.Engine == v1alpha1.EngineArgoCD && argo.Names != v1alpha1.NamesSite {
		// Without it the Applications of two sites have the same names on one Argo CD.
		fmt.Fprintf(&site, "    - {op: add, path: /spec/argocd/names, value: %s}\n", v1alpha1.NamesSite)
	}
	files = append(files, newFile{"kustomization.yaml", site.String()})
	for _, specs := range shared.Spec.Inputs.Specs {
		own := filepath.Join(b.Dir, filepath.FromSlash(specs))
		of := filepath.Join(base, filepath.FromSlash(specs))
		_, err := os.Stat(own)
		switch {
		case specs == app.FromCluster || err == nil:
		case filepath.IsLocal(filepath.FromSlash(specs)) && kustomization.Is(of):
			up, err := relative(own, of)
			if err != nil {
				return nil, nil, err
			}
			files = append(files, newFile{path.Join(specs, "kustomization.yaml"), fmt.Sprintf("resources: [%s]\n", up)})
		default:
			missing = append(missing, redact.Sprintf("the specs are missing: %s (spec.inputs.specs)", own))
		}
	}
	if hosts := shared.Spec.Inputs.Inventory; hosts != "" && hosts != app.FromCluster {
		own := filepath.Join(b.Dir, filepath.FromSlash(hosts))
		if _, err := os.Stat(own); err != nil {
			missing = append(missing, redact.Sprintf("the hosts are missing: sipgen inventory --site %s --context %s > %s",
				quoted(redact.Plain(b.Dir)), name, quoted(redact.Plain(own))))
		}
	}
	return files, missing, nil
}

// relative returns a path as a file in a folder names it, with slashes.
func relative(folder, to string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	out, err := filepath.Rel(from, to)
	return filepath.ToSlash(out), err
}
