#!/bin/bash
# One study on Slurm by mpirun: a shard in each task, linked to one result when all are complete.
#
#   sbatch --nodes=4 --ntasks-per-node=1 --cpus-per-task=64 slurm_mpi.sh study.json [options of `myriad run`]
#   sbatch --nodes=4 --ntasks-per-node=4 --gpus-per-node=4 slurm_mpi.sh study.json        a GPU for each task
#
# Submitted again as it is, it goes on.
#SBATCH --job-name=myriad
#SBATCH --ntasks=2
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.log
set -eu

# Bound to nothing, each process takes its share of its node's processors.
exec mpirun --bind-to none -n "$SLURM_NTASKS" "${MYRIAD:-myriad}" run "$@" --resume
