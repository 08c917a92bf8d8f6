"""Writes quantiles.json: type 7 quantiles, mean and sample sd as numpy gives them.

    python3 -m venv venv && venv/bin/pip install numpy && venv/bin/python quantiles.py > quantiles.json
"""
import json
import sys

import numpy as np

rng = np.random.default_rng(20260101)
sets = {
    "one": [7],
    "two": [1, 2],
    "four": [1, 2, 3, 4],
    "ties": [5, 5, 5, 9, 9, 1],
    "upstream test of the Hugging Face tool": [100, 600, 1100, 1600],
    "eleven": list(range(0, 1100, 100)),
    "lognormal": rng.lognormal(10, 1, 1516).astype(int).tolist(),
    "gaps": rng.normal(10000, 40, 20000).astype(int).tolist(),
    "long gaps": rng.lognormal(13, 2, 999).astype(int).tolist(),
}
out = []
for name, values in sets.items():
    a = np.array(values, dtype=float)
    out.append({
        "name": name,
        "values": values,
        "quantiles": [float(np.quantile(a, q)) for q in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)],
        "mean": float(a.mean()),
        "sd": float(a.std(ddof=1)) if len(a) > 1 else None,
    })
json.dump({"numpy": np.__version__, "sets": out}, sys.stdout)
