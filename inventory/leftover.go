package inventory

// Finalized is a live object with a finalizer that nobody takes off any more.
type Finalized struct {
	Namespace, Name string
	// Index of the finalizer, for a JSON patch.
	Index int
	// Deleting: somebody deleted it, and the API server waits for the finalizer to go.
	Deleting bool
}

// SecretSeen says whether a Secret is there. What is in it was not read.
type SecretSeen struct {
	Namespace, Name string
	// Missing: the API server has none of the name. Unread says why it is not known; it is then not missing.
	Missing bool
	Unread  string
}
