"""Pictures, notebooks and progress bars."""

import io
import sys
import xml.dom.minidom

import numpy as np
import pytest

import featherline as fl
from featherline import pictures
from featherline.progress import Progress

pytestmark = pytest.mark.filterwarnings("ignore:.* went beyond")


@pytest.fixture(scope="module")
def recording():
    return fl.Simulation(fl.load("double_pendulum"), [2.0, 1.0], controller=lambda t, q, v: [0.0, -v[1]]).run(1.0)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    yield matplotlib.pyplot
    matplotlib.pyplot.close("all")


def test_plot_of_a_recording(recording, pyplot):
    figure = recording.plot()
    assert [axis.get_ylabel() for axis in figure.axes] == ["q [rad]", "v [rad/s]", "tau [N·m]", "energy [J]"]
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    np.testing.assert_array_equal(lines["shoulder"].get_ydata(), recording.q[:, 0])
    np.testing.assert_array_equal(lines["elbow"].get_xdata(), recording.t)
    figure = recording.plot("elbow", "tau.elbow")
    assert {line.get_label() for line in figure.axes[0].get_lines()} == {"q.elbow", "v.elbow"}
    np.testing.assert_array_equal(figure.axes[1].get_lines()[0].get_ydata(), recording.tau[:, 1])
    with pytest.raises(KeyError, match="elbow"):
        recording.plot("elbwo")


def test_plot_of_contacts(pyplot, tmp_path):
    recording = fl.Simulation("quadruped").run(0.05)
    recording.save(tmp_path / "stand.csv")
    for shown in (recording, fl.Recording.load(tmp_path / "stand.csv", "quadruped")):
        axis = shown.plot().axes[-1]
        assert axis.get_ylabel() == "contact force [N]" and len(axis.lines) == 4
        (axis,) = shown.plot("contacts").axes
        # At rest the feet bear the weight.
        weight = sum(line.get_ydata()[-1] for line in axis.lines)
        np.testing.assert_allclose(weight, 9.81 * shown.model.total_mass, rtol=0.05)
    with pytest.raises(ValueError, match="no contacts"):
        fl.Simulation("double_pendulum", method="runge-kutta-4").run(0.1).plot("contacts")


def test_curves_have_names(pyplot):
    figure = fl.Simulation("quadruped").run(0.02).plot("q", "v", "tau")
    for axis, count in zip(figure.axes, (19, 18, 18), strict=True):
        assert len(axis.get_legend().get_texts()) == count
        assert len({(line.get_color(), line.get_linestyle()) for line in axis.lines}) == count
    figure.savefig(io.BytesIO())


@pytest.mark.parametrize("robot", ["panda", "humanoid", "hand", "stewart"])
def test_plot_of_a_tree(robot, pyplot):
    model = fl.load(robot)
    figure = model.plot_tree()
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert texts == set(model.joints)
    assert len(figure.axes[0].get_lines()) == len(model.joints)
    simulation = fl.Simulation(model, controller="gravity")
    simulation.run(0.02)
    assert len(simulation.plot("q").axes) == 1


@pytest.mark.parametrize("robot", ["panda", "humanoid", "hand"])
def test_places_of_a_tree(robot):
    model = fl.load(robot)
    places = pictures.tree(model)
    assert set(places) == set(model.joints) and len(set(places.values())) == len(places)
    for name, joint in model.joints.items():
        own = [places[child][1] for child, other in model.joints.items() if other.parent == name]
        if joint.parent is not None:
            assert places[name][0] == places[joint.parent][0] + 1
        if own:
            assert min(own) <= places[name][1] <= max(own)


def test_without_matplotlib(recording, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (recording.plot, recording.model.plot_tree):
        with pytest.raises(ImportError, match="pip install matplotlib"):
            draw()


def test_html_of_a_model():
    for name in fl.ROBOTS:
        model = fl.load(name)
        html = model._repr_html_()
        xml.dom.minidom.parseString(html)
        for joint in list(model.joints)[:50]:
            assert f"<td>{joint}</td>" in html


def test_html_of_a_recording(recording):
    document = xml.dom.minidom.parseString(recording._repr_html_())
    curves = document.getElementsByTagName("polyline")
    assert len(curves) == 2 + 3
    points = np.array([pair.split(",") for pair in curves[0].getAttribute("points").split()], dtype=float)
    assert len(points) == 101 and (np.diff(points[:, 0]) > 0).all()
    # The curve is an affine image of the angle, upside down.
    correlation = np.corrcoef(points[:, 1], recording.q[:, 0])[0, 1]
    assert correlation < -0.9999
    simulation = fl.Simulation(fl.load("double_pendulum"))
    assert "<svg" not in simulation._repr_html_()
    simulation.run(0.1)
    xml.dom.minidom.parseString(simulation._repr_html_())
    assert "<svg" in simulation._repr_html_()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal_alone():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        bar = Progress(1.0, 4.0, stream)
        bar.update(2.0)
        bar.close(5.0)
    first, last = terminal.getvalue().strip().split("\r")
    assert "25 %" in first and "t = 2 s" in first
    assert "100 %" in last and terminal.getvalue().endswith("\n")
    assert file.getvalue() == ""


def test_progress_of_a_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    simulation = fl.Simulation(fl.load("double_pendulum"), [1.0, 0.0])
    while terminal.getvalue().count("\r") < 3 and simulation.t < 1e5:
        simulation.run(300.0, every=10.0, progress=True)
    assert "100 %  t = 300 s" in terminal.getvalue()


def test_progress_by_tqdm(monkeypatch):
    pytest.importorskip("tqdm")
    simulation = fl.Simulation(fl.load("double_pendulum"), [1.0, 0.0])
    simulation.run(0.1, progress=True)
    assert simulation.t == pytest.approx(0.1)
