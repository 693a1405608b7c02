// Package forge brings a branch that was pushed in front of people: it says where a pull request is opened by
// hand, and opens or updates it by the forge's API where there is a token. It knows GitHub, GitLab, and Gitea with
// Forgejo, on their own hosts and elsewhere; it knows no clusters, and nothing of how the branch came to be.
//
//	kind, err := forge.KindOf(remote, "auto")        // by the host's name; Unknown for others
//	repository, found := forge.Locate(remote, kind, "")   // false: a folder, or a URL that no forge has
//	page := repository.Page("main", "sipgen/dc1")         // empty where the kind is unknown
//
//	client := forge.Client{HTTP: transport, Token: token, TokenName: "SIPGEN_FORGE_TOKEN"}
//	opened, err := client.Open(ctx, repository, forge.Request{Base: "main", Head: "sipgen/dc1", Title: title, Body: body})
//	// opened.Outcome, opened.URL
//
// There is one pull request for a branch: Open finds the open one and updates it. One that was closed or merged is
// never touched, and one that a person has closed is not opened again for the same commit.
//
// What a forge says is made fit for a terminal, and no token is in any message.
package forge
