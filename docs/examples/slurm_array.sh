#!/bin/bash
# One study on Slurm as a job array: each task runs one shard, in a file of its own.
#
#   sbatch --array=0-15 slurm_array.sh study.json [options of `myriad run`]
#
# Submitted again as it is, it goes on: complete shards are left as they are, others continue from their journals. When
# all are complete:  myriad merge --link study.*-*.h5 --out study.h5
#SBATCH --job-name=myriad
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --output=%x-%A_%a.log
# Two minutes before the time is over the run keeps what it has finished, and the task is queued once more.
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
if ((SLURM_ARRAY_TASK_MIN != 0 || SLURM_ARRAY_TASK_MAX + 1 != SLURM_ARRAY_TASK_COUNT)); then
    echo "slurm_array.sh: task K of R runs shard K/R: give --array=0-15 for 16 shards; complete ones end at once" >&2
    exit 1
fi

# `exec` would lose the requeueing, and a plain call would hold the signal back until its end.
"${MYRIAD:-myriad}" run "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume &
trap 'kill -USR1 $!' USR1
trap 'kill -TERM $!' TERM
wait $!
code=$?
((code > 128)) && { wait $!; code=$?; }

# 128 + SIGUSR1: there is more to do than the time allowed.
if ((code == 138)); then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
