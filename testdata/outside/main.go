// Command outside goes the way of ARCHITECTURE.md, as a program of somebody else's would: from specs and hosts to a
// folder. usage: outside SITE SPECS HOSTS FOLDER
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/airshipit/sipgen/verify"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, siteFile, specs, hostFiles, folder string) error {
	site, siteErr := api.LoadSite(siteFile, os.Stdin)
	clusters, specsErr := api.LoadClusters([]string{specs}, os.Stdin)
	hosts, hostsErr := files.Load([]string{hostFiles}, os.Stdin)
	if err := errors.Join(siteErr, specsErr, hostsErr); err != nil {
		return err
	}
	if err := verify.Network(site, clusters, hosts.Hosts); err != nil {
		return err
	}
	before, err := publish.ReadDir(ctx, folder)
	if err != nil {
		return err
	}
	previous, err := render.Previous(folder, render.Tree(before), site)
	if err != nil {
		return err
	}
	keys := site.Spec.LabelKeys
	placement, err := schedule.Plan(clusters, hosts.Hosts, previous, schedule.Options{Keys: schedule.LabelKeys{
		ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType, Standby: keys.Standby,
	}})
	if err != nil {
		return err
	}
	if !placement.Schedulable() {
		return errors.New("a cluster cannot have its hosts")
	}
	tree, services, err := render.Site(render.Input{Site: site, Clusters: clusters, Placement: placement,
		Previous: render.Tree(before)})
	if err := errors.Join(err, verify.Services(site, services)); err != nil {
		return err
	}
	written, err := publish.WriteDir(ctx, folder, publish.Tree(tree), publish.DirOptions{})
	if err != nil {
		return err
	}
	fmt.Println(len(written.Added), "added,", len(written.Changed), "changed,", len(written.Deleted), "deleted")
	return nil
}
