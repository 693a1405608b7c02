package schedule_test

import (
	"os"
	"testing"

	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/schedule"
)

func TestMain(m *testing.M) {
	say := &schedule.Say
	say.Reason, say.Shortage, say.Warnings, say.Refusals = sentence.Reason, sentence.Shortage, sentence.Warnings, sentence.Refusals
	say.ExplainHost, say.ExplainCluster = report.ExplainHost, report.ExplainCluster
	os.Exit(m.Run())
}
