// Command findingdoc prints the page that explains the codes of findings, docs/lint.md.
package main

import (
	"log"
	"os"

	"github.com/airshipit/sipgen/internal/finding"
)

func main() {
	if err := finding.Page(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
