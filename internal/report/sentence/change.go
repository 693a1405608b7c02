package sentence

import "github.com/airshipit/sipgen/schedule"

// NowStandby is the change of a host that was active.
const NowStandby = "now standby"

// Changes describes the changes of a role's host in this run, other than assignment and release, in the same words
// for the table, the commit, the pull request and the picture.
func Changes(a *schedule.Assignment) []string {
	var words []string
	switch {
	case a.Promoted():
		words = append(words, Reason(schedule.Promoted{}))
	case a.Demoted():
		words = append(words, NowStandby)
	}
	if a.WasPending {
		words = append(words, "release withdrawn")
	}
	if a.Replaces != nil {
		words = append(words, "replaces "+a.Replaces.Host.String()+" ("+Reason(a.Replaces.Why)+")")
	}
	return words
}

// Trouble describes what is wrong with a held host, without metal3's own message, which varies.
func Trouble(r schedule.Reason) string {
	switch of := r.(type) {
	case schedule.Condition:
		of.Message = ""
		return Reason(of)
	case schedule.MarkedForRemoval:
		if of.Error != nil {
			return Reason(schedule.MarkedForRemoval{}) + ", " + Trouble(of.Error)
		}
	}
	return Reason(r)
}
