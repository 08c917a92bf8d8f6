// Package schema holds a JSON Schema (2020-12) for every kind of file and
// answer that collect makes, from their Go types by its test:
//
//	go test ./collect/schema -update-schemas
//
// history.json and night.json describe one line of their append-only files. The
// program itself doesn't import this package.
package schema

import "embed"

// Files are the schemas, one a kind, such as collect.json.
//
//go:embed *.json
var Files embed.FS
