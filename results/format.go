package results

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The format words that stand first in every file. The number after the slash
// goes up when a reader of the old format would misunderstand the new one; a
// new optional field doesn't count.
const (
	FormatSpec            = "hpcbench.run/1"
	FormatLedger          = "hpcbench.job/1"
	FormatSteps           = "hpcbench.steps/1"
	FormatAttempt         = "hpcbench.attempt/1"
	FormatProgress        = "hpcbench.progress/1"
	FormatSummary         = "hpcbench.summary/1"
	FormatReference       = "hpcbench.reference/1"
	FormatMatrixReference = "hpcbench.matrix-reference/1"
	FormatRecords         = "hpcbench.records/1"   // stated in Attempt, since records have no head line
	FormatTelemetry       = "hpcbench.telemetry/1" // likewise
)

// ErrNewerFormat says that a file was written by a later hpcbench.
var ErrNewerFormat = errors.New("written by a newer hpcbench")

// ErrForeignFormat says that a file isn't of the wanted kind.
var ErrForeignFormat = errors.New("not a file of this kind")

// CheckFormat compares the format word found in a file with the one wanted.
// The error wraps ErrNewerFormat or ErrForeignFormat.
func CheckFormat(found, want string) error {
	if found == want {
		return nil
	}
	kind, number := splitFormat(found)
	wantKind, wantNumber := splitFormat(want)
	switch {
	case found == "":
		return fmt.Errorf("%w: it has no format word, %q was expected", ErrForeignFormat, want)
	case kind != wantKind:
		return fmt.Errorf("%w: its format is %q, %q was expected", ErrForeignFormat, found, want)
	case number > wantNumber:
		return fmt.Errorf("%w: its format is %q, this program reads up to %q; take a newer hpcbench", ErrNewerFormat, found, want)
	}
	return fmt.Errorf("%w: its format %q is no longer read, %q was expected", ErrForeignFormat, found, want)
}

func splitFormat(s string) (kind string, number int) {
	kind, digits, ok := strings.Cut(s, "/")
	if !ok {
		return s, -1
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return s, -1
	}
	return kind, n
}
