// Package templates holds every text that hpcbench hands to another program to
// run: the sbatch script, and the lines for cron, scrontab, systemd, GitLab CI and
// GitHub Actions. It is text only. It gets argument lists that are ready and plain
// strings, imports nothing of the project, looks nothing up, and gives the same
// bytes for the same input.
//
// Two rules keep outside text from becoming code. What bash reads goes through
// one function, q. What bash doesn't read (#SBATCH lines, comments, crontab and unit
// files) can't be quoted, so it goes through an allow-list and is refused
// otherwise.
package templates
