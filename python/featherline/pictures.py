"""Pictures of robots and recordings: figures by matplotlib, and HTML with SVG for notebooks."""

from __future__ import annotations

import importlib
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from featherline import Model, Recording, Simulation

# Colours for colour-blind readers, too (M. Okabe and K. Ito, "Color universal design", 2008).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"]

# Lines of curves beyond the colours.
_STYLES = ["-", "--", ":"]

# The first part of the names of columns with forces on a body.
_FORCE = "contact_force."

# The most curves of a panel that are named in it, and beside it.
_INSIDE = 10
_BESIDE = 20

# The most rows of a table, and points of a curve, in HTML.
_ROWS = 60
_POINTS = 600


class Panel(NamedTuple):
    """Curves over the same time: a title with the unit, and each curve by its name."""

    title: str
    curves: dict[str, NDArray[np.floating]]


def panels(recording: Recording, names: tuple[str, ...] = ()) -> list[Panel]:
    """The panels of a recording: q, v, tau, energies and contact forces, or what is named.

    A name is "q", "v", "tau", "energy" or "contacts", a column such as "q.elbow", or a joint.
    """
    if not names:
        own = ["q", "v"] + (["tau"] if np.any(recording.tau) else []) + ["energy"]
        names = (*own, "contacts") if len(recording.contacts) else tuple(own)
    return [_panel(recording, name) for name in names]


def _panel(recording: Recording, name: str) -> Panel:
    columns, units = recording.columns, recording.units
    if name == "energy":
        curves = {kind: getattr(recording, f"{kind}_energy") for kind in ("kinetic", "potential")}
        return Panel("energy [J]", {**curves, "total": recording.energy})
    if name == "contacts":
        bodies = [column[len(_FORCE) : -len(".x")] for column in columns if column.startswith(_FORCE) and column.endswith(".x")]
        if not bodies:
            raise ValueError("the recording has no contacts: it is of a method other than time-stepping, or nothing can touch")
        axes = {body: [recording[f"{_FORCE}{body}.{axis}"] for axis in "xyz"] for body in bodies}
        forces = {body: np.linalg.norm(own, axis=0) for body, own in axes.items()}
        return Panel("contact force [N]", {body: force for body, force in forces.items() if np.any(force)})
    if name in ("q", "v", "tau"):
        chosen = [column for column in columns if column.startswith(f"{name}.")]
    elif name in columns:
        chosen = [name]
    else:
        # An unknown name is an error here.
        recording[name]
        ends = (f".{name}", f".{name}.")
        chosen = [c for c in columns if c.startswith("q.") and (c.endswith(ends[0]) or ends[1] in c)]
        chosen += [c for c in columns if c.startswith("v.") and (c.endswith(ends[0]) or ends[1] in c)]
    kinds = sorted({units[column] for column in chosen} - {"1"}) or ["1"]
    short = {column: column.removeprefix(f"{name}.") for column in chosen}
    return Panel(f"{name} [{', '.join(kinds)}]", {short[c]: recording[c] for c in chosen})


def _pyplot() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as reason:
        raise ImportError("plots need matplotlib, which is not installed: pip install matplotlib") from reason


def plot_recording(recording: Recording, names: tuple[str, ...] = ()) -> Any:
    """Draws the panels of a recording; a matplotlib figure."""
    drawn = panels(recording, names)
    plt = _pyplot()
    height = 1.0 + 2.2 * len(drawn)
    figure, axes = plt.subplots(len(drawn), 1, sharex=True, squeeze=False, figsize=(8.0, height), layout="constrained")
    t = recording.t
    for axis, panel in zip(axes[:, 0], drawn, strict=True):
        for k, (name, values) in enumerate(panel.curves.items()):
            turn, colour = divmod(k, len(COLOURS))
            axis.plot(t, values, _STYLES[turn % len(_STYLES)], label=name, color=COLOURS[colour], linewidth=1.2)
        axis.set_ylabel(panel.title)
        axis.grid(alpha=0.3)
        if 1 < len(panel.curves) <= _INSIDE:
            axis.legend(loc="best", fontsize="small")
        elif _INSIDE < len(panel.curves) <= _BESIDE:
            axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize="x-small")
    axes[-1, 0].set_xlabel("t [s]")
    figure.suptitle(recording.model.name)
    return figure


def tree(model: Model) -> dict[str, tuple[int, float]]:
    """Where `plot_tree` puts each joint: its depth below the world, and its row.

    Leaves have rows of their own, in the model's order; a joint with children is in the middle of them.
    """
    joints = model.joints
    children: dict[str | None, list[str]] = {}
    for name, joint in joints.items():
        children.setdefault(joint.parent, []).append(name)
    depth: dict[str, int] = {}
    for name, joint in joints.items():
        depth[name] = 0 if joint.parent is None else depth[joint.parent] + 1
    # From the end of the tree's preorder: children before parents.
    order: list[str] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting.extend(reversed(children.get(name, [])))
    leaves = iter(range(len(order)))
    row = {name: float(next(leaves)) for name in order if name not in children}
    for name in reversed(order):
        if name in children:
            rows = [row[child] for child in children[name]]
            row[name] = (rows[0] + rows[-1]) / 2.0
    return {name: (depth[name], row[name]) for name in order}


def plot_tree(model: Model) -> Any:
    """Draws the tree of joints from the world on the left to the tips; a matplotlib figure."""
    plt = _pyplot()
    places = tree(model)
    depth = max((place[0] for place in places.values()), default=0)
    rows = max((place[1] for place in places.values()), default=0.0)
    size = (min(40.0, 3.0 + 1.6 * (depth + 1)), min(40.0, 1.5 + 0.55 * (rows + 1.0)))
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    bases = [row for level, row in places.values() if level == 0]
    world = (-1, (min(bases) + max(bases)) / 2.0 if bases else 0.0)
    for name, (level, row) in places.items():
        joint = model.joints[name]
        parent = world if joint.parent is None else places[joint.parent]
        axis.plot([parent[0], level], [parent[1], row], color="#999999", linewidth=1.0, zorder=1)
    kinds = {kind: k for k, kind in enumerate(dict.fromkeys(joint.kind for joint in model.joints.values()))}
    for kind, k in kinds.items():
        own = [places[name] for name, joint in model.joints.items() if joint.kind == kind]
        colour = COLOURS[k % len(COLOURS)]
        axis.scatter([p[0] for p in own], [p[1] for p in own], s=45, color=colour, label=kind, zorder=2)
    axis.scatter([world[0]], [world[1]], s=60, color="black", marker="s", label="world", zorder=2)
    for name, (level, row) in places.items():
        axis.annotate(name, (level, row), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    axis.invert_yaxis()
    axis.margins(x=0.12, y=0.15)
    axis.set_axis_off()
    axis.legend(loc="upper left", bbox_to_anchor=(0.0, 0.0), ncols=4, fontsize="small", frameon=False)
    axis.set_title(f"{model.name}: {len(places)} joints, nq = {model.nq}, nv = {model.nv}")
    return figure


def _number(value: float) -> str:
    return f"{value:.4g}".replace("inf", "∞").replace("-", "−")


def model_html(model: Model) -> str:
    """A table of the joints."""
    head = "".join(f"<th>{word}</th>" for word in ("joint", "kind", "parent", "q", "v", "lower", "upper", "mass [kg]"))
    rows = []
    for joint in list(model.joints.values())[:_ROWS]:
        cells = [
            escape(joint.name),
            escape(joint.kind),
            "world" if joint.parent is None else escape(joint.parent),
            _places(joint.idx_q, joint.nq),
            _places(joint.idx_v, joint.nv),
            ", ".join(map(_number, joint.lower)),
            ", ".join(map(_number, joint.upper)),
            _number(joint.mass),
        ]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = len(model.joints) - _ROWS
    if more > 0:
        rows.append(f'<tr><td colspan="8">and {more} more</td></tr>')
    title = (
        f"<b>{escape(model.name)}</b>: {len(model.joints)} joints, nq = {model.nq}, nv = {model.nv}, "
        f"{_number(model.total_mass)} kg"
    )
    return f"<div><p>{title}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"


def _places(start: int, count: int) -> str:
    if count == 0:
        return "–"
    return str(start) if count == 1 else f"{start}…{start + count - 1}"


def simulation_html(simulation: Simulation) -> str:
    """The description of a simulation, and its recording."""
    text = f"<p>{escape(repr(simulation))}</p>"
    recording = simulation.record
    return f"<div>{text}{recording_html(recording) if len(recording) else ''}</div>"


def recording_html(recording: Recording) -> str:
    """The description of a recording, and a chart of its configurations and energies."""
    text = f"<p>{escape(repr(recording))}</p>"
    if len(recording) < 2:
        return f"<div>{text}</div>"
    drawn = panels(recording, ("q", "energy"))
    return f"<div>{text}{svg(recording.t, drawn)}</div>"


def svg(t: NDArray[np.floating], drawn: list[Panel], width: int = 640, height: int = 180) -> str:
    """Panels one below the other as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height * len(drawn)}" '
        'font-family="sans-serif" font-size="11">'
    ]
    for k, panel in enumerate(drawn):
        parts += _svg_panel(t, panel, (60, height * k + 22, width - 170, height - 48))
    parts.append("</svg>")
    return "".join(parts)


def _svg_panel(t: NDArray[np.floating], panel: Panel, area: tuple[int, int, int, int]) -> list[str]:
    left, top, width, height = area
    every = max(1, len(t) // _POINTS)
    values = np.array(list(panel.curves.values()))
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    begin, end = float(t[0]), float(t[-1])
    span = end - begin or 1.0
    x = left + width * (t[::every] - begin) / span
    parts = [
        f'<text x="{left}" y="{top - 7}">{escape(panel.title)}</text>',
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="white" stroke="#bbbbbb"/>',
    ]
    for value, y in ((high, top + 8), (low, top + height)):
        parts.append(f'<text x="{left - 4}" y="{y}" text-anchor="end">{_number(value)}</text>')
    for value, anchor, place in ((begin, "start", left), (end, "end", left + width)):
        parts.append(f'<text x="{place}" y="{top + height + 14}" text-anchor="{anchor}">{_number(value)} s</text>')
    for k, (name, curve) in enumerate(panel.curves.items()):
        colour = COLOURS[k % len(COLOURS)]
        ups = top + height * (high - curve[::every]) / (high - low)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, ups, strict=True) if np.isfinite(b))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        if k < _INSIDE:
            line = top + 8 + 13 * k
            parts.append(f'<text x="{left + width + 8}" y="{line}" fill="{colour}">{escape(name)}</text>')
    return parts
