// Package prepare brings image and weights into the caches with the site's own
// tools, and learns once what is in an image. Everything is resumable: a file that is
// there isn't fetched again, and the hub's client goes on where it stopped.
//
// It runs on a login node, where the internet is, one transfer at a time and at low
// priority, because unfit processes there are ended without warning.
package prepare
