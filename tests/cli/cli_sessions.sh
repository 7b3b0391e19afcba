#!/bin/bash
# What congru stream keeps of a subject, learns at rest, and logs of clients. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/stream_server.sh"

client()
{
    timeout 30 python3 "$SOURCE/tests/support/protocol_client.py" "$@" 2>&1
}

# wait_for COUNT PATTERN FILE: until so many lines of a file that grows have the pattern.
wait_for()
{
    local i
    for ((i = 0; i < 1200; i++)); do
        [ "$(grep -c "$2" "$3" 2>/dev/null)" -lt "$1" ] || return 0
        sleep 0.05
    done
    problems+="$3 never had $1 lines with '$2' "
}

stop()
{
    kill -TERM $server
    wait $server || problems+="exit code $?"
}

# part FROM TO: these frames of the recording.
part()
{
    head -c $((12 * $2)) frames.f32 | tail -c $((12 * ($2 - $1)))
}

states_are_kept()
{
    local problems= said
    prepare state ra+mdm
    part 0 3000 | congru stream m --state s >first.txt || problems+="no stream "
    [ -s s ] || problems+="no state "
    part 0 3000 | congru stream m | cmp - first.txt || problems+="a state that is not there changes decisions "
    cp s kept
    cp s half
    part 3000 6000 | congru stream m --state s >second.txt || problems+="no second stream "
    part 3000 6000 | congru stream m >fresh.txt
    cmp -s second.txt fresh.txt && problems+="nothing was restored "
    cmp -s s kept && problems+="nothing was kept "
    part 3000 6000 | congru stream m --state kept | cmp - second.txt || problems+="not repeatable "
    [ "$(head -1 second.txt | cut -d, -f1)" = '{"sample":300' ] || problems+=$(head -1 second.txt)
    # What is damaged or another model's is refused, and stays.
    head -c 100 s >short
    cp short before
    said=$(part 0 900 | congru stream m --state short 2>&1) && problems+="taken "
    [[ $said = "congru: short: "* ]] && cmp short before || problems+=$said
    congru train set.npz -p ra+tslr --without S03 -o other >/dev/null || problems+="no model "
    said=$(part 0 900 | congru stream other --state s 2>&1) && problems+="taken "
    [ "$said" = "congru: s: of another model than this one (begin anew: remove it, or name another file)" ] || problems+=$said
    said=$(part 0 900 | congru stream m --state short/s 2>&1 >/dev/null) && problems+="kept below a file "
    [[ $said = "congru: short/s: "* ]] || problems+=$said
    result "what is learned of a subject is kept in a file" "$problems"
}

sessions_come_back()
{
    local problems= said name heard
    cd "$scratch/work/state" && mkdir folder || exit 1
    heard=$(($(wc -l <first.txt) + 1)) # with the line of welcome
    serve --speed 1000 --state folder || problems+="no server"
    client "$port" 'congru/1 format=packets session=anna.1' frames.f32:0:3000 >one.txt
    client "$port" 'congru/1 format=packets session=anna.1' frames.f32:3000:6000 >two.txt
    head -1 one.txt | found '"session":"anna.1","known":false,"windows":0}$' || problems+=$(head -1 one.txt)
    head -1 two.txt | found '"session":"anna.1","known":true,"windows":10}$' || problems+=$(head -1 two.txt)
    tail -n +2 one.txt | cmp - first.txt || problems+="first "
    tail -n +2 two.txt | cmp - second.txt || problems+="second "
    cmp s folder/anna.1.state || problems+="state "
    # A connection that hangs: the subject comes back on another.
    client "$port" 'congru/1 format=packets session=bert' frames.f32:0:3000 hear:$heard hear:1 >one.txt &
    hanging=$!
    wait_for $heard . one.txt
    client "$port" 'congru/1 format=packets session=bert' frames.f32:3000:6000 | tail -n +2 | cmp - second.txt || problems+="taken over "
    wait $hanging
    [ "$(tail -1 one.txt)" = '{"error":"the session goes on in another connection"}' ] || problems+=$(tail -1 one.txt)
    for name in ../x .x a/b '' 'ä' "$(printf 'x%.0s' {1..64})"; do
        said=$(client "$port" "congru/1 session=$name")
        [[ $said = '{"error":"a session'* ]] || problems+="$name: $said "
    done
    echo no >folder/broken.state
    said=$(client "$port" 'congru/1 session=broken')
    [[ $said = '{"error":"folder/broken.state: '* && $(cat folder/broken.state) = no ]] || problems+=$said
    # A client that is there when the server stops keeps its session too.
    client "$port" 'congru/1 format=packets session=carl' frames.f32:0:3000 hear:$heard hear:1 >carl.txt &
    hanging=$!
    wait_for $heard . carl.txt
    stop
    wait $hanging
    cmp half folder/carl.state || problems+="state of carl "
    [ "$(ls folder)" = $'anna.1.state\nbert.state\nbroken.state\ncarl.state' ] || problems+=$(ls folder)
    serve || problems+="no server"
    said=$(client "$port" 'congru/1 session=anna.1')
    [ "$said" = '{"error":"no sessions are kept here (the server has no --state)"}' ] || problems+=$said
    stop
    said=$(timeout 10 congru stream m --listen 127.0.0.1:0 --state nowhere 2>&1)
    [ "$said" = "congru: nowhere: the states of sessions need a folder that is there" ] || problems+=$said
    result "a session goes on in another connection" "$problems"
}

rest_comes_first()
{
    local problems= said
    mkdir "$scratch/work/rest" && cd "$scratch/work/rest" || exit 1
    congru synth --stage shift --slow 1 --subjects 3 --trials 6 --channels 5 --rate 100 --signals 450 --edf . -o truth.npz >/dev/null || problems+="no recordings "
    congru import S0*.edf --events c1=c1,c2=c2,c3=c3,c4=c4 --band off --notch off --window -0.5:4 --keep-signals -o set.npz >/dev/null || problems+="no set "
    congru train set.npz -p motor+slow --causal --without 3 -o m >/dev/null 2>&1 || congru train set.npz -p motor+slow --causal --without S03 -o m >/dev/null || problems+="no model "
    congru stream m S03.edf --adapt never >without.txt || problems+="no stream "
    congru stream m S03.edf --adapt never --rest S03.edf >with.txt || problems+="no stream after rest "
    cmp -s without.txt with.txt && problems+="nothing was learned at rest "
    [ "$(cut -d, -f1-4 without.txt)" = "$(cut -d, -f1-4 with.txt)" ] || problems+="other cues "
    # Rest, kept; the stream after it is the same.
    congru stream m S03.edf --adapt never --rest S03.edf --state s | cmp - with.txt || problems+="state "
    congru stream m S03.edf --adapt never --state s | cmp - with.txt || problems+="restored "
    make_recording short.edf 100 2 c1,c2,c3,c4,c5 >/dev/null 2>&1
    said=$(congru stream m S03.edf --rest nothing.edf 2>&1) && problems+="taken "
    [[ $said = "congru: nothing.edf: "* ]] || problems+=$said
    said=$(congru stream m --listen 127.0.0.1:0 --rest S03.edf 2>&1)
    [ $? = 2 ] && [[ $said = *"--rest is of one subject"* ]] || problems+=$said
    result "a recording at rest moves the reference first" "$problems"
}

# logged FILE EVENT...: the log's events are these.
logged()
{
    python3 - "$@" <<'END'
import datetime, json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [line['event'] for line in lines] == sys.argv[2:], lines
for line in lines:
    datetime.datetime.strptime(line['time'], '%Y-%m-%dT%H:%M:%S.%fZ')
    assert line['event'] in ('listening', 'lost') or line['client'] > 0, line
    assert line['event'] not in ('refuse', 'drop') or line['reason'], line
END
}

clients_are_logged()
{
    local problems= said
    cd "$scratch/work/state" || exit 1
    serve --speed 1000 --idle 3 --clients 1 --log log.txt || problems+="no server"
    client "$port" 'congru/1 format=packets' frames.f32:0:3000 >/dev/null
    client "$port" 'congru/2' >/dev/null
    client "$port" 'congru/1 format=packets' raw:XX hear:9 >/dev/null
    client "$port" 'congru/1 format=packets' frames.f32:0:300 hear:9 >/dev/null &
    hanging=$!
    wait_for 3 '"event":"begin"' log.txt
    client "$port" 'congru/1 format=packets' >/dev/null
    wait $hanging
    stop
    said=$(logged log.txt listening connect begin end connect refuse connect begin drop connect begin connect refuse drop 2>&1) || problems+=$said
    grep '"event":"drop"' log.txt | tail -1 | found '"reason":"idle for 3 s","frames":300,' || problems+=$(cat log.txt)
    found '"event":"refuse","client":5,"reason":"too many clients"' <log.txt || problems+=$(cat log.txt)
    serve --log log.txt || problems+="no server"
    stop
    [ "$(grep -c listening log.txt)" = 2 ] || problems+="not added to "
    # A pipe that nobody reads holds up nothing, and has every line for a reader who comes later.
    mkfifo pipe
    serve --speed 1000 --log pipe || problems+="no server with a pipe"
    for i in {1..20}; do
        client "$port" 'congru/1 format=packets' frames.f32:0:300 >/dev/null
    done
    timeout 60 cat pipe >heard.txt &
    wait_for 20 '"event":"end"' heard.txt
    stop
    wait
    [ "$(grep -c '"event":"connect"' heard.txt) $(grep -c '"event":"end"' heard.txt)" = "20 20" ] || problems+=$(tail -3 heard.txt)
    said=$(timeout 10 congru stream m --listen 127.0.0.1:0 --log nowhere/log 2>&1)
    [ "$said" = "congru: nowhere/log: cannot write a log: No such file or directory" ] || problems+=$said
    said=$(congru stream m frames.f32 --log log.txt 2>&1)
    [ "$said" = "congru: stream: --log is for --listen" ] || problems+=$said
    result "connects, drops and refusals are logged" "$problems"
}

states_are_kept
sessions_come_back
rest_comes_first
clients_are_logged
echo "1..$count"
exit $((failed > 0))
