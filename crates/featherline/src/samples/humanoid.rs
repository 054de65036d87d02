//! A humanoid with fingers.

use crate::joint::JointKind;
use crate::model::{JointHandle, JointSpec, Model, ModelBuilder};
use crate::spatial::{Inertia, Se3, Sym3, Vec3};

/// A joint of a limb: its name, its axis (0, 1, 2 for x, y, z), where it stands in its parent's
/// frame in m, and what is fixed to it: a mass in kg and how far the body reaches from the joint in
/// m.
type Segment = (&'static str, usize, [f64; 3], f64, [f64; 3]);

const WAIST: [Segment; 3] = [
    ("waist_yaw", 2, [0.0, 0.0, 0.1], 1.0, [0.0, 0.0, 0.05]),
    ("waist_roll", 0, [0.0, 0.0, 0.05], 1.0, [0.0, 0.0, 0.05]),
    ("waist_pitch", 1, [0.0, 0.0, 0.05], 12.0, [0.0, 0.0, 0.4]),
];

const NECK: [Segment; 3] = [
    ("neck_yaw", 2, [0.0, 0.0, 0.42], 0.5, [0.0, 0.0, 0.05]),
    ("neck_roll", 0, [0.0, 0.0, 0.05], 0.5, [0.0, 0.0, 0.05]),
    ("neck_pitch", 1, [0.0, 0.0, 0.05], 3.0, [0.0, 0.0, 0.2]),
];

/// Of the left side; the right one is its mirror image.
const LEG: [Segment; 6] = [
    ("hip_yaw", 2, [0.0, 0.1, -0.05], 1.0, [0.0, 0.0, -0.05]),
    ("hip_roll", 0, [0.0, 0.0, -0.05], 1.0, [0.0, 0.0, -0.05]),
    ("hip_pitch", 1, [0.0, 0.0, -0.05], 6.0, [0.0, 0.0, -0.38]),
    ("knee", 1, [0.0, 0.0, -0.38], 3.5, [0.0, 0.0, -0.38]),
    ("ankle_pitch", 1, [0.0, 0.0, -0.38], 0.5, [0.0, 0.0, -0.04]),
    ("ankle_roll", 0, [0.0, 0.0, -0.04], 1.0, [0.14, 0.0, -0.06]),
];

const ARM: [Segment; 7] = [
    (
        "shoulder_pitch",
        1,
        [0.0, 0.18, 0.35],
        1.0,
        [0.0, 0.05, 0.0],
    ),
    ("shoulder_roll", 0, [0.0, 0.05, 0.0], 1.0, [0.0, 0.0, -0.05]),
    ("shoulder_yaw", 2, [0.0, 0.0, -0.05], 2.0, [0.0, 0.0, -0.25]),
    ("elbow", 1, [0.0, 0.0, -0.25], 1.2, [0.0, 0.0, -0.2]),
    ("wrist_yaw", 2, [0.0, 0.0, -0.2], 0.4, [0.0, 0.0, -0.05]),
    ("wrist_roll", 0, [0.0, 0.0, -0.05], 0.3, [0.0, 0.0, -0.03]),
    ("wrist_pitch", 1, [0.0, 0.0, -0.03], 0.4, [0.02, 0.0, -0.09]),
];

/// Two fingers of two joints each.
const FINGERS: [[Segment; 2]; 2] = [
    [
        ("thumb", 0, [0.02, -0.03, -0.04], 0.05, [0.0, 0.0, -0.04]),
        ("thumb_tip", 0, [0.0, 0.0, -0.04], 0.03, [0.0, 0.0, -0.03]),
    ],
    [
        ("finger", 1, [0.02, 0.0, -0.1], 0.05, [0.0, 0.0, -0.04]),
        ("finger_tip", 1, [0.0, 0.0, -0.04], 0.03, [0.0, 0.0, -0.03]),
    ],
];

/// A humanoid of 40 revolute joints on a free base: legs of six joints, arms of seven, hands of
/// four, waist and neck of three. About 60 kg and 1.7 m; the figures were chosen here.
///
/// ```
/// let humanoid = featherline::samples::humanoid();
/// assert_eq!(humanoid.nv(), 6 + 40);
/// ```
pub fn humanoid() -> Model {
    let mut builder = ModelBuilder::new("humanoid_40");
    let pelvis = builder.add_joint(JointSpec::new(
        "base",
        ModelBuilder::UNIVERSE,
        JointKind::FreeFlyer,
    ));
    let body = bar(9.0, Vec3::new(0.0, 0.0, 0.1));
    builder.add_body(pelvis, "pelvis", Se3::identity(), body);
    let chest = limb(&mut builder, pelvis, "", &WAIST);
    limb(&mut builder, chest, "", &NECK);
    for side in ["left_", "right_"] {
        limb(&mut builder, pelvis, side, &LEG);
        let hand = limb(&mut builder, chest, side, &ARM);
        for finger in &FINGERS {
            limb(&mut builder, hand, side, finger);
        }
    }
    // The figures above are physically sound, and every name is used once.
    builder.build().expect("the sample is a valid model").model
}

/// A chain of joints and bodies; returns the last one.
fn limb(
    builder: &mut ModelBuilder,
    parent: JointHandle,
    side: &str,
    segments: &[Segment],
) -> JointHandle {
    let mirror = if side == "right_" { -1.0 } else { 1.0 };
    let point = |[x, y, z]: [f64; 3]| Vec3::new(x, mirror * y, z);
    let mut last = parent;
    for &(name, axis, place, mass, reach) in segments {
        let joint = JointSpec::new(
            format!("{side}{name}"),
            last,
            JointKind::revolute(Vec3::unit(axis)),
        );
        last = builder.add_joint(joint.placement(Se3::from_translation(point(place))));
        let body = bar(mass, point(reach));
        builder.add_body(last, format!("{side}{name}_body"), Se3::identity(), body);
    }
    last
}

/// A bar from the origin to a point, with the moments of a ball of 3 cm about each end of it.
fn bar(mass: f64, reach: Vec3<f64>) -> Inertia<f64> {
    const RADIUS: f64 = 0.03;
    let ball = 0.4 * mass * RADIUS * RADIUS;
    let moment = |a: f64, b: f64| ball + mass * (a * a + b * b) / 12.0;
    let [x, y, z] = reach.to_array();
    let product = |a: f64, b: f64| -mass * a * b / 12.0;
    let moments = Sym3::new(
        moment(y, z),
        product(x, y),
        product(x, z),
        moment(z, x),
        product(y, z),
        moment(x, y),
    );
    Inertia::new(mass, reach * 0.5, moments)
}
