#!/bin/sh
# SPDX-License-Identifier: MIT
# The state of a job of Slurm in the words of Snakemake: without it a job that Slurm ends would run for ever.
#
#   status.sh JOB
state=$(scontrol -o show job "$1" 2> /dev/null | sed -nE 's/.* JobState=([A-Z_]+).*/\1/p')
# Slurm forgets a job some minutes after its end, but its accounting does not.
[ -n "$state" ] || state=$(sacct -X -n -P -o State -j "$1" 2> /dev/null)
case $state in
  COMPLETED*) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | RESIZING | STAGE_OUT) echo running ;;
  *) echo failed ;;
esac
