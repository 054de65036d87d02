"""The public names of Pinocchio, and the arguments of its calls, beside those here; without Pinocchio.

pinocchio_generated_signatures.txt lists them, and pinocchio_generated_signatures.py says how it is written.
"""

import enum
import importlib
import inspect
import pathlib
import re

import featherline.pinocchio as fp

FILE = pathlib.Path(__file__).parent / "pinocchio_generated_signatures.txt"
NAMES = FILE.read_text().splitlines()
CALL = re.compile(r"(static )?(\w+)\((.*)\)$")
CLASS = re.compile(r"class (\w+)(?: = (\w+)|\((\w+)\))?$")
# What Python and pyo3 say of a call whose arguments have no place.
REFUSED = re.compile(r"unexpected keyword|missing \d+ |takes .*argument|no keyword|multiple values|has no form")


def read():
    """Of each public name, with the class or module that has it: its forms, or None of a field or a constant."""
    entries, members, inside = {}, {}, []
    for line in NAMES:
        depth = len(line) - len(line.lstrip())
        inside, line = inside[:depth], line.strip()
        if line.startswith("module "):
            inside.append(line.removeprefix("module "))
            continue
        kind = CLASS.match(line)
        if kind:
            own = members[kind[1]] = dict(members.get(kind[2] or kind[3], {}))
            inside.append(kind[1])
            entries[".".join(inside)] = None
            entries.update({".".join([*inside, name]): forms for name, forms in own.items()})
            continue
        call = CALL.match(line)
        name = call[2] if call else line
        forms = [form(text) for text in call[3].split("; ")] if call else None
        entries[".".join([*inside, name])] = forms
        if inside and inside[-1] in members:
            members[inside[-1]][name] = forms
    return entries


def form(text):
    """The arguments that a form needs, and those that it may have."""
    needed, _, more = text.rstrip("]").partition("[")
    return tuple([name for name in re.split(r"[, ]+", part) if name] for part in (needed, more))


def found(path):
    """What has a name here, and an object that has it for a method."""
    owner = fp
    *modules, name = path.split(".")
    for part in modules:
        if part[0].islower() and owner is fp and not hasattr(fp, part):
            owner = importlib.import_module(f"featherline.pinocchio.{part}")
        else:
            owner = getattr(owner, part)
    if isinstance(owner, type) and not issubclass(owner, enum.Enum) and name != "__init__":
        owner = instance(owner)
    return owner if name == "__init__" else getattr(owner, name)


MADE = {}


def instance(kind):
    if kind not in MADE:
        MADE[kind] = MAKE.get(kind.__name__, kind)()
    return MADE[kind]


def arm():
    return fp.buildSampleModelManipulator()


def shapes():
    """A geometry model of one shape."""
    model = fp.GeometryModel()
    model.addGeometryObject(fp.GeometryObject("ball", 0, 0, fp.SE3.Identity(), fp.Sphere(0.1)))
    return model


def constraint():
    return fp.RigidConstraintModel(fp.ContactType.CONTACT_3D, arm(), 1, fp.SE3.Identity())


# Objects of classes that are not made of nothing.
MAKE = {
    "BaumgarteCorrectorParameters": lambda: fp.BaumgarteCorrectorParameters(1),
    "CollisionPair": lambda: fp.CollisionPair(0, 1),
    "Data": lambda: arm().createData(),
    "GeometryData": lambda: fp.GeometryData(shapes()),
    "GeometryObject": lambda: shapes().geometryObjects[0],
    "JointModelMimic": lambda: fp.JointModelMimic(fp.JointModelRX(), 1.0, 0.0),
    "ModelPool": lambda: fp.ModelPool(arm()),
    "RigidConstraintData": lambda: fp.RigidConstraintData(constraint()),
    "RigidConstraintModel": constraint,
    "RobotWrapper": lambda: fp.RobotWrapper(arm()),
}


def refused(call, needed, given):
    """What a call says of arguments without a place: those needed by name, and all of them in their order."""
    names = [*needed, *given]
    blank = object()
    named = {name: blank for name in names if name != "_"}
    try:
        signature = inspect.signature(call)
    except ValueError:
        signature = None
    kinds = {p.kind for p in signature.parameters.values()} if signature else {inspect.Parameter.VAR_KEYWORD}
    if kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}:
        attempts = [lambda: call(*[blank] * len(names))]
        if "_" not in names:
            attempts.append(lambda: call(**named))
        for attempt in attempts:
            try:
                attempt()
            except Exception as error:
                if isinstance(error, TypeError) and REFUSED.search(str(error)):
                    return str(error)
        return None
    try:
        places = list(signature.bind(*[blank] * len(names)).arguments)
        if "_" not in names:
            signature.bind(**named)
    except TypeError as error:
        return str(error)
    other = [f"{place} for {name}" for place, name in zip(places, names, strict=True) if name not in ("_", place)]
    return ", ".join(other) or None


def difference(path, forms):
    """How a name differs from Pinocchio's; None if it does not."""
    try:
        value = found(path)
    except (AttributeError, NotImplementedError, ImportError) as error:
        return f"absent: {error}"
    except Exception as error:
        return f"cannot make: {error!r}"
    if (forms is not None) != (callable(value)) and not isinstance(value, type):
        return "a call" if forms is None else "a field"
    for needed, more in forms or []:
        for count in range(len(more) + 1):
            problem = refused(value, needed, more[:count])
            if problem:
                return f"({', '.join([*needed, *more[:count]])}): {problem}"
    return None


def test_x():
    for path, forms in read().items():
        d = difference(path, forms)
        if d:
            print(path, "|", d)
