//! Dynamics of many states.

use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Input, Output, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::kernel;
use crate::spatial::Force;
use crate::workspace::{Workspace, all_finite};

/// An algorithm that one method of the model is.
macro_rules! task {
    ($name:ident, |$model:ident, $ws:ident, $q:ident, $v:ident, $w:ident| $result:expr) => {
        struct $name;

        impl Task for $name {
            fn run<S: Pack>(
                &self,
                $model: &Model,
                $ws: &mut Workspace<S>,
                [$q, $v, $w, _]: [&[S]; INPUTS],
                _: &mut Room<S>,
                results: &mut Rows<'_, S::Element>,
            ) -> Result<(), Error> {
                results.put(0, $result);
                Ok(())
            }
        }
    };
}

task!(Rnea, |model, ws, q, v, a| model.rnea(ws, q, v, a)?);
task!(Bias, |model, ws, q, v, _a| model.bias(ws, q, v)?);
task!(Aba, |model, ws, q, v, tau| model.aba(ws, q, v, tau)?);
task!(Ltdl, |model, ws, q, v, tau| {
    model.forward_dynamics_crba(ws, q, v, tau)?
});
task!(CentroidalMap, |model, ws, q, _v, _a| {
    model.centroidal_map(ws, q)?.as_slice()
});

/// An algorithm that takes forces on bodies, too.
macro_rules! task_with_forces {
    ($name:ident, $method:ident) => {
        struct $name;

        impl Task for $name {
            fn run<S: Pack>(
                &self,
                model: &Model,
                ws: &mut Workspace<S>,
                [q, v, w, rows]: [&[S]; INPUTS],
                Room { forces, .. }: &mut Room<S>,
                results: &mut Rows<'_, S::Element>,
            ) -> Result<(), Error> {
                forces.clear();
                forces.extend(
                    rows.as_chunks()
                        .0
                        .iter()
                        .map(|&force| Force::from_array(force)),
                );
                results.put(0, model.$method(ws, q, v, w, forces)?);
                Ok(())
            }
        }
    };
}

task_with_forces!(RneaWithForces, rnea_with_forces);
task_with_forces!(AbaWithForces, aba_with_forces);

/// The mass matrix. The packed one is a fraction of the square, whose zeros are known; where they
/// are is in the places.
struct Crba<'a>(&'a [u32]);

impl Task for Crba<'_> {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        _: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        if S::SHARES_REGISTERS {
            results.put(0, model.crba(ws, q)?.as_slice());
        } else {
            results.put_places(0, model.packed_mass_matrix(ws, q)?, self.0);
        }
        Ok(())
    }
}

/// The inverse of the mass matrix. That of a chain is packed, as its mass matrix is.
struct Inverse<'a>(&'a [u32]);

impl Task for Inverse<'_> {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        _: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        if let Some(packed) = model.packed_chain_inverse(ws, q)? {
            results.put_places(0, packed, self.0);
        } else {
            results.put(0, model.mass_matrix_inverse(ws, q)?.as_slice());
        }
        Ok(())
    }
}

/// The centroidal momentum matrix, and the momentum.
struct CentroidalMomentum;

impl Task for CentroidalMomentum {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, v, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let map = model.centroidal_map(ws, q)?.as_slice();
        room.resize(6, S::zero());
        map_velocity(map, v, room);
        if !all_finite(room) {
            return Err(model.explain_not_finite("the centroidal momentum", q, &[("v", v)], None));
        }
        results.put(0, map);
        results.put(1, room);
        Ok(())
    }
}

kernel!(
    /// A v, for a matrix of six rows.
    fn map_velocity<S: Scalar>(map: &[S], v: &[S], momentum: &mut [S]) {
        let mut sums = [S::zero(); 6];
        for (column, rate) in map.as_chunks::<6>().0.iter().zip(v) {
            for r in 0..6 {
                sums[r] = column[r].mul_add(*rate, sums[r]);
            }
        }
        momentum.copy_from_slice(&sums);
    }
);

/// The mass matrix, packed without padding.
struct PackedCrba;

impl Task for PackedCrba {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let packed = model.packed_mass_matrix(ws, q)?;
        if !S::SHARES_REGISTERS {
            results.put(0, packed);
            return Ok(());
        }
        let tree = model.elimination_tree();
        room.resize(tree.tight_len(), S::zero());
        for k in 0..tree.len() {
            for i in tree.ancestors(k).chain([k]) {
                room[tree.tight_place(k, i)] = packed[tree.place::<S>(k, i)];
            }
        }
        results.put(0, room);
        Ok(())
    }
}

/// M⁻¹τ.
struct Solve;

impl Task for Solve {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, _, tau, _]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        room.clear();
        room.extend_from_slice(tau);
        model.mass_matrix_solve(ws, q, room)?;
        if !all_finite(room) {
            return Err(model.explain_not_finite("the solution", q, &[("tau", tau)], None));
        }
        results.put(0, room);
        Ok(())
    }
}

impl<T: Precision> Batch<T> {
    /// Inverse dynamics, as [`Model::rnea`]: the joint forces `tau` that cause the accelerations
    /// `a`.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut batch = Batch::<f64>::new(&model, 1)?;
    /// let (q, v, a) = ([0.3, -0.2, 0.1, 0.4], [0.0; 4], [1.0, 2.0, 0.0, 0.0]);
    /// let (mut tau, mut status) = ([0.0; 4], [BatchStatus::default(); 2]);
    /// assert_eq!(batch.rnea(&q, &v, &a, &mut tau, &mut status)?, 0);
    ///
    /// let mut ws = Workspace::new(&model);
    /// let alone = model.rnea(&mut ws, &q[2..], &v[2..], &a[2..])?;
    /// assert!((tau[2] - alone[0]).abs() < 1e-14);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea(
        &mut self,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), self.tangent("v", v), self.tangent("a", a)];
        let outputs = [self.vector("tau", tau)];
        self.run(&Rnea, inputs, outputs, status)
    }

    /// Inverse dynamics with [external forces](crate::dynamics#external-forces): a state has a row
    /// of one force for each joint, the universe's first and unused, three components of the force
    /// in N and three of the moment in N·m, on the body that the joint moves and in the joint's
    /// output frame.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (q, rest) = ([0.3, -0.2], [0.0; 2]);
    /// let mut forces = [0.0; 3 * 6];
    /// forces[2 * 6 + 2] = 5.0; // 5 N along z of the second link
    /// let (mut tau, mut a, mut status) = ([0.0; 2], [0.0; 2], [BatchStatus::default(); 1]);
    /// batch.rnea_with_forces(&q, &rest, &rest, &forces, &mut tau, &mut status)?;
    /// batch.aba_with_forces(&q, &rest, &tau, &forces, &mut a, &mut status)?;
    /// assert!(a[0].abs() < 1e-12 && a[1].abs() < 1e-12, "the pendulum is at rest");
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea_with_forces(
        &mut self,
        q: &[T],
        v: &[T],
        a: &[T],
        forces: &[T],
        tau: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let (v, a) = (self.tangent("v", v), self.tangent("a", a));
        let inputs = [self.q(q), v, a, self.forces(forces)];
        let outputs = [self.vector("tau", tau)];
        self.run(&RneaWithForces, inputs, outputs, status)
    }

    /// The bias force C(q, v), as [`Model::bias`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn bias(
        &mut self,
        q: &[T],
        v: &[T],
        bias: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), self.tangent("v", v)];
        let outputs = [self.vector("the bias force", bias)];
        self.run(&Bias, inputs, outputs, status)
    }

    /// Forward dynamics in O(n), as [`Model::aba`]: the accelerations `a` that the joint forces
    /// `tau` cause.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn aba(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        a: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), self.tangent("v", v), self.tangent("tau", tau)];
        let outputs = [self.vector("a", a)];
        self.run(&Aba, inputs, outputs, status)
    }

    /// Forward dynamics with [external forces](crate::dynamics#external-forces); rows of forces as
    /// in [`rnea_with_forces`](Self::rnea_with_forces).
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn aba_with_forces(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        forces: &[T],
        a: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let (v, tau) = (self.tangent("v", v), self.tangent("tau", tau));
        let inputs = [self.q(q), v, tau, self.forces(forces)];
        let outputs = [self.vector("a", a)];
        self.run(&AbaWithForces, inputs, outputs, status)
    }

    /// Forward dynamics by the mass matrix and its factorisation, as
    /// [`Model::forward_dynamics_crba`]. The result is that of [`aba`](Self::aba) up to rounding.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn forward_dynamics_crba(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        a: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), self.tangent("v", v), self.tangent("tau", tau)];
        let outputs = [self.vector("a", a)];
        self.run(&Ltdl, inputs, outputs, status)
    }

    /// The mass matrix M(q), nv × nv a state, as [`Model::crba`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn crba(
        &mut self,
        q: &[T],
        mass_matrix: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        let outputs = [self.square("the mass matrix", mass_matrix)];
        // The call needs the whole of the batch but for these.
        let places = std::mem::take(&mut self.square_places);
        let failed = self.run(&Crba(&places), inputs, outputs, status);
        self.square_places = places;
        failed
    }

    /// The mass matrix M(q), packed, as [`kernel::crba_packed`](crate::kernel::crba_packed): what
    /// [`crba`](Self::crba) gives, but of pairs of coordinates on a common path to the root only,
    /// and of each pair once. All other elements are zero in every configuration.
    ///
    /// A state's row has [`tight_len`](crate::model::EliminationTree::tight_len) elements, of which
    /// [`tight_place`](crate::model::EliminationTree::tight_place) says where each is. For robots
    /// with branches these are far fewer than nv², and the call takes a fraction of the time of the
    /// one that fills squares.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let tree = featherline::kernel::elimination_tree(&model);
    /// let (mut packed, mut status) = (vec![0.0; tree.tight_len()], [BatchStatus::default(); 1]);
    /// Batch::<f64>::new(&model, 1)?.crba_packed(&[0.3, -0.2], &mut packed, &mut status)?;
    ///
    /// let mut ws = Workspace::new(&model);
    /// let mass = model.crba(&mut ws, &[0.3, -0.2])?;
    /// assert!((packed[tree.tight_place(1, 0)] - mass[(1, 0)]).abs() < 1e-14);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn crba_packed(
        &mut self,
        q: &[T],
        packed: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        let (name, length) = (
            "the packed mass matrix",
            self.model.elimination_tree().tight_len(),
        );
        let rows = packed;
        let outputs = [Output { name, rows, length }];
        self.run(&PackedCrba, inputs, outputs, status)
    }

    /// M(q)⁻¹ τ by the mass matrix and its factorisation, as
    /// [`Ltdl::solve`](crate::dynamics::ltdl::Ltdl::solve) after
    /// [`Model::ltdl`]: the accelerations that the forces `tau` cause at rest and without gravity.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut x, mut inverse) = ([0.0; 2], [0.0; 4]);
    /// let (q, mut status) = ([0.3, -0.2], [BatchStatus::default(); 1]);
    /// batch.mass_matrix_solve(&q, &[1.0, 0.0], &mut x, &mut status)?;
    /// batch.mass_matrix_inverse(&q, &mut inverse, &mut status)?;
    /// assert!((x[1] - inverse[1]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn mass_matrix_solve(
        &mut self,
        q: &[T],
        tau: &[T],
        x: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), None, self.tangent("tau", tau)];
        let outputs = [self.vector("the solution", x)];
        self.run(&Solve, inputs, outputs, status)
    }

    /// The inverse of the mass matrix, nv × nv a state, as [`Model::mass_matrix_inverse`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn mass_matrix_inverse(
        &mut self,
        q: &[T],
        inverse: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        let outputs = [self.square("the inverse", inverse)];
        // The call needs the whole of the batch but for these.
        let places = std::mem::take(&mut self.square_places);
        let failed = self.run(&Inverse(&places), inputs, outputs, status);
        self.square_places = places;
        failed
    }

    /// The centroidal momentum matrix A(q), 6 × nv a state, as [`Model::centroidal_map`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn centroidal_map(
        &mut self,
        q: &[T],
        map: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        let outputs = [self.wide("the centroidal map", map)];
        self.run(&CentroidalMap, inputs, outputs, status)
    }

    /// The centroidal momentum matrix A(q), as [`centroidal_map`](Self::centroidal_map), and the
    /// centroidal momentum A v: six numbers a state, the linear momentum first, as
    /// [`Model::centroidal_momentum`].
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut map, mut momentum) = ([0.0; 12], [0.0; 6]);
    /// let mut status = [BatchStatus::default(); 1];
    /// batch.centroidal_momentum(&[0.0, 0.0], &[1.0, 0.0], &mut map, &mut momentum, &mut status)?;
    /// // The centre of 2 kg is one metre below the hinge, about which it turns.
    /// assert!((momentum[0].abs() - 2.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_momentum(
        &mut self,
        q: &[T],
        v: &[T],
        map: &mut [T],
        momentum: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), self.tangent("v", v)];
        let momentum = Output {
            name: "the centroidal momentum",
            rows: momentum,
            length: 6,
        };
        let outputs = [self.wide("the centroidal map", map), momentum];
        self.run(&CentroidalMomentum, inputs, outputs, status)
    }

    pub(super) fn q<'a>(&self, rows: &'a [T]) -> Option<Input<'a, T>> {
        let (name, length) = ("q", self.model.nq());
        Some(Input { name, rows, length })
    }

    pub(super) fn tangent<'a>(&self, name: &'static str, rows: &'a [T]) -> Option<Input<'a, T>> {
        let length = self.model.nv();
        Some(Input { name, rows, length })
    }

    fn forces<'a>(&self, rows: &'a [T]) -> Option<Input<'a, T>> {
        let (name, length) = ("external forces", 6 * self.model.joints().len());
        Some(Input { name, rows, length })
    }

    pub(super) fn vector<'a>(&self, name: &'static str, rows: &'a mut [T]) -> Output<'a, T> {
        let length = self.model.nv();
        Output { name, rows, length }
    }

    pub(super) fn square<'a>(&self, name: &'static str, rows: &'a mut [T]) -> Output<'a, T> {
        let length = self.model.nv() * self.model.nv();
        Output { name, rows, length }
    }

    pub(super) fn wide<'a>(&self, name: &'static str, rows: &'a mut [T]) -> Output<'a, T> {
        let length = 6 * self.model.nv();
        Output { name, rows, length }
    }
}
