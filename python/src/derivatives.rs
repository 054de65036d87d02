//! Derivatives as methods of a model. Those of several parts are named tuples.

use crate::array::{Answer, Value};
use crate::forces::External;
use crate::model::Model;
use crate::quantities::quantity_methods;
use crate::states::for_each_named;
use pyo3::prelude::*;

quantity_methods! {
    /// The derivatives of `rnea` by q, v and a, and the joint forces themselves.
    ///
    /// Returns tau (nv,), dq, dv and da (nv, nv). Column k of dq is the change of tau for
    /// `integrate(q, ε eₖ)` by ε: q has nq numbers and nv directions. External forces stay as they
    /// are where `forces_in` says, as for `rnea`. `out` takes an earlier result, whose arrays are
    /// written. Derivatives by a force on a frame, (nv, 6), follow from the frame's Jacobian.
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
    rnea_derivatives(q, v, a; forces) -> RneaDerivatives as "InverseDynamicsDerivatives";
    /// The derivatives of `inverse_dynamics`: with damping, friction and springs of the joints. Dry
    /// friction counts as constant. As `rnea_derivatives` otherwise.
    ///
    /// >>> d = panda.inverse_dynamics_derivatives(q, v, a)
    /// >>> passive = panda.passive_forces_derivatives(q)
    /// >>> np.allclose(d.dv, panda.rnea_derivatives(q, v, a).dv - passive.dv)
    /// True
    inverse_dynamics_derivatives(q, v, a; forces) -> InverseDynamicsDerivatives as "InverseDynamicsDerivatives";
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
    aba_derivatives(q, v, tau; forces) -> AbaDerivatives as "ForwardDynamicsDerivatives";
    /// The derivatives of `forward_dynamics`: with damping, friction and springs of the joints. Dry
    /// friction counts as constant. As `aba_derivatives` otherwise.
    ///
    /// >>> tau = panda.gravity_torque(q)
    /// >>> d = panda.forward_dynamics_derivatives(q, v, tau)
    /// >>> np.allclose(d.acceleration, panda.forward_dynamics(q, v, tau))
    /// True
    forward_dynamics_derivatives(q, v, tau; forces) -> ForwardDynamicsDerivatives as "ForwardDynamicsDerivatives";
    /// The derivative (nv, nv) of `gravity_torque` by q.
    ///
    /// >>> at_rest = panda.rnea_derivatives(q, 0 * v, 0 * a)
    /// >>> np.allclose(panda.gravity_torque_derivative(q), at_rest.dq)
    /// True
    gravity_torque_derivative(q) -> GravityTorqueDerivative;
    /// The derivative (nv, nv) of `static_torque` by q. External forces stay as they are where
    /// `forces_in` says.
    ///
    /// >>> d = panda.static_torque_derivative(q, {"panda_link8": [0, 0, -5, 0, 0, 0]})
    /// >>> d.shape
    /// (7, 7)
    static_torque_derivative(q; forces) -> StaticTorqueDerivative;
    /// The derivatives of `passive_forces`, which do not depend on v: dq, of springs, and dv, minus
    /// the damping (nv, nv). Dry friction counts as constant.
    ///
    /// >>> d = panda.passive_forces_derivatives(q)
    /// >>> np.allclose(d.dv, -np.diag(panda.damping))
    /// True
    passive_forces_derivatives(q) -> PassiveForcesDerivatives as "PassiveForcesDerivatives";
    /// The derivatives of `kinetic_energy` by q and v: dq (nv,) and dv (nv,), the momentum of the
    /// joints. That of the potential energy of gravity is `gravity_torque`.
    ///
    /// >>> np.allclose(panda.kinetic_energy_derivatives(q, v).dv, panda.crba(q) @ v)
    /// True
    kinetic_energy_derivatives(q, v) -> KineticEnergyDerivatives as "KineticEnergyDerivatives";
    /// The derivatives of the centroidal momentum h and of its rate: momentum_dq, map (∂h/∂v, which
    /// is the rate's by a), rate_dq and rate_dv (6, nv), as `centroidal_momentum` has its rows.
    ///
    /// The linear rows divided by the mass are those of the centre of mass: its velocity by q, its
    /// Jacobian, its acceleration by q and v.
    ///
    /// >>> d = panda.centroidal_derivatives(q, v, a)
    /// >>> np.allclose(d.map, panda.centroidal_map(q))
    /// True
    centroidal_derivatives(q, v, a) -> CentroidalDerivatives as "CentroidalDerivatives";
}

#[pymethods]
impl Model {
    /// The derivatives of `hybrid_dynamics` by q, v and the values given, all (nv, nv):
    /// accelerations_dq, accelerations_dv, accelerations_dvalues, forces_dq, forces_dv and
    /// forces_dvalues. The arguments are those of `hybrid_dynamics`.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> d = pendulum.hybrid_dynamics_derivatives([0.3, 0.2], [0, 0], [0, 0], known=["shoulder"])
    /// >>> d.accelerations_dvalues[0]
    /// array([1., 0.])
    #[pyo3(signature = (q, v, values, known, external_forces=None, *, forces_in="local", out=None))]
    fn hybrid_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        values: Value<'_, 'py>,
        known: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let known = self.mask(known)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("values", values)));
        let shapes = [self.square(); 6];
        for_each_named(
            py,
            "HybridDerivatives",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let (q, v, values) = (inputs[0], inputs[1], inputs[2]);
                external.acting.with_options(inputs.get(3), |options| {
                    self.with_workspace(|model, ws| {
                        let found =
                            model.hybrid_dynamics_derivatives(ws, q, v, values, &known, options)?;
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
                })
            },
        )
    }
}
