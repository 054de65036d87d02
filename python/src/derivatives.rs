//! Derivatives as methods of a model. Those of several parts are named tuples.

use crate::argument::FrameName;
use crate::array::{Answer, Argument, Shape, Value};
use crate::evaluate::evaluate;
use crate::forces::{self, External, on_bodies};
use crate::kinematics::Reference;
use crate::model::Model;
use crate::quantities::Listed;
use crate::states::{Lanes, check_out, for_each, for_each_or_lanes, named};
use featherline::batch::BatchStatus;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::quantity::{GravityTorqueDerivative, StaticTorqueDerivative};
use nalgebra::DMatrixViewMut;
use pyo3::prelude::*;

/// Which problem of dynamics.
#[derive(Clone, Copy)]
enum Problem {
    Inverse,
    Forward,
}

impl Model {
    /// The derivatives of dynamics by q, v, and a or tau; many states without other forces run in
    /// lanes.
    fn of_dynamics<'a, 'py>(
        &self,
        py: Python<'py>,
        (problem, passive): (Problem, bool),
        states: [Argument<'a, 'py>; 3],
        external_forces: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let class = match problem {
            Problem::Inverse => "InverseDynamicsDerivatives",
            Problem::Forward => "ForwardDynamicsDerivatives",
        };
        check_out(py, class, out)?;
        let external = External::read(self, external_forces)?;
        let arguments = external.after(self, states);
        let shapes = [self.vector(), self.square(), self.square(), self.square()];
        let one = |inputs: &[&[f64]], results: &mut [&mut [f64]]| {
            self.with_workspace(|model, ws| {
                let external = on_bodies(inputs.get(3));
                let mut options = DynamicsOptions::default().with_forces(&external);
                options.passive_forces = passive;
                let (q, v, x) = (inputs[0], inputs[1], inputs[2]);
                let (vector, matrices) = match problem {
                    Problem::Inverse => {
                        let found = model.inverse_dynamics_derivatives(ws, q, v, x, options)?;
                        (found.tau, [found.dq, found.dv, found.da])
                    }
                    Problem::Forward => {
                        let found = model.forward_dynamics_derivatives(ws, q, v, x, options)?;
                        (found.acceleration, [found.dq, found.dv, found.dtau])
                    }
                };
                results[0].copy_from_slice(vector);
                for (result, matrix) in results[1..].iter_mut().zip(matrices) {
                    result.copy_from_slice(matrix.as_slice());
                }
                Ok(())
            })
        };
        let many = |inputs: &[&[f64]], results: &mut [&mut [f64]], status: &mut [BatchStatus]| {
            let (&[q, v, x], [vector, dq, dv, dx]) = (inputs, results) else {
                return Ok(0);
            };
            self.with_batch(|batch| match problem {
                Problem::Inverse => batch.rnea_derivatives(q, v, x, vector, dq, dv, dx, status),
                Problem::Forward => batch.aba_derivatives(q, v, x, vector, dq, dv, dx, status),
            })
        };
        let lanes: Option<&Lanes<'_>> = match (passive, external_forces) {
            (false, None) => Some(&many),
            _ => None,
        };
        let results = for_each_or_lanes(py, &arguments, &shapes, out, one, lanes)?;
        named(py, class, results)
    }
}

/// Methods of derivatives of dynamics, which take external forces.
macro_rules! of_dynamics {
    ($($(#[$documentation:meta])* $method:ident(q, v, $third:ident) -> $problem:ident,
        passive: $passive:expr;)*) => {
        #[pymethods]
        impl Model {$(
            $(#[$documentation])*
            #[pyo3(signature = (q, v, $third, external_forces=None, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                q: Value<'_, 'py>,
                v: Value<'_, 'py>,
                $third: Value<'_, 'py>,
                external_forces: Option<Value<'_, 'py>>,
                out: Option<Value<'_, 'py>>,
            ) -> Answer<'py> {
                let (q, v) = (self.q("q", q), self.tangent("v", v));
                let third = self.tangent(stringify!($third), $third);
                let which = (Problem::$problem, $passive);
                self.of_dynamics(py, which, [q, v, third], external_forces, out)
            }
        )*}
    };
}

of_dynamics! {
    /// The derivatives of `rnea` by q, v and a, and the joint forces themselves.
    ///
    /// Returns tau (nv,), dq, dv and da (nv, nv). Column k of dq is the change of tau for
    /// `integrate(q, ε eₖ)` by ε: q has nq numbers and nv directions. External forces stay as they
    /// are in the frames of their joints. `out` takes an earlier result, whose arrays are written.
    /// Derivatives by a force on a frame, (nv, 6), follow from the frame's Jacobian.
    ///
    /// >>> d = panda.rnea_derivatives(q, v, a)
    /// >>> np.allclose(d.tau, panda.rnea(q, v, a)), np.allclose(d.da, panda.crba(q))
    /// (True, True)
    /// >>> step = 1e-6 * v
    /// >>> change = panda.rnea(panda.integrate(q, step), v, a) - d.tau
    /// >>> np.allclose(d.dq @ step, change, atol=1e-9)
    /// True
    /// >>> J, force = panda.jacobian(q, "panda_link8"), np.array([0, 0, -5, 0, 0, 0])
    /// >>> pushed = panda.rnea(q, v, a, {"panda_link8": force})
    /// >>> np.allclose(d.tau + d.d_external_force(J) @ force, pushed)
    /// True
    rnea_derivatives(q, v, a) -> Inverse, passive: false;
    /// The derivatives of `inverse_dynamics`: with damping, friction and springs of the joints. Dry
    /// friction counts as constant. As `rnea_derivatives` otherwise.
    ///
    /// >>> d = panda.inverse_dynamics_derivatives(q, v, a)
    /// >>> passive = panda.passive_forces_derivatives(q)
    /// >>> np.allclose(d.dv, panda.rnea_derivatives(q, v, a).dv - passive.dv)
    /// True
    inverse_dynamics_derivatives(q, v, a) -> Inverse, passive: true;
    /// The derivatives of `aba` by q, v and tau, and the accelerations themselves.
    ///
    /// Returns acceleration (nv,), dq, dv and dtau (nv, nv), which is the inverse of the mass
    /// matrix. Directions of q and external forces are those of `rnea_derivatives`.
    ///
    /// >>> d = panda.aba_derivatives(q, v, panda.gravity_torque(q))
    /// >>> np.allclose(d.dq, -d.dtau @ panda.rnea_derivatives(q, v, d.acceleration).dq)
    /// True
    /// >>> J, force = panda.jacobian(q, "panda_link8"), np.array([0, 0, -5, 0, 0, 0])
    /// >>> pushed = panda.aba(q, v, panda.gravity_torque(q), {"panda_link8": force})
    /// >>> np.allclose(d.acceleration + d.d_external_force(J) @ force, pushed)
    /// True
    aba_derivatives(q, v, tau) -> Forward, passive: false;
    /// The derivatives of `forward_dynamics`: with damping, friction and springs of the joints. Dry
    /// friction counts as constant. As `aba_derivatives` otherwise.
    ///
    /// >>> tau = panda.gravity_torque(q)
    /// >>> d = panda.forward_dynamics_derivatives(q, v, tau)
    /// >>> np.allclose(d.acceleration, panda.forward_dynamics(q, v, tau))
    /// True
    forward_dynamics_derivatives(q, v, tau) -> Forward, passive: true;
}

/// Which motion of a frame.
#[derive(Clone, Copy)]
enum Quantity {
    Velocity,
    Acceleration,
    ClassicalAcceleration,
}

impl Model {
    /// The derivatives of a frame's motion.
    fn of_motion<'py>(
        &self,
        py: Python<'py>,
        arguments: &[Argument<'_, 'py>],
        (frame, reference): (FrameName<'_>, Reference),
        quantity: Quantity,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let target: Target = self.target(frame.0)?;
        let reference: ReferenceFrame = reference.0;
        let nv = self.model.nv();
        let shape = Shape::Matrix(6, nv);
        let (shapes, class): (&[Shape], _) = if let Quantity::Velocity = quantity {
            (&[shape; 2], "VelocityDerivatives")
        } else {
            (&[shape; 3], "AccelerationDerivatives")
        };
        check_out(py, class, out)?;
        let still = vec![0.0; nv];
        let results = for_each(py, arguments, shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let a = inputs.get(2).copied().unwrap_or(&still);
                let found = model.kinematics_derivatives(ws, inputs[0], inputs[1], a)?;
                let mut views = results
                    .iter_mut()
                    .map(|numbers| DMatrixViewMut::from_slice(numbers, 6, nv));
                let (Some(by_q), Some(by_v)) = (views.next(), views.next()) else {
                    return Ok(());
                };
                match (quantity, views.next()) {
                    (Quantity::Acceleration, Some(by_a)) => {
                        found.acceleration_into(target, reference, by_q, by_v, by_a)
                    }
                    (Quantity::ClassicalAcceleration, Some(by_a)) => {
                        found.classical_acceleration_into(target, reference, by_q, by_v, by_a)
                    }
                    _ => found.velocity_into(target, reference, by_q, by_v),
                }
            })
        })?;
        named(py, class, results)
    }
}

#[pymethods]
impl Model {
    /// The derivative (nv, nv) of `gravity_torque` by q.
    ///
    /// >>> at_rest = panda.rnea_derivatives(q, 0 * v, 0 * a)
    /// >>> np.allclose(panda.gravity_torque_derivative(q), at_rest.dq)
    /// True
    #[pyo3(signature = (q, *, out=None))]
    fn gravity_torque_derivative<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        self.compute(py, &GravityTorqueDerivative, [q], out)
    }

    /// The derivative (nv, nv) of `static_torque` by q. External forces stay as they are in the
    /// frames of their joints.
    ///
    /// >>> d = panda.static_torque_derivative(q, {"panda_link8": [0, 0, -5, 0, 0, 0]})
    /// >>> d.shape
    /// (7, 7)
    #[pyo3(signature = (q, external_forces, *, out=None))]
    fn static_torque_derivative<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        external_forces: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let f = forces::read(self, external_forces)?;
        let arguments = [self.q("q", q), forces::argument(self, &f)];
        let quantity = Listed(&StaticTorqueDerivative);
        evaluate(self, py, &quantity, &arguments, self.square(), out)
    }

    /// The derivatives of `passive_forces`, which do not depend on v: dq, of springs, and dv, minus
    /// the damping (nv, nv). Dry friction counts as constant.
    ///
    /// >>> d = panda.passive_forces_derivatives(q)
    /// >>> np.allclose(d.dv, -np.diag(panda.damping))
    /// True
    #[pyo3(signature = (q, *, out=None))]
    fn passive_forces_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let shapes = [self.square(), self.square()];
        check_out(py, "PassiveForcesDerivatives", out)?;
        let results = for_each(py, &[self.q("q", q)], &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let found = model.passive_forces_derivatives(ws, inputs[0])?;
                results[0].copy_from_slice(found.dq.as_slice());
                results[1].copy_from_slice(found.dv.as_slice());
                Ok(())
            })
        })?;
        named(py, "PassiveForcesDerivatives", results)
    }

    /// The derivatives of `kinetic_energy` by q and v: dq (nv,) and dv (nv,), the momentum of the
    /// joints. That of the potential energy of gravity is `gravity_torque`.
    ///
    /// >>> np.allclose(panda.kinetic_energy_derivatives(q, v).dv, panda.crba(q) @ v)
    /// True
    #[pyo3(signature = (q, v, *, out=None))]
    fn kinetic_energy_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v)];
        let shapes = [self.vector(), self.vector()];
        check_out(py, "KineticEnergyDerivatives", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let found = model.kinetic_energy_derivatives(ws, inputs[0], inputs[1])?;
                results[0].copy_from_slice(found.dq);
                results[1].copy_from_slice(found.dv);
                Ok(())
            })
        })?;
        named(py, "KineticEnergyDerivatives", results)
    }

    /// The derivatives of the centroidal momentum h and of its rate: momentum_dq, map (∂h/∂v, which
    /// is the rate's by a), rate_dq and rate_dv (6, nv), as `centroidal_momentum` has its rows.
    ///
    /// The linear rows divided by the mass are those of the centre of mass: its velocity by q, its
    /// Jacobian, its acceleration by q and v.
    ///
    /// >>> d = panda.centroidal_derivatives(q, v, a)
    /// >>> np.allclose(d.map, panda.centroidal_map(q))
    /// True
    #[pyo3(signature = (q, v, a, *, out=None))]
    fn centroidal_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v), self.tangent("a", a)];
        let shapes = [Shape::Matrix(6, self.model.nv()); 4];
        check_out(py, "CentroidalDerivatives", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let found = model.centroidal_derivatives(ws, inputs[0], inputs[1], inputs[2])?;
                results[0].copy_from_slice(found.momentum_dq.as_slice());
                results[1].copy_from_slice(found.map.as_slice());
                results[2].copy_from_slice(found.rate_dq.as_slice());
                results[3].copy_from_slice(found.rate_dv.as_slice());
                Ok(())
            })
        })?;
        named(py, "CentroidalDerivatives", results)
    }

    /// The derivatives of `hybrid_dynamics` by q, v and the values given, all (nv, nv):
    /// accelerations_dq, accelerations_dv, accelerations_dvalues, forces_dq, forces_dv and
    /// forces_dvalues. The arguments are those of `hybrid_dynamics`.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> d = pendulum.hybrid_dynamics_derivatives([0.3, 0.2], [0, 0], [0, 0], known=["shoulder"])
    /// >>> d.accelerations_dvalues[0]
    /// array([1., 0.])
    #[pyo3(signature = (q, v, values, known, external_forces=None, *, out=None))]
    fn hybrid_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        values: Value<'_, 'py>,
        known: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let known = self.mask(known)?;
        let external = External::read(self, external_forces)?;
        let others = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("values", values),
        ];
        let arguments = external.after(self, others);
        let shapes = [self.square(); 6];
        check_out(py, "HybridDerivatives", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let external = on_bodies(inputs.get(3));
                let (q, v, values) = (inputs[0], inputs[1], inputs[2]);
                let found =
                    model.hybrid_dynamics_derivatives(ws, q, v, values, &known, &external)?;
                let parts = [
                    found.accelerations_dq,
                    found.accelerations_dv,
                    found.accelerations_dvalues,
                    found.forces_dq,
                    found.forces_dv,
                    found.forces_dvalues,
                ];
                for (result, part) in results.iter_mut().zip(parts) {
                    result.copy_from_slice(part.as_slice());
                }
                Ok(())
            })
        })?;
        named(py, "HybridDerivatives", results)
    }

    /// The derivatives of a frame's `velocity` by q and v: dq and dv (6, nv), which is the
    /// Jacobian. Each is that of the components which `velocity` returns for the same reference.
    ///
    /// >>> d = panda.velocity_derivatives(q, v, "panda_link8")
    /// >>> np.allclose(d.dv, panda.jacobian(q, "panda_link8"))
    /// True
    #[pyo3(signature = (q, v, frame, reference=Reference::USUAL, *, out=None), text_signature = "($self, q, v, frame, reference='local', *, out=None)")]
    fn velocity_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        frame: FrameName<'_>,
        reference: Reference,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v)];
        self.of_motion(py, &arguments, (frame, reference), Quantity::Velocity, out)
    }

    /// The derivatives of a frame's spatial `acceleration` by q, v and a: dq, dv and da (6, nv),
    /// which is the Jacobian.
    ///
    /// >>> d = panda.acceleration_derivatives(q, v, a, "panda_link8", "world")
    /// >>> np.allclose(d.da, panda.jacobian(q, "panda_link8", "world"))
    /// True
    #[pyo3(signature = (q, v, a, frame, reference=Reference::USUAL, *, out=None), text_signature = "($self, q, v, a, frame, reference='local', *, out=None)")]
    fn acceleration_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        frame: FrameName<'_>,
        reference: Reference,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v), self.tangent("a", a)];
        self.of_motion(
            py,
            &arguments,
            (frame, reference),
            Quantity::Acceleration,
            out,
        )
    }

    /// The derivatives of a frame's `classical_acceleration` by q, v and a: dq, dv and da (6, nv),
    /// which is the Jacobian.
    ///
    /// >>> spatial = panda.acceleration_derivatives(q, 0 * v, a, "panda_link8")
    /// >>> classical = panda.classical_acceleration_derivatives(q, 0 * v, a, "panda_link8")
    /// >>> np.allclose(spatial.dq, classical.dq)     # at rest
    /// True
    #[pyo3(signature = (q, v, a, frame, reference=Reference::USUAL, *, out=None), text_signature = "($self, q, v, a, frame, reference='local', *, out=None)")]
    fn classical_acceleration_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        frame: FrameName<'_>,
        reference: Reference,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v), self.tangent("a", a)];
        let quantity = Quantity::ClassicalAcceleration;
        self.of_motion(py, &arguments, (frame, reference), quantity, out)
    }
}
