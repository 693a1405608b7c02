package schedule

// Say is how people read what Plan finds. The package that makes the sentences imports this one, so main_test.go fills
// it in.
var Say struct {
	Reason         func(Reason) string
	Shortage       func(*Shortage) string
	Warnings       func([]Warning) []string
	Refusals       func([]Refusal) []string
	ExplainHost    func(*Placement, HostKey) (string, bool)
	ExplainCluster func(*Placement, ClusterKey) (string, bool)
}
