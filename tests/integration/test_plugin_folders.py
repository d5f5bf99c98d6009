"""Plugins without packaging, the list of allowed plugins, and observers with options: on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from adjudge.testing import fake_distribution

Run = Callable[..., CompletedProcess[str]]

WORDS = """
from adjudge.plugin import CriterionSpec, Measurement, Outcome, hookimpl


class Words:
    async def score(self, case):
        return Measurement(overall=Outcome.scored({score}, "counted"))


@hookimpl.criteria
def criteria():
    return [CriterionSpec(name="few_words", summary="Few words", factory=lambda config, host: Words())]
"""
DIARY = '''
from adjudge.plugin import (
    CaseFinished, ComponentConfig, InputError, ObserverSpec, Problem, RunEvent, RunFinished, hookimpl,
)


class DiaryConfig(ComponentConfig):
    file: str
    """Where to write."""


class Diary:
    def __init__(self, config, host):
        if host.environment.get("DIARY_SHUT"):
            raise InputError(Problem(what="the diary is shut"))
        self.path = host.working_folder / config.file

    def observe(self, event: RunEvent) -> None:
        match event:
            case CaseFinished():
                told = f"{event.result.eval_id} {event.result.status}"
            case RunFinished():
                raise RuntimeError("no ink")
            case _:
                told = type(event).__name__
        with self.path.open("a") as file:
            file.write(told + "\\n")


@hookimpl.run_observers
def observers():
    return [ObserverSpec(name="diary", summary="Keeps a diary", factory=Diary, config=DiaryConfig)]
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with an agent, a case and a criterion that no installed plugin has; and a folder of plugins beside it."""
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "my_words.py").write_text(WORDS.format(score=1.0))
    (project / "polite.py").write_text("def agent(text):\n    return 'hello'\n")
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
    eval_set = {"eval_set_id": "set", "eval_cases": [{"eval_id": "case", "conversation": [turn]}]}
    (project / "set.evalset.json").write_text(json.dumps(eval_set))
    (project / "test_config.json").write_text('{"criteria": {"few_words": 0.5}}')
    return project


def installed(place: Path, *names: str, **fields: object) -> str:
    for name in names:
        module = f"adjudge_{name}"
        source = WORDS.format(score=0.0).replace("few_words", name)
        fake_distribution(
            place, f"adjudge-{name}", entry_points={name: module}, modules={module: source}, **fields
        )  # type: ignore[arg-type]
    return str(place)


# --- folders --------------------------------------------------------------------------------


def test_a_folder_of_plugins_is_loaded_where_an_option_or_the_environment_names_it(
    adjudge: Run, folder: Path
) -> None:
    mine = folder.parent / "mine"
    evaluated = ("eval", "polite:agent", "set.evalset.json")

    without = adjudge(*evaluated, cwd=folder)
    by_option = adjudge("--plugin-folder", mine, *evaluated, cwd=folder)
    by_variable = adjudge(*evaluated, cwd=folder, ADJUDGE_PLUGIN_FOLDERS=str(mine))
    shown = adjudge("--plugin-folder", "../mine", "plugins", cwd=folder)

    assert without.returncode == 2
    assert "few_words" in without.stderr
    assert by_option.returncode == 0, by_option.stderr
    assert by_variable.returncode == 0, by_variable.stderr
    assert "my-words  active  folder:mine " in shown.stdout


def test_resuming_without_the_folder_names_the_plugin_that_the_run_began_with(
    adjudge: Run, folder: Path
) -> None:
    mine = ("--plugin-folder", folder.parent / "mine")
    adjudge(*mine, "eval", "polite:agent", "set.evalset.json", "--run", "night", cwd=folder)

    without = adjudge("resume", "night", cwd=folder)
    with_it = adjudge(*mine, "resume", "night", cwd=folder)

    assert without.returncode == 2
    assert "the run began with my-words/few_words of folder:mine" in without.stderr
    assert "--plugin-folder FOLDER resume" in without.stderr
    assert with_it.returncode == 0, with_it.stderr


def test_the_users_own_file_names_folders_and_a_project_cannot(
    adjudge: Run, folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "config" / "adjudge"
    own.mkdir(parents=True)
    (own / "adjudge.toml").write_text('[plugins]\nfolders = ["../../mine"]\n')

    by_user = adjudge("criteria", "few_words", cwd=folder, XDG_CONFIG_HOME=str(own.parent))
    (folder / "adjudge.toml").write_text('[plugins]\nfolders = ["../mine"]\n')
    by_project = adjudge("criteria", "few_words", cwd=folder)

    assert by_user.returncode == 0, by_user.stderr
    assert by_project.returncode == 2
    assert "$.plugins.folders: a project cannot name folders of plugins" in by_project.stderr
    assert "--plugin-folder" in by_project.stderr


def test_a_relative_place_of_the_users_own_file_does_not_lead_into_the_project(
    adjudge: Run, folder: Path
) -> None:
    (folder / "config" / "adjudge").mkdir(parents=True)
    (folder / "config" / "adjudge" / "adjudge.toml").write_text('[plugins]\nfolders = ["../../../mine"]\n')

    done = adjudge("criteria", "few_words", cwd=folder, XDG_CONFIG_HOME="config")

    assert done.returncode == 2
    assert "few_words" in done.stderr


def test_a_folder_whose_path_reads_as_two_is_refused(adjudge: Run, folder: Path) -> None:
    (folder / "a:b").mkdir()

    done = adjudge("--plugin-folder", "a:b", "plugins", cwd=folder)

    assert done.returncode == 2
    assert "a:b: a folder of plugins cannot have ':' in its path" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_came_along_is_not_loaded(adjudge: Run, folder: Path) -> None:
    (folder / "my_words.py").write_text("raise SystemExit('imported')\n")
    (folder / "plugins").mkdir()
    (folder / "plugins" / "my_words.py").write_text("raise SystemExit('imported')\n")

    done = adjudge("plugins", "--json", cwd=folder)

    assert done.returncode == 0
    assert "my-words" not in done.stdout


def test_a_folder_that_is_not_there_and_a_module_that_breaks_are_told_and_harm_nobody(
    adjudge: Run, folder: Path
) -> None:
    (folder.parent / "mine" / "broken.py").write_text("raise RuntimeError('out of order')\n")

    done = adjudge(
        "--plugin-folder", "../mine", "--plugin-folder", "nowhere", "criteria", "few_words", cwd=folder
    )
    listed = adjudge("--plugin-folder", "../mine", "--plugin-folder", "nowhere", "plugins", cwd=folder)

    assert done.returncode == 0, done.stderr
    assert "broken (failed)" in done.stderr
    assert "nowhere (failed)" in done.stderr
    assert "out of order" in listed.stdout
    assert "cannot be read: No such file or directory" in listed.stdout


def test_a_run_is_resumed_only_with_the_code_that_it_began_with(adjudge: Run, folder: Path) -> None:
    mine = folder.parent / "mine"
    (folder / "polite.py").write_text(
        "import os\n\n\ndef agent(text):\n    os.environ['SAD'] and os._exit(9)\n    return 'hello'\n"
    )
    common = ("--plugin-folder", mine)
    begun = adjudge(
        *common, "eval", "polite:agent", "set.evalset.json", "--run", "one", cwd=folder, SAD="yes"
    )
    (mine / "my_words.py").write_text(WORDS.format(score=0.25))
    resumed = adjudge(*common, "resume", "one", cwd=folder, SAD="")

    assert begun.returncode not in (0, 1)
    assert resumed.returncode == 2
    assert "folder:mine" in resumed.stderr


def test_plugins_check_tests_a_plugin_of_a_folder(adjudge: Run, folder: Path) -> None:
    done = adjudge("--plugin-folder", "../mine", "plugins", "check", "my-words", cwd=folder)

    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("  sound\n")


# --- the list of allowed plugins ------------------------------------------------------------


def test_only_allowed_plugins_are_imported(adjudge: Run, folder: Path, tmp_path: Path) -> None:
    place = installed(tmp_path / "site", "wanted", "other")
    fake_distribution(
        tmp_path / "site",
        "adjudge-commanding",
        commands={"weekly": "weekly_plugin:weekly"},
        modules={"weekly_plugin": "raise SystemExit('imported')\n"},
    )
    (folder / "adjudge.toml").write_text('[plugins]\nallow = ["adjudge-wanted"]\n')

    listed = json.loads(adjudge("plugins", "--json", cwd=folder, PYTHONPATH=place).stdout)
    called = adjudge("weekly", cwd=folder, PYTHONPATH=place)
    other = adjudge("criteria", "other", cwd=folder, PYTHONPATH=place)

    states = {item["name"]: (item["state"], item["reason"]) for item in listed}
    assert states["wanted"] == ("active", None)
    assert states["other"] == ("disabled", "not in the list [plugins] allow of the project")
    assert states["json-reporter"] == ("active", None)
    assert called.returncode == 2
    assert "is not in the list [plugins] allow" in called.stderr
    assert other.returncode == 2
    assert "not in the list [plugins] allow of the project" in other.stderr


def test_an_empty_list_allows_adjudges_own_alone(adjudge: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "adjudge.toml").write_text("[plugins]\nallow = []\n")

    done = adjudge("plugins", cwd=folder, PYTHONPATH=installed(tmp_path / "site", "other"))

    [line] = [line for line in done.stdout.splitlines() if line.startswith("other")]
    assert line.split()[1] == "disabled"


# --- listings -------------------------------------------------------------------------------


def test_strangers_come_first_and_ours_on_request(adjudge: Run, tmp_path: Path) -> None:
    place = installed(tmp_path / "site", "zebra", "yak", "xerus", urls={"Homepage": "https://zoo.example"})

    listed = adjudge("plugins", PYTHONPATH=place).stdout.splitlines()
    everything = adjudge("plugins", "--all", PYTHONPATH=place).stdout.splitlines()
    shown = adjudge("plugins", "show", "yak", PYTHONPATH=place).stdout

    assert [line.split()[0] for line in listed] == ["plugin", "xerus", "yak", "zebra", "`adjudge"]
    assert listed[-1] == "`adjudge plugins --all` lists adjudge's own too"
    assert [line.split()[0] for line in everything[1:4]] == ["xerus", "yak", "zebra"]
    assert len(everything) > 50
    assert "\nhomepage      https://zoo.example\n" in shown


def test_the_help_of_eval_names_the_endings_of_installed_reporters(adjudge: Run, tmp_path: Path) -> None:
    module = (
        "raise SystemExit('imported')\n"
        "def reporters():\n"
        "    return [ReporterSpec(name='zoo', summary='x', factory=None, suffixes=('.zoo', '.big.zoo'))]\n"
    )
    fake_distribution(
        tmp_path / "site", "adjudge-zoo", entry_points={"zoo": "zoo_plugin"}, modules={"zoo_plugin": module}
    )

    told = adjudge("eval", "--help", PYTHONPATH=str(tmp_path / "site"))
    again = adjudge("eval", "--help", PYTHONPATH=str(tmp_path / "site"))

    assert told.returncode == 0
    assert " ".join(told.stdout.split()).count(", .md, .zoo (repeatable).") == 1
    assert again.stdout == told.stdout


def test_commands_are_listed_without_being_imported(adjudge: Run, tmp_path: Path) -> None:
    fake_distribution(
        tmp_path / "site",
        "adjudge-zoo",
        commands={"runs.feed": "zoo_plugin:feed"},
        modules={"zoo_plugin": 'raise SystemExit("imported")\n\n\ndef feed():\n    """Feed all."""\n'},
    )

    listed = adjudge("commands", PYTHONPATH=str(tmp_path / "site"))
    shown = adjudge("commands", "runs", "feed", "--json", PYTHONPATH=str(tmp_path / "site"))
    unknown = adjudge("commands", "runs", "fed", PYTHONPATH=str(tmp_path / "site"))

    assert any(
        line.split() == ["runs", "feed", "Feed", "all.", "adjudge-zoo"] for line in listed.stdout.splitlines()
    )
    assert json.loads(shown.stdout)[0]["summary"] == "Feed all."
    assert "Did you mean 'runs feed'?" in unknown.stderr


def test_a_package_of_commands_alone_is_listed_with_the_plugins(adjudge: Run, tmp_path: Path) -> None:
    for zoo, command in (("zoo", "runs.feed"), ("barn", "milk"), ("dairy", "milk")):
        fake_distribution(
            tmp_path / "site",
            f"adjudge-{zoo}",
            "1.2",
            commands={command: f"{zoo}_plugin:work"},
            modules={f"{zoo}_plugin": 'raise SystemExit("imported")\n\n\ndef work():\n    """Work."""\n'},
            urls={"Homepage": "https://zoo.example"},
        )
    place = str(tmp_path / "site")

    listed = adjudge("plugins", PYTHONPATH=place)
    without = adjudge("--no-plugin", "adjudge-zoo", "plugins", PYTHONPATH=place)
    shown = adjudge("plugins", "show", "adjudge-zoo", PYTHONPATH=place)

    rows = [line.split(maxsplit=4) for line in listed.stdout.splitlines()[1:-1]]
    assert rows == [
        ["adjudge-barn", "conflict", "adjudge-barn", "1.2", "commands: milk"],
        ["adjudge-dairy", "conflict", "adjudge-dairy", "1.2", "commands: milk"],
        ["adjudge-zoo", "active", "adjudge-zoo", "1.2", "commands: runs feed"],
    ]
    assert "adjudge-zoo    disabled" in without.stdout
    assert shown.returncode == 0, shown.stderr
    assert [line.split(maxsplit=1) for line in shown.stdout.splitlines()] == [
        ["distribution", "adjudge-zoo 1.2"],
        ["state", "active"],
        ["homepage", "https://zoo.example"],
        ["commands", "runs feed"],
    ]


def test_a_project_disables_the_commands_of_a_distribution(
    adjudge: Run, folder: Path, tmp_path: Path
) -> None:
    fake_distribution(
        tmp_path / "site",
        "adjudge-zoo",
        commands={"feed": "zoo_plugin:feed"},
        modules={"zoo_plugin": "raise SystemExit('imported')\n"},
    )
    (folder / "adjudge.toml").write_text('[plugins]\ndisable = ["adjudge-zoo"]\n')

    called = adjudge("feed", cwd=folder, PYTHONPATH=str(tmp_path / "site"))

    assert called.returncode == 2
    assert "the command 'feed' of adjudge-zoo 1.0 is disabled" in called.stderr


def test_files_that_came_along_cannot_name_a_folder_of_plugins(adjudge: Run, folder: Path) -> None:
    own = folder / ".config" / "adjudge"
    own.mkdir(parents=True)
    (own / "adjudge.toml").write_text(f'[plugins]\nfolders = ["{folder.parent / "mine"}"]\n')
    (folder / ".env").write_text(
        f"ADJUDGE_PLUGIN_FOLDERS={folder.parent / 'mine'}\nXDG_CONFIG_HOME={own.parent}\nHOME={folder}\n"
    )
    (folder / "test_config.json").write_text('{"criteria": {"few_words": 1.0}}')

    evaluated = adjudge("eval", "polite:agent", "set.evalset.json", cwd=folder)

    assert evaluated.returncode == 2
    assert "unknown criterion 'few_words'" in evaluated.stderr


# --- observers ------------------------------------------------------------------------------


def test_an_observer_has_its_options_and_the_host(adjudge: Run, folder: Path) -> None:
    (folder.parent / "mine" / "diary.py").write_text(DIARY)
    common = ("--plugin-folder", "../mine")
    evaluated = (*common, "eval", "polite:agent", "set.evalset.json")

    not_configured = adjudge(*evaluated, cwd=folder)
    (folder / "adjudge.toml").write_text('[observers.diary]\nfile = "diary.txt"\n')
    observed = adjudge(*evaluated, "--output", "result.json", cwd=folder)
    (folder / ".env").write_text("DIARY_SHUT=yes\n")
    refused = adjudge(*evaluated, cwd=folder)
    listed = adjudge(*common, "observers", "diary", cwd=folder)

    assert not_configured.returncode == 0, not_configured.stderr
    lines = (folder / "diary.txt").read_text().splitlines()
    assert lines == ["RunStarted", "CaseStarted", "CriterionScored", "case PASS"]
    assert observed.returncode == 0
    document = json.loads((folder / "result.json").read_text())["run"]
    [observer] = [item for item in document["plugins"] if item["kind"] == "observer"]
    assert observer["component"] == "diary/diary"
    assert "raised in observe: RuntimeError: no ink" in observed.stdout + observed.stderr
    assert refused.returncode == 2
    assert "$.observers.diary: the diary is shut" in refused.stderr
    assert "Where to write." in listed.stdout


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[observers.diary]\nfiel = "x"\n', "'fiel'"),
        ('[observers.dairy]\nfile = "x"\n', "Did you mean 'diary'?"),
        (
            '[observers.diary]\nfile = "x"\n[observers."diary/diary"]\nfile = "y"\n',
            "two tables have options of diary/diary",
        ),
    ],
)
def test_wrong_options_of_an_observer_stop_the_run_before_its_first_case(
    adjudge: Run, folder: Path, table: str, told: str
) -> None:
    (folder.parent / "mine" / "diary.py").write_text(DIARY)
    (folder / "adjudge.toml").write_text(table)

    done = adjudge("--plugin-folder", "../mine", "eval", "polite:agent", "set.evalset.json", cwd=folder)

    assert done.returncode == 2
    assert told in done.stderr
