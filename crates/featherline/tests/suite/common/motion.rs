//! Time derivatives along a motion, by dual numbers.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::scalar::Dual;

/// A number with its derivative along one motion.
pub type Rate = Dual<f64, 1>;

/// Numbers that change at the given rates.
pub fn changing(values: &[f64], rates: &[f64]) -> Vec<Rate> {
    let pairs = values.iter().zip(rates);
    pairs.map(|(&x, &r)| Rate::new(x, [r])).collect()
}

/// The configuration q with its time derivative at velocity v.
pub fn moving(model: &Model, q: &[f64], v: &[f64]) -> Vec<Rate> {
    let mut rates = vec![0.0; model.nq()];
    for joint in model.joints() {
        if joint.mimic.is_none() {
            let (q, v) = (&q[joint.idx_q..], &v[joint.idx_v..]);
            let rates = &mut rates[joint.idx_q..joint.idx_q + joint.nq];
            configuration_rate(&joint.kind, q, v, rates);
        }
    }
    changing(q, &rates)
}

/// q̇ of one joint, written out for each kind (angular velocities are the child's: q̇ = ½ q ∘ ω for
/// a quaternion).
fn configuration_rate(kind: &JointKind, q: &[f64], v: &[f64], rate: &mut [f64]) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "wrong rates fail")]
    match kind {
        JointKind::Composite(composite) => {
            let (mut at_q, mut at_v) = (0, 0);
            for part in composite.parts() {
                let own = &mut rate[at_q..at_q + part.kind.nq()];
                configuration_rate(&part.kind, &q[at_q..], &v[at_v..], own);
                at_q += part.kind.nq();
                at_v += part.kind.nv();
            }
        }
        JointKind::RevoluteUnbounded { .. } => {
            rate.copy_from_slice(&[-q[1] * v[0], q[0] * v[0]]);
        }
        JointKind::Planar => {
            let (cos, sin) = (q[2], q[3]);
            let linear = [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
            rate.copy_from_slice(&[linear[0], linear[1], -sin * v[2], cos * v[2]]);
        }
        JointKind::Spherical => rate.copy_from_slice(&quaternion_rate(q, v)),
        JointKind::FreeFlyer => {
            rate[..3].copy_from_slice(&rotated(&q[3..], &v[..3]));
            rate[3..].copy_from_slice(&quaternion_rate(&q[3..], &v[3..]));
        }
        _ => rate.copy_from_slice(&v[..rate.len()]),
    }
}

fn quaternion_rate(q: &[f64], w: &[f64]) -> [f64; 4] {
    let (x, y, z, s) = (q[0], q[1], q[2], q[3]);
    [
        s * w[0] + y * w[2] - z * w[1],
        s * w[1] + z * w[0] - x * w[2],
        s * w[2] + x * w[1] - y * w[0],
        -(x * w[0] + y * w[1] + z * w[2]),
    ]
    .map(|r| 0.5 * r)
}

/// The vector v turned by a unit quaternion: v + 2 s (u × v) + 2 u × (u × v).
fn rotated(q: &[f64], v: &[f64]) -> [f64; 3] {
    let cross = |a: &[f64], b: &[f64]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let once = cross(q, v);
    let twice = cross(q, &once);
    [0, 1, 2].map(|k| v[k] + 2.0 * (q[3] * once[k] + twice[k]))
}
