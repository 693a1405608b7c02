package cmdline

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/inventory/files"
)

// Names is what a shell may complete a word to.
type Names int

const (
	// Clusters, Hosts and Roles are of the specs and the inventory that the flags name.
	Clusters Names = 1 << iota
	Hosts
	Roles // of clusters, as --count has them
)

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// CompleteFlag completes a flag that takes one of the given values.
func CompleteFlag(command *cobra.Command, flag string, values ...string) {
	// fails for a flag that is not there, and a test sees that
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Complete completes the first argument to names in the files that the flags typed so far, the environment or the Site
// name.
func (in *Inputs) Complete(what Names) completer {
	complete := in.completeNames(what)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

// CompleteFlag completes a flag to names, as Complete does.
func (in *Inputs) CompleteFlag(command *cobra.Command, flag string, what Names) {
	_ = command.RegisterFlagCompletionFunc(flag, in.completeNames(what)) // fails for a flag that is not there
}

// completeNames returns names. It reports no errors of files, which the command itself does. It does not ask the live
// cluster, because a shell waits for the answer.
func (in *Inputs) completeNames(what Names) completer {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp
		if FromEnvironment(cmd, os.Getenv) != nil {
			return nil, directive
		}
		return beginningWith(typed, in.names(cmd.Context(), what)), directive
	}
}

// beginningWith returns the names that begin with what was typed, as they are and without their namespaces where that
// is enough: a name that two namespaces have is offered only with its namespace. Where nothing was typed, all names
// have it.
func beginningWith(typed string, names []string) []string {
	namespaces := map[string]map[string]bool{} // by the name after them
	for _, key := range names {
		namespace, rest, _ := strings.Cut(key, "/")
		name, _, _ := strings.Cut(rest, "/") // a role follows
		if namespaces[name] == nil {
			namespaces[name] = map[string]bool{}
		}
		namespaces[name][namespace] = true
	}
	var out []string
	for _, key := range names {
		if strings.HasPrefix(key, typed) {
			out = append(out, key)
		}
		_, rest, _ := strings.Cut(key, "/")
		if name, _, _ := strings.Cut(rest, "/"); typed != "" && name != "" && len(namespaces[name]) == 1 &&
			strings.HasPrefix(rest, typed) {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (in *Inputs) names(ctx context.Context, what Names) []string {
	nothing := strings.NewReader("")
	site, _ := in.LoadSite(nothing)
	in.Specs = slices.DeleteFunc(slices.Clone(in.Specs), func(path string) bool { return path == app.FromCluster })
	found := map[string]bool{}
	if what&(Clusters|Roles) != 0 {
		for _, cluster := range in.ValidSpecs(ctx, nothing, site) {
			clusterNames(found, &cluster, what)
		}
	}
	if what&Hosts != 0 && in.Inventory != "" && in.Inventory != app.FromCluster && in.Inventory != "-" {
		if hosts, _ := files.Load([]string{in.Inventory}, nothing); hosts != nil {
			for i := range hosts.Hosts {
				found[hosts.Hosts[i].Key()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// clusterNames adds the words that a cluster gives.
func clusterNames(found map[string]bool, cluster *v1.SIPCluster, what Names) {
	if what&Clusters != 0 {
		found[cluster.Key()] = true
	}
	if what&Roles != 0 {
		for role, set := range cluster.Spec.Nodes {
			active, _ := set.Want()
			found[cluster.Key()+"/"+role+"="+strconv.Itoa(active)] = true
		}
	}
}

// completeContexts returns the contexts of the kubeconfig.
func (in *Inputs) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return in.Contexts(in.LoadingRules()), cobra.ShellCompDirectiveNoFileComp
}
