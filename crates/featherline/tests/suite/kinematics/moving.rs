//! States that move: dual numbers whose tangent is the derivative with respect to time.

use featherline::Model;
use featherline::scalar::Dual;
use featherline::spatial::{Mat3, Motion, Se3, Vec3};

/// A number and its time derivative.
pub type Moving = Dual<f64, 1>;

/// A number that stands still.
pub fn still(x: &[f64]) -> Vec<Moving> {
    x.iter().map(|&x| Moving::fixed(x)).collect()
}

/// Numbers and their time derivatives.
pub fn moving(x: &[f64], rate: &[f64]) -> Vec<Moving> {
    x.iter()
        .zip(rate)
        .map(|(&x, &rate)| Moving::new(x, [rate]))
        .collect()
}

/// The configuration q ⊕ t v at t = 0, with its derivative, joint by joint.
pub fn moving_configuration(model: &Model, q: &[f64], v: &[f64]) -> Vec<Moving> {
    let mut out = still(q);
    let step = moving(&vec![0.0; v.len()], v);
    for joint in model.joints() {
        if joint.mimic.is_none() {
            let own = joint.idx_q..joint.idx_q + joint.nq;
            let tangent = &step[joint.idx_v..joint.idx_v + joint.nv];
            let start = still(&q[own.clone()]);
            joint.kind.integrate(&start, tangent, &mut out[own]);
        }
    }
    out
}

pub fn value(v: Vec3<Moving>) -> Vec3<f64> {
    Vec3::new(v.x.value, v.y.value, v.z.value)
}

pub fn rate(v: Vec3<Moving>) -> Vec3<f64> {
    Vec3::new(v.x.tangent[0], v.y.tangent[0], v.z.tangent[0])
}

/// The derivative of each component.
pub fn motion_rate(m: &Motion<Moving>) -> Motion<f64> {
    Motion::new(rate(m.linear), rate(m.angular))
}

/// The placement now.
pub fn placement_value(m: &Se3<Moving>) -> Se3<f64> {
    let r = &m.rotation;
    let rotation = Mat3::from_columns(value(r.x), value(r.y), value(r.z));
    Se3::new(rotation, value(m.translation))
}

/// The velocity of a moving placement, at its origin and in the world's axes: ṗ, and the ω of Ṙ = ω
/// × R.
pub fn placement_velocity(m: &Se3<Moving>) -> Motion<f64> {
    let r = &m.rotation;
    let angular = [r.x, r.y, r.z]
        .into_iter()
        .map(|axis| value(axis).cross(rate(axis)) * 0.5)
        .fold(Vec3::zero(), |sum, w| sum + w);
    Motion::new(rate(m.translation), angular)
}
