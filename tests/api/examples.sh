#!/bin/bash
# The examples against an installed copy, in C and C++; every command of the tutorial; completion. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/stream_server.sh"

if [ "$SANITIZE" != none ]; then
    echo "1..0 # SKIP the build is instrumented with $SANITIZE"
    exit 0
fi

# The installed tree is in scratch/root; pkg-config is told so, and then gives paths inside it.
meson install -C "$BUILD" --no-rebuild --quiet --destdir "$scratch/root" >/dev/null || exit 1
export PKG_CONFIG_SYSROOT_DIR=$scratch/root PKG_CONFIG_PATH=$scratch/root$LIBDIR/pkgconfig
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 LD_LIBRARY_PATH=$scratch/root$LIBDIR

# build COMPILER... SOURCE: with all warnings as errors, into the current folder.
build()
{
    local source=${*: -1}
    # shellcheck disable=SC2046
    "$@" -Wall -Wextra -Werror -o "$(basename "$source" | tr . _)" $(pkg-config --cflags --libs congru) 2>&1
}

examples_build_and_run()
{
    local example problems=
    mkdir "$scratch/work/examples" && cd "$scratch/work/examples" || exit 1
    for example in "$SOURCE"/examples/*.c; do
        problems+=$(build ${CC:-cc} -std=c11 "$example")
    done
    make_stream set.npz frames.f32 || problems+="no stream"
    make_recording S.edf 160 60 C3,Cz,C4 T1@5,T2@15,T1@25,T2@35
    [ "$(./covariances_c S.edf own.npz T1=left T2=right)" = "own.npz: 4 trials of 3 x 3" ] || problems+="covariances"
    ./spd_geometry_c out.npy | found 'mean took' || problems+="spd_geometry"
    [ "$(./train_model_c set.npz ra+mdm m)" = "m: ra+mdm, fitted on 36 trials of 3 subjects" ] || problems+="train_model"
    [ "$(./ask_model_c m set.npz | grep -c 'trial')" = 36 ] || problems+="ask_model"
    ./live_decoder_c m <frames.f32 >c.txt || problems+="live_decoder"
    [ "$(wc -l <c.txt)" = 115 ] || problems+="$(wc -l <c.txt) decisions"
    [ "$(./play_recording_c S.edf 0 | wc -c)" = $((60 * 160 * 3 * 4)) ] || problems+="play_recording"
    congru synth --stage shift --slow 1 --subjects 3 --trials 4 --channels 5 --rate 100 --signals 450 --edf . -o truth.npz >/dev/null
    congru import S0*.edf --events c1=c1,c2=c2,c3=c3,c4=c4 --band off --notch off --window -0.5:4 --keep-signals -o cues.npz >/dev/null
    congru train cues.npz -p slow --causal --without S03 -o slow >/dev/null || problems+="no model of cues"
    [ "$(./cue_decoder_c slow S03.edf c1=c1,c2=c2,c3=c3,c4=c4 | grep -c 'decided at')" = 16 ] || problems+="cue_decoder"
    result "examples are built against an installed copy, and run" "$problems"
    if ! command -v g++ >/dev/null; then
        skip "the example in C++ does the same" "no g++"
        return
    fi
    problems=$(build g++ -std=c++17 "$SOURCE/examples/live_decoder.cpp")
    ./live_decoder_cpp m <frames.f32 | cmp - c.txt || problems+="other decisions than in C"
    result "the example in C++ does the same" "$problems"
}

# Clients of a server hear what the file path decides once a second.
clients_run()
{
    local problems=
    cd "$scratch/work/examples" || exit 1
    congru stream m frames.f32 --rate 1 >file.txt
    serve --speed 1000 --rate 0 || problems+="no server"
    timeout 30 ./stream_client_c "$port" 3 100 <frames.f32 >c.txt || problems+="exit code $?"
    sed 's/"marker":"now","cue":[0-9]*,//' c.txt | tail -n +3 | cmp - file.txt || problems+="other decisions in C"
    timeout 30 python3 "$SOURCE/examples/stream_client.py" "$port" <frames.f32 >python.txt || problems+="exit code $?"
    sed -E 's/.*"time":([0-9]+),.*"(class|reason)":"([^"]*)".*/\1 \3/' c.txt | cmp - python.txt || problems+="other decisions in Python"
    [ "$(head -1 python.txt)" = "1 the window is not full" ] || problems+=$(head -1 python.txt)
    kill -TERM $server
    wait $server || problems+="the server: exit code $?"
    result "clients in C and Python hear what the file path says" "$problems"
}

# The tutorial is a session between its paragraphs: what is indented.
tutorial_is_true()
{
    awk '/^    / {if (inside && blank) print ""; print substr($0, 5); inside = 1; blank = 0; next}
         /^$/ {blank = 1; next} {inside = 0}' "$SOURCE/docs/tutorial.md" >"$scratch/tutorial.txt"
    sed -i '1i $ ln -s "$SOURCE/examples" examples' "$scratch/tutorial.txt"
    run_sessions "$scratch/tutorial.txt"
}

complete_line()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _congru
    echo "${COMPREPLY[*]}"
}

completion_completes()
{
    local problems=
    source "$SOURCE/share/completion/congru" 2>/dev/null
    [ "$(complete_line congru str)" = stream ] || problems+="congru str: $(complete_line congru str)"$'\n'
    [ "$(complete_line congru stream --lsl)" = "--lsl-in --lsl-markers --lsl-wait --lsl-out" ] || problems+="--lsl: $(complete_line congru stream --lsl)"$'\n'
    [ "$(complete_line congru help pred)" = predict ] || problems+="help pred"$'\n'
    [ "$(complete_line congru reproduce table)" = "table-prealigners table-e2e" ] || problems+="reproduce table"$'\n'
    [ "$(complete_line congru reproduce prop)" = properties ] || problems+="reproduce prop"$'\n'
    [ "$(complete_line congru predict --target o)" = online ] || problems+="--target o"$'\n'
    [ "$(complete_line congru train --ra-mean l)" = logeuclid ] || problems+="--ra-mean l: $(complete_line congru train --ra-mean l)"$'\n'
    [ "$(complete_line congru loso --dispersion "")" = "global subject subject+global none" ] || problems+="--dispersion"$'\n'
    [ "$(complete_line congru import --preset eeg)" = eegmmidb ] || problems+="--preset eeg: $(complete_line congru import --preset eeg)"$'\n'
    [ -e "$scratch/root$PREFIX/share/bash-completion/completions/congru" ] || problems+="not installed"
    result "completion completes commands, options and values" "${problems%$'\n'}"
}

# What the library's table of options has, every command that fits a method has: in help, manual and completion.
options_are_everywhere()
{
    local command name problems= names words
    names=$("$BUILD/tests/option_names") || problems="no names"
    source "$SOURCE/share/completion/congru" 2>/dev/null
    for command in loso within train ablate reproduce; do
        congru help --man $command >"$scratch/manual.1"
        words=" $(complete_line congru $command --) "
        for name in $names; do
            grep -qE "^\.It Fl -$name( |\$)" "$scratch/manual.1" || problems+="--$name is not in the manual of $command"$'\n'
            [[ $words == *" --$name "* ]] || problems+="--$name is not completed behind $command"$'\n'
        done
    done
    result "every option of methods is in the manual and in completion" "${problems%$'\n'}"
}

examples_build_and_run
clients_run
tutorial_is_true
completion_completes
options_are_everywhere
echo "1..$count"
exit $((failed > 0))
