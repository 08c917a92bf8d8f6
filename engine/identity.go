package engine

import (
	"fmt"
	"strings"
)

// Identity is who a server says it is.
type Identity struct {
	Version     string // of the engine; empty where it doesn't say
	ServedModel string // the id in /v1/models, with the nonce
	Root        string // the model it says it loaded: a name or a folder
	OwnedBy     string // "vllm", "hpcbench-stub", …
	MaxModelLen int    // tokens; 0 where it doesn't say
}

// Simulated says that no model runs behind the server, so that its figures are
// never taken for measurements.
func (i Identity) Simulated() bool {
	return i.OwnedBy == StubOwner || strings.HasPrefix(i.Version, StubVersionPrefix)
}

// How the stub marks itself; package stub is tested against them.
const (
	StubOwner         = "hpcbench-stub"
	StubVersionPrefix = "stub-"
)

// ForeignError says that somebody else's server answers at our address.
type ForeignError struct {
	Want       string   // the name that ours is served under
	Have       []string // the names that were found
	RefusedKey bool     // it didn't even take our key
}

func (e *ForeignError) Error() string {
	if e.RefusedKey {
		return fmt.Sprintf("the server at this address refuses our key, so it isn't the one that was started to serve %q", e.Want)
	}
	if len(e.Have) == 0 {
		return fmt.Sprintf("the server at this address serves no model, ours is %q: it isn't the one that was started", e.Want)
	}
	return fmt.Sprintf("the server at this address serves %s and not %q: it isn't the one that was started", strings.Join(e.Have, ", "), e.Want)
}

// Ours picks the model served under our name; the name carries the nonce, so
// no other server can have it. The error is a *ForeignError.
func Ours(models []Identity, servedName string) (Identity, error) {
	var have []string
	for _, m := range models {
		if m.ServedModel == servedName {
			return m, nil
		}
		have = append(have, m.ServedModel)
	}
	return Identity{}, &ForeignError{Want: servedName, Have: have}
}
