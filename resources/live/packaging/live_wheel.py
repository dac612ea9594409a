# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of shardlab-live as PEP 517 asks, with the standard library alone: a node of a cluster can seldom fetch
setuptools. A wheel is a zip of the package beside three files that say what it is."""
import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "shardlab_live"
MOMENT = (1980, 1, 1, 0, 0, 0)  # the same sources make the same wheel
DESCRIPTION = """Shows a training program on Shardlab's timeline while it runs: `import shardlab; shardlab.watch(model=model,
optimizer=optimizer)`. Pure Python, no dependencies.
"""


def version():
    """From the package's own file, the one place that has it."""
    return re.search(r'__version__ = "([^"]+)"', (ROOT / "shardlab/version.py").read_text())[1]


def metadata():
    return ("Metadata-Version: 2.4\nName: shardlab-live\nVersion: %s\nSummary: Your own training program on Shardlab's timeline\n"
            "License-Expression: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n%s"
            % (version(), DESCRIPTION))


def sources():
    return sorted(path for path in (ROOT / "shardlab").rglob("*.py"))


def _information():
    return "%s-%s.dist-info" % (NAME, version())


def _write(folder, contents):
    name = "%s-%s-py3-none-any.whl" % (NAME, version())
    information = _information()
    contents = dict(contents)
    contents[information + "/METADATA"] = metadata().encode()
    contents[information + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: live_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join("%s,sha256=%s,%d\n" % (path, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(),
                                            len(data)) for path, data in contents.items())
    contents[information + "/RECORD"] = (record + information + "/RECORD,,\n").encode()
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sources()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: a path to the sources in place of them."""
    return _write(wheel_directory, {NAME + ".pth": (str(ROOT) + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    base = "%s-%s" % (NAME, version())
    name = base + ".tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [ROOT / "pyproject.toml", pathlib.Path(__file__).resolve(), *sources()]:
            archive.add(path, base + "/" + path.relative_to(ROOT).as_posix())
        entry = tarfile.TarInfo(base + "/PKG-INFO")
        entry.size = len(metadata().encode())
        archive.addfile(entry, io.BytesIO(metadata().encode()))
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel
