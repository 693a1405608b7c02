package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/tenancy"
)

// LoadSite reads the Site, and fills in its inputs where flags are missing.
func (in *Inputs) LoadSite(stdin io.Reader) (*v1alpha1.Site, error) {
	site, err := in.readSite(stdin)
	if errors.Is(err, fs.ErrNotExist) {
		missing := &NoSiteError{err: err}
		if folder := in.folder(); kustomization.Is(folder) {
			missing.Built = folder
		}
		err = missing
	}
	in.fromSite(site)
	return site, err
}

// readSite reads the Site of a file or of standard input, or the one that the kustomization of a folder builds.
func (in *Inputs) readSite(stdin io.Reader) (*v1alpha1.Site, error) {
	if in.Site != manifest.Stdin && kustomization.IsFile(in.Site) {
		return nil, redact.Errorf("%s: to build a Site's kustomization, name its folder: --site %s", in.Site,
			filepath.Dir(in.Site))
	}
	if in.Site == manifest.Stdin || !kustomization.Is(in.Site) {
		return api.LoadSite(in.Site, stdin)
	}
	in.built = true
	docs, files, err := kustomization.Site(in.Site)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(docs, api.IsSite) {
		return nil, fmt.Errorf("%s: builds no %s %s, want one", filepath.ToSlash(in.Site), v1alpha1.APIVersion,
			v1alpha1.Kind)
	}
	site, err := api.SiteFromDocuments(docs)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, file := range files {
		if whose := tenancy.Folder(site, in.pathOf(file)); whose != "" {
			errs = append(errs, fmt.Errorf("%s: in a tenant's folder, %s, and the Site is built from it: want a Site "+
				"without tenants' files", file, redact.Plain(whose)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return site, nil
}
