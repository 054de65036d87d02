//! What a robot is made of, as plain values.

use crate::matrix::matrix;
use featherline::Model;
use featherline::model;
use featherline::spatial::Inertia;
use nalgebra::Matrix3;
use wasm_bindgen::prelude::wasm_bindgen;

/// A joint and the body that it moves.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Joint {
    /// The joint's name.
    pub name: String,
    /// How it moves, such as `revolute`.
    pub kind: String,
    /// The index of the joint whose body carries this one.
    pub parent: usize,
    /// Where its entries of a configuration begin; for a mimic joint, the mimicked joint's.
    #[wasm_bindgen(js_name = idxQ)]
    pub idx_q: usize,
    /// Its own entries of a configuration.
    pub nq: usize,
    /// Where its entries of a velocity begin; for a mimic joint, the mimicked joint's.
    #[wasm_bindgen(js_name = idxV)]
    pub idx_v: usize,
    /// Its own degrees of freedom.
    pub nv: usize,
    /// Degrees of freedom of its kind, which a mimic joint has as well.
    pub freedom: usize,
    /// Its axis in its input frame, if its kind has one.
    pub axis: Option<Vec<f64>>,
    /// For each degree of freedom, whether it is a translation.
    pub translates: Vec<u8>,
    /// Whether its configuration is a vector, to which velocities are added as they are.
    #[wasm_bindgen(js_name = isVector)]
    pub is_vector: bool,
    /// Least entries of its configuration; −∞ without a limit.
    pub lower: Vec<f64>,
    /// Greatest entries of its configuration; ∞ without a limit.
    pub upper: Vec<f64>,
    /// Whether some entry of its configuration has no limit.
    #[wasm_bindgen(js_name = isUnbounded)]
    pub is_unbounded: bool,
    /// Greatest speeds, in rad/s or m/s; ∞ without a limit.
    pub velocity: Vec<f64>,
    /// Greatest joint forces, in N·m or N; ∞ without a limit.
    pub effort: Vec<f64>,
    /// For a mimic joint: the index of the mimicked joint, the ratio and the offset.
    pub mimic: Option<Vec<f64>>,
    /// The body's mass, in kg, with what is fixed to it.
    pub mass: f64,
    /// The body's centre of mass in the joint's output frame, in m.
    #[wasm_bindgen(js_name = centerOfMass)]
    pub center_of_mass: Vec<f64>,
    /// The body's inertia about its centre of mass: xx, xy, xz, yy, yz, zz in kg·m².
    pub inertia: Vec<f64>,
    /// The placement of a unit sphere, scaled, that is the solid ellipsoid of the body's mass and
    /// inertia; absent for a body without mass, and without the feature `page`.
    pub ellipsoid: Option<Vec<f64>>,
}

/// A frame fixed in a body.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Frame {
    /// The frame's name.
    pub name: String,
    /// What it stands for: `body`, `joint`, `fixed_joint`, `operational` or `sensor`.
    pub kind: String,
    /// The index of the joint whose body carries it.
    pub joint: usize,
    /// Its placement in that joint's output frame, 16 entries by columns.
    pub placement: Vec<f64>,
}

/// A joint that closes a loop.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Loop {
    /// The joint's name.
    pub name: String,
    /// How it moves.
    pub kind: String,
    /// The index of the joint that carries its input frame.
    pub predecessor: usize,
    /// The placement of the input frame there, 16 entries by columns.
    #[wasm_bindgen(js_name = predecessorPlacement)]
    pub predecessor_placement: Vec<f64>,
    /// The index of the joint that carries its output frame.
    pub successor: usize,
    /// The placement of the output frame there, 16 entries by columns.
    #[wasm_bindgen(js_name = successorPlacement)]
    pub successor_placement: Vec<f64>,
}

impl Joint {
    pub(crate) fn of(joint: &model::Joint) -> Self {
        let limits = &joint.limits;
        let bounds = limits.lower.iter().chain(&limits.upper);
        let degrees = 0..joint.kind.nv();
        Self {
            name: joint.name.clone(),
            kind: joint.kind.name().to_owned(),
            parent: joint.parent.index(),
            idx_q: joint.idx_q,
            nq: joint.nq,
            idx_v: joint.idx_v,
            nv: joint.nv,
            freedom: joint.kind.nv(),
            axis: joint.kind.axis().map(|axis| axis.to_array().to_vec()),
            translates: degrees
                .map(|k| joint.kind.is_translation(k).into())
                .collect(),
            is_vector: joint.kind.unit_entries().next().is_none(),
            lower: limits.lower.clone(),
            upper: limits.upper.clone(),
            is_unbounded: joint.nq > 0 && bounds.into_iter().any(|bound| bound.is_infinite()),
            velocity: limits.velocity.clone(),
            effort: limits.effort.clone(),
            mimic: joint
                .mimic
                .map(|it| vec![it.source.index() as f64, it.ratio, it.offset]),
            mass: joint.inertia.mass,
            center_of_mass: joint.inertia.com.to_array().to_vec(),
            inertia: joint.inertia.rotational.to_elements().to_vec(),
            ellipsoid: of_page(&joint.inertia),
        }
    }
}

impl Frame {
    pub(crate) fn of(frame: &model::Frame) -> Self {
        Self {
            name: frame.name.clone(),
            kind: frame.kind.name().to_owned(),
            joint: frame.joint.index(),
            placement: matrix(&frame.placement).to_vec(),
        }
    }
}

impl Loop {
    pub(crate) fn of(closing: &model::LoopJoint) -> Self {
        Self {
            name: closing.name.clone(),
            kind: closing.kind.name().to_owned(),
            predecessor: closing.predecessor.index(),
            predecessor_placement: matrix(&closing.predecessor_placement).to_vec(),
            successor: closing.successor.index(),
            successor_placement: matrix(&closing.successor_placement).to_vec(),
        }
    }

    pub(crate) fn all(model: &Model) -> Vec<Self> {
        model.loop_joints().iter().map(Self::of).collect()
    }
}

/// The ellipsoid where there is a page to show it.
fn of_page(inertia: &Inertia<f64>) -> Option<Vec<f64>> {
    match cfg!(feature = "page") {
        true => ellipsoid(inertia).map(|it| it.to_vec()),
        false => None,
    }
}

/// The solid ellipsoid that has a body's mass and inertia: its principal axes, scaled by its
/// semi-axes, at its centre of mass.
///
/// A solid ellipsoid has I_x = m (b² + c²) / 5, so a² = 5 (I_y + I_z − I_x) / (2 m). Where an
/// inertia is no body's, the negative square counts as zero, and the ellipsoid is flat.
fn ellipsoid(inertia: &Inertia<f64>) -> Option<[f64; 16]> {
    let mass = inertia.mass;
    let rows = inertia.rotational.to_mat().to_rows();
    let is_finite = rows.as_flattened().iter().all(|x| x.is_finite());
    if !(mass > 0.0 && mass.is_finite() && is_finite) {
        return None;
    }
    let matrix = Matrix3::from_fn(|row, column| rows[row][column]);
    let principal = matrix.symmetric_eigen();
    let moments = principal.eigenvalues;
    let mut axes = principal.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    let mut placement = [0.0; 16];
    for k in 0..3 {
        let squared = 2.5 * (moments.sum() - 2.0 * moments[k]) / mass;
        for row in 0..3 {
            placement[4 * k + row] = axes[(row, k)] * squared.max(0.0).sqrt();
        }
    }
    placement[12..15].copy_from_slice(&inertia.com.to_array());
    placement[15] = 1.0;
    Some(placement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::spatial::{Sym3, Vec3};

    #[test]
    fn the_ellipsoid_of_a_solid_ellipsoid_is_itself() {
        let (m, [a, b, c]) = (3.0, [0.3, 0.2, 0.1]);
        let moment = |p: f64, q: f64| m * (p * p + q * q) / 5.0;
        let diagonal = Vec3::new(moment(b, c), moment(a, c), moment(a, b));
        let com = Vec3::new(1.0, 2.0, 3.0);
        let found = ellipsoid(&Inertia::new(m, com, Sym3::diagonal(diagonal))).unwrap();
        let length = |k: usize| found[4 * k..4 * k + 3].iter().map(|x| x * x).sum::<f64>();
        let mut lengths = [0, 1, 2].map(|k| length(k).sqrt());
        lengths.sort_by(f64::total_cmp);
        for (found, semi_axis) in lengths.iter().zip([c, b, a]) {
            assert!((found - semi_axis).abs() < 1e-12);
        }
        assert_eq!(found[12..], [1.0, 2.0, 3.0, 1.0]);
    }

    #[test]
    fn a_body_without_mass_has_no_ellipsoid() {
        assert!(ellipsoid(&Inertia::zero()).is_none());
    }
}
