//! Base parameters by the structure of the tree, without sampled states.
//!
//! A change δ of a body's ten parameters goes unnoticed if its opposite, seen from the parent, is
//! made there: it has been moved over the joint. With the joint's motion subspace S, and V the span
//! of all velocities that the body can have in any configuration, that is so where
//!
//! * sᵀ I(δ) v = 0 for the columns s of S and all v in V: the joint does not feel it,
//! * aᵀ I(δ) (s × b) + bᵀ I(δ) (s × a) = 0 for all a, b in V: it does not depend on where the
//!   joint is.
//!
//! V contains S and what the parent's V is here, and with v all s × v. The universe's holds
//! gravity, which acts like an acceleration of the base. These conditions find the mass on a
//! revolute axis, the second moments of a body that slides (Gautier and Khalil 1990), and what the
//! first joints of an arm do not feel. Nothing else goes unnoticed (P. M. Wensing, G. Niemeyer and
//! J.-J. E. Slotine, *A geometric characterization of observability in inertial parameter
//! identification*, arXiv:1711.03896).

use super::base_parameters::{BaseParameters, DEPENDENT, basis, without_rounding};
use super::body::{BODY_PARAMETERS, BodyRegressor};
use crate::model::{Joint, Model};
use crate::spatial::{DynamicParameters, Motion, Se3, Vec3};
use nalgebra::{DMatrix, SVector};

impl Model {
    /// The base parameters of the robot by the structure of its tree: which parameters can be moved
    /// over each joint. None if a joint mimics another, or if a joint's motion subspace depends on
    /// its coordinates (universal, Euler angles, ellipsoid, composites of several).
    ///
    /// Where there are some, they are those of [`base_parameters`](Self::base_parameters): the same
    /// columns, and the same map but for rounding. No states are sampled. Cost O(n) for the choice
    /// of columns and O(n d) for the map, d the depth of the tree, beyond O(n²) for its zeros; it
    /// allocates. Source: Wensing, Niemeyer and Slotine, arXiv:1711.03896.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let base = model.structural_base_parameters().expect("two hinges");
    /// assert_eq!(base.columns, model.base_parameters()?.columns);
    /// // The elbow's mass acts as part of the upper rod, 1 m below the shoulder.
    /// let on_upper_rod = base.columns.iter().position(|&c| c == 3).expect("m c along z");
    /// assert_eq!(base.map[(on_upper_rod, 10)], -1.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn structural_base_parameters(&self) -> Option<BaseParameters> {
        let joints = self.joints();
        let is_plain = |j: &Joint| j.mimic.is_none() && j.kind.has_constant_subspace();
        if !joints.iter().all(is_plain) {
            return None;
        }
        let gravity = Motion::new(self.gravity(), Vec3::zero());
        let mut spans = vec![Span::default()];
        spans[0].add(&gravity, 0.0);
        let mut placements = vec![Se3::identity()];
        let mut bodies = Vec::new();
        for joint in &joints[1..] {
            let mut q = vec![0.0; joint.nq];
            let mut subspace = vec![Motion::zero(); joint.nv];
            joint.kind.neutral(&mut q);
            let moved = joint.kind.evaluate(&q, &mut subspace);
            let placement = joint.placement.compose(&moved);
            let span = Span::behind(&spans[joint.parent.index()], &placement, &subspace);
            // A parameter whose column of the conditions depends on those before it can be moved.
            bodies.push(basis(&conditions(&span, &subspace)));
            spans.push(span);
            placements.push(placement);
        }
        Some(regrouped(self, &placements, &bodies))
    }
}

/// An orthonormal basis of velocities.
#[derive(Default)]
struct Span(Vec<Motion<f64>>);

impl Span {
    /// Adds a velocity that is not within the span, to the rounding of one with length `scale`.
    fn add(&mut self, velocity: &Motion<f64>, scale: f64) {
        let least = DEPENDENT * norm(velocity).max(scale);
        let mut rest = *velocity;
        for _ in 0..2 {
            for unit in &self.0 {
                rest = unit.mul_add(-product(unit, &rest), &rest);
            }
        }
        let left = norm(&rest);
        if left > least {
            self.0.push(rest * (1.0 / left));
        }
    }

    /// All velocities that a body can have, in its frame, from those of its parent.
    fn behind(parent: &Self, placement: &Se3<f64>, subspace: &[Motion<f64>]) -> Self {
        let mut span = Self::default();
        for velocity in &parent.0 {
            span.add(&placement.inverse_act_motion(velocity), 0.0);
        }
        for column in subspace {
            span.add(column, 0.0);
        }
        // The derivative of a velocity by the joint's displacement is −s × v.
        let mut k = 0;
        while k < span.0.len() {
            let velocity = span.0[k];
            for column in subspace {
                span.add(&column.cross(&velocity), norm(column));
            }
            k += 1;
        }
        span
    }
}

/// The sum of products of entries.
fn product(a: &Motion<f64>, b: &Motion<f64>) -> f64 {
    a.linear.dot(b.linear) + a.angular.dot(b.angular)
}

fn norm(a: &Motion<f64>) -> f64 {
    product(a, a).sqrt()
}

/// The conditions under which a change of the parameters goes unnoticed: one column a parameter.
fn conditions(span: &Span, subspace: &[Motion<f64>]) -> DMatrix<f64> {
    let mut rows = Vec::new();
    for s in subspace {
        for (k, a) in span.0.iter().enumerate() {
            let of_a = BodyRegressor::of_momentum(a);
            // sᵀ I v
            rows.push(SVector::from(of_a.power(s)).transpose());
            for b in &span.0[..=k] {
                // aᵀ I (s × b) + bᵀ I (s × a)
                let of_b = BodyRegressor::of_momentum(b);
                let (first, second) = (of_a.power(&s.cross(b)), of_b.power(&s.cross(a)));
                rows.push((SVector::from(first) + SVector::from(second)).transpose());
            }
        }
    }
    let mut matrix = DMatrix::zeros(rows.len(), BODY_PARAMETERS);
    for (k, row) in rows.iter().enumerate() {
        matrix.row_mut(k).copy_from(row);
    }
    matrix
}

/// Moves all parameters that can be from the leaves to the root.
fn regrouped(model: &Model, placements: &[Se3<f64>], bodies: &[BaseParameters]) -> BaseParameters {
    let count = model.parameter_count();
    // The parameters of each body with what has been moved to it, from all parameters.
    let mut sums = DMatrix::identity(count, count);
    let mut columns = Vec::new();
    for (i, joint) in model.joints().iter().enumerate().skip(1).rev() {
        let own = &bodies[i - 1];
        let first = BODY_PARAMETERS * (i - 1);
        columns.extend(own.columns.iter().rev().map(|k| first + k));
        for c in (0..BODY_PARAMETERS).filter(|c| !own.columns.contains(c)) {
            let amount = sums.row(first + c).into_owned();
            // δ = e_c − Σ_k map_kc e_k
            let mut change = [0.0; BODY_PARAMETERS];
            change[c] = 1.0;
            for (k, &column) in own.columns.iter().enumerate() {
                change[column] = -own.map[(k, c)];
            }
            let mut subtract = |to: usize, factor: f64| {
                if factor != 0.0 {
                    let mut row = sums.row_mut(to);
                    row -= &amount * factor;
                }
            };
            for (k, factor) in change.into_iter().enumerate() {
                subtract(first + k, factor);
            }
            let parent = joint.parent.index();
            if parent > 0 {
                let there = DynamicParameters::from_array(change);
                let there = there.transformed_by(&placements[i]).to_array();
                for (k, factor) in there.into_iter().enumerate() {
                    subtract(BODY_PARAMETERS * (parent - 1) + k, -factor);
                }
            }
        }
    }
    columns.reverse();
    let map = without_rounding(sums.select_rows(&columns));
    BaseParameters { columns, map }
}
