//! The laws, checked from what a step reports.

use crate::Outcome;
use featherline::Workspace;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, Model};
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::approach;
use featherline_sim::contact::ContactImpulse;
use nalgebra::{DMatrix, Vector3};

/// The natural map of contacts, on the dense mass matrix and dense Jacobians.
pub struct Laws {
    ws: Workspace<f64>,
    body: DMatrix<f64>,
    relative: DMatrix<f64>,
}

impl Laws {
    pub fn new(model: &Model) -> Self {
        Self {
            ws: Workspace::new(model),
            body: DMatrix::zeros(6, model.nv()),
            relative: DMatrix::zeros(3, model.nv()),
        }
    }

    /// The largest w ‖λ − Π(λ − (u + b + μ‖u_t‖ n)/w)‖ of the contacts, in m/s, where w is the mean
    /// response to a unit impulse; `stiffening` is what drives, dampers and springs add to the
    /// diagonal of the mass matrix. As the natural map grows with w, so much at most is right.
    pub fn natural_map(
        &mut self,
        model: &Model,
        (q, h): (&[f64], f64),
        stiffening: &[f64],
        contacts: &[ContactImpulse],
    ) -> Outcome<f64> {
        if contacts.is_empty() {
            return Ok(0.0);
        }
        let mut mass = model.crba(&mut self.ws, q)?.clone();
        mass.fill_upper_triangle_with_lower_triangle();
        for (k, more) in stiffening.iter().enumerate() {
            mass[(k, k)] += more;
        }
        let factor = mass.cholesky().ok_or("a mass matrix that is no such")?;
        let jacobians = model.joint_jacobians(&mut self.ws, q)?;
        let mut worst: f64 = 0.0;
        for it in contacts {
            self.relative.fill(0.0);
            for (body, sign) in it.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                if body == JointId::UNIVERSE {
                    continue;
                }
                jacobians.jacobian_into(body, ReferenceFrame::World, &mut self.body)?;
                // v + ω × p
                let p = it.contact.point;
                for k in 0..model.nv() {
                    let column = self.body.column(k);
                    let linear = Vec3::new(column[0], column[1], column[2]);
                    let angular = Vec3::new(column[3], column[4], column[5]);
                    let velocity = (linear + angular.cross(p)) * sign;
                    for (r, x) in velocity.to_array().into_iter().enumerate() {
                        self.relative[(r, k)] += x;
                    }
                }
            }
            let mut half = self.relative.transpose();
            factor.l_dirty().solve_lower_triangular_mut(&mut half);
            let w = half.norm_squared() / 3.0;
            let w = if w > 0.0 { w } else { 1.0 };
            worst = worst.max(violation(it, h, w));
        }
        Ok(worst)
    }
}

/// w ‖λ − Π(λ − (u + b + μ‖u_t‖ n)/w)‖ of a contact, less rounding.
fn violation(it: &ContactImpulse, h: f64, w: f64) -> f64 {
    let vector = |x: Vec3<f64>| Vector3::from(x.to_array());
    let normal = vector(it.contact.normal);
    let (impulse, mut u) = (vector(it.impulse), vector(it.velocity));
    let slip = (u - normal * normal.dot(&u)).norm();
    u += normal * (approach(it.contact.gap, h) + it.contact.friction * slip);
    let moved = impulse - u / w;
    let left = (impulse - onto_cone(moved, normal, it.contact.friction)).norm() * w;
    if !left.is_finite() {
        return f64::INFINITY;
    }
    (left - 1e-13 * (w * impulse.norm() + u.norm())).max(0.0)
}

/// The nearest point of the cone around `axis` with friction μ: the point itself, the apex, or one
/// of the generator below it.
fn onto_cone(y: Vector3<f64>, axis: Vector3<f64>, friction: f64) -> Vector3<f64> {
    let height = axis.dot(&y);
    let across = y - axis * height;
    let radius = across.norm();
    if friction > 0.0 && radius <= friction * height {
        return y;
    }
    let along = (height + friction * radius) / (1.0 + friction * friction);
    if along <= 0.0 {
        return Vector3::zeros();
    }
    axis * along + across * (friction * along / radius.max(f64::MIN_POSITIVE))
}

/// The momentum of free bodies, whose centres of mass are their origins.
pub struct Momentum {
    velocities: Vec<Vec3<f64>>,
    sums: Vec<(Vec3<f64>, f64)>,
}

impl Momentum {
    /// That of a state.
    pub fn of(model: &Model, q: &[f64], v: &[f64]) -> Self {
        Self {
            velocities: linear_velocities(model, q, v),
            sums: Vec::new(),
        }
    }

    /// How far m (v⁺ − v) is from h m g plus the impulses, relative to what each body exchanges.
    pub fn imbalance(
        &mut self,
        model: &Model,
        (q, v, h): (&[f64], &[f64], f64),
        contacts: &[ContactImpulse],
    ) -> f64 {
        let after = linear_velocities(model, q, v);
        self.sums.clear();
        self.sums.resize(model.joints().len(), (Vec3::zero(), 0.0));
        for it in contacts {
            for (body, sign) in it.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                let (sum, size) = &mut self.sums[body.index()];
                *sum += it.impulse * sign;
                *size += it.impulse.norm();
            }
        }
        let mut worst: f64 = 0.0;
        for (k, joint) in model.joints().iter().enumerate().skip(1) {
            let (before, after) = (self.velocities[k], after[k]);
            let (impulse, size) = self.sums[k];
            let mass = joint.inertia.mass;
            let lacks = (after - before - model.gravity() * h) * mass - impulse;
            let scale = mass * (before.norm() + after.norm() + h * 9.81) + size;
            worst = worst.max(lacks.norm() / scale);
        }
        self.velocities = after;
        worst
    }
}

/// The velocities of free bodies along the axes of the world.
fn linear_velocities(model: &Model, q: &[f64], v: &[f64]) -> Vec<Vec3<f64>> {
    let joints = model.joints().iter();
    let velocities = joints.map(|joint| {
        if joint.nv < 6 {
            return Vec3::zero();
        }
        let (q, v) = (&q[joint.idx_q..], &v[joint.idx_v..]);
        let turn = featherline::spatial::Quaternion::new(q[3], q[4], q[5], q[6]);
        turn.rotate(Vec3::new(v[0], v[1], v[2]))
    });
    velocities.collect()
}
