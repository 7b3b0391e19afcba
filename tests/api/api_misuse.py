# Every exported function with each pointer NULL and each enum out of range, in a process of its own.
# SPDX-License-Identifier: Apache-2.0
"""The headers are the table: a function that is new in them is called too. Each argument has a value that the library
accepts; one at a time is replaced. A status must then be a failure unless MAY_BE_NULL names the parameter, whose header
says that NULL is allowed; whatever is returned, the process must live."""
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

source, build = os.environ["SOURCE"], os.environ["BUILD"]
lib = ctypes.CDLL(build + "/src/libcongru.so")
SECONDS = 20

# Parameters that may be NULL by their header. Those of functions that end with _destroy or _clear may all be.
MAY_BE_NULL = """
congru_alignment_recentre subject reference
congru_alignment_scale factor
congru_context_create options
congru_describe stream
congru_covariance_check_rank channel_name
congru_table_print layout
congru_set_check_rank epochs
congru_import_like meta
congru_import_run summary
congru_import_set value
congru_preprocess_design notch_left_out
congru_preprocess_epochs position
congru_preprocess_recording rest
congru_preprocessing_set where value
congru_process_group_leave error
congru_decoder_create options
congru_decoder_reference reference
congru_decoder_rest windows
congru_decoder_state_pack bytes
congru_epochs_cut report
congru_geometry_follow choice
congru_lda_directions ratio
congru_logistic_fit options info
congru_metrics_measure probability by_class
congru_model_pack bytes
congru_model_predict options
congru_recording_read options
congru_report_figure choice
congru_report_table choice
congru_set_check_rank epochs
congru_signal_filter_causal state
congru_silhouette samples mean
congru_spd_congruence_backward d_c d_w
congru_spd_eigen vectors
congru_spd_mean options info
congru_spd_tangent base
congru_spd_untangent base
congru_spd_whiten_forward reference
congru_predictions_write dataset
congru_tsne start distances divergence
congru_tsne_divergence distances divergence gradient
"""
# These do nothing in parallel and need the context only for their error text (congru/context.h).
MAY_LACK_CONTEXT = """
congru_drawing_svg congru_holm_correct congru_npy_read congru_npy_write congru_paired_compare congru_permutation_test
congru_pipeline_check congru_recording_read congru_report_figure congru_report_json congru_report_table
congru_results_summarise congru_scores_normalise congru_set_read congru_set_write congru_wilcoxon_test
congru_pairs_correct congru_metrics_measure congru_results_scores congru_roc_auc congru_scores_compare
congru_pairs_write congru_paper_claims congru_table_of_classes congru_table_of_confusion congru_table_of_pairs congru_table_of_scores
congru_table_of_subjects congru_table_print congru_table_of_import congru_table_of_shares congru_table_of_strongest
congru_patterns_json congru_pairs_compare congru_scores_read congru_nearest
congru_scores_list_add congru_scores_list_append congru_scores_list_find congru_scores_create congru_scores_pipeline congru_scores_subject congru_scores_z
congru_set_find_subjects congru_set_keep_classes congru_set_keep_sessions congru_results_confusion congru_report_page
congru_epochs_read congru_file_kind_of congru_import_create congru_import_like congru_import_set congru_import_preset
congru_preprocess_design congru_preprocess_ratio congru_preprocess_samples congru_preprocessing_check
congru_preprocessing_copy congru_preprocessing_set congru_set_create_borrowing congru_set_create_copying
congru_set_preprocessing congru_set_preprocess congru_set_preprocess_like
""".split()
may_be_null = {line.split()[0]: set(line.split()[1:]) for line in MAY_BE_NULL.strip().splitlines()}


def read_headers():
    """name -> (type returned, [(type, name)]), enums, from the declarations marked CONGRU_API."""
    text = "".join(open(name).read() for name in sorted(glob.glob(source + "/include/congru/*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"\s*CONGRU_PRINTF\([^)]*\)", "", text)
    enums = set(re.findall(r"typedef enum (\w+)", text))
    functions = {}
    for result, name, parameters in re.findall(r"CONGRU_API\s+([^;(]*?)(congru_\w+)\(([^;]*)\);", text):
        listed = []
        depth, start = 0, 0
        for i, c in enumerate(parameters + ","):
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                listed.append(" ".join(parameters[start:i].split()))
                start = i + 1
        pairs = []
        for p in listed:
            if p in ("void", "", "..."):
                continue
            pointed = "*" in p or "[" in p
            found = re.search(r"\(\*(\w+)\)", p) or re.search(r"(\w+)(\[[^\]]*\])*$", p)
            array = "[" in p
            kind = re.sub(r"\s*\b%s\b(\[[^\]]*\])*.*$" % found.group(1), "", p).replace("(*", "(*)").strip() + ("[]" if array else "")
            pairs.append((kind, found.group(1), pointed))
        functions[name] = (result.strip(), pairs)
    return functions, enums


functions, enums = read_headers()
exported = subprocess.run(["nm", "-D", "--defined-only", build + "/src/libcongru.so"], capture_output=True, text=True,
                          check=True).stdout.split()
exported = {name for kind, name in zip(exported[1::3], exported[2::3]) if kind == "T" and name.startswith("congru_")}


def call(name, *arguments, returns=ctypes.c_int):
    function = lib[name]
    function.restype = returns
    return function(*arguments)


def made(name, *arguments):
    """What the last parameter of a function that succeeds points to."""
    out = ctypes.c_void_p()
    status = call(name, *arguments, ctypes.byref(out))
    if status != 0:
        error = call("congru_context_error", context, returns=ctypes.c_char_p) if name != "congru_context_create" else b""
        sys.exit("Bail out! %s: %d %r" % (name, status, error))
    return out


def buffer(size=1 << 16):
    return ctypes.create_string_buffer(size)


def doubles(*values):
    return (ctypes.c_double * len(values))(*values)


def make_context():
    out = ctypes.c_void_p()
    if call("congru_context_create", ctypes.byref(out), None) != 0:
        sys.exit("Bail out! no context")
    return out


folder = tempfile.mkdtemp(prefix="congru_misuse.")
context = make_context()
size = ctypes.c_size_t


def make_objects():
    """One object of each opaque or owned kind, made by the library itself."""
    o = {"congru_context": context}
    options = buffer()
    call("congru_synth_options_init", options, returns=None)
    # stage, seed, subjects, trials, channels are at the front: 3 subjects of 3 trials a class and 4 channels.
    ctypes.memmove(options, (ctypes.c_uint64 * 5)(0, 50, 3, 3, 4), 40)
    samples = ctypes.addressof(options) + 5 * 8 + 13 * 8
    ctypes.memmove(samples, (ctypes.c_uint64 * 1)(64), 8)
    o["congru_synth_options"] = options
    o["congru_set"] = made("congru_synth", context, options)
    # meta, its last member, says how the signals became covariances, which a decoder asks for.
    libc = ctypes.CDLL(None)
    libc.strdup.restype = ctypes.c_void_p
    meta = libc.strdup(b'{"congru": "0", "band": [8, 30], "order": 4, "filter": "iir", "phase": "causal", "notch": 0, '
                       b'"harmonics": false, "estimator": "scm", "trace_normalise": false}')
    ctypes.memmove(o["congru_set"].value + 15 * 8, ctypes.byref(ctypes.c_void_p(meta)), 8)
    if call("congru_synth_write_edf", context, o["congru_set"], folder.encode()) != 0:
        sys.exit("Bail out! no recording")
    o["edf"] = sorted(glob.glob(folder + "/*.edf"))[0].encode()
    o["congru_recording"] = made("congru_recording_read", context, o["edf"], None)
    fit = buffer()
    call("congru_model_options_init", fit, returns=None)
    o["pipeline"] = ctypes.c_char_p(b"none+mdm")
    ctypes.memmove(fit, ctypes.byref(o["pipeline"]), 8)
    o["congru_model_options"] = fit
    o["congru_model"] = made("congru_model_fit", context, o["congru_set"], fit)
    o["congru_predictions"] = made("congru_model_predict", context, o["congru_model"], o["congru_set"], None)
    o["npz"], o["model_path"] = (folder + "/set.npz").encode(), (folder + "/model.safetensors").encode()
    call("congru_set_write", context, o["npz"], o["congru_set"])
    call("congru_model_save", context, o["congru_model"], o["model_path"])
    o["npy"] = (folder + "/a.npy").encode()
    call("congru_npy_write", context, o["npy"], size(1), (size * 1)(4), doubles(1, 2, 3, 4))
    evaluation = buffer()
    call("congru_evaluation_options_init", evaluation, returns=None)
    o["pipelines"] = (ctypes.c_char_p * 1)(b"none+mdm")
    ctypes.memmove(ctypes.addressof(evaluation) + 8, (ctypes.c_uint64 * 2)(ctypes.addressof(o["pipelines"]), 1), 16)
    o["congru_evaluation_options"] = evaluation
    o["congru_results"] = made("congru_evaluate", context, o["congru_set"], evaluation)
    o["congru_scores"] = made("congru_results_scores", context, o["congru_results"])
    o["results"] = os.path.join(folder, "results").encode()
    o["congru_report"] = None
    command = [build + "/congru", "loso", o["npz"].decode(), "-p", "none+mdm", "-o", o["results"].decode()]
    subprocess.run(command, check=True, capture_output=True)
    folders = (ctypes.c_char_p * 1)(o["results"])
    report = ctypes.c_void_p()
    if call("congru_report_create", context, folders, size(1), ctypes.byref(report)) != 0:
        sys.exit("Bail out! no report")
    o["folders"], o["congru_report"] = folders, report
    o["congru_drawing"] = made("congru_report_figure", context, report, b"confusion", None)
    o["congru_spectrum"] = made("congru_spectrum_create", context, size(2), size(2))
    spectra = [made("congru_spectrum_create", context, size(n), size(2)) for n in (2, 2, 2, 1)]
    o["spectra"] = (ctypes.c_void_p * 3)(*[s.value for s in spectra[:3]])
    o["whitening"] = (ctypes.c_void_p * 2)(spectra[0].value, spectra[3].value)
    two = doubles(*[1.0, 0.0, 0.0, 1.0] * 2)
    call("congru_spd_merge_forward", context, size(2), size(2), two, two, ctypes.c_double(0), doubles(*[0.0] * 8),
         o["spectra"])
    o["congru_decoder"] = made("congru_decoder_create", context, o["congru_model"], None)
    return o


objects = make_objects()
texts = {"path": objects["npz"], "pipeline": b"none+mdm", "folder": objects["results"], "name": b"x",
         "subject": b"S01", "wanted": b"C3", "dataset": b"d", "page": b"<html>", "error": None}
paths = {"congru_recording_read": objects["edf"], "congru_model_load": objects["model_path"],
         "congru_npy_read": objects["npy"], "congru_pipeline_check": b"none+mdm",
         "congru_report_figure": b"confusion", "congru_report_table": b"subjects",
         "congru_set_write": (folder + "/w.npz").encode(), "congru_model_save": (folder + "/w.model").encode(),
         "congru_npy_write": (folder + "/w.npy").encode(), "congru_report_write": (folder + "/w.txt").encode(),
         "congru_predictions_write": (folder + "/w.csv").encode(),
         "congru_synth_write_edf": folder.encode()}


def value_of(function, kind, name, pointed):
    """An argument that is not wrong by itself; matrices are two identities."""
    base = re.sub(r"\bconst\b|\*|\(.*|\[.*", " ", kind).split()
    base = base[0] if base else ""
    if not pointed:
        if base in ("double", "float"):
            return ctypes.c_double(0.5)
        if base in ("uint64_t", "size_t"):
            return ctypes.c_uint64(2 if name in ("n", "d", "count", "classes", "dims") else 1)
        return ctypes.c_int(0)
    stars = kind.count("*")
    if base == "char" and stars == 1:
        known = paths.get(function) if name in ("path", "name", "folder") else None
        return ctypes.c_char_p(known if known is not None else texts.get(name, b"x"))
    if base == "char":
        return (ctypes.c_char_p * 4)(objects["results"], objects["results"], b"x", b"x")
    if base == "congru_spectrum" and kind.endswith("[]"):
        return objects["whitening" if "whiten" in function else "spectra"]
    if base in objects and stars == 1:
        return objects[base]
    if stars == 2:
        return ctypes.byref(ctypes.c_void_p())
    if base in ("double", "float"):
        return doubles(*([1.0, 0.0, 0.0, 1.0] * 2048))
    if base == "size_t":
        return (size * 4096)(*[2] * 4096)
    if base == "int32_t":
        return (ctypes.c_int32 * 4096)(*([0, 1] * 2048))
    return buffer()


class CountedText(ctypes.Structure):
    """congru_counted, which is returned in memory of the caller."""
    _fields_ = [("text", ctypes.c_char * 64)]


class Numbers(ctypes.Structure):
    """congru_interval, congru_gain, congru_score_about: likewise."""
    _fields_ = [("numbers", ctypes.c_double * 16)]


IN_MEMORY = {"congru_counted": CountedText, "congru_interval": Numbers, "congru_gain": Numbers,
             "congru_score_about": Numbers}


def attempt(function, arguments):
    """The status a child saw; "signal N" when it died."""
    result = functions[function][0]
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(2)
        ctypes.CDLL(None).alarm(SECONDS)
        status = call(function, *arguments, returns=IN_MEMORY.get(result, ctypes.c_int))
        if result in IN_MEMORY:
            os._exit(0)
        os._exit(status & 0x7F if result == "congru_status" else 0)
    _, state = os.waitpid(child, 0)
    return "signal %d" % os.WTERMSIG(state) if os.WIFSIGNALED(state) else os.WEXITSTATUS(state)


def try_function(function):
    """What is wrong with it."""
    result, parameters = functions[function]
    if any(re.search(r"congru_transport|congru_process_group\b", kind) for kind, _, _ in parameters):
        values = [buffer() if pointed else value_of(function, kind, name, pointed) for kind, name, pointed in parameters]
    else:
        values = [value_of(function, kind, name, pointed) for kind, name, pointed in parameters]
    faults = []
    status_wanted = result == "congru_status"
    for i, (kind, name, pointed) in enumerate(parameters):
        base = re.sub(r"\bconst\b", "", kind).split()
        if pointed:
            wrong = [("NULL", None)]
            if kind.replace(" ", "") == "constchar*const*":
                wrong.append(("{NULL}", (ctypes.c_char_p * 4)()))
        elif base and base[0] in enums:
            wrong = [(str(v), ctypes.c_int(v)) for v in (-1, 99, 1 << 30)]
        else:
            continue
        for text, value in wrong:
            seen = attempt(function, values[:i] + [value] + values[i + 1:])
            allowed = name in may_be_null.get(function, ()) or name == "context" and function in MAY_LACK_CONTEXT or re.search(r"_(destroy|clear)$", function)
            if isinstance(seen, str):
                faults.append("%s = %s: %s" % (name, text, seen))
            elif status_wanted and seen == 0 and not (text == "NULL" and allowed):
                faults.append("%s = %s is accepted" % (name, text))
    return faults


def main():
    missing = sorted(exported ^ set(functions))
    print("%sok 1 - every exported function is in a header" % ("not " if missing else ""))
    for name in missing:
        print("# %s" % name)
    failed = bool(missing)
    tried = 0
    for number, function in enumerate(sorted(functions), start=2):
        faults = try_function(function)
        tried += 1
        for fault in faults:
            print("# %s: %s" % (function, fault))
        print("%sok %d - %s" % ("not " if faults else "", number, function))
        failed = failed or bool(faults)
    print("1..%d" % (tried + 1))
    subprocess.run(["rm", "-rf", folder], check=True)
    return 1 if failed else 0


sys.exit(main())
