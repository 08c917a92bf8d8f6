// Package resolve turns a request (site, model, plan, flags) into a spec in
// which nothing is left to look up, and a spec into its script. Everything that is
// wrong with a request is reported at once.
//
// It reads files (the configuration through sites, the model's cache, the image) but
// changes nothing and asks Slurm nothing: what only the controller knows is
// jobs/check's business.
package resolve
