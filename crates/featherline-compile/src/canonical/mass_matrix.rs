//! The mass matrix in canonical frames with base parameters.
//!
//! Composite rigid bodies (Walker and Orin 1982; Featherstone 2008, section 6.2): the first and
//! second moments of subtrees are carried to the root, and the momentum that a unit rate gives to a
//! subtree is carried from its joint to all joints before it. Regrouping leaves composite bodies on
//! revolute joints without mass, so that their first moments don't change where they are moved, and
//! their second moments by products of first moments only.

use super::CanonicalModel;
use super::elementary::Mobility;
use super::kinematics::{Pose, poses, to_parent};
use super::transformation::{Moments, Wrench, constants};
use featherline::scalar::Scalar;
use nalgebra::DMatrix;

impl CanonicalModel {
    /// The mass matrix, armature and reflected rotor inertia included; `q` has nq entries.
    ///
    /// # Panics
    /// If the slice is shorter than that.
    pub fn mass_matrix<S: Scalar>(&self, q: &[S]) -> DMatrix<S> {
        self.mass_matrix_at(&poses(&self.bodies, q))
    }

    pub(super) fn mass_matrix_at<S: Scalar>(&self, poses: &[Pose<S>]) -> DMatrix<S> {
        let mut matrix = DMatrix::from_element(self.nv, self.nv, S::zero());
        for (k, inertia) in self.reflected_inertia.iter().enumerate() {
            matrix[(k, k)] = S::constant(*inertia);
        }
        let own = |i: usize| -> Moments<S> {
            let parameters = &self.bodies[i].parameters;
            Moments {
                mass: parameters.mass,
                first: constants(parameters.first),
                second: constants(parameters.second),
            }
        };
        let mut composite: Vec<Moments<S>> = (0..self.bodies.len()).map(own).collect();
        for i in (1..self.bodies.len()).rev() {
            let body = &self.bodies[i];
            for (direction, momentum) in momenta(&body.mobility, &composite[i]) {
                self.enter(&mut matrix, poses, i, direction, momentum);
            }
            if body.parent != 0 {
                let carried = to_parent(&body.edge, &poses[i], &composite[i]);
                composite[body.parent] = composite[body.parent].plus(&carried);
            }
        }
        matrix
    }

    /// Enters what the momentum that the coordinate `column` of body i gives has in common with
    /// that joint, and all before it.
    fn enter<S: Scalar>(
        &self,
        matrix: &mut DMatrix<S>,
        poses: &[Pose<S>],
        i: usize,
        (column, weight): (usize, f64),
        momentum: Wrench<S>,
    ) {
        let (mut here, mut momentum) = (i, momentum);
        loop {
            let body = &self.bodies[here];
            let mut add = |row: usize, ratio: f64, value: S| {
                // The same coordinate at two joints stands in both triangles.
                let twice = if row == column && here != i { 2.0 } else { 1.0 };
                let value = S::constant(twice * weight * ratio) * value;
                matrix[(row.max(column), row.min(column))] += value;
                if row != column {
                    matrix[(row.min(column), row.max(column))] += value;
                }
            };
            match &body.mobility {
                Mobility::None => {}
                Mobility::Free { v, .. } if here == i => {
                    // One triangle of the block; the other columns bring the rest.
                    let last = column - v;
                    let values = [momentum.force, momentum.moment].concat();
                    for (k, value) in values.into_iter().enumerate().take(last + 1) {
                        add(v + k, 1.0, value);
                    }
                }
                Mobility::Free { v, .. } => {
                    for k in 0..3 {
                        add(v + k, 1.0, momentum.force[k]);
                        add(v + 3 + k, 1.0, momentum.moment[k]);
                    }
                }
                Mobility::Revolute(c, _) => add(c.rate, c.ratio, momentum.moment[2]),
                Mobility::Prismatic(c, _) => add(c.rate, c.ratio, momentum.force[2]),
            }
            if body.parent == 0 {
                return;
            }
            momentum = to_parent(&body.edge, &poses[here], &momentum);
            here = body.parent;
        }
    }
}

/// The momenta that unit rates give to the composite body, each with its coordinate and rate.
fn momenta<S: Scalar>(
    mobility: &Mobility,
    composite: &Moments<S>,
) -> Vec<((usize, f64), Wrench<S>)> {
    match mobility {
        Mobility::None => Vec::new(),
        Mobility::Free { v, .. } => {
            let linear = (0..3).map(|k| ((v + k, 1.0), along(composite, k)));
            let angular = (0..3).map(|k| ((v + 3 + k, 1.0), about(composite, k)));
            linear.chain(angular).collect()
        }
        Mobility::Revolute(c, _) => vec![((c.rate, c.ratio), about(composite, 2))],
        Mobility::Prismatic(c, _) => vec![((c.rate, c.ratio), along(composite, 2))],
    }
}

/// The momentum of a body that moves along axis k with unit speed: m e, h × e.
fn along<S: Scalar>(body: &Moments<S>, k: usize) -> Wrench<S> {
    let mut unit = [S::zero(); 3];
    unit[k] = S::one();
    let mass = S::constant(body.mass);
    Wrench {
        force: unit.map(|x| mass * x),
        moment: super::transformation::cross(body.first, unit),
    }
}

/// The momentum of a body that turns about axis k with unit speed: e × h, (tr E − E) e.
fn about<S: Scalar>(body: &Moments<S>, k: usize) -> Wrench<S> {
    let mut unit = [S::zero(); 3];
    unit[k] = S::one();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let place = super::transformation::PLACE;
    let mut moment = [S::zero(); 3];
    moment[k] = body.second[place[i][i]] + body.second[place[j][j]];
    moment[i] = -body.second[place[i][k]];
    moment[j] = -body.second[place[j][k]];
    Wrench {
        force: super::transformation::cross(unit, body.first),
        moment,
    }
}
