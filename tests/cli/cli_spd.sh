#!/bin/bash
# congru spd on the command line: sessions, help, the manual, NumPy. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

run_sessions "$SOURCE"/tests/cli/spd/*.txt

# ---- What does not fit in a session --------------------------------------------------------------------

# An unwritable folder is writable to root, so this one needs another user.
unwritable_folder()
{
    local name="an unwritable folder is an error" problems=
    if [ "$(id -u)" -eq 0 ]; then
        skip "$name" "root may write everywhere"
        return
    fi
    mkdir "$scratch/locked" && chmod a-w "$scratch/locked"
    problems=$(congru spd log "$scratch/work/shapes/one.npy" -o "$scratch/locked/out.npy" 2>&1)
    matches "$problems" "congru: $scratch/locked/out.npy: cannot write: Permission denied" && problems=
    result "$name" "$problems"
}

manual_has_operations()
{
    result "the manual has the operations of help" "$(diff \
        <(congru help spd | sed -n '/^Operations:/,/^Options:/s/^  \([a-z][a-z]*\).*/\1/p') \
        <(congru help --man spd | sed -n 's/^\.It Cm \([a-z]*\).*/\1/p'))"
}

# congru(1) lists the commands of help, and each has a page that is built.
manual_has_commands()
{
    congru help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\).*/\1/p' | sort >"$scratch/commands"
    congru help --man >"$scratch/congru.1"
    result "the manual has the commands of help" "$(diff "$scratch/commands" \
        <(sed -n 's/^\.It Xr congru-\([a-z]*\) 1$/\1/p' "$scratch/congru.1" | sort))"
    result "every command has a manual page" "$(diff "$scratch/commands" \
        <(ls "$BUILD"/man/congru-*.1 | sed 's/.*congru-\(.*\)\.1/\1/' | sort))"
    if command -v mandoc >/dev/null; then
        result "the manual of congru is mdoc" "$(mandoc -T lint -W warning <"$scratch/congru.1" 2>&1)"
    else
        skip "the manual of congru is mdoc" "no mandoc"
    fi
}

numpy_reads_what_is_written()
{
    local python name="numpy reads what congru writes, and the other way round"
    if ! find_numpy; then
        skip "$name" "no numpy"
        return
    fi
    cd "$scratch/work" || exit 1
    result "$name" "$("$python" - 2>&1 <<'END'
import subprocess, numpy as np
a = np.random.default_rng(1).standard_normal((5, 3, 4))
c = a @ a.transpose(0, 2, 1) + np.eye(3)
w, v = np.linalg.eigh(c)
expected = (v * np.log(w)[:, None, :]) @ v.transpose(0, 2, 1)
for name, array, tolerance in [("c", c, 1e-12), ("fortran", np.asfortranarray(c), 1e-12),
                               ("narrow", c.astype("<f4"), 1e-4), ("version2", c, 1e-12)]:
    with open("numpy.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=(2, 0) if name == "version2" else (1, 0))
    subprocess.run(["congru", "spd", "log", "numpy.npy", "-o", "congru.npy"], check=True)
    log = np.load("congru.npy", allow_pickle=False)
    if log.shape != (5, 3, 3) or log.dtype != "<f8" or abs(log - expected).max() > tolerance:
        print(name, log.shape, log.dtype, abs(log - expected).max())
END
    )"
}

# hash_operations: the outputs of every operation on the demonstration's matrices, in this environment.
hash_operations()
{
    local operation
    for operation in log 'log --base m.npy' sqrt invsqrt 'power --p 0.3' 'geodesic m.npy --t 0.3' mean \
        'mean --metric logeuclid' 'mean --metric euclid' 'tangent --base m.npy' 'distance m.npy' \
        'distance --pairwise' 'distance --pairwise --metric logeuclid'; do
        # shellcheck disable=SC2086
        congru spd ${operation%% *} c.npy ${operation#"${operation%% *}"} --threads "$1" -o out.npy >/dev/null || echo "$operation"
        sha256sum <out.npy
    done
    congru spd exp log.npy --threads "$1" -o out.npy && sha256sum <out.npy
    congru spd untangent tangent.npy --base m.npy --threads "$1" -o out.npy && sha256sum <out.npy
}

same_bits_everywhere()
{
    local cpu threads expected
    mkdir "$scratch/work/bits" && cd "$scratch/work/bits" || exit 1
    "$BUILD/examples/spd_geometry" c.npy >/dev/null && congru spd mean c.npy -o m.npy >/dev/null || exit 1
    congru spd log c.npy -o log.npy && congru spd tangent c.npy --base m.npy -o tangent.npy || exit 1
    expected=$(hash_operations 1)
    for threads in 2 3 7; do
        result "the same bits with $threads threads" "$(diff <(echo "$expected") <(hash_operations $threads))"
    done
    for cpu in base avx2 avx512 neon; do
        if CONGRU_CPU=$cpu congru version >/dev/null 2>&1; then
            result "the same bits with CONGRU_CPU=$cpu" \
                "$(diff <(echo "$expected") <(CONGRU_CPU=$cpu hash_operations 2))"
        else
            skip "the same bits with CONGRU_CPU=$cpu" "this machine does not have it"
        fi
    done
}

unwritable_folder
same_bits_everywhere
manual_has_options spd
manual_has_commands
manual_has_operations
help_fits '' spd version help
numpy_reads_what_is_written
echo "1..$count"
exit $((failed > 0))
