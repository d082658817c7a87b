"""The work of scripts/mutate.sh."""

import argparse
import difflib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
TREE = TOP / "build" / "mutants"
BUILD = TREE / "build" / "release"
CORES = os.cpu_count() or 1

# Reserves more memory than a mutant may have (limit_memory), so that it fails whatever was changed.
TOO_LARGE = "growing memory keeps its content beyond its reservation"

# Kind, what is found in code without comments and texts, what takes its place. clang-format puts
# blanks around binary operators, so that these are not taken for templates, pointers or arrows.
CHANGES = [
    ("<", r"(?<= )<(?= )", "<="),
    ("<=", r"(?<= )<=(?= )", "<"),
    (">", r"(?<= )>(?= )", ">="),
    (">=", r"(?<= )>=(?= )", ">"),
    ("==", r"(?<= )==(?= )", "!="),
    ("!=", r"(?<= )!=(?= )", "=="),
    ("+", r"(?<= )\+(?= )", "-"),
    ("-", r"(?<=[\w)\]] )-(?= )", "+"),
    ("*", r"(?<=[\w)\]] )\*(?= )", "/"),
    ("/", r"(?<= )/(?= )", "*"),
    ("+=", r"(?<= )\+=(?= )", "-="),
    ("-=", r"(?<= )-=(?= )", "+="),
    ("&&", r"(?<= )&&(?= )", "||"),
    ("||", r"(?<= )\|\|(?= )", "&&"),
    ("++", r"\+\+(?=[\w.]+;)", "--"),
    ("0", r"(?<![\w.'])0(?![\w.'])", "1"),
    ("1", r"(?<![\w.'])1(?![\w.'])", "0"),
    ("1.0", r"(?<![\w.'])1\.0F?(?![\w'])", "2.0"),
    ("min", r"\bstd::min\b", "std::max"),
    ("max", r"\bstd::max\b", "std::min"),
    ("true", r"\btrue\b", "false"),
    ("false", r"\bfalse\b", "true"),
    ("if", r"(?<=\bif )\((?=[^;]*\) )", "(!"),
    ("swap arguments", r"(?<=\w)\((\w+), (\w+)\)", r"(\2, \1)"),
    ("drop statement", r"(?m)^ +[\w.:\->\[\]*]+\([^{}\n]*\);$", ""),
    ("drop assignment", r"(?m)^ +[\w.\->\[\]()*]+ [-+*/|&]?= [^{}\n]*;$", ""),
]


def blanked(text):
    """The text with comments, literals and preprocessor lines blanked; all places stay."""
    pattern = (
        r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"'
        r"|(?<!\w)'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*|^[ \t]*static_assert[^;]*;"
    )
    return re.sub(
        pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.MULTILINE
    )


def candidates():
    """Kind → places, each (file, begin, end, replacement), in a fixed order."""
    places = {kind: [] for kind, _, _ in CHANGES}
    for file in sorted((TREE / "src").rglob("*.[ch]pp")):
        text = file.read_text()
        code = blanked(text)
        for kind, pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                places[kind].append((file, *match.span(), match.expand(replacement)))
    return {kind: found for kind, found in places.items() if found}


def chosen(seed, count):
    """Every kind is as likely as every other, whatever their numbers of places."""
    draw = random.Random(seed)
    places = candidates()
    for found in places.values():
        draw.shuffle(found)
    result = []
    while len(result) < count and places:
        kind = draw.choice(sorted(places))
        result.append((kind, *places[kind].pop()))
        if not places[kind]:
            del places[kind]
    return result


def copy_tree():
    """What git knows or would take, into TREE; files that agree keep their time, for ninja."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, check=True, capture_output=True,
    ).stdout.decode()
    names = {name for name in listed.split("\0") if name and (TOP / name).is_file()}
    for name in names:
        source, target = TOP / name, TREE / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for folder in ("src", "include", "tests", "cmake"):
        for file in (TREE / folder).rglob("*"):
            if file.is_file() and str(file.relative_to(TREE)) not in names:
                file.unlink()


def limit_memory():
    """A mutant that allocates for ever ends by itself."""
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))


def run(command, seconds, limited=True):
    """Exit status and what was printed; None as the status where the time limit ended it."""
    process = subprocess.Popen(
        [str(word) for word in command], cwd=TREE, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, preexec_fn=limit_memory if limited else None,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def build():
    return run(["cmake", "--build", BUILD], 3600, limited=False)


def mirrored_tests(file):
    """Catch2's names of the test files that mirror a source: its own, and its folder's."""
    folder = TREE / "tests" / file.relative_to(TREE / "src").parts[0]
    names = sorted(test.stem for test in folder.glob("*_test.cpp"))
    own = [name for name in names if name == file.stem + "_test"]
    return [own] * bool(own) + [names] * bool(names)


def killer(file, limit):
    """What kills the mutant that is built; None where it survives."""
    for names in mirrored_tests(file):
        tags = ",".join(f'[#{name}]~[slow]~"{TOO_LARGE}"' for name in names)
        status, _ = run([BUILD / "tests/trainyard_tests", "-#", "--abort", tags], limit)
        if status != 0:
            what = names[0] if len(names) == 1 else "its folder's tests"
            return what + (", time limit" if status is None else "")
    command = ["ctest", "--test-dir", BUILD, "--label-exclude", "slow", "--stop-on-failure", "--exclude-regex", TOO_LARGE,
               "--timeout", max(10, limit // 4), "--parallel", CORES]
    status, output = run(command, 2 * limit)
    if status == 0:
        return None
    failed = re.search(r"- (.*) \((Failed|Timeout|SEGFAULT|Subprocess.*|SIG\w+)", output or "")
    return f"'{failed.group(1)}'" if failed else "the fast set"


def try_change(change, limit):
    """'killed', 'survived' or 'does not compile', and the words about it."""
    kind, file, begin, end, replacement = change
    text = file.read_text()
    mutant = text[:begin] + replacement + text[end:]
    line = text.count("\n", 0, begin) + 1
    place = f"{file.relative_to(TREE)}:{line}: {kind}"
    if kind == "if":
        mutant = negated(text, begin)
    try:
        file.write_text(mutant)
        status, _ = build()
        if status != 0:
            return "does not compile", place
        by = killer(file, limit)
    finally:
        file.write_text(text)
    if by:
        return "killed", f"{place} (by {by})"
    name = str(file.relative_to(TREE))
    diff = difflib.unified_diff(text.splitlines(True), mutant.splitlines(True), name, name)
    return "survived", place + "\n" + "".join(diff)


def negated(text, begin):
    """The condition whose '(' is at `begin`, the other way round."""
    code, depth = blanked(text), 0
    for end in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        if depth == 0:
            return text[:begin] + "(!" + text[begin : end + 1] + ")" + text[end + 1 :]
    return text


def prepare():
    """Builds the copy and runs the fast set on it; gives the time limit of a mutant's tests."""
    print(f"building a copy of the tree in {TREE.relative_to(TOP)}…", flush=True)
    copy_tree()
    configure = ["cmake", "--preset", "release", "-DTRAINYARD_WARNINGS_AS_ERRORS=OFF"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for command in (configure, ["cmake", "--build", BUILD]):
        status, output = run(command, 7200, limited=False)
        if status != 0:
            sys.exit(output)
    started = time.monotonic()
    status, output = run(
        ["ctest", "--test-dir", BUILD, "--label-exclude", "slow", "--parallel", CORES], 3600,
        limited=False,
    )
    if status != 0:
        sys.exit(f"the tests fail without any change:\n{output[-4000:]}")
    return max(60, int(5 * (time.monotonic() - started)))


def main():
    parser = argparse.ArgumentParser(prog="mutate.sh", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    limit = prepare()
    totals = {"killed": 0, "survived": 0, "does not compile": 0}
    for number, change in enumerate(chosen(arguments.seed, arguments.count), 1):
        outcome, words = try_change(change, limit)
        totals[outcome] += 1
        print(f"{number}: {outcome}: {words}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in totals.items()))


main()
