package infra

import (
	"os"
	"testing"

	"github.com/airshipit/sipgen/hack/orphans"
)

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
