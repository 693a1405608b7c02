package infra

// Notes is markdown for a reader of PLAN.md: how to reach the services of the cluster.
func Notes(in Input) string { return "" }
