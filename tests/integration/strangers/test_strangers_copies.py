"""The public API is enough for what adjudge itself is made of: copies of built-ins pass the built-ins' tests.

Each copy is a package of its own in a real environment, and the adjudge beside it has no such component.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adjudge

DOORS = ("adjudge.plugin", "adjudge.model", "adjudge.kit")

RUNS = {
    "ai-judge": (
        "integration/logs/test_ai_judge_in_evals.py",
        "integration/logs/test_judge_logs_escalation.py",
        "integration/logs/test_judge_logs_evidence.py",
        "integration/logs/test_judge_logs_verdicts.py",
    ),
}
"""Tests that reach a component through runs alone, besides those that import it."""

OF_OTHERS = {
    "core/test_agreement_command.py",
    "core/test_calibration_of_recorded_judges.py",
    "integration/test_contrib.py",
}
"""Tests of something else, which use a component to write what they read."""

DENY_BUILT_INS = """
import importlib, pkgutil, sys

class Deny:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "adjudge_plugins":
            raise ImportError(f"{name} is denied")

sys.meta_path.insert(0, Deny())
for package in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)
        print(module.name)
"""


def trespasses(file: Path) -> Iterator[str]:
    """What a source takes of adjudge that nobody promised."""
    bound: dict[str, str] = {}
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            yield from (name for name in names if name.split(".")[0] in ("adjudge", "adjudge_plugins"))
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            if module.split(".")[0] not in ("adjudge", "adjudge_plugins"):
                continue
            for alias in node.names:
                name = f"{module}.{alias.name}"
                if not is_promised(module, alias.name):
                    yield name
                elif module == "adjudge.kit":
                    bound[alias.asname or alias.name] = name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            module = bound[node.value.id]
            if not is_promised(module, node.attr):
                yield f"{module}.{node.attr}"


def is_promised(module: str, name: str) -> bool:
    """Whether a plugin may import that: a public name of a door for plugins, or of the door for Python."""
    if module == "adjudge":
        return name in adjudge.__all__
    if not any(module == door or module.startswith(f"{door}.") for door in DOORS):
        return False
    if module == "adjudge.kit":
        return bool(importlib.import_module(f"{module}.{name}").__all__)
    return name in importlib.import_module(module).__all__


def test_the_copies_take_the_place_of_the_built_ins(strangers: Any, tmp_path: Path) -> None:
    done = strangers.environment.adjudge("plugins", "--json", cwd=tmp_path)

    listed = {item["name"]: item for item in json.loads(done.stdout)}
    assert {item["state"] for item in listed.values()} == {"active"}
    copies = {one.name: one.distribution for one in strangers.all}
    assert {name: item["distribution"] for name, item in listed.items() if name in copies} == copies
    # A family may have further plugins beside the one that it is called by.
    assert {item["distribution"] for item in listed.values()} == {"adjudge", *copies.values()}


def test_a_copy_imports_nothing_of_adjudge_but_what_is_for_plugins(strangers: Any, stranger: Any) -> None:
    files = strangers.files(stranger)

    assert files
    found = [f"{file}: {name}" for file in files for name in trespasses(file)]
    assert found == []


def test_every_module_of_the_copies_imports_where_the_built_ins_are_denied(strangers: Any) -> None:
    packages = [stranger.package for stranger in strangers.all]

    imported = strangers.environment.run("-c", DENY_BUILT_INS, *packages).split()

    assert {module.split(".")[0] for module in imported} == set(packages)


def test_check_finds_a_copy_sound(strangers: Any, stranger: Any, tmp_path: Path) -> None:
    done = strangers.environment.adjudge("plugins", "check", stranger.distribution, cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "bad:" not in done.stdout


def test_the_copies_pass_the_tests_of_the_built_ins(strangers: Any) -> None:
    """Those of the golden files too: reports are byte for byte what they are with the built-ins."""
    golden = ("integration/golden/test_golden_eval.py", "integration/golden/test_golden_judge.py")
    files = {*golden}
    for stranger in strangers.all:
        own = {*strangers.tests_importing(stranger), *RUNS.get(stranger.name, ())}
        assert own, f"no test is about {stranger.name}"
        files |= own - OF_OTHERS

    # One process: what all of them import is imported once.
    told = strangers.pytest(*sorted(files))

    assert " passed" in told


def test_a_stranger_measures_nothing_that_nobody_asked_for(strangers: Any, tmp_path: Path) -> None:
    turn = {"user_content": {"parts": [{"text": "Hi."}]}, "final_response": {"parts": [{"text": "Hello."}]}}
    cases = [{"eval_id": "a", "conversation": [turn]}]
    (tmp_path / "hi.test.json").write_text(json.dumps({"eval_set_id": "hi", "eval_cases": cases}))
    (tmp_path / "hi.py").write_text("def agent(text):\n    return 'Hello.'\n")

    strangers.environment.adjudge("eval", "hi:agent", "hi.test.json", "--output", "r.json", cwd=tmp_path)

    [case] = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["cases"]
    assert [item["criterion_name"] for item in case["criteria"]] == ["response_match_score"]
