package render

import "github.com/airshipit/sipgen/render/site/ledger"

// ledger renders the hosts and claims for Placement, where the Site asks for it.
func (s *site) ledger() error {
	if s.Site.Spec.Services.Ledger == nil {
		return nil
	}
	content, err := ledger.Render(s.Site, s.Placement)
	s.tree[ledger.Path] = content
	return err
}
