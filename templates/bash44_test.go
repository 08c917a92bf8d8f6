package templates

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// Login and compute nodes have bash 4.4: what came with 5.0 or later must not be
// used. The list is from bash's own list of changes.
func TestNothingNewerThanBash44(t *testing.T) {
	newer := map[string]bool{
		"EPOCHSECONDS": true, "EPOCHREALTIME": true, "BASH_ARGV0": true, "SRANDOM": true, "GLOBSORT": true,
		"BASH_MONOSECONDS": true, "BASH_TRAPSIG": true,
	}
	for name, data := range golden {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(render(t, data())), name)
		if err != nil {
			t.Fatal(err)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ParamExp:
				if n.Param != nil && newer[n.Param.Value] {
					t.Errorf("%s %v: $%s is newer than bash 4.4", name, n.Pos(), n.Param.Value)
				}
				if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
					t.Errorf("%s %v: ${x@…} has changed since bash 4.4", name, n.Pos())
				}
			case *syntax.CallExpr:
				if len(n.Args) > 1 && n.Args[0].Lit() == "wait" {
					if flag := n.Args[1].Lit(); strings.HasPrefix(flag, "-") {
						t.Errorf("%s %v: wait %s is newer than bash 4.4 or has changed since", name, n.Pos(), flag)
					}
				}
			}
			return true
		})
	}
}
