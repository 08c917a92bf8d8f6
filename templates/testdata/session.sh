#!/bin/bash
# hpcbench session two-coders: 2 configurations by turns, in one job
# Written by hpcbench v0.1.0. Nothing in here depends on the day it was written.
#
# 5 rounds in one job
#
# To run it again:    sbatch /scratch/project_465000123/alice/hpcbench/runs/.sessions/two-coders/script.sh
# Each configuration has a script of its own, which sets up its environment and can be
# run alone; this one calls them round by round. Every round begins with the next
# one, so that what drifts in the job (heat, neighbours) weighs on all alike.

#SBATCH --job-name=hpcbench-qwen3-30b-karolina
#SBATCH --account=open-35-12
#SBATCH --partition=qgpu
#SBATCH --nodes=1
#SBATCH --gpus=4
#SBATCH --time=01:00:00
#SBATCH --no-requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@120

set -euo pipefail
umask 077
SCRIPTS=(
  /scratch/project_465000123/alice/hpcbench/runs/two-coders-a/script.sh
  /scratch/project_465000123/alice/hpcbench/runs/two-coders-b/script.sh
)
# What each prints goes where its own job's output would be.
LOGS=(
  /scratch/project_465000123/alice/hpcbench/runs/two-coders-a/logs
  /scratch/project_465000123/alice/hpcbench/runs/two-coders-b/logs
)
ROUNDS=${HPCBENCH_JOB_REPEATS:-1 2 3 4 5}
case $ROUNDS in
  *[!0-9\ ]* | '') echo "hpcbench: no rounds in '$ROUNDS': HPCBENCH_JOB_REPEATS is to hold the numbers of the rounds to run" >&2; exit 2 ;;
esac

# Slurm's signals reach this shell alone, so they are passed on to the configuration that
# runs, which passes them on in turn. `wait` is called again until that one has ended.
child=
stopped=0
interrupted=0
# shellcheck disable=SC2317,SC2329 # called by trap
on_signal() {
  trap '' TERM INT HUP
  stopped=1
  interrupted=1
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null || true; fi
}
trap on_signal TERM INT HUP

# run_side NUMBER SCRIPT LOGS runs one repeat of one configuration.
run_side() {
  local rc
  HPCBENCH_JOB_REPEATS=$1 bash "$2" >>"$3/${SLURM_JOB_ID:-session}.log" 2>&1 &
  child=$!
  if [ "$stopped" = 1 ]; then kill -TERM "$child" 2>/dev/null || true; fi
  while :; do
    interrupted=0
    rc=0
    wait "$child" || rc=$?
    if [ "$interrupted" = 0 ] || ! kill -0 "$child" 2>/dev/null; then break; fi
  done
  child=
  return "$rc"
}

status=0
for N in $ROUNDS; do
  for ((i = 0; i < ${#SCRIPTS[@]}; i++)); do
    side=$(((N - 1 + i) % ${#SCRIPTS[@]}))
    rc=0
    if [ "$stopped" = 1 ]; then
      rc=130
      echo "hpcbench: round $N was not finished: the job was told to end" >&2
    else
      run_side "$N" "${SCRIPTS[side]}" "${LOGS[side]}" || rc=$?
      if [ "$rc" != 0 ]; then echo "hpcbench: round $N of ${SCRIPTS[side]} ended with exit code $rc; see ${LOGS[side]}" >&2; fi
    fi
    # One bad repeat doesn't stop the others, but the job doesn't look good either.
    if [ "$status" = 0 ]; then status=$rc; fi
  done
done
exit "$status"
