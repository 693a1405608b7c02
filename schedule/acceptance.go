package schedule

// Acceptance is what a cluster's AcceptLossAnnotation (package v1) says: the number of hosts that one run may take, -1
// for none, and the digest of the whole text, empty without one. Each text accepts one loss.
type Acceptance struct {
	Number int
	Text   string
}

// UsedUp reports whether an earlier loss has used up the text of a cluster's acceptance.
func (p *Previous) UsedUp(cluster ClusterKey, text string) bool {
	return text != "" && p.Accepted[cluster] == text
}

// Answers returns how many hosts each cluster accepts to lose in this run: -1 for none, and for a text that is used up.
func (p *Previous) Answers(acceptances map[ClusterKey]Acceptance) map[ClusterKey]int {
	answers := map[ClusterKey]int{}
	for cluster, is := range acceptances {
		if answers[cluster] = is.Number; p.UsedUp(cluster, is.Text) {
			answers[cluster] = -1
		}
	}
	return answers
}

// Accepts returns the texts that the tree notes of the clusters' acceptances: each that a loss of its number uses up,
// beyond the brake or not, until the annotation is another one. texts are those of all specs, so that one which is
// missing changes nothing; acceptances are those that speak in this run.
func (p *Previous) Accepts(lost *Loss, texts map[ClusterKey]string,
	acceptances map[ClusterKey]Acceptance) map[ClusterKey]string {
	out := map[ClusterKey]string{}
	for cluster, noted := range p.Accepted { // each by itself
		if text, found := texts[cluster]; !found || text == noted {
			out[cluster] = noted
		}
	}
	for cluster, answer := range p.Answers(acceptances) {
		if asked := lost.Asked[cluster]; asked > 0 && answer == asked {
			out[cluster] = acceptances[cluster].Text
		}
	}
	return out
}
