package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

const (
	// pageSize is how many objects one request returns, as for kubectl.
	pageSize = 500
	// restarts is how often a list starts again because its continue token expired.
	restarts = 3
	// mostPages bounds a list: two million objects.
	mostPages = 4_000
	// mostBytes bounds an answer. An object has at most some 1.5 MiB in etcd, and most have a few kilobytes.
	mostBytes = 1 << 30
)

// Errors that a caller may tell apart.
var (
	// ErrIncomplete: a list ended before all of it was read.
	ErrIncomplete = errors.New("the list ended early")
	// ErrMissingCRD: the cluster does not have the resource.
	ErrMissingCRD = errors.New("the cluster has no such resource")
)

// reader lists objects of one group and version as raw JSON.
type reader struct {
	client  rest.Interface
	gv      schema.GroupVersion
	backoff wait.Backoff
	// accept asks for the objects in another form than as they are, selector for some of them; both may be empty.
	accept, selector string
}

func newReader(cfg *rest.Config, gv schema.GroupVersion, backoff wait.Backoff) (*reader, error) {
	// Only to decode the error of an API server.
	refusals := runtime.NewScheme()
	metav1.AddToGroupVersion(refusals, schema.GroupVersion{Version: "v1"})
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath = "/apis"
	if gv.Group == "" {
		cfg.APIPath = "/api"
	}
	cfg.GroupVersion = &gv
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(refusals).WithoutConversion()
	cfg.ContentType = runtime.ContentTypeJSON
	cfg.AcceptContentTypes = runtime.ContentTypeJSON
	unthrottled(cfg)
	cfg.Wrap(func(inner http.RoundTripper) http.RoundTripper { return bounded{inner, mostBytes} })
	client, err := rest.RESTClientFor(cfg)
	return &reader{client: client, gv: gv, backoff: backoff}, err
}

// bounded ends an answer that is too large with an error.
type bounded struct {
	http.RoundTripper
	most int64 // bytes
}

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, b.most)
	}
	return response, err
}

// unthrottled takes client-go's own brake off: the API server's priority and fairness is the better one.
func unthrottled(cfg *rest.Config) {
	cfg.QPS, cfg.Burst = -1, -1
	if cfg.UserAgent == "" {
		cfg.UserAgent = "sipgen"
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}).DialContext
	}
}

// page is one answer to a list request.
type page struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ListMeta   `json:"metadata"`
	Items           []json.RawMessage `json:"items"`
}

// list passes every item of a resource to each, page by page, all of one resourceVersion. If the token for the next
// page has expired, it calls reset and starts again.
func (r *reader) list(ctx context.Context, resource, namespace string, each func(json.RawMessage) error,
	reset func()) error {
	where := resource + "." + r.gv.Group
	if namespace != "" {
		where += " in namespace " + namespace
	}
	for attempt := 0; ; attempt++ {
		err := r.pages(ctx, resource, namespace, each)
		switch {
		case err == nil:
			return nil
		case (apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || errors.Is(err, errVersionMoved)) &&
			attempt < restarts:
			reset()
		case errors.Is(err, errVersionMoved):
			return fmt.Errorf("list of %s: %w: %d times its pages were of different versions", where, ErrIncomplete, attempt+1)
		case apierrors.IsNotFound(err):
			return fmt.Errorf("list of %s: %w (%s); is its CRD installed?", where, ErrMissingCRD, r.gv)
		default:
			return fmt.Errorf("list of %s: %w", where, plainStatus(err))
		}
	}
}

var errVersionMoved = errors.New("pages of different resource versions")

// pages returns the items of one list to each, while the next page is on its way.
func (r *reader) pages(ctx context.Context, resource, namespace string, each func(json.RawMessage) error) error {
	group, ctx := errgroup.WithContext(ctx)
	fetched := make(chan []json.RawMessage, 1)
	group.Go(func() error {
		defer close(fetched)
		return r.fetch(ctx, resource, namespace, fetched)
	})
	group.Go(func() error {
		for items := range fetched {
			for _, item := range items {
				if err := each(item); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return group.Wait()
}

// fetch sends a list page by page. Its end is an error unless all that the API server announced was there.
func (r *reader) fetch(ctx context.Context, resource, namespace string, fetched chan<- []json.RawMessage) error {
	token, version, seen := "", "", 0
	for n := 1; ; n++ {
		answer, err := r.page(ctx, resource, namespace, token, seen)
		if err != nil {
			return err
		}
		if version == "" {
			version = answer.Metadata.ResourceVersion
		}
		if version != answer.Metadata.ResourceVersion {
			return errVersionMoved
		}
		select {
		case fetched <- answer.Items:
		case <-ctx.Done():
			return ctx.Err()
		}
		seen += len(answer.Items)
		if answer.Metadata.Continue == "" {
			if left := answer.Metadata.RemainingItemCount; left != nil && *left > 0 {
				return fmt.Errorf("%w: %d objects seen, %d more announced, and no token to continue", ErrIncomplete, seen, *left)
			}
			return nil
		}
		if token == answer.Metadata.Continue {
			return fmt.Errorf("%w: after %d objects the API server repeats its continue token", ErrIncomplete, seen)
		}
		if n == mostPages {
			return fmt.Errorf("%w: %d pages and %d objects seen, and the list continues, want at most that many pages",
				ErrIncomplete, n, seen)
		}
		token = answer.Metadata.Continue
	}
}

// page returns one request, again and again while it may succeed. seen is how many objects came before.
func (r *reader) page(ctx context.Context, resource, namespace, token string, seen int) (page, error) {
	var answer page
	err := retry(ctx, r.backoff, func() error {
		request := r.client.Get().Resource(resource).Param("limit", fmt.Sprint(pageSize))
		if namespace != "" {
			request = request.Namespace(namespace)
		}
		if token != "" {
			request = request.Param("continue", token)
		}
		if r.selector != "" {
			request = request.Param("labelSelector", r.selector)
		}
		if r.accept != "" {
			request = request.SetHeader("Accept", r.accept)
		}
		result := request.Do(ctx)
		if err := result.Error(); err != nil {
			return err
		}
		body, err := result.Raw()
		if err != nil {
			return err
		}
		answer = page{}
		if err := json.Unmarshal(body, &answer); err != nil {
			return fmt.Errorf("%w: after %d objects the answer is cut off", ErrIncomplete, seen)
		}
		return nil
	})
	// Of metadata alone an API server writes a list without items as null.
	if answer.Items == nil && r.accept == onlyMetadata && answer.Kind == "PartialObjectMetadataList" {
		answer.Items = []json.RawMessage{}
	}
	if err == nil && (answer.Metadata.ResourceVersion == "" || answer.Items == nil) {
		err = fmt.Errorf("%w: after %d objects the answer is no list", ErrIncomplete, seen)
	}
	return answer, err
}

// patience spreads retries over about a quarter of a minute. If the API server sends a delay, client-go waits for it
// first, up to ten times.
func patience() wait.Backoff {
	return wait.Backoff{Steps: 7, Duration: 250 * time.Millisecond, Factor: 2, Jitter: 0.2}
}

// mostRefused is how often an API server may refuse a connection: one that is not there is reported within five
// seconds.
const mostRefused = 5

// connectTime is how long a connection to an API server may take that drops it.
const connectTime = 4 * time.Second

// retry calls do until it succeeds, fails for good, the backoff is used up or ctx ends. The error is do's last one.
func retry(ctx context.Context, backoff wait.Backoff, do func() error) error {
	var last error
	refused := 0
	err := wait.ExponentialBackoffWithContext(ctx, backoff, func(context.Context) (bool, error) {
		last = do()
		if utilnet.IsConnectionRefused(last) {
			refused++
		}
		if refused == mostRefused {
			return true, last
		}
		if last != nil && passing(last) {
			return false, nil
		}
		return true, last
	})
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), last)
	}
	if err != nil && last != nil {
		return last
	}
	return err
}

// passing reports whether an error may go away by itself.
func passing(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) ||
		utilnet.IsConnectionReset(err) || utilnet.IsConnectionRefused(err) || utilnet.IsProbableEOF(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, ErrIncomplete)
}

// plainStatus explains an API server's error.
func plainStatus(err error) error {
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("forbidden: the account lacks a right; for sipgen's own account, policy/reader.yaml in the tree grants it: %w", err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("not logged in: %w", err)
	case errors.Is(err, context.DeadlineExceeded) || utilnet.IsTimeout(err):
		return fmt.Errorf("the API server did not answer in time: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the answer is cut off: %w", ErrIncomplete, err)
	}
	return err
}
