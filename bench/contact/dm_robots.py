"""Robots of dm_control without what moves or watches them."""

import mujoco


def limp(file):
    """MJCF of a robot of dm_control: no actuators, cameras and sensors, no ball to play with.

    Height fields and equations between tendons, which featherline does not simulate, are left out
    for both engines.
    """
    spec = mujoco.MjSpec.from_file(str(file))
    for name in ("meshdir", "texturedir"):
        own = getattr(spec, name)
        setattr(spec, name, str(file.parent / own) if own else "")
    height_fields = [geom for geom in spec.geoms if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD]
    ball = [spec.body("ball")] if spec.body("ball") else []
    for part in [*spec.sensors, *spec.cameras, *spec.actuators, *spec.equalities, *height_fields, *ball]:
        spec.delete(part)
    spec.compile()
    return spec.to_xml()
