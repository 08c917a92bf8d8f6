// Package schema holds a JSON Schema (2020-12) for every file that hpcbench
// writes, made from the types of package results by its test:
//
//	go test ./results/schema -update-schemas
//
// They are for readers in other languages and for CI, which checks everything
// the program writes against them (see schematest). The program itself doesn't
// import this package.
package schema

import "embed"

// Files are the schemas, one a kind of file, such as run.json. Those of the
// append-only files describe one line: record.json, sample.json and job.json.
//
//go:embed *.json
var Files embed.FS
