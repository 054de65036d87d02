"""The viewers of `featherline.pinocchio`: pictures against formulas, the page, and scripts that use them."""

import inspect
import pathlib
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import featherline.pinocchio as pin
from featherline.pinocchio import visualize
from featherline.pinocchio.visualize import MeshcatVisualizer, scene, shapes

TESTS = pathlib.Path(__file__).parent
ROBOTS = TESTS.parent.parent / "robots"
SCRIPTS = sorted((TESTS / "pinocchio_scripts" / "viewers").glob("*.py"))

RED, GREEN, BLUE = [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]

# Pixels from the centre of a picture of 200 rows, for a point one metre beside the axis at one metre.
FOCAL = 100.0 / np.tan(np.radians(20.0))

PENDULUM = """<robot name="pendulum"><link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 -0.8"/><geometry><sphere radius="0.05"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision><origin xyz="0 0 -0.8"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint></robot>"""


class Box:
    """The names of coal's box."""

    def __init__(self, *sides):
        self.halfSide = 0.5 * np.array(sides)


class Sphere:
    """The names of coal's and of meshcat's sphere."""

    def __init__(self, radius):
        self.radius = radius


class Material:
    """The names of meshcat's materials."""

    def __init__(self, color, opacity=1.0):
        self.color, self.opacity = color, opacity


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    return pin.buildModelsFromUrdf(str(path))


@pytest.fixture
def empty():
    viz = MeshcatVisualizer(pin.Model(), pin.GeometryModel(), pin.GeometryModel())
    viz.initViewer(loadModel=True)
    viz.setBackgroundColor("white")
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([2.0, 0.0, 0.0])
    yield viz
    viz.viewer.close()


def one(name, geometry, colour, translation=(0.0, 0.0, 0.0)):
    placement = pin.SE3(np.eye(3), np.array(translation, float))
    return pin.GeometryObject(name, 0, placement, geometry, mesh_color=np.array(colour))


def where(picture, colour):
    """The pixels (n, 2) whose strongest colours are those of a colour: x to the right, z up, from the centre."""
    height, width = picture.shape[:2]
    is_on = np.array(colour[:3]) > 0.5
    values = picture.astype(int)
    found = (values[..., is_on].min(axis=-1) - values[..., ~is_on].max(axis=-1)) > 60
    row, column = np.nonzero(found)
    return np.column_stack([column + 0.5 - 0.5 * width, 0.5 * height - row - 0.5])


def test_a_sphere_covers_its_cone_of_view(empty):
    empty.addGeometryObject(one("ball", Sphere(0.3), RED))
    picture = empty.captureImage(w=300, h=200)
    assert picture.shape == (200, 300, 3) and picture.dtype == np.uint8
    pixels = where(picture, RED)
    radius = FOCAL * np.tan(np.arcsin(0.3 / 2.0))
    np.testing.assert_allclose(len(pixels), np.pi * radius**2, rtol=0.02)
    np.testing.assert_allclose(pixels.mean(axis=0), 0.0, atol=0.3)
    assert (picture[0, 0] == 255).all()
    # A shape that stays where it is may be moved.
    empty.static_objects[0].placement.translation[:] = [0.0, 0.4, 0.0]
    empty.display()
    moved = where(empty.captureImage(w=300, h=200), RED)
    assert abs(moved[:, 0].mean() - FOCAL * 0.4 / 2.0) < 2.0


def test_what_is_nearer_hides_what_is_behind(empty):
    empty.addGeometryObject(one("ball", Sphere(0.3), RED))
    empty.addGeometryObject(one("box", Box(0.1, 0.2, 0.2), GREEN, [0.5, 0.0, 0.0]))
    pixels = where(empty.captureImage(w=200, h=200), GREEN)
    side = FOCAL * 0.2 / (2.0 - 0.55)
    np.testing.assert_allclose(len(pixels), side**2, rtol=0.06)
    empty.setCameraPosition([-2.0, 0.0, 0.0])
    assert len(where(empty.captureImage(w=200, h=200), GREEN)) == 0


def test_opacity_mixes_with_what_is_behind(empty):
    empty.viewer["back"].set_object(types.SimpleNamespace(geometry=Sphere(0.3), material=Material(0xFF0000)))
    empty.viewer["front"].set_object(Sphere(0.2), Material(0x0000FF, 0.25))
    move = np.eye(4)
    move[0, 3] = 0.6
    empty.viewer["front"].set_transform(move)
    centre = empty.captureImage(w=100, h=100)[50, 50]
    np.testing.assert_allclose(centre, [0.75 * 255, 0, 0.25 * 255], atol=3)


def test_the_camera(empty):
    empty.viewer["ball"].set_object(Sphere(0.05), Material(0xFF0000))
    move = np.eye(4)
    move[:3, 3] = [0.0, 0.4, 0.3]
    empty.viewer["ball"].set_transform(move)
    # From the x axis, y is to the right.
    expected = FOCAL * np.array([0.4, 0.3]) / 2.0
    np.testing.assert_allclose(where(empty.captureImage(w=300, h=200), RED).mean(axis=0), expected, atol=0.6)
    empty.setCameraZoom(1.5)
    np.testing.assert_allclose(where(empty.captureImage(w=300, h=200), RED).mean(axis=0), 1.5 * expected, atol=0.8)
    empty.setCameraZoom(1.0)
    # A pose looks along its y axis, here from (0, -2, 0): x is to the right.
    pose = np.eye(4)
    pose[1, 3] = -2.0
    empty.setCameraPose(pose)
    expected = FOCAL * np.array([0.0, 0.3]) / 2.4
    np.testing.assert_allclose(where(empty.captureImage(w=300, h=200), RED).mean(axis=0), expected, atol=0.6)
    empty.setCameraPreset("preset0")
    assert len(where(empty.captureImage(w=300, h=200), RED)) > 0


def test_display_moves_the_robot(robot):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer(loadModel=True)
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([3.0, 0.0, 0.0])
    for angle in (0.0, 0.7, -1.2):
        viz.display(np.array([angle]))
        # The ball hangs 0.8 m below the hinge about x.
        expected = FOCAL * 0.8 * np.array([np.sin(angle), -np.cos(angle)]) / 3.0
        pixels = where(viz.captureImage(w=240, h=200), RED)
        np.testing.assert_allclose(pixels.mean(axis=0), expected, atol=0.6)


def test_without_a_camera_all_of_the_robot_is_seen(robot):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer(loadModel=True)
    viz.display(np.array([0.5]))
    picture = viz.captureImage()
    assert picture.shape == (600, 960, 3)
    pixels = where(picture, RED)
    assert len(pixels) > 0.2 * 600 * 600
    assert np.abs(pixels[:, 1]).max() < 300
    assert viz.captureImage(h=60).shape == (60, 96, 3)
    assert viz.captureImage(w=96).shape == (60, 96, 3)
    with pytest.raises(ValueError, match="1 to 8192 pixels"):
        viz.captureImage(0, 10)


def test_visual_and_collision_shapes_and_colours(robot):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer()
    viz.loadViewerModel(collision_color=GREEN, visual_color=BLUE)
    viz.display(np.zeros(1))

    def colours():
        picture = viz.captureImage(w=60, h=60)
        return [len(where(picture, colour)) > 0 for colour in (RED, GREEN, BLUE)]

    assert colours() == [False, False, True]
    viz.displayCollisions(True)
    # The ball is inside the box.
    assert colours() == [False, True, False]
    viz.displayCollisions(False)
    viz.displayVisuals(False)
    assert colours() == [False, False, False]
    viz.displayVisuals(True)
    name = viz.getViewerNodeName(robot[2].geometryObjects[0], pin.GeometryType.VISUAL)
    assert name == "pinocchio/visuals/arm_0"
    viz.viewer[name].set_property("color", RED)
    assert colours() == [True, False, False]
    changed = robot[2].geometryObjects[0].copy()
    changed.meshColor = np.array(GREEN)
    viz.reload(changed, pin.GeometryType.VISUAL)
    viz.display()
    assert colours() == [False, True, False]
    viz.delete(changed, pin.GeometryType.VISUAL)
    assert colours() == [False, False, False]
    with pytest.warns(DeprecationWarning, match="visual_color"):
        viz.loadViewerModel(color=BLUE)
    viz.clean()
    assert colours() == [False, False, False]
    with pytest.raises(ValueError, match="red, green, blue and opacity"):
        viz.loadViewerModel(visual_color=[1.0, 0.0, 0.0])


def test_frames_are_axes_in_red_green_and_blue(robot):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer(loadModel=True)
    viz.displayVisuals(False)
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([3.0, 0.0, 0.0])
    viz.displayFrames(True, frame_ids=[robot[0].getFrameId("arm")], axis_length=0.6, axis_width=4)
    angle = 0.5
    viz.display(np.array([angle]))
    picture = viz.captureImage(w=240, h=200)
    ends = {"y": (GREEN, [np.cos(angle), np.sin(angle)]), "z": (BLUE, [-np.sin(angle), np.cos(angle)])}
    for colour, direction in ends.values():
        middle = FOCAL * 0.3 * np.array(direction) / 3.0
        np.testing.assert_allclose(where(picture, colour).mean(axis=0), middle, atol=1.5)
    viz.displayFrames(False)
    assert not any(len(where(viz.captureImage(w=240, h=200), colour)) for colour, _ in ends.values())


def test_velocities_of_frames_are_lines(robot):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer(loadModel=True)
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([3.0, 0.0, 0.0])
    model = robot[0]
    tip = model.addFrame(pin.Frame("tip", 1, 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.8])), pin.OP_FRAME))
    viz.rebuildData()
    pin.forwardKinematics(model, viz.data, np.zeros(1), np.array([2.0]))
    viz.drawFrameVelocities(tip, v_scale=0.25, color=0x0000FF)
    # The velocity is ω × r = (2, 0, 0) × (0, 0, -0.8) = (0, 1.6, 0), so the line reaches 0.4 m along y.
    pixels = where(viz.captureImage(w=240, h=200), BLUE)
    np.testing.assert_allclose(pixels[:, 0].max(), FOCAL * 0.4 / 3.0, atol=1.0)
    np.testing.assert_allclose(pixels[:, 1].mean(), -FOCAL * 0.8 / 3.0, atol=1.0)
    # At rest there is no line, in pictures and on the page.
    pin.forwardKinematics(model, viz.data, np.zeros(1), np.zeros(1))
    viz.drawFrameVelocities(tip)
    assert len(where(viz.captureImage(w=240, h=200), BLUE)) == 0
    assert viz.viewer.url().startswith("http://127.0.0.1:")
    viz.viewer.close()


def test_mesh_files(tmp_path, robot):
    corners = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0, 0]], float)
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    path = tmp_path / "tetrahedron.obj"
    path.write_text("\n".join(lines) + "\n")
    model, _, visual_model = robot
    scale = np.array([1.0, 0.5, 0.8])
    mesh = pin.GeometryObject("mesh", 0, pin.SE3.Identity(), None, str(path), scale, True, np.array(RED))
    viz = MeshcatVisualizer(model, None, visual_model)
    viz.initViewer(loadModel=True)
    viz.displayVisuals(True)
    viz.viewer["pinocchio/visuals/arm_0"].delete()
    viz.addGeometryObject(mesh)
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([4.0, 0.0, 0.0])
    pixels = where(viz.captureImage(w=200, h=200), RED)
    # The triangle behind is 0.5 m wide and 0.8 m high.
    np.testing.assert_allclose(pixels.max(axis=0), FOCAL * np.array([0.5, 0.8]) / 4.0, atol=2.5)
    np.testing.assert_allclose(len(pixels), 0.5 * 0.5 * 0.8 * (FOCAL / 4.0) ** 2, rtol=0.05)
    mesh.meshPath = str(tmp_path / "missing.stl")
    with pytest.warns(UserWarning, match=r"mesh is not shown: .*missing.stl was not found"):
        viz.addGeometryObject(mesh)
    broken = tmp_path / "broken.stl"
    broken.write_text("nothing")
    mesh.meshPath = str(broken)
    viz.addGeometryObject(mesh)
    with pytest.raises(ValueError, match=r"broken.stl: the mesh can't be read"):
        viz.captureImage()


def test_the_convex_shape_of_a_mesh_is_drawn_with_a_material(tmp_path, robot):
    path = tmp_path / "tetrahedron.obj"
    path.write_text("v 0 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    link = "<link name='a'><visual><geometry><mesh filename='tetrahedron.obj' scale='1 0.5 0.8'/></geometry></visual></link>"
    (tmp_path / "robot.urdf").write_text(f"<robot name='r'>{link}</robot>")
    model, shapes = pin.buildModelsFromUrdf(tmp_path / "robot.urdf", geometry_types=pin.VISUAL)
    mesh = shapes.geometryObjects[0].geometry
    mesh.buildConvexRepresentation(True)
    convex = pin.GeometryObject("convex", 0, pin.SE3.Identity(), mesh.convex)
    convex.meshColor, convex.overrideMaterial = np.array(RED), True
    convex.meshMaterial = pin.GeometryPhongMaterial()
    convex.meshMaterial.meshEmissionColor = np.array([1.0, 0.1, 0.1, 1.0])
    convex.meshMaterial.meshShininess = 0.8
    shapes.removeGeometryObject("a_0")
    shapes.addGeometryObject(convex)
    viz = MeshcatVisualizer(model, None, shapes)
    viz.initViewer(loadModel=True)
    viz.display(pin.neutral(model))
    viz.setCameraTarget([0.0, 0.0, 0.0])
    viz.setCameraPosition([4.0, 0.0, 0.0])
    pixels = where(viz.captureImage(w=200, h=200), RED)
    np.testing.assert_allclose(pixels.max(axis=0), FOCAL * np.array([0.5, 0.8]) / 4.0, atol=2.5)


def test_materials_are_those_of_pinocchio():
    theirs = pytest.importorskip("pinocchio")
    for parts in [(), (np.array(RED), np.array(BLUE), 0.5)]:
        one, other = (module.GeometryPhongMaterial(*parts) for module in (theirs, pin))
        for name in ("meshEmissionColor", "meshSpecularColor", "meshShininess"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
        copied = pin.GeometryPhongMaterial(other)
        assert copied == other and copied.meshEmissionColor is not other.meshEmissionColor
    kinds = [str(kind) for kind in theirs.PhysicsMaterialType.names]
    assert sorted(kinds) == sorted(pin.PhysicsMaterialType.__members__)
    tables = []
    for module in (theirs, pin):
        matrix = module.getFrictionCoefficientMatrix()
        of = [getattr(module, kind) for kind in kinds]
        tables.append([int(kind) for kind in of] + [matrix.getFrictionFromMaterialPair(a, b) for a in of for b in of])
        made = [module.PhysicsMaterial(), module.PhysicsMaterial(module.WOOD, 0.5, 0.25)]
        for one in [*made, *map(module.PhysicsMaterial, made)]:
            tables[-1] += [int(one.materialType), one.elasticity, one.compliance]
    assert tables[0] == tables[1] and pin.PhysicsMaterial() == pin.PhysicsMaterial(pin.PhysicsMaterial())
    with pytest.raises(TypeError, match="takes 0, 1 or 3 arguments, not 2"):
        pin.PhysicsMaterial(pin.WOOD, 0.5)
    assert pin.GeometryNoMaterial() == pin.GeometryNoMaterial(pin.GeometryNoMaterial()) != copied
    with pytest.raises(TypeError, match="takes nothing, another one"):
        pin.GeometryPhongMaterial(RED, RED)


def test_the_page_has_the_shapes_where_they_are(robot, monkeypatch):
    shown = []

    def view(robot, open):
        assert open is False
        return types.SimpleNamespace(robot=robot, address="http://page", show=shown.append, close=lambda: None)

    opened = []
    monkeypatch.setattr(scene, "view", view)
    monkeypatch.setattr(scene.webbrowser, "open", opened.append)
    model, collision_model, visual_model = robot
    viz = MeshcatVisualizer(model, collision_model, visual_model)
    viz.initViewer(open=True)
    viz.loadViewerModel()
    viz.displayCollisions(True)
    assert opened == []
    q = np.array([0.7])
    viz.display(q)
    assert opened == ["http://page"]
    viz.display(-q)
    assert opened == ["http://page"]
    page = viz.viewer._tree.page.robot
    assert [shape.link for shape in page.geometry] == [
        "/meshcat/pinocchio/collisions/arm_0", "/meshcat/pinocchio/visuals/arm_0",
    ]  # fmt: skip
    np.testing.assert_allclose(page.geometry[1].colour, RED)
    pin.forwardKinematics(model, viz.data, -q)
    expected = viz.data.oMi[1] * visual_model.geometryObjects[0].placement
    for body in range(2):
        placed = pin.XYZQUATToSE3(np.array(shown[-1][7 * body : 7 * body + 7]))
        np.testing.assert_allclose(placed.homogeneous, expected.homogeneous, atol=1e-12)
    # What is hidden later leaves the page; what is added is reported.
    with pytest.warns(UserWarning, match="objects have changed"):
        viz.displayCollisions(False)
        viz.display(q)
    assert abs(shown[-1][2]) > 1e5 and abs(shown[-1][9]) < 1.0


def test_an_empty_scene(monkeypatch):
    opened = []
    monkeypatch.setattr(scene.webbrowser, "open", opened.append)
    viz = MeshcatVisualizer()
    viz.initViewer()
    assert (viz.captureImage(40, 30)[:, 0] == viz.captureImage(40, 30)[:, -1]).all()
    assert viz.viewer.url().startswith("http://127.0.0.1:")
    viz.viewer.open()
    viz.loadViewerModel()
    viz.addGeometryObject(one("ball", Sphere(0.3), RED))
    assert opened == []
    viz.display()
    assert opened == [viz.viewer.url()]
    viz.viewer.close()


def test_nothing_opens_unless_it_is_asked_for(robot, monkeypatch):
    monkeypatch.setattr(scene.webbrowser, "open", lambda address: pytest.fail(address))
    viz = MeshcatVisualizer(*robot)
    viz.initViewer()
    viz.loadViewerModel()
    viz.display(np.zeros(1))
    assert viz.viewer._tree.page is None
    assert viz.viewer.url().startswith("http://127.0.0.1:")
    cell = viz.viewer.jupyter_cell(height=300)._repr_html_()
    assert viz.viewer.url().replace("&", "&amp;") in cell and "300px" in cell
    assert "<script id=" in viz.viewer.static_html()
    assert "srcdoc" in viz.viewer.render_static()._repr_html_()
    viz.viewer.wait()
    viz.display(np.ones(1))
    viz.viewer.close()


def test_paths_of_the_viewer(empty):
    viewer = empty.viewer
    viewer["group/ball"].set_object(Sphere(0.05), Material(0xFF0000))
    up, aside = np.eye(4), np.eye(4)
    up[2, 3], aside[1, 3] = 0.3, -0.2
    viewer["group"].set_transform(up)
    viewer["group"]["ball"].set_transform(aside)
    pixels = where(empty.captureImage(w=200, h=200), RED)
    np.testing.assert_allclose(pixels.mean(axis=0), FOCAL * np.array([-0.2, 0.3]) / 2.0, atol=0.6)
    other = MeshcatVisualizer(pin.Model(), None, None)
    other.initViewer(viewer)
    assert len(where(other.captureImage(w=200, h=200), RED)) == len(pixels)
    viewer["group"].set_property("visible", False)
    assert len(where(empty.captureImage(w=200, h=200), RED)) == 0
    viewer["group"].set_property("visible", True)
    viewer["gro"].delete()
    assert len(where(empty.captureImage(w=200, h=200), RED)) == len(pixels)
    viewer["group"].delete()
    assert len(where(empty.captureImage(w=200, h=200), RED)) == 0
    with pytest.raises(ValueError, match=r"meshcat/a must be 4 x 4"):
        viewer["a"].set_transform(np.eye(3))
    with pytest.raises(NotImplementedError, match="SimpleNamespace: boxes"):
        viewer["a"].set_object(types.SimpleNamespace())
    with pytest.raises(NotImplementedError, match=r"viewer\.window"):
        viewer.window.send(None)
    with pytest.raises(NotImplementedError, match="set_animation"):
        viewer.set_animation(None)
    with pytest.raises(TypeError, match="viewer is a int"):
        other.initViewer(viewer=3)
    with pytest.raises(NotImplementedError, match="zmq_url"):
        other.initViewer(zmq_url="tcp://127.0.0.1:6000")


class LineSegments(types.SimpleNamespace):
    """The names of meshcat's lines."""


class Points(types.SimpleNamespace):
    """The names of meshcat's points."""


def test_lines_and_points_of_meshcat(empty):
    # A red line along y, and a green one along z, from (0, 0.1, 0).
    ends = np.array([[0, 0.1, 0], [0, 0.5, 0], [0, 0.1, 0], [0, 0.1, 0.4]]).T
    colours = np.array([[1, 0, 0], [1, 0.6, 0], [0, 1, 0], [0.6, 1, 0]]).T
    geometry = types.SimpleNamespace(position=ends, color=colours)
    material = types.SimpleNamespace(linewidth=5, vertexColors=True)
    empty.viewer["axes"].set_object(LineSegments(geometry=geometry, material=material))
    picture = empty.captureImage(w=200, h=200)
    for colour, middle in ((RED, [0.3, 0.0]), (GREEN, [0.1, 0.2])):
        np.testing.assert_allclose(where(picture, colour).mean(axis=0), FOCAL * np.array(middle) / 2.0, atol=1.0)
    # Two blue points of one line each are cubes of 0.1 m.
    geometry = types.SimpleNamespace(position=np.array([[0, -0.3, 0], [0, -0.3, 0.3]]).T, color=None)
    material = types.SimpleNamespace(size=0.1, color=0x0000FF)
    empty.viewer["cloud"].set_object(Points(geometry=geometry, material=material))
    pixels = where(empty.captureImage(w=200, h=200), BLUE)
    np.testing.assert_allclose(pixels.mean(axis=0), FOCAL * np.array([-0.3, 0.15]) / 2.0, atol=2.0)
    assert 2.0 < len(pixels) / (FOCAL * 0.1 / 2.0) ** 2 < 2.8
    assert empty.viewer.url().startswith("http://127.0.0.1:")


def test_shapes_that_are_not_drawn_are_reported(empty):
    with pytest.warns(UserWarning, match="odd is not shown: SimpleNamespace"):
        empty.addGeometryObject(one("odd", types.SimpleNamespace(), RED))


@pytest.mark.parametrize("name", ["GepettoVisualizer", "Panda3dVisualizer", "RVizVisualizer", "ViserVisualizer"])
def test_other_visualizers_raise_when_they_are_made(name, robot, monkeypatch):
    kind = getattr(visualize, name)
    extended = type("Extended", (kind,), {})
    for made in (kind, extended):
        with pytest.raises(ImportError, match=f"{name} .* use MeshcatVisualizer"):
            made(*robot)
    monkeypatch.setenv("PINOCCHIO_VIEWER", name.removesuffix("Visualizer").lower())
    with pytest.raises(ImportError, match="MeshcatVisualizer"):
        pin.RobotWrapper(*robot).initViewer()
    monkeypatch.setenv("PINOCCHIO_VIEWER", "none")
    with pytest.raises(ImportError, match="PINOCCHIO_VIEWER"):
        visualize.Visualizer.default()


def test_robot_wrapper(robot):
    wrapper = pin.RobotWrapper(*robot)
    for call in (lambda: wrapper.display(np.zeros(1)), lambda: wrapper.viewer, wrapper.loadViewerModel):
        with pytest.raises(RuntimeError, match="initViewer"):
            call()
    wrapper.initViewer(loadModel=True)
    assert wrapper.viz.data is wrapper.data and wrapper.viz.model is wrapper.model
    wrapper.display(np.array([0.3]))
    np.testing.assert_allclose(wrapper.data.oMi[1].rotation[1, 2], -np.sin(0.3))
    wrapper.rebuildData()
    assert wrapper.viz.data is wrapper.data and wrapper.viz.visual_data is wrapper.visual_data
    apart = pin.RobotWrapper(*robot)
    apart.initViewer(False)
    assert apart.viz.data is not apart.data and apart.viz.model is not apart.model
    given = MeshcatVisualizer()
    apart.setVisualizer(given)
    assert given.model is apart.model and apart.viz is given
    apart.initViewer(loadModel=True)
    assert apart.getViewerNodeName(robot[2].geometryObjects[0], pin.VISUAL) == "pinocchio/visuals/arm_0"
    assert apart.viewer is given.viewer
    kept = given.data
    apart.rebuildData()
    assert given.data is not kept and given.data is not apart.data


def test_play_and_video(robot, monkeypatch, tmp_path):
    viz = MeshcatVisualizer(*robot)
    viz.initViewer(loadModel=True)
    waits, calls = [], []
    monkeypatch.setattr(viz, "sleep", waits.append)
    trajectory = np.array([[0.0], [0.5], [1.0]])
    assert viz.play(trajectory, dt=10.0, callback=lambda i, word: calls.append((i, word)), word="a") is None
    assert calls == [(0, "a"), (1, "a"), (2, "a")] and len(waits) == 3 and 9.0 < min(waits) < 10.0
    monkeypatch.setattr(viz, "captureImage", lambda: float(viz.data.oMi[1].rotation[2, 1]))
    np.testing.assert_allclose(viz.play(trajectory, capture=True), np.sin(trajectory[:, 0]))
    monkeypatch.setitem(sys.modules, "imageio", None)
    with pytest.warns(UserWarning, match="pip install imageio"), viz.create_video_ctx():
        assert not viz.has_video_writer()
    frames, files = [], []

    def get_writer(filename, fps):
        files.append((str(filename), fps))
        return types.SimpleNamespace(append_data=frames.append, close=lambda: files.append("closed"))

    monkeypatch.setitem(sys.modules, "imageio", types.SimpleNamespace(get_writer=get_writer))
    with viz.create_video_ctx(directory=tmp_path, fps=20):
        assert viz.has_video_writer()
        assert viz.play(trajectory) is None
    assert len(frames) == 3 and files[1] == "closed" and files[0][1] == 20
    assert files[0][0].startswith(str(tmp_path)) and files[0][0].endswith(".mp4")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_with_viewers_run(script):
    text = script.read_text(encoding="utf-8")
    text = re.sub(r"^(import|from) pinocchio\b", r"\1 featherline.pinocchio", text, flags=re.MULTILINE)
    command = [sys.executable, "-P", "-W", "ignore", "-c", text, str(ROBOTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 1 and "False" not in done.stdout


def test_signatures_are_those_of_pinocchio():
    theirs = pytest.importorskip("pinocchio.visualize")
    same = [(getattr(theirs, name), getattr(visualize, name)) for name in ("BaseVisualizer", "MeshcatVisualizer")]
    # Abstract, with other arguments in each visualizer; and what draws for meshcat's own page.
    left_out = {"setBackgroundColor", "loadPrimitive", "loadMeshFromFile", "_check_meshcat_has_get_image"}
    left_out |= {"BuildFromSDF", "initFromSDF"}
    viewing = {"viewer", "setVisualizer", "getViewerNodeName", "initViewer", "loadViewerModel", "display", "play"}
    wrapper = pytest.importorskip("pinocchio").RobotWrapper
    assert viewing <= set(dir(wrapper)) and viewing <= set(dir(pin.RobotWrapper))
    for their_class, our_class in [*same, (wrapper, pin.RobotWrapper)]:
        for name, function in inspect.getmembers(their_class, inspect.isfunction):
            if name not in left_out and (their_class is not wrapper or name in viewing):
                ours = inspect.signature(getattr(our_class, name)).parameters
                assert list(ours) == list(inspect.signature(function).parameters), name


def test_lines_are_square_bars_between_their_ends():
    ends = np.array([[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]] * 2, [[0.0, 1.0, 0.0], [0.0, 1.0, 3.0]]])
    vertices, faces = shapes.lines(ends, 0.1)
    assert vertices.shape == (16, 3) and faces.shape == (24, 3)
    for corners, (a, b) in zip(vertices.reshape(2, 8, 3), ends[[0, 2]], strict=True):
        # Half the corners are at each end, at the diagonal of a square with half the side 0.1.
        for end in (a, b):
            distances = np.sort(np.linalg.norm(corners - end, axis=1))
            np.testing.assert_allclose(distances[:4], 0.1 * np.sqrt(2), rtol=1e-12)
        np.testing.assert_allclose(corners.mean(axis=0), (a + b) / 2, atol=1e-12)
    # Each bar is closed, and its triangles turn outwards: they enclose its volume.
    volume = np.einsum("fi,fi->", vertices[faces[:, 0]], np.cross(vertices[faces[:, 1]], vertices[faces[:, 2]])) / 6
    np.testing.assert_allclose(volume, (2.0 + 3.0) * 0.2 * 0.2, rtol=1e-12)
