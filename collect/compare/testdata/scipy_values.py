"""Makes scipy_values.json: what the tests of this package compare with.

Needs scipy and statsmodels (1.17.1 and 0.15.0 were used):
python3 scipy_values.py > scipy_values.json
"""
import json
import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(7)
out = {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__, "welch": [], "paired": [], "published": [], "holm": []}
for na, nb, cv, shift in ((5, 5, .02, 0), (5, 5, .02, .1), (5, 4, .05, .05), (3, 10, .1, -.2), (8, 8, .01, .01)):
    a = np.round(9 * np.exp(cv * rng.standard_normal(na)), 5)
    b = np.round(9 * (1 + shift) * np.exp(1.7 * cv * rng.standard_normal(nb)), 5)
    t = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    ci = t.confidence_interval(0.95)
    out["welch"].append({"a": a.tolist(), "b": b.tolist(), "diff": float(np.mean(np.log(b)) - np.mean(np.log(a))), "df": float(t.df),
                         "p": float(t.pvalue), "low": float(ci.low), "high": float(ci.high)})
for n, shift in ((3, 0), (5, .03), (10, .002)):
    a = np.round(30 * np.exp(.1 * rng.standard_normal(n)), 5)
    b = np.round(a * (1 + shift) * np.exp(.01 * rng.standard_normal(n)), 5)
    t = stats.ttest_rel(np.log(b), np.log(a))
    ci = t.confidence_interval(0.95)
    out["paired"].append({"a": a.tolist(), "b": b.tolist(), "diff": float(np.mean(np.log(b) - np.log(a))), "df": float(t.df),
                          "p": float(t.pvalue), "low": float(ci.low), "high": float(ci.high)})
for n, k, published in ((5, 5, 31.406), (5, 1, 8.584), (3, 5, 1.584)):
    x = np.round(published * np.exp(.03 * rng.standard_normal(n)), 5)
    se = np.std(x, ddof=1) * np.sqrt(1 / n + 1 / k)
    diff = np.mean(x) - published
    half = stats.t.ppf(.975, n - 1) * se
    out["published"].append({"x": x.tolist(), "k": k, "published": published, "diff": float(diff), "p": float(2 * stats.t.sf(abs(diff) / se, n - 1)),
                             "low": float(diff - half), "high": float(diff + half)})
for p in ([.01, .04, .03, .005], [.5, .5, .9], [.001], [.02, .02, .02, .2, .9, .0001]):
    out["holm"].append({"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()})
print(json.dumps(out, indent=1))
