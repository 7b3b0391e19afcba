#!/bin/bash
# congru train, predict, align and stream: sessions, real files, TCP, LSL. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/stream_server.sh"

data=${CONGRU_DATA:-$SOURCE/../shared/data}
ln -s "$BUILD/tests/make_set" "$scratch/bin/make_set"
${CC:-cc} -O1 -o "$scratch/bin/stream_clients" "$SOURCE/tests/support/stream_clients.c" -pthread || exit 1
for tool in lsl_player lsl_listener; do
    ${CC:-cc} -O1 -o "$scratch/bin/$tool" "$SOURCE/tests/support/$tool.c" -ldl || exit 1
done

run_sessions "$SOURCE"/tests/cli/model/*.txt

# A client hears what the file path says; the server ends when told to, without a word.
tcp_is_the_file_path()
{
    local problems=
    prepare tcp ra+mdm
    serve --speed 1000 || problems+="no server"
    congru stream m frames.f32 >file.txt
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    (printf 'congru/1 channels=C1,C2,C3 rate=100\n'; cat frames.f32) >&5
    timeout 20 head -$(($(wc -l <file.txt) + 1)) <&5 >heard.txt
    exec 5>&-
    head -1 heard.txt | found '"pipeline":"ra+mdm","channels":3,"rate":100,"window":300' || problems+=$(head -1 heard.txt)
    tail -n +2 heard.txt | cmp - file.txt || problems+="other decisions"
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET / HTTP/1.1\r\n' >&5
    [ "$(timeout 5 cat <&5)" = '{"error":"expected a line that begins with congru/1"}' ] || problems+="no refusal of HTTP"
    exec 5>&-
    kill -TERM $server
    wait $server || problems+="exit code $?"
    [ ! -s served.err ] || problems+=$(cat served.err)
    result "a client hears what the file path says" "$problems"
}

# refusal LINE: what a client that begins with the line is told.
refusal()
{
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf "$1" >&5
    timeout 5 cat <&5
    exec 5>&-
}

# A first line that is no introduction is answered with the reason, and the server lives on.
introductions_are_read()
{
    local problems= many
    cd "$scratch/work/tcp" || exit 1
    serve || problems+="no server"
    many=$(printf 'x%.0s' {1..8200})
    while IFS='|' read -r line reason; do
        said=$(refusal "$line")
        [ "$said" = "{\"error\":\"$reason\"}" ] || problems+="${line:0:60}: $said"$'\n'
    done <<END
congru/2\\n|expected a line that begins with congru/1
congru/1x\\n|expected a line that begins with congru/1
congru/1 speed=3\\n|expected channels=A,B,..., rate=HZ, format=KIND or session=NAME
congru/1 format=wav\\n|the format is float32, float64, csv or packets
congru/1 channels=C1,,C3\\n|a channel has no name
congru/1 channels=C1 channels=C2\\n|channels are given twice
congru/1 rate=fast\\n|the rate is not a number of samples per second
congru/1 rate=1e3\\n|the rate is not a number of samples per second
congru/1 rate=0\\n|the rate is not a number of samples per second
congru/1 rate=100\\t\\n|the line holds control characters, or is not UTF-8
congru/1 channels=\\377\\n|the line holds control characters, or is not UTF-8
congru/1 $many|the line is too long
congru/1 rate=50\\r\\n|the stream has 50 Hz where the model has 100 Hz, and its band is too wide for that (bring it to the model's rate first)
congru/1 channels=C1,C2\\n|the stream has no channel 'C3', which is number 3 of the model's 3
END
    [ "$(refusal 'congru/2\n')" = '{"error":"expected a line that begins with congru/1"}' ] || problems+="it is gone"
    kill -TERM $server
    wait $server || problems+="exit code $?"
    result "introductions of clients are read, or refused with a reason" "$problems"
}

# Two hundred clients for ten seconds: slow ones and garbage do not take a decision from the good ones.
bad_clients_do_not_hurt()
{
    local problems= said
    cd "$scratch/work/tcp" || exit 1
    serve --clients 300 --idle 3 || problems+="no server"
    said=$(timeout 60 stream_clients "$port" "${CONGRU_LOAD_SECONDS:-10}" 100 50 50 3 100 300 2>&1) || problems+=$said
    echo "# $said"
    kill -TERM $server
    wait $server || problems+="exit code $?"
    [ ! -s served.err ] || problems+=$(cat served.err)
    result "bad clients do not hurt the good ones" "$problems"
}

# Lines of 13 kB, more of them than the system keeps for a client that begins to read after a second: all arrive.
late_readers_lose_nothing()
{
    local problems= i
    mkdir "$scratch/work/late" && cd "$scratch/work/late" || exit 1
    make_npy signals.npy '<f8' '(300, 3, 100)' noise:90000
    # shellcheck disable=SC2046
    make_npy y.npy '<U63' '(300,)' $(printf '%063d ' {1..150} {1..150})
    # shellcheck disable=SC2046
    make_npy subject.npy '<U1' '(300,)' $(printf '1 %.0s' {1..150}; printf '2 %.0s' {1..150})
    make_npy fs.npy '<f8' '()' 1000
    python3 -m zipfile -c set.npz signals.npy y.npy subject.npy fs.npy
    congru train set.npz -p ra+mdm -o m >/dev/null || problems+="no model"
    make_npy frames.npy '<f4' '(1000, 3)' noise:3000 && tail -c 12000 frames.npy >frames.f32
    congru stream m frames.f32 --rate 1000 >file.txt
    serve --rate 1000 --idle 60 || problems+="no server"
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    (printf 'congru/1\n'; cat frames.f32) >&5
    sleep 1
    timeout 60 head -$(($(wc -l <file.txt) + 1)) <&5 | tail -n +2 >heard.txt
    cmp heard.txt file.txt || problems+="other decisions"
    [ "$(wc -l <file.txt)" -eq 901 ] || problems+="$(wc -l <file.txt) decisions"
    [ "$(wc -c <file.txt)" -gt 10000000 ] || problems+="$(wc -c <file.txt) bytes"
    # It is still there when the server is told to end.
    kill -TERM $server
    wait $server || problems+="exit code $?"
    exec 5>&-
    result "a client that reads late hears every decision" "$problems"
}

# A silent client is let go, one too many is told so.
limits_are_kept()
{
    local problems=
    cd "$scratch/work/tcp" || exit 1
    serve --clients 1 --idle 1 || problems+="no server"
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf 'congru/1\n' >&5
    read -r -t 5 line <&5
    exec 6<>"/dev/tcp/127.0.0.1/$port"
    [ "$(timeout 5 cat <&6)" = '{"error":"too many clients"}' ] || problems+="a second client was taken"
    exec 6>&-
    timeout 10 cat <&5 >/dev/null || problems+="a silent client was kept"
    exec 5>&-
    # Nor is one kept whose first line does not come to its end, however alive it is.
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    printf 'congru/1 channels=' >&5
    (trap '' PIPE; for ((i = 0; i < 40; i++)); do sleep 0.25; printf x; done) >&5 2>/dev/null &
    timeout 9 cat <&5 >/dev/null || problems+="a client without a first line was kept"
    exec 5>&-
    kill $! && wait $!
    kill -TERM $server
    wait $server
    result "limits on clients and silence are kept" "$problems"
}

# The library: named by CONGRU_LSL, kept in the build folder, or fetched from npm's node-lsl.
find_lsl()
{
    lsl=${CONGRU_LSL:-$BUILD/lsl/package/prebuilt/liblsl64.so}
    [ -e "$lsl" ] && return
    command -v npm >/dev/null && mkdir -p "$BUILD/lsl" &&
        (cd "$BUILD/lsl" && timeout 60 npm pack node-lsl && tar xzf node-lsl-*.tgz) >/dev/null 2>&1
    [ -e "$lsl" ]
}

# A recording through a real outlet at ten times its speed, on a loopback that nothing else is on.
lsl_is_the_file_path()
{
    local problems= name="a real LSL stream is decoded as its file" out="decisions are heard from the LSL outlet" why=
    find_lsl || why="no liblsl (CONGRU_LSL, or npm to fetch it)"
    unshare -n true 2>/dev/null && command -v ip >/dev/null || why=${why:-no network namespaces}
    if [ -n "$why" ]; then
        skip "$name" "$why"
        skip "$out" "$why"
        return
    fi
    prepare lsl ra+tslr
    printf '[ports]\nIPv6 = disable\n[multicast]\nResolveScope = machine\n[lab]\nKnownPeers = {127.0.0.1}\n' >lsl_api.cfg
    congru stream m frames.f32 >file.txt
    cat >play.sh <<'END'
ip link set lo up
CONGRU_LSL=$1 timeout 60 congru stream m --lsl-in Player --lsl-out Decisions >heard.txt 2>heard.err &
# What is offered before somebody listens is heard by nobody: the recording begins after that.
timeout 60 lsl_listener "$1" Decisions >offered.txt 2>listener.err &
for ((i = 0; i < 300; i++)); do
    [ -s offered.txt ] && break
    sleep 0.1
done
timeout 60 lsl_player "$1" Player frames.f32 3 100 10 C1,C2,C3 2>player.err || cat player.err
wait
END
    problems+=$(unshare -n bash play.sh "$lsl" 2>&1)
    sed 's/"stamp":[0-9.]*,//' heard.txt | cmp - file.txt || problems+="other decisions: $(wc -l <heard.txt) lines"
    # Frame k has the stamp 1000 + k / 100, and a decision that of its last frame.
    problems+=$(sed -n 's/{"sample":\([0-9]*\),.*"stamp":\([0-9.]*\),.*/\1 \2/p' heard.txt |
        awk '{d = $2 - 1000 - ($1 - 1) / 100; if (d > 1e-9 || d < -1e-9) print "stamp " $2 " at " $1; n++} END {if (!n) print "no stamps"}')
    problems+=$(grep '^congru: ' heard.err | grep -v 'waiting for it')
    result "$name" "$problems"
    # Its first line is the classes; then each decision's stamp and probabilities, to the bit.
    problems=$(grep '^lsl_listener: ' listener.err)
    (echo left right
        sed -n 's/.*"stamp":\([^,]*\),.*"p":{"left":\([^,]*\),"right":\([^}]*\)}}/\1 \2 \3/p' heard.txt) >told.txt
    problems+=$(cmp told.txt offered.txt 2>&1)
    [ "$(wc -l <told.txt)" -gt 100 ] || problems+="$(wc -l <told.txt) lines"
    result "$out" "$problems"
}

# Ended while it writes, a command leaves a whole file or none.
writing_is_not_cut_short()
{
    local problems= name="a command that is ended while it writes leaves no unfinished file" try pid words left
    mkdir "$scratch/work/ended" && cd "$scratch/work/ended" || exit 1
    congru synth --stage orientation --subjects 4 --trials 40 --channels 24 -o set.npz >/dev/null || exit 1
    congru train set.npz -p ra+mdm -o m >/dev/null || exit 1
    for words in "synth --stage orientation --subjects 4 --trials 40 --channels 24" "train set.npz -p ra+mdm" \
        "align m set.npz" "predict m set.npz"; do
        for try in 1 2 3 4 5; do
            congru $words -o out >/dev/null 2>&1 &
            pid=$!
            while kill -0 $pid 2>/dev/null && ! compgen -G '.congru-*' >/dev/null; do :; done
            kill -TERM $pid 2>/dev/null
            wait $pid 2>/dev/null
            left=$(compgen -G '.congru-*') && problems+="$words: left $left"$'\n'
            rm -f .congru-* out
        done
    done
    result "$name" "$problems"
}

# Numbers that no training gives, in the place of a model's.
damage_is_the_models()
{
    local problems=
    mkdir "$scratch/work/damage" && cd "$scratch/work/damage" || exit 1
    make_set set.npz --subjects 3 --trials 8 --d 3 --seed 2
    congru train set.npz -p ra+tslr -o good.safetensors >/dev/null || problems+="no model"$'\n'
    for name in b0.tslr.reference b0.prior.0; do
        python3 - $name <<'END' || problems+="$name: not damaged"$'\n'
import json, struct, sys
data = bytearray(open('good.safetensors', 'rb').read())
size = struct.unpack_from('<Q', data)[0]
first, last = json.loads(data[8:8 + size])[sys.argv[1]]['data_offsets']
for at in range(first, last, 8):
    struct.pack_into('<d', data, 8 + size + at, 1e308)
open('bad.safetensors', 'wb').write(data)
END
        congru predict bad.safetensors set.npz >out.txt 2>err.txt && problems+="$name: exit code 0"$'\n'
        [[ $(cat err.txt) == "congru: bad.safetensors: "* ]] || problems+="$name: $(cat err.txt)"$'\n'
    done
    result "damage in a model's numbers is the model's" "$problems"
}

# Trained on two subjects, streaming the recording of a third.
real_recordings()
{
    local problems= name="a real recording is streamed" lines
    if [ ! -d "$data/eegmmidb/original/S007" ]; then
        skip "$name" "no real data (CONGRU_DATA)"
        return
    fi
    mkdir "$scratch/work/real" && cd "$scratch/work/real" || exit 1
    congru import "$data"/eegmmidb/original/S0*/*.edf --preset eegmmidb --channels FC3,FCz,FC4,C3,Cz,C4,CP3,CPz,CP4 \
        --causal --notch 60 --band 8:30 -o set.npz >/dev/null || exit 1
    congru train set.npz -p ra+tslr --without 007 -o m >/dev/null || problems+="no model"
    congru stream m "$data/eegmmidb/original/S007/S007R04.edf" >out.txt || problems+="no stream"
    lines=$(wc -l <out.txt)
    [ "$lines" -eq 489 ] || problems+="$lines decisions"
    result "$name" "$problems"
}

tcp_is_the_file_path
introductions_are_read
bad_clients_do_not_hurt
late_readers_lose_nothing
limits_are_kept
lsl_is_the_file_path
writing_is_not_cut_short
damage_is_the_models
real_recordings
for name in train predict align stream; do
    manual_has_options $name
done
help_fits train predict align stream
echo "1..$count"
exit $((failed > 0))
