"""Look up known vulnerabilities of the installed packages with pip-audit; run by `make audit`.

Exit code 1 if there are some, and if nothing could be audited: where the data are out of reach,
pip-audit skips packages and succeeds.
"""

import json
import subprocess
import sys
from typing import Any

_TRY_AGAIN = "Run `make audit` where the Python Package Index can be reached."


def judgement(packages: list[dict[str, Any]]) -> tuple[str, int]:
    """What to print about the packages of a report of pip-audit, and the exit code."""
    audited = [
        package
        for package in packages
        if "skip_reason" not in package and package["name"] != "wideberth"
    ]
    if not audited:
        return (
            f"NOT AUDITED: the data about vulnerabilities are out of reach from here. {_TRY_AGAIN}",
            1,
        )
    found = [
        f"{package['name']} {package['version']}: {vuln['id']}"
        for package in audited
        for vuln in package["vulns"]
    ]
    skipped = sorted(
        package["name"]
        for package in packages
        if "skip_reason" in package and package["name"] != "wideberth"
    )
    lines = [*found, f"{len(audited)} packages audited, {len(found)} vulnerabilities."]
    lines += (
        [f"Not audited, since nothing is known of them: {', '.join(skipped)}."] if skipped else []
    )
    return "\n".join(lines), int(bool(found))


def main() -> int:
    """Run pip-audit on this environment."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        packages = list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError, TypeError):  # no report at all, or one of another form
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"NOT AUDITED: pip-audit failed ({reason[:200]}). {_TRY_AGAIN}")
        return 1
    said, code = judgement(packages)
    print(said)
    return code


if __name__ == "__main__":
    sys.exit(main())
