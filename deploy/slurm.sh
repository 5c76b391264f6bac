#!/bin/bash
# A search on many machines by Slurm: `sbatch deploy/slurm.sh MODEL [OPTIONS of impasse cluster run]`.
#
# The key and the checkpoint are in the directory of the job, which all machines share. Make the key once:
# `impasse cluster key cluster.key`. When a machine fails, Slurm requeues the job, and the search goes on from the last
# level that is saved.
#SBATCH --job-name=impasse
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu

# One process per task, one worker per core. With `--kill-on-bad-exit=0`, the tasks that are left wait for the lost one.
exec srun --kill-on-bad-exit=0 impasse cluster run --slurm --key cluster.key --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "checkpoint-${SLURM_JOB_ID}" "$@"
