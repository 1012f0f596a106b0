"""The command refuses what it cannot serve, in the words of its options."""

import builtins
import sys

import pytest

from wideberth.cli.main import main


@pytest.fixture
def run(monkeypatch, capsys, model_file):
    def command(*arguments, code=2):
        monkeypatch.setattr(
            sys, "argv", ["wideberth", "serve", str(model_file), *map(str, arguments)]
        )
        with pytest.raises(SystemExit) as done:
            main()
        told = capsys.readouterr()
        assert done.value.code == code, told.err
        assert "Traceback" not in told.err
        return told.err

    return command


def test_other_addresses_need_a_token(run, monkeypatch):
    monkeypatch.delenv("WIDEBERTH_TOKEN", raising=False)
    told = run("--host", "0.0.0.0")
    assert "0.0.0.0" in told
    assert "--token-file" in told
    monkeypatch.setenv("WIDEBERTH_TOKEN", "short")
    assert "The token has 5 characters" in run("--host", "0.0.0.0")


def test_a_port_that_is_taken_is_named(run, server):
    assert f"port {server.port} cannot be used" in run("--port", server.port)


@pytest.mark.parametrize(
    "option",
    [
        ("--timeout", "0"),
        ("--max-body", "much"),
        ("--delta", "2"),
        ("--unit", "mile"),
        ("--idle", "0"),
        ("--proxy", "*"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, option):
    assert option[1] in run(*option)


def test_calibration_by_the_training_objects_is_refused(run, names, tmp_path):
    table = tmp_path / "same.csv"
    labels = names.model.predict(names.training)
    table.write_text(
        "name,label\n"
        + "\n".join(f"{name},{label}" for name, label in zip(names.training, labels, strict=True))
    )
    assert "new to the model" in run("--calibrate", table)


def test_without_the_extra_it_says_what_to_install(run, monkeypatch):
    true_import = builtins.__import__
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("starlette", "uvicorn")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(
        "wideberth.extras.import_module",
        lambda name: (
            missing(name) if name.startswith(("starlette", "uvicorn")) else true_import(name)
        ),
    )
    assert 'pip install "wideberth[serve]"' in run()


def missing(name):
    raise ModuleNotFoundError(name=name.partition(".")[0])
