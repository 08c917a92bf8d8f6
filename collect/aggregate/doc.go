// Package aggregate makes one table from the repeats of a run: for each step
// and metric n, mean, spread, a 95 % interval of the mean and every raw value.
//
// The repeat is the unit: an interval is over repeats and says over what they
// differ (nodes, one job, one server, one session). Percentiles of all requests
// pooled stand beside the mean of the repeats' percentiles under another name,
// since requests within a repeat are not independent. Nothing is removed by a
// statistic; a step of a repeat is left out for a recorded cause only, and the
// table says which.
package aggregate
