"""Put loops compiled ahead of time into the wheel, where ``WIDEBERTH_PRECOMPILE=1`` asks for it.

Without it, and where it cannot be done, the wheel is the same for all systems and loops are compiled
at first use: an installation never fails for want of a compiler.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Precompiling(BuildHookInterface):  # type: ignore[type-arg]
    """Runs ``tools/precompile.py`` for a wheel that is to have machine code."""

    def dependencies(self) -> list[str]:
        """What a build in an environment of its own needs besides: all that the package needs."""
        return list(self.metadata.core.dependencies) if self._asked_for() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the module to what the wheel holds, and the system to its name."""
        if version != "standard" or not self._asked_for():
            return
        self._folder = tempfile.TemporaryDirectory()
        script = Path(self.root, "tools", "precompile.py")
        done = subprocess.run([sys.executable, str(script), "--into", self._folder.name])
        built = list(Path(self._folder.name).glob("_machine_code.*"))
        if done.returncode or not built:
            self.app.display_warning("Loops are not compiled ahead of time: see above.")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"][str(built[0])] = f"wideberth/{built[0].name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _asked_for(self) -> bool:
        return self.target_name == "wheel" and os.environ.get("WIDEBERTH_PRECOMPILE", "0") == "1"
