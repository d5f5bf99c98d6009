"""Bad plugins, each a real distribution, all installed in one real environment beside a good one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = """
from adjudge.plugin import CriterionSpec, Measurement, Outcome, hookimpl

class Always:
    async def score(self, case):
        return Measurement(per_invocation=tuple(Outcome.scored(1.0) for _ in case.actual.invocations))

@hookimpl.criteria
def criteria():
    yield CriterionSpec(name={name!r}, summary="Always 1.0", factory=lambda config, host: Always())
"""
OBSERVER = """
from adjudge.plugin import hookimpl

@hookimpl.case_finished
def look(event):
    raise RuntimeError("observer boom")

@hookimpl.run_finished
def look_back(event):
    raise SystemExit("too late")
"""

# The plugin, to the source of its module and what the reason must say. Its distribution is adjudge-<plugin>.
BAD: dict[str, tuple[str, str]] = {
    "import-error": (
        "import a_module_nobody_has",
        "ModuleNotFoundError: No module named 'a_module_nobody_has'",
    ),
    "exits": ("raise SystemExit('no licence key')", "SystemExit: no licence key"),
    "escapes": (
        "class Outcome(BaseException): ...\nraise Outcome('not even an Exception')",
        "Outcome: not even an Exception",
    ),
    "syntax": ("def broken(:", "SyntaxError"),
    "no-hook": ("", "implements no hook"),
    "signature": (
        "from adjudge.plugin import hookimpl\n@hookimpl.criteria\ndef criteria(config): return []",
        "config",
    ),
    "future-hook": (
        "from adjudge.plugin import hookimpl\n@hookimpl.from_the_future\ndef f(): return []",
        "adjudge has no hook 'from_the_future'; the hooks are criteria, ",
    ),
    "raw-future-hook": (
        "import pluggy\n@pluggy.HookimplMarker('adjudge')\ndef from_the_future(): return []",
        "from_the_future",
    ),
    "wrapper": (
        "import pluggy\n@pluggy.HookimplMarker('adjudge')(wrapper=True)\ndef criteria(): return (yield)",
        "implemented as a wrapper",
    ),
    "raises": (
        GOOD.format(name="half") + "    raise RuntimeError('boom in hook')\n",
        "RuntimeError: boom in hook",
    ),
    "returns-none": (
        "from adjudge.plugin import hookimpl\n@hookimpl.criteria\ndef criteria(): pass",
        "must return or yield CriterionSpec objects, found NoneType",
    ),
    "wrong-kind": (
        GOOD.format(name="kind").replace("hookimpl.criteria", "hookimpl.reporters"),
        "must yield ReporterSpec objects, found CriterionSpec",
    ),
    "bad-spec": (
        GOOD.format(name="Bad Name").replace("summary=", "value_range=(1, 0), requires='numpy', summary="),
        "name 'Bad Name' is not made of lower-case letters",
    ),
    "twice": (
        GOOD.format(name="same") + "    yield CriterionSpec(name='same', summary='x', factory=print)\n",
        "name 'same' is used twice",
    ),
    "newer-api": ("adjudge_api = (2, 0)\n" + GOOD.format(name="newer"), "made for plugin API 2.0"),
    "strange-api": ("adjudge_api = '1'\n" + GOOD.format(name="strange"), "pair of whole numbers"),
    "newer-adjudge": (
        "from adjudge.plugin import SomethingNew",
        "asks for adjudge>=99, ",
    ),
}
Listing = dict[tuple[str, str], dict[str, Any]]


def module_of(plugin: str) -> str:
    return f"bad_{plugin.replace('-', '_')}"


@pytest.fixture(scope="module")
def environment(new_environment: Callable[[], Any], write_wheel: Callable[..., Path]) -> Any:
    """All of the plugins that fail, three that are in conflict, and some that work."""
    wheels = [
        write_wheel(
            f"adjudge-{plugin}",
            entry_points={plugin: module_of(plugin)},
            modules={module_of(plugin): source},
            requires=["adjudge>=99"] if plugin == "newer-adjudge" else [],
        )
        for plugin, (source, _) in BAD.items()
    ]

    def add(distribution: str, plugin: str, component: str, prelude: str = "") -> None:
        module = f"{distribution.replace('-', '_')}_module"
        source = prelude + GOOD.format(name=component)
        wheels.append(write_wheel(distribution, entry_points={plugin: module}, modules={module: source}))

    add("adjudge-good", "good", "always")
    add("adjudge-shadow", "response-match", "shadow")
    add("adjudge-twin", "twin", "response_match_score")
    add("left-dist", "disputed", "left")
    add("right-dist", "disputed", "right")
    add("Adjudge_Noisy", "noisy", "noise", "print('imported', flush=True)\n")
    trace = "import os, pathlib\npathlib.Path(os.environ.get('TRACE', os.devnull)).write_text('imported')\n"
    add("adjudge-traced", "traced", "trace", trace)
    wheels.append(
        write_wheel("adjudge-watcher", entry_points={"watcher": "watcher"}, modules={"watcher": OBSERVER})
    )
    made = new_environment()
    made.install(*wheels)
    return made


@pytest.fixture(scope="module")
def listing(environment: Any, tmp_path_factory: pytest.TempPathFactory) -> Listing:
    done = environment.adjudge("plugins", "--json", cwd=tmp_path_factory.mktemp("empty"))
    assert done.returncode == 0, done.stderr
    return {(item["distribution"], item["name"]): item for item in json.loads(done.stdout)}


@pytest.mark.parametrize("plugin", BAD)
def test_a_bad_plugin_is_listed_with_the_reason(plugin: str, listing: Listing) -> None:
    record = listing[f"adjudge-{plugin}", plugin]

    assert (record["state"], record["version"]) == ("failed", "0.3.0")
    assert BAD[plugin][1] in record["reason"]
    assert record["components"] == []


def test_every_problem_of_a_spec_is_told(listing: Listing) -> None:
    reason = listing["adjudge-bad-spec", "bad-spec"]["reason"]

    assert "value_range of 'Bad Name' is empty: 1 to 0" in reason
    assert "requires of 'Bad Name' is not a tuple of strings" in reason


def test_built_ins_and_good_plugins_are_active(listing: Listing) -> None:
    states = {
        plugin: record["state"]
        for (distribution, plugin), record in listing.items()
        if distribution in ("adjudge", "adjudge-good", "adjudge-twin", "Adjudge_Noisy")
    }

    assert len(states) > 20
    assert set(states.values()) == {"active"}


def test_two_distributions_with_one_plugin_name_are_both_in_conflict(listing: Listing) -> None:
    for own, other in (("left-dist", "right-dist"), ("right-dist", "left-dist")):
        record = listing[own, "disputed"]

        assert record["state"] == "conflict"
        assert f"also used by {other} 0.3.0" in record["reason"]


def test_a_built_in_keeps_its_plugin_name(listing: Listing) -> None:
    assert listing["adjudge", "response-match"]["state"] == "active"
    record = listing["adjudge-shadow", "response-match"]
    assert record["state"] == "conflict"
    assert "also used by adjudge " in record["reason"]


def test_the_listing_for_people_names_everything(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("plugins", cwd=tmp_path)

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    for plugin in BAD:
        [line] = [line for line in lines if line.split()[:2] == [plugin, "failed"]]
        assert f"adjudge-{plugin} 0.3.0" in line


def test_criteria_are_listed_and_what_is_broken_is_told(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("criteria", "--json", cwd=tmp_path)

    assert done.returncode == 0
    ids = {criterion["id"] for criterion in json.loads(done.stdout)}
    assert {"good/always", "twin/response_match_score", "response-match/response_match_score"} <= ids
    assert "raises/half" not in ids, "nothing is registered by halves"
    assert "import-error (failed)" in done.stderr
    assert "disputed (conflict)" in done.stderr


# --- naming -----------------------------------------------------------------------------

EVAL_SET = {
    "eval_set_id": "set",
    "eval_cases": [
        {
            "eval_id": "case",
            "conversation": [
                {
                    "invocation_id": "i",
                    "user_content": {"role": "user", "parts": [{"text": "hi"}]},
                    "final_response": {"role": "model", "parts": [{"text": "hello"}]},
                }
            ],
        }
    ],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "set.evalset.json").write_text(json.dumps(EVAL_SET), encoding="utf-8")
    (tmp_path / "called.py").write_text(
        "import pathlib\n"
        "def agent(text):\n"
        "    pathlib.Path('called.txt').write_text(text)\n"
        "    return 'hello'\n",
        encoding="utf-8",
    )
    return tmp_path


def evaluate(environment: Any, project: Path, *before: str, **criteria: Any) -> Any:
    (project / "test_config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")
    return environment.adjudge(*before, "eval", "called:agent", "set.evalset.json", cwd=project)


def test_a_run_with_good_plugins_works_beside_the_bad(environment: Any, project: Path) -> None:
    done = evaluate(environment, project, **{"always": 1.0, "response-match/response_match_score": 0.8})

    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "called.txt").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "import-error/anything",
            "plugin import-error (adjudge-import-error 0.3.0) is failed: ModuleNotFoundError",
        ),
        ("import_error", "plugin import-error (adjudge-import-error 0.3.0) is failed: ModuleNotFoundError"),
        ("disputed/left", "plugin disputed (left-dist 0.3.0) is conflict"),
        ("response_match_score", "twin/response_match_score (adjudge-twin 0.3.0)"),
    ],
)
def test_naming_what_is_not_available_stops_before_the_agent_is_called(
    name: str, told: str, environment: Any, project: Path
) -> None:
    done = evaluate(environment, project, **{name: 1.0})

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / "called.txt").exists()


def test_a_name_that_nobody_has_may_be_that_of_a_broken_plugin(environment: Any, project: Path) -> None:
    done = evaluate(environment, project, half=1.0)

    assert done.returncode == 2
    assert "unknown criterion 'half'" in done.stderr
    assert "It may belong to a plugin that is not active" in done.stderr
    assert not (project / "called.txt").exists()


def test_an_observer_that_raises_harms_nobody_and_is_told(environment: Any, project: Path) -> None:
    done = evaluate(environment, project, always=1.0)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "plugin watcher (adjudge-watcher 0.3.0) raised in case_finished: RuntimeError: observer boom"
        in done.stdout + done.stderr
    )
    assert (
        "plugin watcher (adjudge-watcher 0.3.0) raised in run_finished: SystemExit: too late"
        in done.stdout + done.stderr
    )


def test_an_alias_decides_between_two_of_one_name(environment: Any, project: Path) -> None:
    (project / "adjudge.toml").write_text(
        '[aliases]\nresponse_match_score = "response-match/response_match_score"\n', encoding="utf-8"
    )

    done = evaluate(environment, project, response_match_score=0.8)

    assert done.returncode == 0, done.stdout + done.stderr


# --- disable and require ----------------------------------------------------------------


@pytest.mark.parametrize("way", ["option", "option of a distribution", "variable", "file", "nothing"])
def test_a_disabled_plugin_is_not_even_imported(way: str, environment: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    before: list[str] = []
    variables = {"TRACE": str(trace)}
    match way:
        case "option":
            before = ["--no-plugin", "traced"]
        case "option of a distribution":
            before = ["--no-plugin", "Adjudge.Traced"]
        case "variable":
            variables["ADJUDGE_DISABLE_PLUGINS"] = "disputed, adjudge-traced"
        case "file":
            (tmp_path / "pyproject.toml").write_text(
                '[tool.adjudge.plugins]\ndisable = ["traced"]\n', encoding="utf-8"
            )
        case _:
            pass

    done = environment.adjudge(*before, "plugins", "show", "traced", "--json", cwd=tmp_path, **variables)

    [record] = json.loads(done.stdout)
    disabled = way != "nothing"
    assert record["state"] == ("disabled" if disabled else "active")
    assert trace.exists() is not disabled


def test_disabling_one_of_two_rivals_ends_the_conflict(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("--no-plugin", "left-dist", "criteria", "right", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "disputed (right-dist 0.3.0)" in done.stdout


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ("adjudge-good>=0.3", None),
        ("Adjudge.Good", None),
        ("adjudge-good>=9", "adjudge-good>=9: version 0.3.0 is installed"),
        ("adjudge-absent", "adjudge-absent: no such distribution with plugins is installed"),
        ("adjudge-exits", "adjudge-exits: plugin exits (adjudge-exits 0.3.0) is failed: SystemExit"),
        ("not a requirement!", "is not a requirement"),
    ],
)
def test_what_is_required_is_there_or_nothing_starts(
    requirement: str, told: str | None, environment: Any, project: Path
) -> None:
    (project / "adjudge.toml").write_text(f"[plugins]\nrequire = ['{requirement}']\n", encoding="utf-8")

    done = evaluate(environment, project, always=1.0)

    assert done.returncode == (2 if told else 0), done.stdout + done.stderr
    assert told is None or told in done.stderr
    assert (project / "called.txt").exists() is (told is None)


def test_a_listing_tells_what_is_required_and_does_not_fail(environment: Any, tmp_path: Path) -> None:
    (tmp_path / "adjudge.toml").write_text('[plugins]\nrequire = ["adjudge-absent"]\n', encoding="utf-8")

    done = environment.adjudge("plugins", "--json", cwd=tmp_path)

    assert done.returncode == 0
    assert json.loads(done.stdout)
    assert "adjudge-absent: no such distribution with plugins is installed" in done.stderr


def test_a_name_that_disables_nothing_is_told(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("--no-plugin", "goood", "plugins", cwd=tmp_path)

    assert done.returncode == 0
    assert "no plugin or distribution is called 'goood'. Did you mean 'good'?" in done.stderr


# --- check ------------------------------------------------------------------------------


def test_check_prints_the_traceback_of_a_failed_plugin(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("plugins", "check", "adjudge-raises", cwd=tmp_path)

    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stdout
    assert "bad_raises.py" in done.stdout
    assert "boom in hook" in done.stdout


def test_check_of_a_sound_plugin_says_so(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("plugins", "check", "adjudge-good", cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "sound" in done.stdout


def test_check_of_an_unknown_distribution_suggests_one(environment: Any, tmp_path: Path) -> None:
    done = environment.adjudge("plugins", "check", "adjudge-goood", cwd=tmp_path)

    assert done.returncode == 2
    assert "Did you mean 'adjudge-good'?" in done.stderr
