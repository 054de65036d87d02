"""Writes the hashes of the stored models in content_hash.json.

The description of a model is put together from its stored form as the documentation of `Model::content_hash` says,
without a line of the library, and hashed by the reference implementation of XXH3 (Y. Collet's, through the package
`xxhash`). Run: python content_hash.py (needs xxhash 4).
"""

import json
import pathlib
import struct

import xxhash

FILE = pathlib.Path(__file__).with_name("content_hash.json")


def count(n):
    return struct.pack("<Q", n)


def text(s):
    return count(len(s.encode())) + s.encode()


def numbers(*values):
    return b"".join(struct.pack("<d", x + 0.0) for x in values)


def listed(values, absent=None):
    return count(len(values)) + numbers(*(absent if x is None else x for x in values))


def vector(v):
    return numbers(*v)


def placement(p):
    r = p["rotation"]
    return vector(r["x"]) + vector(r["y"]) + vector(r["z"]) + vector(p["translation"])


def inertia(y):
    r = y["rotational"]
    return numbers(y["mass"]) + vector(y["com"]) + numbers(*(r[k] for k in ("xx", "xy", "xz", "yy", "yz", "zz")))


def kind(k):
    if isinstance(k, str):
        return text(k)
    [(name, fields)] = k.items()
    if name == "composite":
        parts = (placement(part["placement"]) + kind(part["kind"]) for part in fields)
        return text(name) + count(len(fields)) + b"".join(parts)
    parameters = (fields[key] for key in ("axis", "pitch", "first", "second", "radii") if key in fields)
    return text(name) + b"".join(numbers(p) if isinstance(p, float) else vector(p) for p in parameters)


def joint(j):
    mimic = j["mimic"]
    follows = count(0)
    if mimic is not None:
        follows = count(1) + count(mimic["source"]) + numbers(mimic["ratio"], mimic["offset"])
    infinity = float("inf")
    limits, drive = j["limits"], j["drive"]
    bounds = [listed(limits["lower"], -infinity)]
    bounds += [listed(limits[k], infinity) for k in ("upper", "velocity", "effort", "acceleration")]
    parameters = ("armature", "rotor_inertia", "gear_ratio", "damping", "friction", "stiffness", "spring_reference")
    return b"".join([text(j["name"]), kind(j["kind"]), count(j["parent"]), placement(j["placement"]),
                     inertia(j["inertia"]), follows, *bounds, *(listed(drive[k]) for k in parameters)])


def frame(f):
    return text(f["name"]) + text(f["kind"]) + count(f["joint"]) + placement(f["placement"])


def loop_joint(j):
    return b"".join([text(j["name"]), kind(j["kind"]), count(j["predecessor"]), placement(j["predecessor_placement"]),
                     count(j["successor"]), placement(j["successor_placement"])])


def model(m):
    configurations = sorted(m["reference_configurations"].items(), key=lambda item: item[0].encode())
    # A tree's description ends before its loops.
    loops = m.get("loop_joints", [])
    closing = count(len(loops)) + b"".join(map(loop_joint, loops)) if loops else b""
    return b"".join([text("featherline model 1"), text(m["name"]), vector(m["gravity"]),
                     count(len(m["joints"])), *map(joint, m["joints"]),
                     count(len(m["frames"])), *map(frame, m["frames"]),
                     count(len(configurations)), *(text(name) + listed(q) for name, q in configurations), closing])


cases = json.loads(FILE.read_text())
for case in cases:
    case["hash"] = xxhash.xxh3_128_hexdigest(model(case["model"]))
FILE.write_text(json.dumps(cases, ensure_ascii=False, separators=(",", ":")) + "\n")
