"use strict";
(function () {
  var charts = [];
  var css = function (name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); };
  var symbols = ["circle", "diamond", "rect", "triangle", "roundRect", "pin", "arrow", "circle"];
  // viridis, the same from both ends for colour-blind readers; the darkest and lightest ends are cut
  var viridisLight = ["#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#b5a60a"];
  var viridisDark = ["#8f7fd1", "#6d8fd9", "#4fb0cf", "#3fc6b5", "#5fd38f", "#a5dd5b", "#f4e04d"];

  function dark() { return window.matchMedia("(prefers-color-scheme: dark)").matches && !window.matchMedia("print").matches; }

  function mix(list, t) { // the colour at t of 0..1
    var at = Math.max(0, Math.min(1, t)) * (list.length - 1), i = Math.min(Math.floor(at), list.length - 2), f = at - i;
    var a = parseInt(list[i].slice(1), 16), b = parseInt(list[i + 1].slice(1), 16), out = 0;
    for (var s = 16; s >= 0; s -= 8) out = out * 256 + Math.round(((a >> s) & 255) * (1 - f) + ((b >> s) & 255) * f);
    return "#" + ("000000" + out.toString(16)).slice(-6);
  }
  function colourOf(s) { return s.scale !== undefined ? mix(dark() ? viridisDark : viridisLight, s.scale) : css("--c" + (s.colour % 8)); }

  function number(x) {
    if (x === 0) return "0";
    var a = Math.abs(x);
    if (a >= 1e6) return (x / 1e6).toPrecision(3) + "M";
    return a >= 1000 ? String(Math.round(x)) : String(+x.toPrecision(4));
  }

  function axis(a, isX) {
    var words = { nameTextStyle: { color: css("--soft"), fontSize: 12 }, axisLabel: { color: css("--soft"), fontSize: 11, hideOverlap: true }, axisLine: { lineStyle: { color: css("--line") } } };
    var out = Object.assign(words, { name: a.label, nameLocation: "middle", nameGap: isX ? 28 : 46, splitLine: { lineStyle: { color: css("--line"), opacity: .6 } } });
    if (a.categories) {
      out.type = "category"; out.data = a.categories; out.splitLine = { show: false };
      if (!isX) out.inverse = true;
      return out;
    }
    out.type = a.log ? "log" : "value";
    if (!a.log) out.scale = !a.zero;
    if (a.max !== undefined) out.max = a.max;
    out.axisLabel.formatter = number;
    if (a.ticks && a.ticks.length) setTicks(out, a.ticks);
    return out;
  }

  // bounds for a logarithmic axis: ECharts would go down to whole powers of ten
  function logBounds(fig, key, out) {
    var low = Infinity, high = -Infinity;
    (fig.series || []).forEach(function (s) {
      s.points.forEach(function (p) {
        [p[key]].concat(key === "y" ? [p.low, p.high] : []).forEach(function (v) { if (v > 0) { low = Math.min(low, v); high = Math.max(high, v); } });
      });
    });
    (fig.marks || []).forEach(function (m) { [m[key], key === "x" ? m.to : undefined].forEach(function (v) { if (v > 0) { low = Math.min(low, v); high = Math.max(high, v); } }); });
    if (low < high) { out.min = low / 1.15; out.max = high * 1.15; }
    if (!fig[key].ticks) setTicks(out, ticks(low / 1.15, high * 1.15));
    out.splitLine.show = false;
  }
  function setTicks(out, values) { out.axisLabel.customValues = values; out.axisTick = { customValues: values }; out.splitLine.show = false; }
  function ticks(low, high) {
    var out = [], steps = high / low > 60 ? [1] : high / low > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
    for (var d = Math.floor(Math.log10(low)); d <= Math.ceil(Math.log10(high)); d++)
      steps.forEach(function (s) { var v = s * Math.pow(10, d); if (v >= low && v <= high) out.push(+v.toPrecision(3)); });
    return out;
  }

  function band(s, colour) {
    return {
      name: s.name, type: "custom", silent: true, z: 1, itemStyle: { color: colour }, data: s.points.length > 1 ? [[s.points[0].x, s.points[0].low]] : [],
      renderItem: function (params, api) {
        var up = s.points.map(function (p) { return api.coord([p.x, p.high]); }), down = s.points.map(function (p) { return api.coord([p.x, p.low]); }).reverse();
        return { type: "polygon", shape: { points: up.concat(down) }, style: { fill: colour, opacity: .18 }, clipPath: clip(params) };
      }
    };
  }
  function clip(params) { var c = params.coordSys; return { type: "rect", shape: { x: c.x, y: c.y, width: c.width, height: c.height } }; }

  function whiskers(s, colour) { // intervals where there are too few points for a band
    return {
      name: s.name, type: "custom", silent: true, z: 1, itemStyle: { color: colour }, data: s.points.map(function (p) { return [p.x, p.low, p.high]; }),
      renderItem: function (params, api) {
        var a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(0), api.value(2)]);
        return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: colour, lineWidth: 6, opacity: .35 } };
      }
    };
  }

  function xy(fig) {
    var series = (fig.series || []).map(function (s, i) {
      var colour = colourOf(s), data = s.points.map(function (p) { return { value: [p.x, p.y], point: p }; });
      if (s.kind === "band") return s.points.length > 1 ? band(s, colour) : whiskers(s, colour);
      if (s.kind === "dots") return { name: s.name, type: "scatter", data: data, symbol: symbols[s.colour % 8], symbolSize: 6, z: 3, itemStyle: { color: "transparent", borderColor: colour, borderWidth: 1.3, opacity: .85 } };
      return { name: s.name, type: "line", data: data, step: s.step ? "end" : false, showSymbol: s.points.length <= 24, symbol: symbols[s.colour % 8], symbolSize: 8, z: 2, smooth: false,
        lineStyle: { color: colour, width: s.points.length > 24 ? 1.6 : 2.2, type: s.dashed ? "dashed" : "solid" }, itemStyle: { color: colour }, emphasis: { focus: "none" } };
    });
    var marks = fig.marks || [];
    if (marks.length && series.length) {
      var lines = [], areas = [], label = { color: css("--text"), fontSize: 11 };
      marks.forEach(function (m) {
        if (m.to !== undefined) areas.push([{ name: m.label, xAxis: m.x, label: label }, { xAxis: m.to }]);
        else if (m.x !== undefined) lines.push({ name: m.label, xAxis: m.x });
        else lines.push({ name: m.label, yAxis: m.y });
      });
      var host = series.filter(function (s) { return s.type === "line"; })[0] || series[0];
      host.markLine = { silent: true, symbol: "none", data: lines, lineStyle: { color: css("--soft"), type: "dashed" }, label: { formatter: "{b}", position: "insideEndTop", color: css("--text"), fontSize: 11 } };
      host.markArea = { silent: true, data: areas, itemStyle: { color: css("--c4"), opacity: .22 }, label: label };
    }
    var x = axis(fig.x, true), y = axis(fig.y, false);
    if (fig.x.log) logBounds(fig, "x", x);
    if (fig.y.log) logBounds(fig, "y", y);
    var names = [];
    series.forEach(function (s) { if (s.type === "line" && names.indexOf(s.name) < 0) names.push(s.name); });
    return {
      grid: { left: 62, right: 18, top: names.length > 1 ? 40 : marks.length ? 24 : 14, bottom: 48 }, xAxis: x, yAxis: y, series: series,
      legend: { show: names.length > 1, data: names, type: "scroll", top: 0, left: 4, right: 4, itemWidth: 16, itemHeight: 9, itemGap: 10, textStyle: { color: css("--text"), fontSize: 11 }, pageTextStyle: { color: css("--soft") }, pageIconColor: css("--link") },
      tooltip: { trigger: "item", confine: true, backgroundColor: css("--bg"), borderColor: css("--line"), textStyle: { color: css("--text"), fontSize: 12 },
        formatter: function (p) {
          var q = p.data.point || {}, t = [p.seriesName, q.label, fig.x.label + ": " + number(p.value[0]), fig.y.label + ": " + number(p.value[1])];
          if (q.low !== undefined) t.push("95 %: " + number(q.low) + " to " + number(q.high));
          return t.filter(Boolean).map(escape).join("<br>");
        } }
    };
  }
  function escape(s) { return String(s).replace(/[&<>"]/g, function (c) { return { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]; }); }

  function heat(fig) {
    var values = fig.cells.filter(function (c) { return c.value !== undefined; }).map(function (c) { return Math.log10(Math.max(c.value, 1e-9)); });
    var low = Math.min.apply(null, values), high = Math.max.apply(null, values), scale = dark() ? viridisDark : viridisLight;
    return {
      grid: { left: 70, right: 12, top: 10, bottom: 46 }, xAxis: axis(fig.x, true), yAxis: axis(fig.y, false),
      tooltip: { confine: true, backgroundColor: css("--bg"), borderColor: css("--line"), textStyle: { color: css("--text") },
        formatter: function (p) { var c = fig.cells[p.dataIndex]; return escape(fig.y.label + " " + fig.y.categories[c.y] + ", " + fig.x.label + " " + fig.x.categories[c.x]) + "<br>" + escape(c.text); } },
      series: [{ type: "custom", data: fig.cells.map(function (c) { return [c.x, c.y]; }), encode: { x: 0, y: 1 },
        renderItem: function (params, api) {
          var c = fig.cells[params.dataIndex], size = api.size([1, 1]), at = api.coord([c.x, c.y]);
          var t = c.value === undefined || high === low ? .5 : (Math.log10(Math.max(c.value, 1e-9)) - low) / (high - low);
          var fill = c.value === undefined ? css("--bg") : mix(scale, t), bright = c.value !== undefined && luminance(fill) > .2;
          return { type: "group", children: [
            { type: "rect", shape: { x: at[0] - size[0] / 2 + 1, y: at[1] - size[1] / 2 + 1, width: size[0] - 2, height: size[1] - 2, r: 3 }, style: { fill: fill, stroke: c.value === undefined ? css("--line") : null, lineDash: [3, 3] } },
            { type: "text", style: { text: c.text, x: at[0], y: at[1], align: "center", verticalAlign: "middle", fontSize: Math.max(9, Math.min(12, size[0] / 4.6)), fill: c.value === undefined ? css("--soft") : bright ? "#111" : "#fff" } }] };
        } }]
    };
  }
  function luminance(hex) {
    var n = parseInt(hex.slice(1), 16), f = function (v) { v /= 255; return v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); };
    return .2126 * f((n >> 16) & 255) + .7152 * f((n >> 8) & 255) + .0722 * f(n & 255);
  }

  function forest(fig) {
    var s = fig.series[0], x = axis(fig.x, true), y = axis(fig.y, false), low = Infinity, high = -Infinity;
    s.points.forEach(function (p) { [p.x, p.low, p.high].forEach(function (v) { if (v !== undefined) { low = Math.min(low, v); high = Math.max(high, v); } }); });
    (fig.marks || []).forEach(function (m) { [m.x, m.to].forEach(function (v) { if (v !== undefined) { low = Math.min(low, v); high = Math.max(high, v); } }); });
    x.min = +(low - .04 * (high - low)).toPrecision(3); x.max = +(high + .04 * (high - low)).toPrecision(3);
    y.axisLabel = Object.assign(y.axisLabel, { fontSize: 11, width: 168, overflow: "truncate", interval: 0 });
    x.axisLabel.showMinLabel = x.axisLabel.showMaxLabel = false;
    y.nameGap = 0; y.name = "";
    var colour = function (p) { return p.state === "bad" ? css("--c1") : p.state === "good" ? css("--c2") : p.state === "dim" ? css("--soft") : css("--c0"); };
    var lines = (fig.marks || []).map(function (m) { return { name: m.label, xAxis: m.x }; });
    return {
      grid: { left: 186, right: 18, top: 14, bottom: 48 }, xAxis: x, yAxis: y,
      tooltip: { confine: true, backgroundColor: css("--bg"), borderColor: css("--line"), textStyle: { color: css("--text") },
        formatter: function (p) { var q = s.points[p.dataIndex]; return escape(fig.y.categories[q.y]) + "<br>" + number(q.x) + (q.low !== undefined ? " (" + number(q.low) + " to " + number(q.high) + ")" : "") + "<br>" + escape(q.label || ""); } },
      series: [{ type: "custom", data: s.points.map(function (p) { return [p.x, p.y]; }), encode: { x: 0, y: 1 },
        markLine: { silent: true, symbol: "none", data: lines, lineStyle: { color: css("--text"), width: 1 }, label: { show: false } },
        renderItem: function (params, api) {
          var p = s.points[params.dataIndex], at = api.coord([p.x, p.y]), col = colour(p), out = [];
          if (p.bound) {
            var l = api.coord([1 - p.bound, p.y])[0], r = api.coord([1 + p.bound, p.y])[0], box = params.coordSys, high = api.size([0, 1])[1] * .72;
            l = Math.max(l, box.x); r = Math.min(r, box.x + box.width);
            out.push({ type: "rect", shape: { x: l, y: at[1] - high / 2, width: r - l, height: high }, style: { fill: css("--soft"), opacity: .16 } });
          }
          if (p.low !== undefined) {
            var a = api.coord([p.low, p.y]), b = api.coord([p.high, p.y]);
            out.push({ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: col, lineWidth: 2.2 } });
          }
          out.push(p.state === "bad" ? { type: "rect", shape: { x: at[0] - 5, y: at[1] - 5, width: 10, height: 10 }, style: { fill: col } }
            : { type: "circle", shape: { cx: at[0], cy: at[1], r: 5 }, style: { fill: p.state === "dim" ? css("--panel") : col, stroke: col, lineWidth: 2 } });
          return { type: "group", children: out };
        } }]
    };
  }

  function option(fig) {
    var o = fig.kind === "heat" ? heat(fig) : fig.kind === "forest" ? forest(fig) : xy(fig);
    o.animation = false;
    o.backgroundColor = "transparent";
    o.aria = { enabled: false }; // the element carries our own words
    return o;
  }

  function draw() {
    charts.forEach(function (c) { c.dispose(); });
    charts = [];
    document.querySelectorAll("script.figure").forEach(function (s) {
      var el = document.getElementById(s.dataset.for);
      if (!el.clientWidth) return; // inside a folded part: drawn when it opens
      var chart = echarts.init(el, null, { renderer: "svg" });
      chart.setOption(option(JSON.parse(s.textContent)));
      charts.push(chart);
    });
    document.documentElement.dataset.drawn = String(charts.length);
  }

  function copy(button) {
    var text = document.getElementById(button.dataset.for).value, done = function () { say(button, "Copied"); };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, function () { byHand(button, text); });
    else byHand(button, text);
  }
  function byHand(button, text) {
    var area = document.createElement("textarea");
    area.value = text; area.style.position = "fixed"; area.style.opacity = "0";
    document.body.appendChild(area); area.select();
    say(button, document.execCommand("copy") ? "Copied" : "Could not copy");
    area.remove();
  }
  function say(button, words) { var old = button.dataset.text || (button.dataset.text = button.textContent); button.textContent = words; setTimeout(function () { button.textContent = old; }, 1500); }

  document.querySelectorAll("button.copy").forEach(function (b) { b.addEventListener("click", function () { copy(b); }); });
  document.querySelectorAll("details").forEach(function (d) { d.addEventListener("toggle", draw); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  window.addEventListener("beforeprint", function () { document.querySelectorAll("details").forEach(function (d) { d.open = true; }); draw(); });
  window.addEventListener("afterprint", draw);
  var timer;
  window.addEventListener("resize", function () { clearTimeout(timer); timer = setTimeout(function () { charts.forEach(function (c) { c.resize(); }); }, 120); });
  draw();
})();
