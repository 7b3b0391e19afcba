#!/bin/bash
# A batch script for Slurm: congru on several machines, taken up again until it is done. SPDX-License-Identifier: Apache-2.0
#
#   sbatch examples/slurm.sh set.npz results --pipelines all
#
# One process on each machine with a thread on each of its processors. When the time is over before the work is, Slurm
# sends a signal two minutes ahead; congru then ends with all finished folds in the folder, and the job is queued again.
# So it is when a process or a machine is lost, a few times.
#SBATCH --job-name=congru
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

if [ $# -lt 2 ]; then
    echo "usage: sbatch $0 SET.npz FOLDER [OPTION of congru loso...]" >&2
    exit 2
fi
set_file=$1
folder=$2
shift 2

# The set and the folder must be on a file system that all machines see. Without --kill-on-bad-exit the others would wait for
# a process that is lost.
srun --mpi=pmix --kill-on-bad-exit=1 --cpu-bind=cores \
    congru loso "$set_file" -o "$folder" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@" &
step=$!

take_up_later()
{
    scontrol requeue "$SLURM_JOB_ID"
    exit 0
}

# srun itself, when it is interrupted, kills the processes; they are told, and end in order.
end_in_time()
{
    scancel --signal=INT "$SLURM_JOB_ID.0"
    wait $step
    take_up_later
}
trap end_in_time USR1
wait $step
code=$?

# Beyond 128: ended by a signal. What congru itself fails of (1, 2) would come again.
if [ $code -gt 128 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ]; then
    take_up_later
fi
exit $code
