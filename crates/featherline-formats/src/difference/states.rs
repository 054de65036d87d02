//! Differences of joint forces, mass matrices and placements at random states.

use super::QuantityDifference;
use super::greatest::Greatest;
use super::missing::counterpart;
use featherline::model::{FrameKind, JointId};
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Quaternion, Se3, Vec3};
use featherline::{Error, Model, Workspace};

/// Joint forces, mass matrices and placements of frames at random states.
pub(super) fn at_states(
    first: &Model,
    second: &Model,
    pairs: &[(JointId, JointId)],
    states: usize,
) -> Result<Vec<QuantityDifference>, Error> {
    // For each entry of the first model's v, that of the second's.
    let mut of_v = vec![0; first.nv()];
    for &(a, b) in pairs {
        let (a, b) = (first.joint(a), second.joint(b));
        for k in 0..a.nv {
            of_v[a.idx_v + k] = b.idx_v + k;
        }
    }
    let frames: Vec<_> = first
        .frame_ids()
        // The axes of a joint's own frame are a format's choice.
        .filter(|&a| first.frame(a).kind != FrameKind::Joint)
        .filter_map(|a| Some((a, counterpart(first.frame(a), first, second)?)))
        .collect();
    let (mut ws, mut other) = (Workspace::new(first), Workspace::new(second));
    let mut random = SplitMix64::new(0);
    let mut force = Greatest::new("joint forces");
    let mut matrix = Greatest::new("mass matrix");
    let mut placement = Greatest::new("placements of frames");
    let carried = |values: &[f64]| {
        let mut carried = vec![0.0; second.nv()];
        for (value, &index) in values.iter().zip(&of_v) {
            carried[index] = *value;
        }
        carried
    };
    for _ in 0..states {
        let q = first.random_configuration(&mut random);
        let mut tangent = || -> Vec<f64> {
            let entries = 0..first.nv();
            entries.map(|_| 2.0 * random.uniform() - 1.0).collect()
        };
        let (v, a) = (tangent(), tangent());
        let q2 = configuration(first, second, pairs, &q);
        let (v2, a2) = (carried(&v), carried(&a));
        let tau = second.rnea(&mut other, &q2, &v2, &a2)?;
        let tau: Vec<f64> = of_v.iter().map(|&index| tau[index]).collect();
        force.compare(first.rnea(&mut ws, &q, &v, &a)?, &tau, None);
        let mass = second.crba(&mut other, &q2)?;
        let mine = first.crba(&mut ws, &q)?;
        for (i, &i2) in of_v.iter().enumerate() {
            for (k, &k2) in of_v.iter().enumerate() {
                matrix.compare(&[mine[(i, k)]], &[mass[(i2, k2)]], None);
            }
        }
        let here = first.forward_kinematics(&mut ws, &q)?;
        let there = second.forward_kinematics(&mut other, &q2)?;
        for &(f, g) in &frames {
            let entries = |placement: Se3<f64>| placement.to_homogeneous();
            let (m, n) = (entries(here.placement(f)), entries(there.placement(g)));
            let at = Some(first.frame(f).name.as_str());
            placement.compare(m.as_flattened(), n.as_flattened(), at);
        }
    }
    let all = [force, matrix, placement].into_iter();
    Ok(all.map(Greatest::relative).collect())
}

/// The configuration of the second model in which its joints are where those of the first are.
pub(super) fn configuration(
    first: &Model,
    second: &Model,
    pairs: &[(JointId, JointId)],
    q: &[f64],
) -> Vec<f64> {
    let mut carried = second.neutral_configuration();
    for &(a, b) in pairs {
        let (a, b) = (first.joint(a), second.joint(b));
        let own = &q[a.idx_q..a.idx_q + a.nq];
        let slot = &mut carried[b.idx_q..b.idx_q + b.nq];
        match (own, slot.len()) {
            // An angle, or its cosine and sine.
            (&[angle], 2) => slot.copy_from_slice(&[angle.cos(), angle.sin()]),
            (&[cos, sin], 1) => slot[0] = sin.atan2(cos),
            (&[x, y, z, qx, qy, qz, qw], 7) if a.placement != b.placement => {
                // A format may have the joint's placement in its coordinate: P₁ X₁ = P₂ X₂.
                let rotation = Quaternion::new(qx, qy, qz, qw).to_rotation();
                let moved = a.placement.compose(&Se3::new(rotation, Vec3::new(x, y, z)));
                let moved = b.placement.inverse_compose(&moved);
                slot[..3].copy_from_slice(&moved.translation.to_array());
                let turned = Quaternion::from_rotation(&moved.rotation);
                slot[3..].copy_from_slice(&turned.normalised().to_array());
            }
            _ => slot
                .iter_mut()
                .zip(own)
                .for_each(|(entry, value)| *entry = *value),
        }
    }
    carried
}
