# SPDX-License-Identifier: MIT
"""What all examples share: --quick, --out FOLDER, and a figure that is saved there as NAME.png."""
import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
parser.add_argument("--quick", action="store_true", help="fewer and coarser runs, for a few seconds")
parser.add_argument("--out", type=Path, default=Path("."), help="folder of the figure")
options = parser.parse_args()


def choose(full, quick):
    return quick if options.quick else full


def panels(count, title, **settings):
    figure, axes = plt.subplots(1, count, figsize=(5.5 * count, 4.5), layout="constrained", squeeze=False, **settings)
    figure.suptitle(title)
    return axes[0]


def save():
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / (Path(sys.argv[0]).stem + ".png")
    plt.savefig(path, dpi=100)
    print(path)
