#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs the built package `clothlab` as a wheel, as the target `wheel` calls it. Prints the wheel's path.

    make_wheel.py PACKAGE_FOLDER VERSION OUTPUT_FOLDER
"""
import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path

SUMMARY = "A laboratory for cloth and its time integrators"


def main(package, version, output):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    wheel = Path(output) / f"clothlab-{version}-{tag}.whl"
    info = f"clothlab-{version}.dist-info"
    licence = (Path(__file__).resolve().parent.parent / "LICENSE").read_bytes()
    files = {f"clothlab/{file.name}": file.read_bytes() for file in sorted(Path(package).iterdir()) if file.is_file()}
    files |= {
        f"{info}/METADATA": (f"Metadata-Version: 2.1\nName: clothlab\nVersion: {version}\nSummary: {SUMMARY}\nLicense: MIT\n"
                             f"Requires-Python: >=3.9\nRequires-Dist: numpy\n").encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{info}/LICENSE": licence,
    }
    record = f"{info}/RECORD"
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}\n")
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "".join(rows) + f"{record},,\n")
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
