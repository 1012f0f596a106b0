"""What the documentation of the server shows is so."""

import re
import subprocess
import sys
from pathlib import Path

import uvicorn

import wideberth
from wideberth.cli.commands import declaration

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def test_the_client_in_python_works(server, names):
    client = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0].replace(
        "http://127.0.0.1:8000", server.address
    )
    done = subprocess.run([sys.executable, "-c", client], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(f"Marianne {names.model.predict(['Marianne'])[0]} ")
    assert second.startswith(f"Kim {names.model.predict(['Kim'])[0]} ")
    refused = client.replace('["Marianne", "Kim"]))', '["Marianne", 3]))')
    done = subprocess.run([sys.executable, "-c", refused], capture_output=True, text=True)
    assert "ValueError: Object 2: 3 in column 'value' is not text." in done.stderr


def test_the_application_in_a_program_of_ones_own_works(names, tmp_path, monkeypatch):
    served = []
    wideberth.save(names.model, tmp_path / "names.wb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn, "run", served.append)
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], {"__name__": "__main__"})  # noqa: S102
    assert "/predict" in {route.path for route in served[0].routes}


def test_options_that_the_page_names_exist():
    told = set(re.findall(r"--(allow-origin|[a-z]+(?:-[a-z]+)*)", PAGE))
    known = {each.name.replace("_", "-") for each in declaration("serve")[0].options}
    others = {
        "data-binary",
        "no-cache-dir",
        "system",
        "no-create-home",
        "read-only",
        "tmpfs",
        "cap-drop",
        "security-opt",
        "env-file",
    }
    assert told - others <= known


def test_every_field_of_an_answer_is_explained(client):
    fields = client.get("/openapi.json").json()["components"]["schemas"]["Answer"]["properties"]
    assert set(fields) == set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
