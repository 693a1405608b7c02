package publish_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"time"

	"github.com/airshipit/sipgen/publish"
)

// A tree is made from what is on the branch, and committed there. What the function returns beside the tree comes back.
func ExampleLoop() {
	repo, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(repo) }()
	if err := exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run(); err != nil {
		log.Fatal(err)
	}
	target := publish.Target{URL: repo, Branch: "main", Path: "sites/berlin", Timeout: time.Minute}
	for range 2 {
		done, rounds, err := publish.Loop(context.Background(), target,
			func(base *publish.Snapshot) (publish.Tree, publish.Meta, int, error) {
				rounds := len(base.Tree["rounds"]) + 1
				tree := publish.Tree{"rounds": append(base.Tree["rounds"], '|')}
				return tree, publish.Meta{
					Author: publish.Signature{Name: "Ada", Email: "ada@example.org"},
					When:   time.Unix(1700000000, 0),
					Message: func(changes []publish.Change) string {
						return fmt.Sprintf("berlin: %d file %s", len(changes), changes[0].Kind)
					},
				}, rounds, nil
			})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d: %s, %s\n", rounds, done.Message, done.Branch)
	}
	// Output:
	// 1: berlin: 1 file added, main
	// 2: berlin: 1 file changed, main
}
