# SPDX-License-Identifier: Apache-2.0
"""environment.py PLACE: a virtual environment with a pip, the PyTorch of the Python that runs this, and its torchrun."""
import pathlib
import subprocess
import sys

import torch

place = pathlib.Path(sys.argv[1])
subprocess.run([sys.executable, "-m", "venv", place], check=True)
packages = subprocess.run([place / "bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                          capture_output=True, text=True).stdout.strip()
pathlib.Path(packages, "torch.pth").write_text(str(pathlib.Path(torch.__file__).parent.parent))
run = place / "bin/torchrun"
run.write_text('#!/bin/sh\nexec %s/bin/python -m torch.distributed.run "$@"\n' % place)
run.chmod(0o755)
