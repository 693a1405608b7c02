package cmdline

import "github.com/spf13/cobra"

// CompleteFlag completes a flag that takes one of the given values.
func CompleteFlag(command *cobra.Command, flag string, values ...string) {
	// fails for a flag that is not there, and a test sees that
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeContexts returns the contexts of the kubeconfig.
func (in *Inputs) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return in.Contexts(in.LoadingRules()), cobra.ShellCompDirectiveNoFileComp
}
