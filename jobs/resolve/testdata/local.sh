#!/bin/bash
# hpcbench run local-stub: stub on local, plan demo
# Written by hpcbench v1.0.0. Nothing in here depends on the day it was written.
#
# 5 repeats, restart: one job, the server restarted for each repeat
# The engine is the stub: everything measured here is simulated.
# Walltime of a job: 5 x (start 2s + load 8s + drain at most 30s + stop 15s) = 4m34s
# + reserve for one slow start 58s + TERM 2m before the end, which Slurm may send 1 min early
# = 8m32s, asked for as 00:09:00
#
# To run it again:    bash /home/alice/hpcbench/runs/local-stub/script.sh
# Only one repeat:    HPCBENCH_JOB_REPEATS=1 bash /home/alice/hpcbench/runs/local-stub/script.sh

# ---- Environment ------------------------------------------------------------
# Strict mode comes last: site profiles and modules fail under set -e and set -u.
set +eu +o posix
# Settings of a container runtime come from the modules and from below, not from
# the shell that submitted the job.
unset "${!APPTAINER@}" "${!SINGULARITY@}"

# From here on only these variables are left, and no exported function.
while IFS= read -r name; do
  case $name in
    HOME | USER | LOGNAME | SHELL | PATH | PWD | TMPDIR | TERM) ;;
    CUDA_VISIBLE_DEVICES | ROCR_VISIBLE_DEVICES | HIP_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | HPCBENCH_JOB_REPEATS | HPCBENCH_JOB_WALLTIME_S) ;;
    SLURM_* | SLURMD_*) ;;
    *) unset -v "$name" 2>/dev/null || export -n "${name?}" ;;
  esac
done < <(compgen -e)
while read -r _ _ name; do unset -f "$name"; done < <(declare -Fx)

# One language and one time format, so that every tool's output can be read back.
export LC_ALL=C.UTF-8
export SLURM_TIME_FORMAT=standard
# $HOME is visible in the container: packages in ~/.local would shadow the image's.
export PYTHONNOUSERSITE=1
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV "${!CONDA@}"

RUN=/home/alice/hpcbench/runs/local-stub
HPCBENCH=/home/alice/hpcbench/runs/local-stub/bin/hpcbench
umask 077
cd -- "$RUN" || exit 4
set -euo pipefail

# ---- Server -----------------------------------------------------------------
# hpcbench fills in {port}, {nonce} and {socket} when it starts this command; the
# API key goes through the environment.
SERVER=(
  /home/alice/hpcbench/runs/local-stub/bin/hpcbench stub
  --port '{port}'
  --served-model-name 'stub-{nonce}'
  --root stub
)

# ---- Repeats ----------------------------------------------------------------
# All repeats, one after the other, each with a fresh server.
REPEATS=${HPCBENCH_JOB_REPEATS:-1 2 3 4 5}
case $REPEATS in
  *[!0-9\ ]* | '') echo "hpcbench: no repeats in '$REPEATS': HPCBENCH_JOB_REPEATS is to hold the numbers of the repeats to run" >&2; exit 2 ;;
esac

# Slurm's signals reach this shell alone, so they are passed on. The first one also ends
# `wait` early: it is called again until the repeat has ended and written down what
# it had. Later ones say nothing new, and bash can lose an exit code over them.
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

run_repeat() {
  local rc
  "$HPCBENCH" repeat "$@" --run "$RUN" -- "${SERVER[@]}" &
  child=$!
  # A signal that came just before could not be passed on.
  if [ "$stopped" = 1 ]; then kill -TERM "$child" 2>/dev/null || true; fi
  while :; do
    interrupted=0
    rc=0
    wait "$child" || rc=$?
    if [ "$interrupted" = 0 ] || ! kill -0 "$child" 2>/dev/null; then break; fi
  done
  child=
  # A repeat that was killed could not end its server itself.
  if [ "$rc" -gt 128 ]; then "$HPCBENCH" sweep "$@" --run "$RUN" || true; fi
  return "$rc"
}

status=0
for N in $REPEATS; do
  rc=0
  if [ "$stopped" = 1 ]; then
    rc=130
    echo "hpcbench: repeat $N was not started: the job was told to end" >&2
  else
    run_repeat "$N" || rc=$?
    if [ "$rc" != 0 ]; then echo "hpcbench: repeat $N ended with exit code $rc" >&2; fi
  fi
  # One bad repeat doesn't stop the others, but the job doesn't look good either.
  if [ "$status" = 0 ]; then status=$rc; fi
done
exit "$status"
