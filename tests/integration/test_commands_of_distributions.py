"""Commands that strangers add to the command line, as a user sees them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from adjudge.testing import fake_distribution

Run = Callable[..., subprocess.CompletedProcess[str]]

REPORT = '''
"""A report on runs."""

import click
from adjudge.plugin import say

@click.command("weekly")
@click.option("--loud", is_flag=True)
def weekly_command(loud):
    """Write the report of a week.

    More about it.
    """
    say("HELLO" if loud else "hello")
    return 3 if loud else 0
'''


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


@pytest.fixture
def run(adjudge: Run, site: Path, tmp_path: Path) -> Run:
    def with_site(*args: str) -> subprocess.CompletedProcess[str]:
        return adjudge(*args, PYTHONPATH=str(site), XDG_CACHE_HOME=str(tmp_path / "cache"))

    return with_site


def command(
    site: Path, name: str = "weekly", source: str = REPORT, distribution: str = "acme-reports"
) -> None:
    module = distribution.replace("-", "_")
    fake_distribution(
        site, distribution, "2.1", commands={name: f"{module}:weekly_command"}, modules={module: source}
    )


def test_help_lists_it_with_its_origin_and_it_runs(run: Run, site: Path) -> None:
    command(site)

    assert "weekly       Write the report of a week. (from acme-reports 2.1)" in run("--help").stdout
    assert run("weekly").stdout == "hello\n"
    loud = run("weekly", "--loud")
    assert (loud.stdout, loud.returncode) == ("HELLO\n", 3)
    assert "More about it." in run("weekly", "--help").stdout


def test_help_reads_sources_and_imports_nothing(run: Run, site: Path) -> None:
    command(site, source=REPORT.replace("import click", "import click\nprint('imported')"))

    assert "imported" not in run("--help").stdout
    assert "imported" in run("weekly").stdout


def test_what_is_installed_or_removed_later_is_seen(run: Run, site: Path) -> None:
    site.mkdir()
    assert "weekly" not in run("--help").stdout
    command(site)
    assert "weekly" in run("--help").stdout
    for left in site.glob("*.dist-info/*"):
        left.unlink()
    [folder] = site.glob("*.dist-info")
    folder.rmdir()
    assert "weekly" not in run("--help").stdout
    assert "No such command 'weekly'" in run("weekly").stderr


def test_a_cache_that_cannot_be_read_or_written_harms_nothing(run: Run, site: Path, tmp_path: Path) -> None:
    command(site)
    (tmp_path / "cache").write_text("no folder")

    assert "weekly" in run("--help").stdout


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import nothing_of_that_name", "cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(0)", "cannot be imported: SystemExit"),
        ("weekly_command = print", "a click command is expected"),
        ("def weekly_command(:", "cannot be imported: SyntaxError"),
    ],
)
def test_a_broken_one_says_so_and_harms_no_other(run: Run, site: Path, source: str, reason: str) -> None:
    command(site, source=source)
    done = run("weekly")

    assert done.returncode == 2
    assert "the command 'weekly' of acme-reports 2.1" in done.stderr
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert run("--help").returncode == 0
    assert run("runs", "list").returncode == 0


def test_what_it_raises_names_it_and_is_no_verdict(run: Run, site: Path) -> None:
    command(site, source=REPORT.replace("say(", "raise ZeroDivisionError; say("))
    done = run("weekly")

    assert done.returncode == 2
    assert "the command 'weekly' of acme-reports 2.1 raised ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_of_one_name_are_an_error_that_names_both(run: Run, site: Path) -> None:
    command(site)
    command(site, distribution="other-reports")
    done = run("weekly")

    assert done.returncode == 2
    assert "acme-reports 2.1 and other-reports 2.1" in done.stderr


def test_a_command_of_the_core_is_not_replaced(run: Run, site: Path) -> None:
    command(site, name="runs")

    assert "List, show and delete runs." in run("--help").stdout
    assert "hello" not in run("runs", "list").stdout


@pytest.mark.parametrize("group", ["judges", "plugins", "runs"])
def test_a_group_of_the_core_takes_commands(run: Run, site: Path, group: str) -> None:
    command(
        site, name=f"{group}.weekly", source=REPORT.replace("import click", "import click\nprint('imported')")
    )
    listed = run(group, "--help").stdout

    assert "Write the report of a week. (from acme-reports 2.1)" in " ".join(listed.split())
    assert "imported" not in listed
    loud = run(group, "weekly", "--loud")
    assert (loud.stdout, loud.returncode) == ("imported\nHELLO\n", 3)


def test_a_command_of_a_group_is_no_command_elsewhere(run: Run, site: Path) -> None:
    command(site, name="runs.weekly")

    assert "weekly" not in run("--help").stdout
    for typed in (["runs.weekly"], ["weekly"], ["plugins", "weekly"], ["plugins", "runs.weekly"]):
        done = run(*typed)
        assert done.returncode == 2
        assert "No such command" in done.stderr


def test_a_command_that_a_group_of_the_core_has_is_not_replaced(run: Run, site: Path) -> None:
    command(site, name="runs.list")

    assert "hello" not in run("runs", "list").stdout


def test_what_a_command_of_a_group_raises_names_it(run: Run, site: Path) -> None:
    command(site, name="runs.weekly", source=REPORT.replace("say(", "raise ZeroDivisionError; say("))
    done = run("runs", "weekly")

    assert done.returncode == 2
    assert "the command 'runs weekly' of acme-reports 2.1 raised ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_distribution_that_is_disabled_is_not_imported(
    run: Run, site: Path, adjudge: Run, how: str
) -> None:
    command(site, source="print('imported')")
    if how == "option":
        done = run("--no-plugin", "acme-reports", "weekly")
    else:
        done = adjudge("weekly", PYTHONPATH=str(site), ADJUDGE_DISABLE_PLUGINS="acme-reports")

    assert done.returncode == 2
    assert "the command 'weekly' of acme-reports 2.1 is disabled" in done.stderr
    assert "imported" not in done.stdout


@pytest.mark.skipif(find_spec("adjudge_web") is not None, reason="adjudge-web is installed here")
def test_a_command_that_is_not_installed_says_how_to_get_it(run: Run, site: Path) -> None:
    assert "web          Open the web page" in run("--help").stdout
    said = run("web", "agents", "--port", "80")
    assert said.returncode == 2
    assert "pip install ./contrib/adjudge-web" in said.stderr
    assert "Traceback" not in said.stderr

    command(site, name="web")
    assert run("web").stdout == "hello\n"
    assert "(from acme-reports 2.1)" in run("--help").stdout
