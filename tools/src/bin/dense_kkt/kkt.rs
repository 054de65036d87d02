//! The KKT system of a chain of hinges, as one dense matrix.

use faer::linalg::solvers::Solve;
use faer::{Col, Mat};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::spatial::{Motion, Se3};
use featherline_sim::maximal::MaximalState;

/// Six accelerations of each body, and five forces in its hinge.
pub const UNKNOWNS: usize = 6 + HELD;
const HELD: usize = 5;

/// The system with its memory.
pub struct DenseKkt<'m> {
    model: &'m Model,
    matrix: Mat<f64>,
    right: Col<f64>,
}

impl<'m> DenseKkt<'m> {
    /// Memory for a chain.
    pub fn new(model: &'m Model) -> Self {
        let size = UNKNOWNS * model.nv();
        Self {
            model,
            matrix: Mat::zeros(size, size),
            right: Col::zeros(size),
        }
    }

    /// The accelerations of all bodies in their joint frames, six numbers each, while no torque
    /// acts.
    ///
    /// Body i: Iᵢ aᵢ − Tᵢ λᵢ + X* Tᵢ₊₁ λᵢ₊₁ = Iᵢ g − vᵢ × Iᵢ vᵢ. Hinge i: Tᵢᵀ (aᵢ − X aᵢ₋₁) = Tᵢᵀ
    /// (vᵢ × Sᵢ q̇ᵢ).
    pub fn accelerations(&mut self, state: &MaximalState, rates: &[f64]) -> Vec<f64> {
        let bodies = self.model.nv();
        let gravity = Motion::new(self.model.gravity(), Default::default());
        self.matrix.fill(0.0);
        for body in 0..bodies {
            let joint = &self.model.joints()[body + 1];
            let velocity = &state.velocities[body + 1];
            let placement = state.poses[body + 1].placement();
            let (own, held) = (6 * body, 6 * bodies + HELD * body);
            let motion = freedom(&joint.kind);
            let inertia = joint.inertia.to_matrix();
            for r in 0..6 {
                for c in 0..6 {
                    self.matrix[(own + r, own + c)] = inertia[r][c];
                }
            }
            let weight = joint
                .inertia
                .mul_motion(&placement.inverse_act_motion(&gravity));
            let gyroscopic = joint.inertia.velocity_force(velocity);
            let force = (weight - gyroscopic).to_array();
            let along = motion * rates[body];
            let turning = velocity.cross(&along).to_array();
            for r in 0..6 {
                self.right[own + r] = force[r];
            }
            let in_parent = match body {
                0 => None,
                _ => Some(state.poses[body].placement().inverse_compose(&placement)),
            };
            for (k, c) in held_components(&motion).enumerate() {
                self.matrix[(own + c, held + k)] = -1.0;
                self.matrix[(held + k, own + c)] = 1.0;
                self.right[held + k] = turning[c];
                if let Some(in_parent) = &in_parent {
                    let above = 6 * (body - 1);
                    for (r, entry) in seen_above(in_parent, c).into_iter().enumerate() {
                        self.matrix[(above + r, held + k)] = entry;
                        self.matrix[(held + k, above + r)] = -entry;
                    }
                }
            }
        }
        let solution = self.matrix.partial_piv_lu().solve(&self.right);
        (0..6 * bodies).map(|k| solution[k]).collect()
    }
}

/// A hinge's motion subspace.
fn freedom(kind: &JointKind) -> Motion<f64> {
    let JointKind::Revolute { axis } = kind else {
        unreachable!("the chain has hinges alone");
    };
    Motion::new(Default::default(), *axis)
}

/// The components of a motion that a hinge about an axis of its frame holds.
fn held_components(motion: &Motion<f64>) -> impl Iterator<Item = usize> {
    let free = motion.to_array();
    (0..6).filter(move |c| free[*c] == 0.0)
}

/// A unit force of the child, seen from the parent.
fn seen_above(in_parent: &Se3<f64>, component: usize) -> [f64; 6] {
    let mut unit = [0.0; 6];
    unit[component] = 1.0;
    let force = nalgebra::Vector6::from(unit).into();
    in_parent.act_force(&force).to_array()
}
