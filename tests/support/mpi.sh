#!/bin/bash
# Processes of this machine alone, for tests that need mpirun. SPDX-License-Identifier: Apache-2.0
#
# Sourced after cli_session.sh. There may be more than it has processors, as root or not; libmpi itself leaks a little. Open MPI
# keeps its sockets in a folder whose name must be short.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 TMPDIR=/tmp HOME=${HOME:-/tmp}

has_mpi()
{
    command -v mpirun >/dev/null && [ "$(congru version | sed -n 's/^mpi: //p')" != none ]
}

mpi()
{
    local alone="--mca btl self,vader --mca oob_tcp_if_include lo --mca plm isolated"
    if mpirun --version | head -1 | found -E ' ([5-9]|[1-9][0-9])\.'; then
        alone="--mca btl self,sm" # Open MPI 5 has no out-of-band channel of its own to be told where to listen
    fi
    # shellcheck disable=SC2086
    timeout -k 5 240 mpirun --oversubscribe --bind-to none $alone "$@" </dev/null
}
