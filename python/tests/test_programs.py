"""Compiled programs agree with the methods that they were made from."""

import copy
import pickle
import subprocess
import sys
import textwrap
import threading
from typing import Literal

import numpy as np
import pytest

import featherline as fl

MODELS = {name: fl.load(name) for name in fl.ROBOTS}

# The algorithm, its arguments, and the method whose numbers it must give.
METHODS = {
    "rnea": "qva", "bias": "qv", "gravity_torque": "q", "aba": "qva", "crba": "q", "mass_matrix_inverse": "q",
    "mass_matrix_solve": "qv", "centroidal_map": "q", "center_of_mass": "q", "joint_torque_regressor": "qva",
}  # fmt: skip


def state(model, n=None, seed=0):
    random = np.random.default_rng(seed)
    q = model.random_configuration(seed, n)
    shape = (model.nv,) if n is None else (n, model.nv)
    return {"q": q, "v": random.normal(size=shape), "a": random.normal(size=shape)}


def agree(found, expected, tolerance=1e-12):
    """Within 1e-12 of the largest number: a few hundred roundings of 1e-16, in another order."""
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= tolerance * max(1.0, np.abs(expected).max(initial=0))


@pytest.mark.parametrize("robot", MODELS)
def test_every_robot(robot):
    model = MODELS[robot]
    program = model.compile("rnea", lean=False)
    numbers = state(model, 9)
    agree(program(*numbers.values()), model.rnea(*numbers.values()))
    one = [rows[4] for rows in numbers.values()]
    agree(program(*one), model.rnea(*one))
    assert program.is_for(model)


@pytest.mark.parametrize("name", METHODS)
def test_every_method(name):
    model = MODELS["panda"]
    numbers = state(model, 40)
    arguments = [numbers[letter] for letter in METHODS[name]]
    program = model.compile(name)
    expected = getattr(model, name)(*arguments)
    # Solutions amplify roundings by the condition of the mass matrix, which is some hundreds.
    tolerance = 1e-9 if name in ["aba", "mass_matrix_inverse", "mass_matrix_solve"] else 1e-12
    agree(program(*arguments), expected, tolerance)
    agree(program(*(rows[3] for rows in arguments)), expected[3], tolerance)
    interpreted = model.compile(name, machine_code=False)
    assert interpreted.code_bytes is None
    assert np.array_equal(interpreted(*arguments), program(*arguments))
    out = np.empty_like(expected)
    assert program(*arguments, out=out) is out
    assert np.array_equal(out, program(*arguments))


def test_jacobians():
    model = MODELS["humanoid"]
    q = state(model, 5)["q"]
    frame = list(model.frames)[-1]
    references: list[Literal["local", "world", "local_world_aligned"]] = ["local", "world", "local_world_aligned"]
    for reference in references:
        program = model.compile("jacobian", frame=frame, reference=reference)
        agree(program(q), model.jacobian(q, frame, reference))


def test_several_results():
    model = MODELS["panda"]
    numbers = state(model, 5)
    q, v = numbers["q"], numbers["v"]
    terms = model.compile("all_terms")
    found = terms(q, v)
    assert list(found) == list(terms.outputs)
    agree(found["mass_matrix"], model.crba(q))
    agree(found["bias"], model.bias(q, v))
    agree(found["kinetic_energy"][:, 0], model.kinetic_energy(q, v))
    two = model.compile("all_terms", outputs=["bias", "com"])
    assert two.operations < terms.operations
    out = {"com": np.empty((5, 3))}
    found = two(q, v, out=out)
    assert list(found) == ["bias", "com"] and found["com"] is out["com"]
    agree(out["com"], model.center_of_mass(q))
    one = model.compile("all_terms", outputs="bias")
    agree(one(q, v), model.bias(q, v))
    links = model.compile("link_placements")(q)
    agree(links["placement:panda_link8"], model.placement(q, "panda_link8")[:, :3])


@pytest.mark.parametrize("name", ["rnea_derivatives", "aba_derivatives"])
def test_derivatives(name):
    model = MODELS["double_pendulum"]
    numbers = state(model, 6)
    program = model.compile(name)
    found, expected = program(*numbers.values()), getattr(model, name)(*numbers.values())
    assert len(found) == 4
    for one, other in zip(found.values(), expected, strict=True):
        agree(one, other, 1e-10)
    by_v = "dtau_dv" if name == "rnea_derivatives" else "dqdd_dv"
    agree(model.compile(name, outputs=by_v)(*numbers.values()), expected.dv, 1e-10)


def test_arguments_and_results():
    model = MODELS["panda"]
    program = model.compile("rnea")
    numbers = state(model, 4)
    q, v, a = numbers.values()
    expected = program(q, v, a)
    assert np.array_equal(program(q, a=a, v=v), expected)
    assert np.array_equal(program(q[0], v, a)[0], expected[0])
    assert np.array_equal(program(q.tolist(), v, a), expected)
    over = v.copy()
    program(q, over, a, out=over)
    assert np.array_equal(over, expected)
    wide = np.zeros((4, 14))
    program(q, v, a, out=wide[:, ::2])
    assert np.array_equal(wide[:, ::2], expected) and not wide[:, 1::2].any()
    for wrong in [(), (q, v), (q, v, a, a)]:
        with pytest.raises(TypeError, match="takes"):
            program(*wrong)
    with pytest.raises(TypeError, match="no argument `tau`"):
        program(q, v, tau=a)
    with pytest.raises(TypeError, match="twice"):
        program(q, v, a, v=v)
    with pytest.raises(ValueError, match=r"v has shape \(3,\)"):
        program(q, [0.0] * 3, a)
    with pytest.raises(ValueError, match="3 rows"):
        program(q, v[:3], a)
    with pytest.raises(ValueError, match="has no result"):
        program(q[0], v[0] * np.nan, a[0])
    with pytest.warns(UserWarning, match="1 of 4 states"):
        q[2] = np.inf
        found = program(q, v, a)
    assert np.isnan(found[2]).all() and np.array_equal(found[3], expected[3])


def test_files_and_pickles(tmp_path):
    model = MODELS["panda"]
    program = model.compile("crba")
    path = tmp_path / "panda.crba"
    program.save(path)
    q = state(model)["q"]
    for other in [
        fl.Program.load(path), pickle.loads(pickle.dumps(program)), copy.deepcopy(program)
    ]:  # fmt: skip
        assert other == program and hash(other) == hash(program)
        assert np.array_equal(other(q), program(q))
    assert program != model.compile("bias")
    assert not program.is_for(model.with_gravity([0, 0, 1]))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fl.Program.load(tmp_path / "nowhere")
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="panda.crba.*damaged"):
        fl.Program.load(path)
    path.write_text("no program")
    with pytest.raises(ValueError, match="no compiled program"):
        fl.Program.load(path)
    text = repr(program)
    assert "crba of panda" in text and "operations" in text and "saved" in text


def test_refusals():
    model = MODELS["panda"]
    with pytest.raises(KeyError, match="did you mean `rnea`"):
        model.compile("rnae")
    with pytest.raises(KeyError, match="panda_link8"):
        model.compile("jacobian", frame="panda_link88")
    with pytest.raises(ValueError, match="needs its frame"):
        model.compile("jacobian")
    with pytest.raises(ValueError, match="such as a 'jacobian', not to"):
        model.compile("crba", frame="panda_link8")
    with pytest.raises(KeyError, match="did you mean `bias`"):
        model.compile("all_terms", outputs=["bais"])
    with pytest.raises(ValueError, match="twice"):
        model.compile("all_terms", outputs=["bias", "bias"])


def test_a_processor_without_code():
    code = """
        import featherline as fl
        from featherline import _native
        _native._limit_instructions("baseline")
        model = fl.load("panda")
        program = model.compile("crba", lean=False)
        assert program.code_bytes is None and "interpreted" in repr(program)
        assert program(model.neutral()).shape == (7, 7)
        try:
            model.compile("crba", lean=False, machine_code=True)
        except NotImplementedError as error:
            assert "machine_code=None" in str(error)
        else:
            raise AssertionError
    """
    subprocess.run([sys.executable, "-P", "-c", textwrap.dedent(code)], check=True)


def test_threads():
    model = MODELS["panda"]
    program = model.compile("rnea")
    numbers = state(model, 3000)
    expected = program(*numbers.values())
    alone = np.array([program(*row) for row in zip(*numbers.values())])
    # Registers of one state and of many round alike.
    assert np.array_equal(alone, expected)
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal(program(*numbers.values()), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
