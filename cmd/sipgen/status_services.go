package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/root"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/live"
)

// serviceKinds are the kinds of live objects that tell how a service is.
var serviceKinds = []struct {
	kind     string
	resource schema.GroupVersionResource
}{
	{"Ironic", schema.GroupVersionResource{Group: "ironic.metal3.io", Version: "v1alpha1", Resource: "ironics"}},
	{"Vino", schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "vinoes"}},
	{"PlacementAPI", schema.GroupVersionResource{Group: "placement.openstack.org", Version: "v1beta1",
		Resource: "placementapis"}},
	{"Deployment", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}},
	{status.Kustomization, schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1",
		Resource: "kustomizations"}},
	{status.GitRepository, schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1",
		Resource: "gitrepositories"}},
	{status.Application, schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
		Resource: "applications"}},
	{status.AppProject, schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
		Resource: "appprojects"}},
}

// servicesOf holds the services of the tree and the Site against the live ones, or against those among the files of the
// hosts. labeled: hosts carry labels of clusters, so that the engine has synced the tree. Kinds that cannot be read, or
// that no file has, are left out.
func servicesOf(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, site *v1alpha1.Site,
	before app.Before, labeled, wide bool) []status.Service {
	wanted := wantedServices(site, before)
	var fromFiles, objects []manifest.Document
	if in.Inventory != app.FromCluster && in.Inventory != manifest.Stdin {
		// the reader of the hosts there reports the error
		fromFiles, _ = manifest.Inventory.Read([]string{in.Inventory}, nil)
	}
	for _, k := range serviceKinds {
		ofKind := func(w status.Wanted) bool { return w.Kind == k.kind }
		// A project tells how its Applications are.
		ofProject := func(w status.Wanted) bool { return k.kind == status.AppProject && w.Kind == status.Application }
		if !slices.ContainsFunc(wanted, ofKind) && !slices.ContainsFunc(wanted, ofProject) {
			continue
		}
		found := slices.DeleteFunc(slices.Clone(fromFiles),
			func(doc manifest.Document) bool { return doc.Kind != k.kind })
		known := len(found) > 0
		if in.Inventory == app.FromCluster {
			var err error
			found, err = liveObjects(ctx, in, k.resource, k.kind)
			known = err == nil || apierrors.IsNotFound(err) // without the definition there are none
			switch {
			case apierrors.IsForbidden(err) && k.kind == "Vino" &&
				!wide: // it holds a password, and policy/ grants it nobody
			case apierrors.IsForbidden(err):
				ui.Say("%s are not shown: the account may not list them", k.resource.Resource)
			case !known:
				ui.Warn("%s are not shown: %s", k.resource.Resource, err)
			}
		}
		if !known {
			wanted = slices.DeleteFunc(wanted, ofKind)
		}
		objects = append(objects, found...)
	}
	return status.Services(wanted, objects, before.Commit, labeled)
}

func liveObjects(ctx context.Context, in *cmdline.Inputs, resource schema.GroupVersionResource,
	kind string) ([]manifest.Document, error) {
	cfg, err := in.RestConfig()
	if err != nil {
		return nil, err
	}
	return live.Documents(ctx, cfg, resource, kind)
}

// wantedServices returns the site's by the Site, and the clusters' by the Deployments in the tree.
func wantedServices(site *v1alpha1.Site, before app.Before) []status.Wanted {
	var out []status.Wanted
	services := &site.Spec.Services
	for i := range services.Ironic {
		out = append(out, status.Wanted{Kind: "Ironic", Namespace: services.Ironic[i].Namespace,
			Name: services.Ironic[i].Name})
	}
	for i := range services.VirtualHosts {
		out = append(out, status.Wanted{Kind: "Vino", Namespace: services.VirtualHosts[i].Namespace,
			Name: services.VirtualHosts[i].Name})
	}
	for i := range services.Placement {
		out = append(out, status.Wanted{Kind: "PlacementAPI", Namespace: services.Placement[i].Namespace,
			Name: services.Placement[i].Name})
	}
	out = append(out, syncs(before.Files)...)
	for file, content := range before.Files {
		// Each service of a cluster has a file of its name.
		if at := strings.Split(file, "/"); len(at) == 5 && at[0] == "clusters" && at[3] == "infra" &&
			bytes.Contains(content, []byte("kind: Deployment\n")) {
			out = append(out, status.Wanted{Kind: "Deployment", Namespace: at[1],
				Name: strings.TrimSuffix(path.Base(file), ".yaml"), Cluster: at[1] + "/" + at[2]})
		}
	}
	return out
}

// syncs returns the objects of the tree by which the engine applies it.
func syncs(files map[string][]byte) (out []status.Wanted) {
	for file, content := range files {
		engine, _, _ := strings.Cut(file, "/")
		kind, known := map[string]string{"flux": status.Kustomization, "argocd": status.Application}[engine]
		isRoot := path.Base(file) == "root.yaml" // what syncs all others, and its source
		if !known || path.Ext(file) != ".yaml" || path.Base(file) == "kustomization.yaml" {
			continue
		}
		docs, err := manifest.Parse(file, content)
		if err != nil {
			continue // edited by hand, which is a finding of its own
		}
		for _, doc := range docs {
			if doc.Kind != kind && !(isRoot && doc.Kind == status.GitRepository) {
				continue
			}
			one := status.Wanted{Kind: doc.Kind, Namespace: doc.Namespace, Name: doc.Name, Site: siteLabel(doc),
				Root: isRoot}
			if isRoot {
				one.Source = root.Of(doc)
			}
			out = append(out, one)
		}
	}
	return out
}

// siteLabel returns the site of an object that sipgen rendered.
func siteLabel(doc manifest.Document) string {
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(doc.JSON, &object) != nil {
		return ""
	}
	return object.Labels[inventory.SiteLabel]
}

// showServices prints the services that are not ready, with -o wide all of them, and how many are.
func showServices(ui *terminal.UI, services []status.Service, commit, output string) error {
	if len(services) == 0 {
		return nil
	}
	var rows [][]string
	for _, s := range services {
		if s.Ready && output != "wide" {
			continue
		}
		if len(rows) == 0 {
			rows = append(rows, []string{"SERVICE", "CLUSTER", "STATE", "WHAT"})
		}
		state := "not ready"
		switch {
		case s.Ready:
			state = "ready"
		case s.Stuck:
			state = "stuck"
		}
		rows = append(rows, []string{text.Line(s.Service), text.Line(s.Cluster), state, text.Line(s.What)})
	}
	errs := []error{ui.Columns(rows, 3)}
	for _, line := range []string{status.ServiceSummary(services), status.Applied(services, commit)} {
		if line != "" {
			_, err := fmt.Fprintf(ui.Out, "%s.\n", line)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
