//! Derivatives by each coordinate of the bodies that it carries, column by column in the world's
//! coordinates: fields of data beside the results of derivatives, computed when they are read.

use super::data::{DataBase, matrix};
use super::fields::Field;
use super::late::State;
use crate::states::Outcome;
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::{Force, Inertia, Motion, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;
use pyo3::prelude::*;

/// The matrices, in the order in which they are computed.
const COLUMNS: [Field; 6] = [
    Field::DAdq,
    Field::DAdv,
    Field::DFdq,
    Field::DFdv,
    Field::DFda,
    Field::DHdq,
];

/// The forces that an algorithm counts as it leaves them.
#[derive(Clone, Copy, PartialEq)]
pub enum CountedForces {
    /// Motions alone.
    Motions,
    /// Gravity and external forces besides, in forces.
    Forces,
    /// Gravity and external forces at rest: `dAdq` and `dFdq` alone.
    ForcesAtRest,
}

/// A body that moves, in the world's coordinates.
struct Body {
    parent: usize,
    inertia: Inertia<f64>,
    velocity: Motion<f64>,
    acceleration: Motion<f64>,
    /// Its momentum, and the force that moves it: then those of all that it carries, too.
    momentum: Force<f64>,
    force: Force<f64>,
}

impl Body {
    /// How its force changes with its velocity and acceleration as it moves with them:
    /// δf = I (δa + δv × v) + δv ×* I v + v ×* I δv.
    fn force_change(&self, dv: &Motion<f64>, da: &Motion<f64>) -> Force<f64> {
        let (inertia, v) = (&self.inertia, &self.velocity);
        inertia.mul_motion(&(*da + dv.cross(v)))
            + dv.cross_force(&inertia.mul_motion(v))
            + v.cross_force(&inertia.mul_motion(dv))
    }
}

/// The acceleration of gravity.
fn gravity(m: &Model) -> Motion<f64> {
    Motion::new(m.gravity(), Vec3::zero())
}

/// All bodies, the universe first.
fn bodies(m: &Model, ws: &mut Workspace<f64>, state: &State) -> Result<Vec<Body>, Error> {
    let view = m.forward_kinematics_accelerations(ws, &state.q, &state.v, &state.a)?;
    let own = m.joint_ids().map(|joint| {
        let of = m.joint(joint);
        let placement = view.placement(joint);
        let inertia = placement.act_inertia(&of.inertia);
        let velocity = view.velocity(joint, ReferenceFrame::World);
        let acceleration = view.acceleration(joint, ReferenceFrame::World);
        let mut force = inertia.newton_euler(&velocity, &acceleration);
        if state.counted != CountedForces::Motions {
            force = force - inertia.mul_motion(&gravity(m));
            if let Some(external) = state.force(joint) {
                force = force - placement.act_force(&external);
            }
        }
        Body {
            parent: of.parent.index(),
            inertia,
            velocity,
            acceleration,
            momentum: inertia.mul_motion(&velocity),
            force,
        }
    });
    let universe = Body {
        parent: 0,
        inertia: Inertia::zero(),
        velocity: Motion::zero(),
        acceleration: Motion::zero(),
        momentum: Force::zero(),
        force: Force::zero(),
    };
    let mut all: Vec<Body> = std::iter::once(universe).chain(own).collect();
    for i in (1..all.len()).rev() {
        let (momentum, force) = (all[i].momentum, all[i].force);
        let parent = all[i].parent;
        all[parent].momentum += momentum;
        all[parent].force += force;
    }
    Ok(all)
}

/// The matrices, in the letters of the book's page on derivatives: the columns ψ̈ and ψ̇ + J̇, then
/// of what a coordinate carries ∂F/∂q = Σ δf(ψ̇, ψ̈) + J ×* F, ∂F/∂v = Σ δf(J, ψ̇ + J̇),
/// ∂F/∂a = Σ I J and ∂H/∂q = Σ I ψ̇ + J ×* H. Cost O(nv n).
fn compute(
    m: &Model,
    ws: &mut Workspace<f64>,
    state: &State,
) -> Result<[Vec<f64>; COLUMNS.len()], Error> {
    let counted = state.counted;
    let bodies = bodies(m, ws, state)?;
    let found = m.kinematics_derivatives(ws, &state.q, &state.v, &state.a)?;
    let mut out = COLUMNS.map(|_| vec![0.0; 6 * m.nv()]);
    let [mut v_q, mut v_v, mut a_q, mut a_v, mut a_a] = [(); 5].map(|()| DMatrix::zeros(6, m.nv()));
    for joint in m.joint_ids() {
        let (of, i) = (m.joint(joint), joint.index());
        let world = ReferenceFrame::World;
        found.velocity_into(joint, world, &mut v_q, &mut v_v)?;
        found.acceleration_into(joint, world, &mut a_q, &mut a_v, &mut a_a)?;
        let carried = carried(&bodies, i);
        for k in of.idx_v..of.idx_v + of.nv {
            let column = |matrix: &DMatrix<f64>| {
                Motion::from_array(std::array::from_fn(|row| matrix[(row, k)]))
            };
            let (v, a) = (&bodies[i].velocity, &bodies[i].acceleration);
            // ψ̇ = ∂v/∂q − J × v, ψ̈ = ∂a/∂q − ψ̇ × v − J × a, ψ̇ + J̇ = ∂a/∂v − J × v
            let jacobian = column(&v_v);
            let v_by_q = column(&v_q) - jacobian.cross(v);
            let a_by_q = column(&a_q) - v_by_q.cross(v) - jacobian.cross(a);
            let a_by_v = column(&a_v) - jacobian.cross(v);
            // Gravity turns as it is seen from bodies that turn.
            let less_gravity = match counted {
                CountedForces::Motions => a_by_q,
                CountedForces::Forces | CountedForces::ForcesAtRest => {
                    a_by_q - gravity(m).cross(&jacobian)
                }
            };
            let mut by_q = jacobian.cross_force(&bodies[i].force);
            let mut momentum_by_q = jacobian.cross_force(&bodies[i].momentum);
            let (mut by_v, mut by_a) = (Force::zero(), Force::zero());
            for body in carried.iter().map(|&i| &bodies[i]) {
                by_q += body.force_change(&v_by_q, &less_gravity);
                by_v += body.force_change(&jacobian, &a_by_v);
                by_a += body.inertia.mul_motion(&jacobian);
                momentum_by_q += body.inertia.mul_motion(&v_by_q);
            }
            let a_by_q = match counted {
                CountedForces::ForcesAtRest => less_gravity,
                CountedForces::Motions | CountedForces::Forces => a_by_q,
            };
            let columns = [
                a_by_q.to_array(),
                a_by_v.to_array(),
                by_q.to_array(),
                by_v.to_array(),
                by_a.to_array(),
                momentum_by_q.to_array(),
            ];
            for (out, column) in out.iter_mut().zip(columns) {
                out[6 * k..6 * k + 6].copy_from_slice(&column);
            }
        }
    }
    Ok(out)
}

/// A body and those that it carries.
fn carried(bodies: &[Body], first: usize) -> Vec<usize> {
    let mut is_carried = vec![false; bodies.len()];
    is_carried[first] = true;
    for i in first + 1..bodies.len() {
        is_carried[i] = is_carried[bodies[i].parent];
    }
    (first..bodies.len()).filter(|&i| is_carried[i]).collect()
}

impl DataBase {
    /// All matrices of a state.
    pub fn world_columns<'py>(
        &mut self,
        py: Python<'py>,
        state: &State,
    ) -> Outcome<Vec<(Field, Bound<'py, PyAny>)>> {
        let native = state.model.bind(py).get();
        let (ws, _) = self.parts(native)?;
        let found = compute(&native.model, ws, state)?;
        let fields = COLUMNS.into_iter().zip(&found);
        Ok(fields
            .map(|(field, it)| (field, matrix(py, 6, it).into_any()))
            .collect())
    }
}
