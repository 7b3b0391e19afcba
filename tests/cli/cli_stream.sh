#!/bin/bash
# The protocol of congru stream --listen, its limits, and LSL markers. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/stream_server.sh"

client()
{
    timeout 30 python3 "$SOURCE/tests/support/protocol_client.py" "$@" 2>&1
}

stop()
{
    kill -TERM $server
    wait $server || problems+="exit code $?"
}

# decisions_at SAMPLE...: what the file path decides at these samples, whichever its rate.
decisions_at()
{
    [ -e each.txt ] || congru stream m frames.f32 --rate 100 >each.txt
    for sample in "$@"; do
        grep "^{\"sample\":$sample," each.txt
    done
}

without_markers()
{
    sed -E 's/"stamp":[0-9.]*,//; s/"marker":"[^"]*","cue":[0-9.]*,//'
}

greetings_name_everything()
{
    local problems= said
    prepare greet ra+mdm
    serve || problems+="no server"
    said=$(client "$port" 'congru/1 format=packets')
    python3 - "$said" <<'END' || problems+=$said
import json, sys
g = json.loads(sys.argv[1])
assert (g['protocol'], g['channels'], g['rate'], g['window']) == (1, 3, 100, 300), g
assert g['classes'] == ['left', 'right'] and g['channel_names'] == ['C1', 'C2', 'C3'], g
assert g['format'] == 'packets' and g['marker_after'] == 3.5 and g['decisions'] == 4, g
assert g['commands'] == ['decide name', 'marker name sample after', 'reset', 'scale factor'], g
END
    said=$(client "$port" 'congru/1 channels=C3,"x",C1,Gelände,C2')
    python3 -c 'import json, sys; g = json.loads(sys.argv[1]); assert g["channel_names"] == ["C3", "\"x\"", "C1", "Gelände", "C2"] and g["commands"] == [] and g["format"] == "float32", g' \
        "$said" || problems+=$said
    stop
    result "a greeting names classes, channels, rate, window and commands" "$problems"
}

# The same frames by every format; markers are answered with what is decided at their time.
formats_and_commands()
{
    local problems= file=frames.f32
    cd "$scratch/work/greet" || exit 1
    serve --speed 1000 || problems+="no server"
    congru stream m frames.f32 >file.txt
    client "$port" 'congru/1 format=packets' $file:0:1000 $file:1000:6000 | tail -n +2 | cmp - file.txt || problems+="packets "
    client "$port" 'congru/1 format=csv' csv:$file:0:6000 | tail -n +2 >heard.txt
    cut -d, -f1-3 heard.txt | cmp - <(cut -d, -f1-3 file.txt) || problems+="csv "
    stop
    serve --speed 1000 --rate 0 --input csv || problems+="no server"
    client "$port" 'congru/1' csv:$file:0:400 'raw:!decide name=x\n' | tail -n +2 | without_markers |
        cut -d, -f1-3 | cmp - <(decisions_at 400 | cut -d, -f1-3) || problems+="--input csv "
    client "$port" 'congru/1 format=packets' $file:0:310 'text:marker name=a' 'text:marker name=b sample=300 after=0.5' \
        $file:310:1000 'text:decide' $file:1000:1010 | tail -n +2 >heard.txt
    without_markers <heard.txt | cmp - <(decisions_at 350 660 1000) || problems+=$(cat heard.txt)
    [ "$(grep -o '"marker":"[a-z]*","cue":[0-9]*' heard.txt | tr '\n' ' ')" = '"marker":"b","cue":300 "marker":"a","cue":310 "marker":"","cue":1000 ' ] ||
        problems+=$(cat heard.txt)
    # After a reset the answers are those of the beginning.
    client "$port" 'congru/1 format=packets' $file:500:900 text:reset $file:0:300 text:decide | tail -n +2 >heard.txt
    (echo '{"done":"reset","sample":400}'; decisions_at 300) | cmp - <(without_markers <heard.txt) || problems+=$(cat heard.txt)
    # Twenty markers of one time: sixteen wait, and each has an answer.
    said=$(client "$port" 'congru/1 format=packets' $file:0:300 $(for i in {1..20}; do echo text:marker; done) $file:300:700 | tail -n +2)
    [ "$(grep -c '"reason":"too many markers wait"' <<<"$said") $(grep -c '"p":{' <<<"$said")" = "4 16" ] || problems+=$said
    stop
    result "samples and commands come in every format" "$problems"
}

mistakes_are_told()
{
    local problems= step said
    cd "$scratch/work/greet" || exit 1
    serve || problems+="no server"
    while IFS='|' read -r format step error; do
        said=$(client "$port" "congru/1 format=$format" "$step" | tail -n +2)
        [ "$said" = "{\"error\":\"$error\"}" ] || problems+="$step: $said"$'\n'
    done <<'END'
packets|raw:FL32\x05\0\0\0|a packet does not hold whole frames
packets|raw:HELO\0\0\0\0|a packet begins with FL32, FL64 or TEXT
packets|text:go|a command is decide, marker, reset or scale
packets|raw:FL32\x0c\0\0\0abcd|the stream ends in the middle of a frame, line or packet
float32|raw:abc|the stream ends in the middle of a frame, line or packet
csv|raw:1,2\n|a line has fewer numbers than there are channels
csv|raw:1,2,3|the stream ends in the middle of a frame, line or packet
csv|raw:!marker colour=red\n|a command has a word that it does not know
END
    stop
    result "mistakes are told in the last line" "$problems"
}

# A byte now and then is no progress: neither before the greeting nor within a frame.
drips_are_let_go()
{
    local problems= said format
    cd "$scratch/work/greet" || exit 1
    serve --idle 1 || problems+="no server"
    for format in '' ' format=csv' ' format=packets'; do
        said=$(client "$port" "congru/1 channels=$(printf 'x%d,' {1..60})C1,C2,C3$format" drip:6)
        [ "$said" = "" ] || problems+="$format: $said "
    done
    # One frame in the time is.
    said=$(client "$port" 'congru/1' 'raw:aaaabbbbcccc' pause:0.7 'raw:aaaabbbbcccc' pause:0.7 'raw:aaaabbbbcccc' pause:0.7 | wc -l)
    [ "$said" = 1 ] || problems+="a slow client: $said lines"
    stop
    result "a client that sends a byte now and then is let go" "$problems"
}

# Without descriptors the server waits, says so once, and goes on when there are some.
descriptors_run_out()
{
    local problems= spent
    cd "$scratch/work/greet" || exit 1
    ulimit -S -n 16
    serve --idle 60 || problems+="no server"
    ulimit -S -n "$(ulimit -H -n)"
    python3 - "$port" "$server" >spent.txt <<'END' || problems+="no measure"
import socket, sys, time
port, server = int(sys.argv[1]), sys.argv[2]
def ticks():
    fields = open(f'/proc/{server}/stat').read().rsplit(')', 1)[1].split()
    return int(fields[11]) + int(fields[12])
many = [socket.create_connection(('127.0.0.1', port)) for _ in range(40)]
time.sleep(0.5)
before = ticks()
time.sleep(2)
print(ticks() - before)
for one in many:
    one.close()
END
    spent=$(cat spent.txt)
    echo "# $spent of 200 ticks of the processor"
    [ "$spent" -lt 20 ] || problems+="$spent of 200 ticks spent "
    [ "$(cat served.err)" = "congru: warning: stream: Too many open files: new clients wait until others leave (raise 'ulimit -n', or lower --clients)" ] ||
        problems+=$(cat served.err)
    client "$port" 'congru/1' | found '"protocol":1' || problems+="nobody is served any more"
    stop
    result "a server without descriptors waits" "$problems"
}

# A library that stands in for liblsl: samples and markers of which everything is known.
lsl_markers()
{
    local problems= said
    prepare markers ra+mdm
    ${CC:-cc} -O1 -shared -fPIC -o stand_in.so "$SOURCE/tests/support/lsl_stand_in.c" || problems+="no library"
    export CONGRU_LSL=$PWD/stand_in.so LSL_FRAMES=frames.f32 LSL_MARKERS='left@2.00 right@7.504 odd@57.00 lost@58.5'
    congru stream m --lsl-in Player --lsl-markers Markers >heard.txt 2>heard.err || problems+=$(cat heard.err)
    (decisions_at 550 1100; tail -1 each.txt | cut -d, -f1-2) >told.txt
    head -2 heard.txt | without_markers | cmp - <(head -2 told.txt) || problems+=$(cat heard.txt)
    found '"marker":"left","cue":1002,' <heard.txt || problems+="no cue "
    tail -2 heard.txt | grep -c '"reason":"the stream has ended"' | found 2 || problems+=$(tail -2 heard.txt)
    [ ! -s heard.err ] || problems+=$(cat heard.err)
    # Other times, and decisions of their own rate besides.
    LSL_MARKERS='now@10.00' congru stream m --lsl-in Player --lsl-markers Markers --marker-after 1 --rate 4 >heard.txt
    congru stream m frames.f32 >file.txt
    grep -v marker heard.txt | without_markers | cmp - file.txt || problems+="other decisions "
    grep marker heard.txt | without_markers | cmp - <(decisions_at 1100) || problems+=$(grep marker heard.txt)
    result "LSL markers are answered at their time" "$problems"
    problems=
    congru stream m --lsl-in Nobody --lsl-wait 1.5 >heard.txt 2>heard.err && problems+="it did not fail"
    said="congru: warning: stream: there is no LSL stream 'Nobody' yet: waiting for it, 1.5 s at most (--lsl-wait)
congru: stream: there is no LSL stream 'Nobody' (waited 1.5 s; see --lsl-wait)"
    [ "$(cat heard.err)" = "$said" ] || problems+=$(cat heard.err)
    congru stream m --lsl-in Player --lsl-markers Nobody --lsl-wait 0.2 >heard.txt 2>heard.err && problems+="it did not fail"
    [ "$(cat heard.err)" = "congru: stream: there is no LSL stream 'Nobody' (waited 0.2 s; see --lsl-wait)" ] || problems+=$(cat heard.err)
    result "that an LSL stream is waited for is said" "$problems"
}

# Models of the signal after a cue: markers by every way are decided about as predict decides about the trials.
cues_are_decided_about()
{
    local problems= said pipeline file=frames.f32 cues
    mkdir "$scratch/work/cues" && cd "$scratch/work/cues" || exit 1
    make_stream set.npz $file 3 wide || problems+="no set "
    cues=$(for i in {0..11}; do echo text:marker\ name=c$i\ sample=$((500 * i + 50)); done)
    for pipeline in motor slow motor+slow eegnet; do
        congru train set.npz -p $pipeline --causal --steps 5 --without S03 -o m >/dev/null || problems+="$pipeline: no model "
        congru predict m set.npz --subjects S03 --target none -o answers.csv >/dev/null || problems+="$pipeline: no answers "
        serve --speed 1000 --rate 0 --adapt never || problems+="no server"
        local IFS=$'\n'
        client "$port" 'congru/1 format=packets' $cues $file:0:2000 $file:2000:6000 >heard.txt
        unset IFS
        stop
        python3 - "$pipeline" <<'END' || problems+=$(cat heard.txt)
import csv, json, sys
said = [json.loads(line) for line in open('heard.txt')]
wanted = [[float(v) for k, v in row.items() if k.startswith('p_')] for row in csv.DictReader(open('answers.csv'))]
after = {'slow': 1.5}.get(sys.argv[1], 4)
assert said[0]['marker_after'] == after and said[0]['needs_cues'] == (sys.argv[1] != 'motor') and said[0]['decisions'] == 0, said[0]
assert len(said) == 13 and len(wanted) == 12, (len(said), len(wanted))
for i, line in enumerate(said[1:]): # samples come in single precision
    assert line['marker'] == f'c{i}' and line['cue'] == 500 * i + 50 and line['sample'] == line['cue'] + 100 * after, line
    assert max(abs(a - b) for a, b in zip(line['p'].values(), wanted[i])) < 1e-4, (line, wanted[i])
END
    done
    result "markers about cues are decided as trials are" "$problems"
    problems=
    # Late ones, lost ones, those of no cue, and questions that such a model cannot be asked.
    serve --speed 1000 || problems+="no server"
    said=$(client "$port" 'congru/1 format=packets' $file:0:600 'text:marker name=late sample=50' 'text:decide name=now' \
        'text:marker name=before sample=10' $file:600:5000 'text:marker name=gone sample=550' \
        'text:marker name=never sample=4000000000000' 'text:marker name=odd sample=4990 after=0' | tail -n +2)
    grep -c '"marker":"late","cue":50,"late":150,"class":"' <<<"$said" | found 1 || problems+="late "
    grep -c '"marker":"now",.*"reason":"the model decides about cues: send a marker"' <<<"$said" | found 1 || problems+="now "
    grep -c '"marker":"before",.*"reason":"missing samples, or the marker came too late"' <<<"$said" | found 1 || problems+="before "
    grep -c '"marker":"gone",.*"reason":"missing samples, or the marker came too late"' <<<"$said" | found 1 || problems+="gone "
    grep -c '"marker":"\(never\|odd\)",.*"reason":"the stream has ended"' <<<"$said" | found 2 || problems+="never "
    [ -z "$problems" ] || problems+=$said
    stop
    congru stream m $file 2>heard.err && problems+="frames without markers "
    found "the model decides about markers alone" <heard.err || problems+=$(cat heard.err)
    congru stream m --listen 127.0.0.1:0 --rate 4 2>heard.err && problems+="a rate "
    [ "$(cat heard.err)" = "congru: stream: eegnet reads the signal after a cue, and decides about markers alone (leave out --rate)" ] ||
        problems+=$(cat heard.err)
    result "what a model of cues cannot decide is said" "$problems"
}

# LSL markers whose times fall between frames, and some frames late.
lsl_cues()
{
    local problems=
    cd "$scratch/work/cues" || exit 1
    congru train set.npz -p motor+slow --causal --without S03 -o m >/dev/null || problems+="no model "
    congru predict m set.npz --subjects S03 --target none -o answers.csv >/dev/null || problems+="no answers "
    ${CC:-cc} -O1 -shared -fPIC -o stand_in.so "$SOURCE/tests/support/lsl_stand_in.c" || problems+="no library"
    CONGRU_LSL=$PWD/stand_in.so LSL_FRAMES=frames.f32 LSL_MARKERS='a@0.5 b@5.504 c@10.497 d@15.5' \
        congru stream m --lsl-in Player --lsl-markers Markers --adapt never >heard.txt 2>heard.err || problems+=$(cat heard.err)
    python3 - <<'END' || problems+=$(cat heard.txt)
import csv, json
said = [json.loads(line) for line in open('heard.txt')]
wanted = [[float(v) for k, v in row.items() if k.startswith('p_')] for row in csv.DictReader(open('answers.csv'))]
assert [line['marker'] for line in said] == ['a', 'b', 'c', 'd'], said
for i, line in enumerate(said):
    assert max(abs(a - b) for a, b in zip(line['p'].values(), wanted[i])) < 1e-4, (line, wanted[i])
END
    [ ! -s heard.err ] || problems+=$(cat heard.err)
    result "LSL markers are cues to half a frame" "$problems"
}

# Events of a recording, as predict finds them.
events_are_cues()
{
    local problems= said
    mkdir "$scratch/work/events" && cd "$scratch/work/events" || exit 1
    congru synth --stage shift --slow 1 --subjects 3 --trials 6 --channels 5 --rate 100 --signals 450 --edf . -o truth.npz >/dev/null || problems+="no recordings "
    congru import S0*.edf --events c1=c1,c2=c2,c3=c3,c4=c4 --band off --notch off --window -0.5:4 --keep-signals -o set.npz >/dev/null || problems+="no set "
    for pipeline in slow motor motor+slow; do
        congru train set.npz -p $pipeline --causal --without 3 -o m >/dev/null 2>&1 || congru train set.npz -p $pipeline --causal --without S03 -o m >/dev/null || problems+="no model "
        congru predict m S03.edf --target online -o answers.csv >/dev/null || problems+="no answers "
        congru stream m S03.edf --rate 0 --adapt trials --prior-weight 0 --memory 0 >heard.txt || problems+="no stream "
        python3 - <<'END' || problems+="$pipeline: $(head -3 heard.txt)"
import csv, json
said = [json.loads(line) for line in open('heard.txt')]
wanted = [[float(v) for k, v in row.items() if k.startswith('p_')] for row in csv.DictReader(open('answers.csv'))]
heard = [list(line['p'].values()) for line in said if 'p' in line]
assert len(heard) == len(wanted) == 24, (len(said), len(heard), len(wanted))
assert max(abs(a - b) for x, y in zip(heard, wanted) for a, b in zip(x, y)) < 1e-9
END
    done
    said=$(congru stream m S03.edf --events c1=left 2>&1 | grep -c '"marker":"left"')
    [ "$said" = 6 ] || problems+="$said markers of one event "
    said=$(congru stream m S03.edf --events nothing=left 2>&1)
    [ "$said" = "congru: S03.edf: has none of the events that are cues" ] || problems+=$said
    result "events of a recording are decided as predict decides" "$problems"
}

greetings_name_everything
formats_and_commands
mistakes_are_told
drips_are_let_go
descriptors_run_out
lsl_markers
cues_are_decided_about
lsl_cues
events_are_cues
echo "1..$count"
exit $((failed > 0))
