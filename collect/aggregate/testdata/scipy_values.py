"""Makes scipy_values.json: what the tests of this package compare with.

Needs scipy (1.17.1 was used): python3 scipy_values.py > scipy_values.json
"""
import json
import numpy as np
from scipy import stats

rng = np.random.default_rng(20260319)
out = {"scipy": __import__("scipy").__version__, "samples": [], "grubbs": [], "ranks": []}
for n in (2, 3, 5, 10):
    x = np.round(rng.lognormal(3.4, 0.05, n), 4)
    mean, sd = float(np.mean(x)), float(np.std(x, ddof=1))
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=stats.sem(x))
    out["samples"].append({
        "values": x.tolist(), "mean": mean, "sd": sd, "low": float(low), "high": float(high),
        "median": float(np.median(x)), "p90": float(np.quantile(x, 0.9)), "p95": float(np.quantile(x, 0.95)),
    })
for n in (3, 5, 7, 10, 30):
    t = stats.t.ppf(1 - 0.05 / (2 * n), n - 2)
    out["grubbs"].append({"n": n, "limit": float((n - 1) / np.sqrt(n) * np.sqrt(t * t / (n - 2 + t * t)))})
for n, p in ((36, .9), (35, .9), (72, .95), (71, .95), (100, .95), (200, .95), (500, .95), (367, .99), (368, .99), (1500, .5)):
    # the widest 1-based ranks whose tails are at most 2.5 % each, by the exact binomial distribution
    low = max([k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, p) <= 0.025], default=0)
    high = min([k for k in range(1, n + 1) if stats.binom.sf(k - 1, n, p) <= 0.025], default=n + 1)
    out["ranks"].append({"n": n, "p": p, "low": low, "high": high})
print(json.dumps(out, indent=1))
