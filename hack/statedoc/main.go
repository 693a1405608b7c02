// Command statedoc prints docs/runbooks/host-states.md with the table of the states of hosts.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/airshipit/sipgen/internal/status"
)

func main() {
	page, err := os.ReadFile("docs/runbooks/host-states.md")
	if err != nil {
		log.Fatal(err)
	}
	text, err := status.Page(string(page))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
}
