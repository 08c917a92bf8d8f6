package resolve

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-multierror"

	"hpcbench/results"
	"hpcbench/sites"
)

// Request is what a user asks for. Zero values mean "as the site or the model has it".
type Request struct {
	Site    string
	Options sites.Options // configuration layers, the command line's flags on top
	Model   string
	GPUs    int // of the run, over all nodes
	Nodes   int
	TP, PP  int
	// Plan loads the plan that was asked for; it is given the site's own name for the case that none was.
	Plan    func(siteDefault string) (results.Plan, error)
	Name    string // of the run
	Mode    string // of the repeats
	Repeats int
	// Grouping is how the repeats are put into jobs where that was decided for several runs together.
	Grouping *results.Grouping
	Session  *results.SessionSpec

	Walltime    time.Duration
	MaxModelLen int
	MaxNumSeqs  int
	DType       string
	Revision    string
	ServerArgs  []string
	// ServerScript is a command of the user's own, any server with an OpenAI API.
	ServerScript string
	Force        bool

	// Dir is the run folder that the script will name; empty = the site's runs folder and the run's name.
	Dir string
	// Here says that the run will be submitted from this machine: image and weights must be there. Off, what is
	// missing is a warning, so that a script can be rendered anywhere.
	Here bool
	// Unchecked says nothing of files that are missing: somebody else looks at them.
	Unchecked bool

	ToolVersion string
	Now         time.Time
}

// draft is the spec in the making.
type draft struct {
	req   Request
	site  sites.Profile
	part  sites.Partition
	model sites.Model
	spec  results.Spec
	errs  *multierror.Error
	files *multierror.Error // what isn't there; it doesn't keep the rest from being checked
}

func (d *draft) fail(err error) {
	if err != nil {
		d.errs = multierror.Append(d.errs, err)
	}
}

func (d *draft) warn(format string, args ...any) {
	d.spec.Warnings = append(d.spec.Warnings, fmt.Sprintf(format, args...))
}

// missing is an error where the run is submitted from here, a warning elsewhere.
func (d *draft) missing(err error) {
	switch {
	case err == nil || d.req.Unchecked:
	case d.req.Here:
		d.files = multierror.Append(d.files, err)
	default:
		d.warn("%v", err)
	}
}

// Spec resolves a request. The error lists everything that is wrong.
func Spec(ctx context.Context, req Request) (results.Spec, error) {
	d := &draft{req: req}
	d.spec = results.Spec{
		Format: results.FormatSpec, CreatedAt: req.Now.UTC().Truncate(time.Millisecond), ToolVersion: req.ToolVersion,
		Origins: map[string]string{}, Session: req.Session,
	}
	if !d.place() { // without a site nothing else can be said
		return results.Spec{}, tidy(d.errs)
	}
	d.plan()
	d.words()
	d.chooseModel()
	d.shape()
	d.name()
	if d.errs.ErrorOrNil() == nil {
		d.setup()
		d.server(ctx)
		d.memory()
	}
	if d.errs.ErrorOrNil() == nil {
		d.host()
		d.times()
		d.cost()
		d.directives()
	}
	if d.files != nil {
		d.errs = multierror.Append(d.errs, d.files.Errors...)
	}
	if err := tidy(d.errs); err != nil {
		return results.Spec{}, err
	}
	return d.spec, nil
}

// tidy prints one error a line, and one alone as itself.
func tidy(errs *multierror.Error) error {
	if errs.ErrorOrNil() == nil {
		return nil
	}
	if len(errs.Errors) == 1 {
		return errs.Errors[0]
	}
	errs.ErrorFormat = func(es []error) string {
		text := fmt.Sprintf("%d things are wrong:", len(es))
		for _, e := range es {
			text += "\n  - " + e.Error()
		}
		return text
	}
	return errs
}
