package publish

import "errors"

// What callers tell apart. Each is wrapped by an error that names the place and what to do.
var (
	// ErrForeign: a folder that is not empty and has no OwnershipFile.
	ErrForeign = errors.New("not sipgen's")
	// ErrTaken: a path that the tree wants holds something that sipgen did not write.
	ErrTaken = errors.New("taken by something that sipgen did not write")
	// ErrOwnership: the OwnershipFile is damaged, merged or edited.
	ErrOwnership = errors.New("damaged ownership file")
	// ErrName: a path that no tree may have.
	ErrName = errors.New("not a path for a tree")
	// ErrEmpty: the tree has no files and Meta.AllowEmpty or DirOptions.AllowEmpty is not set.
	ErrEmpty = errors.New("the tree is empty")
	// ErrConflict: somebody else changed the branch between Read and Commit. Reading again helps.
	ErrConflict = errors.New("the branch has moved")
	// ErrRejected: the repository refuses the push, and would again.
	ErrRejected = errors.New("push refused")
	// ErrNoRepository: there is no git repository at the URL, or none that these credentials may see.
	ErrNoRepository = errors.New("no repository")
	// ErrNoBranch: the repository has commits, but not on that branch.
	ErrNoBranch = errors.New("no such branch")
	// ErrAuth: the server did not take the credentials, or wants some.
	ErrAuth = errors.New("not authorized")
	// ErrHostKey: the SSH server is not in known_hosts, or has another key there.
	ErrHostKey = errors.New("host key not known")
	// ErrCertificate: the TLS certificate of the server does not verify.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrTimeout: Target.Timeout has passed.
	ErrTimeout = errors.New("timed out")
	// ErrUnsigned: a signature is required and there is none.
	ErrUnsigned = errors.New("no signature")
)
