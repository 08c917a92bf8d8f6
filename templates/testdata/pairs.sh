#!/bin/bash
# hpcbench pairs nightly-coder-2026-03-19-p1-new: the frozen baseline and tonight's candidate by turns, on one node
# Written by hpcbench v0.1.0. Nothing in here depends on the day it was written.
#
# 5 pairs in one job
#
# To run it again:    sbatch /scratch/project/open-35-12/hpcbench/runs/nightly-coder-2026-03-19-p1-new/pairs.sh
# Each side has a script of its own, which sets up its environment; this one calls
# them in the order baseline candidate, candidate baseline, and so on, so that what
# drifts in the job (heat, neighbours) weighs on both alike.

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
BASELINE=/scratch/project/open-35-12/hpcbench/runs/nightly-coder-2026-03-19-p1-base/script.sh
CANDIDATE=/scratch/project/open-35-12/hpcbench/runs/nightly-coder-2026-03-19-p1-new/script.sh
PAIRS=${HPCBENCH_JOB_REPEATS:-1 2 3 4 5}
case $PAIRS in
  *[!0-9\ ]* | '') echo "hpcbench: no pairs in '$PAIRS': HPCBENCH_JOB_REPEATS is to hold the numbers of the pairs to run" >&2; exit 2 ;;
esac

# Slurm's signals reach this shell alone, so they are passed on to the side that runs,
# which passes them on in turn. `wait` is called again until that side has ended.
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

# run_side NUMBER SCRIPT runs one repeat of one side.
run_side() {
  local rc
  HPCBENCH_JOB_REPEATS=$1 bash "$2" &
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
for N in $PAIRS; do
  sides=("$BASELINE" "$CANDIDATE")
  if [ $((N % 2)) = 0 ]; then sides=("$CANDIDATE" "$BASELINE"); fi
  for side in "${sides[@]}"; do
    rc=0
    if [ "$stopped" = 1 ]; then
      rc=130
      echo "hpcbench: pair $N was not finished: the job was told to end" >&2
    else
      run_side "$N" "$side" || rc=$?
      if [ "$rc" != 0 ]; then echo "hpcbench: pair $N of $side ended with exit code $rc" >&2; fi
    fi
    # One bad repeat doesn't stop the others, but the job doesn't look good either.
    if [ "$status" = 0 ]; then status=$rc; fi
  done
done
exit "$status"
