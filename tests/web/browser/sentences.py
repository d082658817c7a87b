"""What a sentence on a page claims, worked out anew from the JSON: by other code, in another language."""

import re

UNITS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
DURATION = rf"{NUMBER} (?:h|min|s|ms|µs|ns)\b"
MEASURES = {"training loss": ("target_loss", "train_loss", min), "test accuracy": ("target_accuracy", "test_accuracy", max),
            "squared gradient norm": ("target_gradient", "squared_gradient_norm", min)}


def duration(text):
    value, unit = text.split(" ")
    return float(value) * UNITS[unit]


def near(a, b, share=6e-4):
    """Four digits."""
    return abs(a - b) <= share * max(abs(a), abs(b)) + 1e-15


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def as_read(text):
    """ "10 µs" of "10us": as pages write what was typed."""
    found = re.fullmatch(r"(\d+\.?\d*)(us|ms|s|[kMGT]?bps|[kMGT]i?B|B)", text)
    if not found:
        return text
    return f"{found[1]} {found[2].replace('us', 'µs').replace('bps', 'bit/s')}"


def name_of(run):
    return run["label"] + "".join(f", {option} {as_read(text)}" for option, text in (run.get("varied") or {}).items())


def groups_of(runs):
    groups = {}
    for run in runs:
        groups.setdefault(name_of(run), []).append(run)
    return groups


def measure_of(runs):
    return next((name for name, (target, _, _) in MEASURES.items() if any(run[target] is not None for run in runs)), None)


def was_there(run):
    return run["seconds_to_target"] is not None and not run["diverged"]


def was_cut_off(run):
    return run["interrupted"] and not run["diverged"] and run["seconds_to_target"] is None


def can_be_ranked(groups, lacking=()):
    if lacking:
        return False
    seeds = {tuple(sorted({run["seed"] for run in runs})) for runs in groups.values()}
    return len(seeds) == 1 and not any(was_cut_off(run) for runs in groups.values() for run in runs)


class Verdict:
    """One line of the list: raises AssertionError where it claims what its group's runs do not say."""

    def __init__(self, test, text, name, groups):
        self.test, self.text, self.name, self.groups, self.runs = test, text, name, groups, groups[name]
        self.all_runs = [run for runs in groups.values() for run in runs]
        self.measure = measure_of(self.all_runs)

    def check(self):
        self.check_fates()
        self.check_arrival()
        self.check_rank()
        self.check_way()
        self.check_reason()

    def says(self, pattern, holds):
        self.test.assertEqual(re.search(pattern, self.text) is not None, holds, f"{pattern}: {self.text}")

    def said_of_seeds(self, word, count):
        """" with 1 of 3 seeds" behind the word, or "with all 3 seeds"."""
        if count == 0 or len(self.runs) == 1:
            return
        some = f"all {count}" if count == len(self.runs) else f"{count} of {len(self.runs)}"
        self.says(rf"{word} with {some} seeds", True)

    def check_fates(self):
        diverged = sum(run["diverged"] for run in self.runs)
        self.says(r"\bdiverged\b", diverged > 0)
        self.said_of_seeds("diverged", diverged)
        cut = sum(was_cut_off(run) for run in self.runs)
        self.says("was cut off", cut > 0)
        lost = [run for run in self.runs if not run["diverged"] and not was_cut_off(run) and run["seconds_to_target"] is None]
        self.says("did not get there", self.measure is not None and len(lost) > 0)
        if found := re.search(rf"its (?:lowest|highest) ([a-z ]+) was ({NUMBER})", self.text):
            _, figure, best = MEASURES[found[1]]
            values = [value for run in lost for value in run["evaluations"][figure] if value is not None]
            self.test.assertTrue(near(float(found[2]), best(values)), self.text)

    def check_arrival(self):
        there = [run for run in self.runs if was_there(run)]
        self.says(r"was there|\btook\b.*\b(long)\b", len(there) > 0)
        seconds = mean(run["seconds_to_target"] for run in there)
        for pattern in (rf"was there .*?after ({DURATION})", rf" long, ({DURATION})"):
            if found := re.search(pattern, self.text):
                self.test.assertTrue(near(duration(found[1]), seconds), f"{self.text}: {seconds}")
        if found := re.search(rf"It came down to ({NUMBER})", self.text):
            lowest = mean(min(value for value in run["evaluations"]["train_loss"] if value is not None) for run in there)
            self.test.assertTrue(near(float(found[1]), lowest), self.text)

    def check_rank(self):
        whole = {name: mean(run["seconds_to_target"] for run in runs) for name, runs in self.groups.items() if all(map(was_there, runs))}
        if re.search("was there first", self.text):
            self.test.assertTrue(can_be_ranked(self.groups), self.text)
            self.test.assertGreater(len(self.groups), 1)
            self.test.assertEqual(whole[self.name], min(whole.values()))
            if "of those that were with all seeds" not in self.text:
                for runs in self.groups.values():
                    means = mean(run["seconds_to_target"] for run in runs if was_there(run))
                    self.test.assertTrue(means is None or means >= whole[self.name], self.text)
        others = sorted(value for name, value in whole.items() if name != self.name)
        if found := re.search(rf"({NUMBER}) times as fast as the next", self.text):
            self.test.assertTrue(near(float(found[1]), others[0] / whole[self.name], 0.06), self.text)
        if "as soon as the next" in self.text:
            self.test.assertTrue(near(others[0], whole[self.name], 0.006), self.text)
        if found := re.search(rf"took ({NUMBER}) times as long", self.text):
            self.test.assertTrue(can_be_ranked(self.groups), self.text)
            self.test.assertTrue(near(float(found[1]), whole[self.name] / min(whole.values()), 0.06), self.text)

    def check_way(self):
        found = re.search(rf"came from a training loss of ({NUMBER}) to ({NUMBER})(, higher than where it began,)? in ({DURATION})", self.text)
        whole = [run for run in self.runs if not run["diverged"]]
        self.test.assertEqual(found is not None, self.measure is None and len(whole) > 0, self.text)
        if found:
            first, last = mean(run["evaluations"]["train_loss"][0] for run in whole), mean(run["train_loss"] for run in whole)
            self.test.assertTrue(near(float(found[1]), first) and near(float(found[2]), last), self.text)
            self.test.assertEqual(found[3] is not None, last > first)
            self.test.assertTrue(near(duration(found[4]), mean(run["seconds"] for run in whole)), self.text)

    def check_reason(self):
        share = {part: mean(run["time_split"][part] / run["seconds"] if run["seconds"] > 0 and run["time_split"] else None for run in self.runs)
                 for part in ("compute", "transfer", "wait")}
        for part, pattern in (("transfer", rf"on the wire for ({NUMBER}) %"), ("wait", rf"waited ({NUMBER}) %"),
                              ("compute", rf"computed(?: or paused)? ({NUMBER}) %")):
            if found := re.search(pattern, self.text):
                self.test.assertAlmostEqual(float(found[1]) / 100, share[part], delta=0.006, msg=self.text)
        if found := re.search(rf"gradients were ({NUMBER}) updates old", self.text):
            self.test.assertTrue(near(float(found[1]), mean(run["staleness"]["mean"] for run in self.runs if run["staleness"]), 0.06), self.text)


def check_notes(test, shown, document):
    """Every one that the document has, and no other."""
    kinds = {"warning": "Warning", "note": "Note"}
    expected = []
    for note in document.get("notes", []):
        kind, what = note["text"].split(": ", 1)
        expected.append(f"{kinds[kind]}{', ' + note['about'] if note['about'] else ''}: {what}")
    test.assertEqual(sorted(shown), sorted(expected))


def of_part(groups, heading):
    """Those that found what the heading says, or do not heed it: "latency 1 ms, racks 2"."""
    found = dict(one.split(" ", 1) for one in heading.split(", ")) if heading else {}
    own = {name: runs[0]["circumstances"] for name, runs in groups.items()}
    return {name: runs for name, runs in groups.items()
            if all(option not in own[name] or as_read(own[name][option]) == text for option, text in found.items())}


def check_part(test, lines, groups, is_ordered):
    test.assertEqual(sorted(name for name, _ in lines), sorted(groups))
    for name, text in lines:
        with test.subTest(line=text):
            Verdict(test, text, name, groups).check()
    if not (is_ordered and len(groups) > 1):
        return
    # Those whose seeds all were there come first, by their time.
    means = [mean(run["seconds_to_target"] for run in groups[name]) for name, _ in lines if all(map(was_there, groups[name]))]
    test.assertEqual(means, sorted(means))
    test.assertTrue(all(all(map(was_there, groups[name])) for name, _ in lines[:len(means)]))


def check_comparison(test, title, setting, unranked, close, is_ordered, parts, notes, document):
    """A page's answer against the document that it is of."""
    runs, lacking = document.get("runs", [document]), document.get("lacking", [])
    # Who stands apart has a list of its own.
    groups = {name: those for name, those in groups_of(runs).items() if not those[0].get("within")}
    check_notes(test, notes, document)
    for name in lacking:
        test.assertIn(name, unranked)
    for heading, lines in parts:
        check_part(test, lines, of_part(groups, heading), is_ordered)
    test.assertEqual({name for _, lines in parts for name, _ in lines}, set(groups))
    measure = measure_of(runs)
    ranked = can_be_ranked(groups, lacking) or (len(groups) == 1 and not lacking)
    test.assertEqual(unranked == "", ranked, unranked)
    test.assertEqual("first" in title, ranked and len(groups) > 1 and measure is not None, title)
    test.assertEqual(is_ordered, ranked and measure is not None and close == "")
    if len(parts) == 1:
        as_soon = sum("less than one evaluation apart" in text for _, text in parts[0][1])
        test.assertEqual(close != "", ranked and as_soon > 3 and 2 * as_soon > len(parts[0][1]), close)
    test.assertEqual("to be reached" in setting, measure is not None, setting)
    if measure is not None and (found := re.search(rf"to be reached: a {measure} of ({NUMBER})", setting)):
        test.assertTrue(any(run[MEASURES[measure][0]] is not None and near(float(found[1]), run[MEASURES[measure][0]]) for run in runs), setting)
