#!/bin/bash
# The page of congru report in a real browser. SPDX-License-Identifier: Apache-2.0
#
# Skips, and says why, where there is no Chromium, no npm, or nothing to fetch the driver from. It reads SOURCE and BUILD;
# see tests/meson.build. KEEP=FOLDER keeps the reports and pictures there.
set -u -o pipefail

skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
[ -n "$browser" ] || skip_all "no Chromium on this machine (install chromium)"
command -v npm >/dev/null || skip_all "no npm on this machine, which fetches what drives the browser (install npm)"

# The driver is fetched once for each build folder.
driver=$BUILD/tests/browser
mkdir -p "$driver" && cp "$SOURCE"/tests/browser/{.npmrc,package.json,package-lock.json,report_page.mjs} "$driver" || exit 1
if ! cmp -s "$driver/package-lock.json" "$driver/node_modules/.locked"; then
    (cd "$driver" && npm ci --no-progress --prefer-offline >npm.log 2>&1) || skip_all "npm could not fetch playwright-core"
    cp "$driver/package-lock.json" "$driver/node_modules/.locked"
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
folder=${KEEP:-$scratch}
cd "$folder" || exit 1
make()
{
    /usr/bin/python3 "$SOURCE/tests/browser/make_results.py" "$@" || exit 1
}
make full
make free --unconstrained
make hostile --hostile --subjects 10 --pipelines 6 --classes 2
make bare --only-results --subjects 5 --pipelines 3
make big --subjects 49 --steps 1000
make equal --subjects 5 --pipelines 15 --steps 20
/usr/bin/python3 - <<'END' || exit 1
import csv
rows = list(csv.reader(open('equal/results.csv')))
head, rows = rows[0], rows[1:]
score, kappa, pipeline, subject = (head.index(name) for name in ('score', 'kappa', 'pipeline', 'subject'))
best = {row[subject]: ('0.9' + row[subject][-1:], row[kappa]) for row in rows}
for row in rows:
    if row[pipeline] in ('ra+mdm', 'dct-e2e'):
        row[score], row[kappa] = best[row[subject]]
csv.writer(open('equal/results.csv', 'w', newline='')).writerows([head] + rows)
END
for number in 0 2 10; do
    make curve/calibration-$number --subjects 6 --pipelines 3 --seed $((number + 1))
done
"$BUILD/congru" synth --stage shift --subjects 3 --trials 6 --channels 8 --edf own-files -o drawn.npz >/dev/null &&
    "$BUILD/congru" import own-files/*.edf --events c1=l,c2=r,c3=f,c4=t --band off --window -0.5:2.5 --keep-signals -o own.npz \
        >/dev/null && "$BUILD/congru" loso own.npz -p ra+mdm,motor,slow,dldct-e2e --steps 3 --diagnostics -o own >/dev/null || exit 1
for name in full curve hostile bare big equal own; do
    "$BUILD/congru" report $name -o $name.html >/dev/null || exit 1
done
"$BUILD/congru" report full free -o two.html >/dev/null || exit 1
"$BUILD/congru" report full free --table comparison -o two.csv || exit 1
# One pipeline looks at labels of the target, is better for it, and is scored on fewer trials; and what it does without.
"$BUILD/congru" synth --stage orientation --subjects 4 --trials 12 --channels 5 -o set.npz >/dev/null || exit 1
"$BUILD/congru" loso set.npz -p none+mdm,ra+tslr,rpa+mdm --C 0.1 --rpa-labels 5 -o labels >/dev/null || exit 1
"$BUILD/congru" loso set.npz -p none+mdm,ra+tslr,rpa+mdm --C 0.1 -o blind >/dev/null || exit 1
"$BUILD/congru" compare labels >/dev/null 2>&1 || exit 1
"$BUILD/congru" report labels blind -o labels.html >/dev/null || exit 1
# A folder may be called anything, too.
foe='<img src=x onerror=alert(1)> & "a folder" with a name that is far too long'
make "$foe" --hostile --unconstrained --subjects 10 --pipelines 6 --classes 2
"$BUILD/congru" report hostile "$foe" bare -o foes.html >/dev/null || exit 1
CONGRU=$BUILD/congru node "$driver/report_page.mjs" "$browser" "$folder"
exit $?
