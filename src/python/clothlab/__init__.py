# SPDX-License-Identifier: MIT
"""ClothLab: cloth simulated by the time integrator that you choose.

    import clothlab
    run = clothlab.Run(grid=(20, 20), integrator="bdf2", dt=1/60)
    run.step(60)
    print(run.positions.min(axis=0), run.energy["total"])

docs/python.md describes the module. All units are SI.
"""
from ._clothlab import CLOTH_ITSELF, INTEGRATORS, BlowUp, Lane, Notice, Run, Scene, __version__

__all__ = ["CLOTH_ITSELF", "INTEGRATORS", "BlowUp", "Lane", "Notice", "Run", "Scene", "__version__"]
