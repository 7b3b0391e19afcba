#!/bin/bash
# Two networks that are made up, a file and a row each, in a copy of the tree: they are methods like the others. SPDX-License-Identifier: Apache-2.0
#
# The file that meson reads in the row is compiled, and with it what has the registry; the command is linked of these and of
# what there is.
source "$SOURCE/tests/support/cli_session.sh" || exit 1
if [ "$SANITIZE" != none ]; then
    echo "1..0 # SKIP the build is instrumented with $SANITIZE"
    exit 0
fi

tree=$scratch/tree
mkdir "$tree" && (cd "$SOURCE" && find . -mindepth 1 -maxdepth 1 ! -name '.*' ! -name 'build*' ! -name src -exec ln -s "$PWD/{}" "$tree/" \;)
cp -r "$SOURCE/src" "$tree/src"

# The logarithm of a covariance, scored; and a congruence that keeps what can be had back.
cat >"$tree/src/network/models/toy_network.c" <<'END'
/* Two toys. SPDX-License-Identifier: Apache-2.0 */
#include "network/models/model.h"

static void build(congru_graph *graph, const congru_design *design)
{
    const int x = congru_graph_logarithm(graph, congru_graph_input(graph, design->d), 0.0, design->floor);
    congru_part_scores(graph, congru_part_triangle(graph, x), design->classes);
}

static void build_map(congru_graph *graph, const congru_design *design)
{
    congru_dldct_on(graph, design, congru_graph_input(graph, design->d));
}

const congru_network_model congru_model_toy = {.own = {.steps = 5, .batch = 16, .rate = 1e-3}, .build = build};
const congru_network_model congru_model_toy_map = {
    .own = {.steps = 5, .batch = 16, .rate = 1e-3}, .objective = congru_stack_objective, .build = build_map};
END
sed -i '/^#define CONGRU_NETWORKS(ROW)/a\    ROW(toy, "toy", COVARIANCES, CLASSES, "a toy") \\\n    ROW(toy_map, "toy-map", COVARIANCES, MATRICES, "a toy that maps") \\' \
    "$tree/src/network/network.h"

problems=
objects=()
for object in network/libnetwork.a.p/{network,models_toy_network} aligner/libaligner.a.p/{aligner,learned} \
    classifier/libclassifier.a.p/{classifier,networks}; do
    objects+=("src/$object.c.o")
done
meson setup "$scratch/build" "$tree" >"$scratch/setup.txt" 2>&1 || problems=$(tail -3 "$scratch/setup.txt")
[ -n "$problems" ] || ninja -C "$scratch/build" "${objects[@]}" >"$scratch/built.txt" 2>&1 || problems=$(tail -3 "$scratch/built.txt")
result "a network is one file and one row" "$problems"

problems=
rm "$scratch/bin/congru"
link=$(ninja -C "$BUILD" -t commands congru | tail -1)
link=${link/ -o congru / -o $scratch/bin/congru ${objects[*]/#/$scratch/build/} }
(cd "$BUILD" && eval "$link") >"$scratch/linked.txt" 2>&1 || problems=$(tail -3 "$scratch/linked.txt")
result "the command is linked" "$problems"

cd "$scratch/work" || exit 1
congru help loso >help.txt
problems=
for name in toy toy-map toy-map-e2e; do
    found "^  $name\( \|$\)" help.txt || problems+="$name is not in the help"$'\n'
done
congru synth --stage orientation --subjects 3 --trials 6 --channels 4 --seed 7 -o set.npz >/dev/null
congru loso set.npz -p toy,toy-map-e2e,toy-map+tslr -o results >said.txt 2>&1 || problems+=$(tail -1 said.txt)
for name in toy toy-map-e2e toy-map+tslr; do
    # A model answers about a subject as the fold did.
    congru train set.npz -p $name --without S03 -o model >said.txt 2>&1 || problems+=$(tail -1 said.txt)
    congru predict model set.npz --subjects S03 -o p.csv >said.txt 2>&1 || problems+=$(tail -1 said.txt)
    diff <(awk -F, -v p="$name" '$2 == "S03" && $4 == p' results/predictions.csv | cut -d, -f1-10) \
        <(tail -n +2 p.csv | cut -d, -f1-10) >"$scratch/diff" || problems+="$name: $(head -2 "$scratch/diff")"$'\n'
done
[ "$(wc -l <p.csv)" -gt 10 ] || problems+="there are no predictions"
result "they are trained, saved and asked" "$problems"
echo "1..$count"
exit $((failed > 0))
