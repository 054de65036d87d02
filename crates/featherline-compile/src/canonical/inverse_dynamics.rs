//! Inverse dynamics in canonical frames with base parameters.
//!
//! Newton-Euler as in the core, but with the accelerations of origins in place of spatial ones
//! (Luh, Walker and Paul 1980), the matrix U shared by all that needs it (Balafoutis and Patel
//! 1989), and the parameters that are left of regrouping (Khalil and Kleinfinger 1987).

use super::CanonicalModel;
use super::elementary::Mobility;
use super::kinematics::{Moving, Pose, poses, to_parent, up_in_free_body};
use super::transformation::Wrench;
use featherline::scalar::Scalar;

impl CanonicalModel {
    /// The joint forces that cause the accelerations `a`: `q` has nq entries, the others and the
    /// result nv.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    pub fn inverse_dynamics<S: Scalar>(&self, q: &[S], v: &[S], a: &[S]) -> Vec<S> {
        let poses = poses(&self.bodies, q);
        let moving = self.motions(&poses, q, v, Some(a), true);
        let mut tau = self.joint_forces(&poses, &moving);
        for ((tau, inertia), a) in tau.iter_mut().zip(&self.reflected_inertia).zip(a) {
            *tau += S::constant(*inertia) * *a;
        }
        tau
    }

    /// The motions of all bodies; without `a`, those with accelerations of zero. `free_accelerates`
    /// tells whether free bodies have the acceleration of gravity and of their own rotation, or
    /// none.
    pub(super) fn motions<S: Scalar>(
        &self,
        poses: &[Pose<S>],
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
        free_accelerates: bool,
    ) -> Vec<Moving<S>> {
        let mut moving: Vec<Moving<S>> = Vec::with_capacity(self.bodies.len());
        for (body, pose) in self.bodies.iter().zip(poses) {
            let here = match &body.mobility {
                Mobility::None => Moving::at_rest([0.0; 3]),
                Mobility::Free { q: at, v: rate } => {
                    let accelerations = match a {
                        Some(a) => std::array::from_fn(|k| a[rate + k]),
                        None => [S::zero(); 6],
                    };
                    let up = up_in_free_body(body.edge.base_acceleration, &q[at + 3..]);
                    let mut here = Moving::free(&v[*rate..], accelerations, up);
                    if !free_accelerates {
                        here.acceleration = [S::zero(); 3];
                    }
                    here
                }
                Mobility::Revolute(coordinate, _) | Mobility::Prismatic(coordinate, _) => {
                    let ratio = S::constant(coordinate.ratio);
                    let rate = ratio * v[coordinate.rate];
                    let acceleration = match a {
                        Some(a) => ratio * a[coordinate.rate],
                        None => S::zero(),
                    };
                    let at_base = Moving::at_rest(body.edge.base_acceleration);
                    let parent = match body.parent {
                        0 => &at_base,
                        parent => &moving[parent],
                    };
                    parent.carried(body, pose, rate, acceleration)
                }
            };
            moving.push(here);
        }
        moving
    }

    /// The joint forces that go with the motions of all bodies.
    pub(super) fn joint_forces<S: Scalar>(
        &self,
        poses: &[Pose<S>],
        moving: &[Moving<S>],
    ) -> Vec<S> {
        let mut tau = vec![S::zero(); self.nv];
        let mut from_children = vec![Wrench::<S>::zero(); self.bodies.len()];
        for (i, body) in self.bodies.iter().enumerate().skip(1).rev() {
            let wrench = moving[i].wrench(body).plus(&from_children[i]);
            match &body.mobility {
                Mobility::None => {}
                Mobility::Free { v, .. } => {
                    for k in 0..3 {
                        tau[v + k] += wrench.force[k];
                        tau[v + 3 + k] += wrench.moment[k];
                    }
                }
                Mobility::Revolute(coordinate, _) => {
                    tau[coordinate.rate] += S::constant(coordinate.ratio) * wrench.moment[2];
                }
                Mobility::Prismatic(coordinate, _) => {
                    tau[coordinate.rate] += S::constant(coordinate.ratio) * wrench.force[2];
                }
            }
            if body.parent != 0 {
                let carried = to_parent(&body.edge, &poses[i], &wrench);
                from_children[body.parent] = from_children[body.parent].plus(&carried);
            }
        }
        tau
    }
}
