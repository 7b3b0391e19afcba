#!/bin/bash
# What tests of 'congru stream' share: models with their frames, and servers. SPDX-License-Identifier: Apache-2.0
#
# Sourced after cli_session.sh.
ln -s "$BUILD/tests/make_stream" "$scratch/bin/make_stream"

# A model and frames, in a folder of their own.
prepare()
{
    mkdir "$scratch/work/$1" && cd "$scratch/work/$1" || exit 1
    make_stream set.npz frames.f32 || exit 1
    congru train set.npz -p "$2" --steps 20 --without S03 -o m >/dev/null || exit 1
}

# serve ARGUMENT...: a server in the background; its process in $server, its port in $port.
serve()
{
    rm -f served.txt # of a server before, whose port would be taken for this one's
    congru stream m --listen 127.0.0.1:0 "$@" >served.txt 2>served.err &
    server=$!
    port=
    for ((i = 0; i < 1200; i++)); do
        port=$(sed -n 's/.*:\([0-9]*\)".*/\1/p' served.txt 2>/dev/null)
        [ -z "$port" ] || return 0
        sleep 0.05
    done
    return 1
}
