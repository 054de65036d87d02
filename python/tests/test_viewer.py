"""The viewer: what is served, and what is refused."""

from __future__ import annotations

import json
import pathlib
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pytest

import featherline as fl


def fetch(viewer: fl.Viewer, path: str) -> bytes:
    with urllib.request.urlopen(viewer.address.replace("/?", f"/{path}?"), timeout=10) as answer:
        data: bytes = answer.read()
    return data


def scene(viewer: fl.Viewer) -> tuple[dict[str, Any], bytes]:
    data = fetch(viewer, "scene")
    assert data[:4] == b"FLSC"
    size = int.from_bytes(data[4:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def doubles(buffer: bytes, part: dict[str, int]) -> np.ndarray:
    return np.frombuffer(buffer, np.float64, part["count"], part["offset"])


def test_the_page_and_the_scene_are_served() -> None:
    with fl.view("panda", open=False) as viewer:
        assert viewer.address in repr(viewer)
        assert "<title>" in fetch(viewer, "").decode()
        document, _ = scene(viewer)
        assert document["name"] == "panda"
        assert document["recording"] is None
        viewer.show(fl.load("panda").neutral(), t=0.1, contacts=[[0, 0, 0, 0, 0, 9.81]])
        assert viewer.address in viewer._repr_html_()
    assert repr(viewer) == "Viewer(closed)"
    with pytest.raises(RuntimeError, match="closed"):
        viewer.show(np.zeros(7))
    with pytest.raises(urllib.error.URLError):
        fetch(viewer, "scene")


def test_robots_of_all_kinds_are_shown() -> None:
    robot = fl.load_robot("panda")
    with fl.view(robot, open=False) as viewer:
        assert len(scene(viewer)[0]["shapes"]) == len(robot.geometry)
    # A model has no shapes; the page draws its joints.
    with fl.view(robot.model, open=False) as viewer:
        assert scene(viewer)[0]["shapes"] == []
    with fl.view("<robot name='r'><link name='a'/></robot>", open=False) as viewer:
        assert scene(viewer)[0]["name"] == "r"


def test_recordings_are_played(tmp_path: pathlib.Path) -> None:
    model = fl.load("double_pendulum")
    recording = fl.Simulation(model, [1.0, 0.5]).run(0.5, every=0.1)
    path = tmp_path / "run.csv"
    recording.save(path)
    for given in (recording, path, str(path)):
        with fl.view(model, given, open=False) as viewer:
            document, buffer = scene(viewer)
            for name in ("q", "v", "tau"):
                found = doubles(buffer, document["recording"][name]).reshape(-1, 2)
                assert np.array_equal(found, getattr(recording, name))
            assert np.array_equal(doubles(buffer, document["recording"]["times"]), recording.t)
    with fl.view(model, open=False) as viewer:
        viewer.play(recording)
        assert scene(viewer)[0]["recording"] is not None
        page = tmp_path / "page.html"
        assert viewer.html(page) == page.read_text()
        assert 'id="scene"' in page.read_text()
        with pytest.raises(ValueError, match="another robot"):
            viewer.play(fl.Simulation(fl.load("ur5")).run(0.01))


def test_contacts_of_a_recording_are_shown(tmp_path: pathlib.Path) -> None:
    recording = fl.Simulation("quadruped").run(0.05)
    path = tmp_path / "stand.jsonl"
    recording.save(path)
    parts: list[tuple[bytes, np.ndarray]] = []
    for given in (recording, path):
        with fl.view("quadruped", given, open=False) as viewer:
            document, buffer = scene(viewer)
            contacts = document["recording"]["contacts"]
            counts = contacts["counts"]
            parts.append((buffer[counts["offset"] :][: 4 * counts["count"]], doubles(buffer, contacts["numbers"])))
    (own, numbers), (of_file, others) = parts
    assert own == of_file and np.array_equal(numbers, others)
    assert np.frombuffer(own, np.uint32).sum() == len(recording.contacts) > 0
    with fl.view("quadruped", open=False) as viewer:
        viewer.play(recording[3:])
        shown = scene(viewer)[0]["recording"]["contacts"]["numbers"]
        assert shown["count"] == 9 * len(recording[3:].contacts)


def test_misuse_says_what_is_wrong() -> None:
    with fl.view("panda", open=False) as viewer:
        with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
            viewer.show([0, 0, 0])
        with pytest.raises(ValueError, match=r"q\[1\] is not finite"):
            viewer.show([0, np.nan, 0, 0, 0, 0, 0])
        with pytest.raises(ValueError, match="contacts has shape"):
            viewer.show(np.zeros(7), contacts=[[0, 0, 1]])
        port = int(viewer.address.split(":")[2].split("/")[0])
        with pytest.raises(OSError, match=f"{port}"):
            fl.view("panda", port=port, open=False)
    with pytest.raises(ValueError, match="has been read"):
        fl.view(fl.load("panda"), open=False, floating_base=True)
    with pytest.raises(FileNotFoundError, match="pnada"):
        fl.view("pnada", open=False)


def test_a_picture_needs_a_browser_and_says_what_to_install(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEATHERLINE_BROWSER", str(tmp_path / "none"))
    with pytest.raises(OSError, match=r"FEATHERLINE_BROWSER.*no such file"):
        fl.picture("panda", tmp_path / "panda.png")
    with pytest.raises(ValueError, match=r"neither \.png nor \.gif"):
        fl.picture("panda", "panda.svg")
    with pytest.raises(ValueError, match="q"):
        fl.picture("panda", "panda.png", [0.0, 1.0])
    with pytest.raises(ValueError, match="a motion, and there is none"):
        fl.picture("panda", "panda.gif")
    with pytest.raises(ValueError, match="16 to 4096 pixels"):
        fl.picture("panda", tmp_path / "panda.png", size=(8, 8))
    with pytest.raises(ValueError, match="look_from"):
        fl.picture("panda", tmp_path / "panda.png", look_from=(0, 0, 0))
    assert not list(tmp_path.iterdir())


def test_pictures_are_drawn_by_a_browser_or_say_which_to_install(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "panda.png"
    q = [0, -0.5, 0, -2, 0, 1.5, 0.8]
    try:
        fl.picture("panda", path, q, size=(320, 200), look_from=(0, -1, 0.1))
    except OSError as error:
        assert "install Chromium" in str(error)
        return
    png = path.read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    # Width and height are the first numbers of a PNG.
    assert (int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")) == (320, 200)
    simulation = fl.Simulation(fl.load("panda"), q)
    path = tmp_path / "panda.gif"
    fl.picture("panda", path, recording=simulation.run(0.2, every=0.05), size=(160, 100))
    gif = path.read_bytes()
    assert gif[:6] == b"GIF89a"
    assert (int.from_bytes(gif[6:8], "little"), int.from_bytes(gif[8:10], "little")) == (160, 100)
