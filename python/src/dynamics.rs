//! Dynamics, energies and momenta as methods of a model.

use crate::array::{Answer, Argument, Shape, Value};
use crate::error::natural;
use crate::model::Model;
use crate::quantities::quantity_methods;
use pyo3::prelude::*;

impl Model {
    pub fn q<'a, 'py>(&self, name: &'static str, value: Value<'a, 'py>) -> Argument<'a, 'py> {
        Argument {
            name,
            value,
            width: self.model.nq(),
        }
    }

    pub fn tangent<'a, 'py>(&self, name: &'static str, value: Value<'a, 'py>) -> Argument<'a, 'py> {
        Argument {
            name,
            value,
            width: self.model.nv(),
        }
    }

    /// q, v and one more number for each coordinate.
    pub fn state<'a, 'py>(
        &self,
        q: Value<'a, 'py>,
        v: Value<'a, 'py>,
        (name, other): (&'static str, Value<'a, 'py>),
    ) -> [Argument<'a, 'py>; 3] {
        [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent(name, other),
        ]
    }

    pub fn vector(&self) -> Shape {
        Shape::Vector(self.model.nv())
    }

    /// How many bodies move: one a joint.
    pub fn bodies(&self) -> usize {
        self.model.joints().len() - 1
    }

    pub fn square(&self) -> Shape {
        Shape::Matrix(self.model.nv(), self.model.nv())
    }
}

quantity_methods! {
    /// Inverse dynamics: the joint forces (nv,) that cause the accelerations a, by the recursive
    /// Newton-Euler algorithm; without damping, friction and springs. In N·m and N.
    ///
    /// external_forces: a dictionary from names of joints, links or frames to six numbers [force;
    /// moment] in that frame, or an array (joints, 6) in the joints' frames. forces_in: "local", or
    /// where these are constant instead: "world", along its axes and about its origin, or
    /// "local_world_aligned", along the world's axes and about the frame's origin.
    ///
    /// >>> np.allclose(panda.rnea(q, v, a), panda.crba(q) @ a + panda.bias(q, v))
    /// True
    /// >>> lift, J = [0, 0, 5, 0, 0, 0], panda.jacobian(q, "panda_link8", "aligned")
    /// >>> tau = panda.rnea(q, v, a, {"panda_link8": lift}, forces_in="aligned")
    /// >>> np.allclose(tau, panda.rnea(q, v, a) - J.T @ lift)
    /// True
    rnea(q, v, a; forces) -> Rnea;
    /// Inverse dynamics with damping, friction and springs of the joints.
    ///
    /// >>> tau = panda.inverse_dynamics(q, v, a)
    /// >>> np.allclose(tau, panda.rnea(q, v, a) - panda.passive_forces(q, v))
    /// True
    inverse_dynamics(q, v, a; forces) -> InverseDynamics;
    /// Forward dynamics: the accelerations (nv,) that the joint forces tau cause, by the
    /// articulated-body algorithm; without damping, friction and springs.
    ///
    /// Of a robot with closed loops it sees the spanning tree; `loop_dynamics` and
    /// `maximal_dynamics` keep the loops closed.
    ///
    /// >>> np.allclose(panda.aba(q, v, panda.rnea(q, v, a)), a)
    /// True
    aba(q, v, tau; forces) -> Aba;
    /// Forward dynamics with damping, friction and springs of the joints.
    ///
    /// Of a robot with closed loops it sees the spanning tree; `loop_dynamics` and
    /// `maximal_dynamics` keep the loops closed.
    ///
    /// >>> np.allclose(panda.forward_dynamics(q, v, panda.inverse_dynamics(q, v, a)), a)
    /// True
    forward_dynamics(q, v, tau; forces) -> ForwardDynamics;
    /// The force of each joint on its body (joints, 6): [force; moment] in the joint's frame,
    /// constraint and drive together, which carries weight and external forces. In N and N·m.
    ///
    /// >>> forces = panda.transmitted_forces(q, v, a)
    /// >>> np.allclose(forces[:, 5], panda.rnea(q, v, a))     # every joint turns about its z axis
    /// True
    transmitted_forces(q, v, a; forces) -> TransmittedForces;
    /// The bias force C(q, v) (nv,): the joint forces at zero acceleration, gravity among them.
    ///
    /// >>> np.allclose(panda.bias(q, v), panda.rnea(q, v, np.zeros(7)))
    /// True
    bias(q, v; forces) -> Bias;
    /// The joint forces (nv,) that hold the robot against gravity.
    ///
    /// >>> np.allclose(panda.gravity_torque(q), panda.bias(q, np.zeros(7)))
    /// True
    gravity_torque(q; forces) -> GravityTorque;
    /// Damping, dry friction and springs of the joints, as forces (nv,) on them.
    ///
    /// >>> panda.passive_forces(q, v).shape
    /// (7,)
    passive_forces(q, v) -> PassiveForces;
    /// The mass matrix M(q) (nv, nv), by the composite-rigid-body algorithm.
    ///
    /// >>> np.allclose(v @ panda.crba(q) @ v / 2, panda.kinetic_energy(q, v))
    /// True
    crba(q) -> Crba;
    /// The mass matrix M(q) (nv, nv): another name of `crba`.
    mass_matrix(q) -> Crba;
    /// The inverse of the mass matrix (nv, nv).
    ///
    /// >>> np.allclose(panda.mass_matrix_inverse(q) @ panda.crba(q), np.eye(7))
    /// True
    mass_matrix_inverse(q) -> MassMatrixInverse;
    /// M(q)⁻¹ b (nv,), by the LTDL factorisation that exploits branch-induced sparsity.
    ///
    /// >>> np.allclose(panda.crba(q) @ panda.mass_matrix_solve(q, v), v)
    /// True
    mass_matrix_solve(q, b) -> MassMatrixSolve;
    /// The articulated-body inertias (joints, 6, 6): each body as it is felt with the bodies that
    /// it carries, which move freely; in the joints' frames.
    ///
    /// >>> felt = panda.articulated_inertias(q)
    /// >>> felt.shape, np.allclose(felt, felt.transpose(0, 2, 1))
    /// ((7, 6, 6), True)
    articulated_inertias(q) -> ArticulatedInertias;
    /// The terms of the articulated-body algorithm (Featherstone 2008, table 7.1), [linear;
    /// angular] in the joints' frames: articulated_inertias Iᴬ (joints, 6, 6), bias_forces pᴬ
    /// (joints, 6), velocity_products c (joints, 6), U = Iᴬ S (6, nv), D = Sᵀ U with armature
    /// (nv, nv), a block for each joint, and u = τ − Sᵀ pᴬ (nv,). For mimic joints see `aba_terms`
    /// in the documentation of the Rust crate. Of a robot with closed loops, of the spanning tree.
    ///
    /// >>> terms = panda.aba_terms(q, v, panda.rnea(q, v, a))
    /// >>> np.allclose(terms.U.T, terms.articulated_inertias[:, 5])   # all joints turn about z
    /// True
    aba_terms(q, v, tau; forces) -> AbaTerms as "AbaTerms";
    /// A Coriolis matrix C(q, v) (nv, nv), of which Ṁ − 2C is antisymmetric.
    ///
    /// >>> np.allclose(panda.coriolis_matrix(q, v) @ v, panda.bias(q, v) - panda.gravity_torque(q))
    /// True
    coriolis_matrix(q, v) -> CoriolisMatrix;
    /// The kinetic energy in J.
    ///
    /// >>> panda.kinetic_energy(q, np.zeros(7))
    /// 0.0
    kinetic_energy(q, v) -> KineticEnergy;
    /// The potential energy of gravity and springs in J.
    ///
    /// >>> E = panda.mechanical_energy(q, v) - panda.kinetic_energy(q, v)
    /// >>> np.allclose(panda.potential_energy(q), E)
    /// True
    potential_energy(q) -> PotentialEnergy;
    /// Kinetic and potential energy in J.
    mechanical_energy(q, v) -> MechanicalEnergy;
    /// The Lagrangian in J: kinetic less potential energy.
    ///
    /// >>> L = panda.kinetic_energy(q, v) - panda.potential_energy(q)
    /// >>> np.allclose(panda.lagrangian(q, v), L)
    /// True
    lagrangian(q, v) -> Lagrangian;
    /// The centroidal momentum (6,): [linear; angular about the centre of mass], world's axes.
    ///
    /// >>> h = panda.centroidal_momentum(q, v)
    /// >>> np.allclose(h[:3], panda.total_mass * panda.center_of_mass_velocity(q, v))
    /// True
    centroidal_momentum(q, v) -> CentroidalMomentum;
    /// The rate of the centroidal momentum (6,).
    centroidal_momentum_rate(q, v, a) -> CentroidalMomentumRate;
    /// The centroidal momentum matrix A(q) (6, nv).
    ///
    /// >>> np.allclose(panda.centroidal_map(q) @ v, panda.centroidal_momentum(q, v))
    /// True
    centroidal_map(q) -> CentroidalMap;
    /// The rate of the centroidal momentum matrix (6, nv).
    centroidal_map_rate(q, v) -> CentroidalMapRate;
    /// The centre of mass in the world (3,), in m.
    ///
    /// >>> panda.center_of_mass(q).shape
    /// (3,)
    center_of_mass(q) -> CenterOfMass;
    /// The velocity of the centre of mass (3,).
    center_of_mass_velocity(q, v) -> CenterOfMassVelocity;
    /// The acceleration of the centre of mass (3,).
    center_of_mass_acceleration(q, v, a) -> CenterOfMassAcceleration;
    /// The Jacobian of the centre of mass (3, nv).
    ///
    /// >>> np.allclose(panda.center_of_mass_jacobian(q) @ v, panda.center_of_mass_velocity(q, v))
    /// True
    center_of_mass_jacobian(q) -> CenterOfMassJacobian;
    /// The configuration (nq,) that is reached from q with the velocity v in one second.
    ///
    /// >>> np.allclose(panda.difference(q, panda.integrate(q, 0.1 * v)), 0.1 * v)
    /// True
    integrate(q, v) -> Integrate;
    /// The velocity (nv,) that leads from q0 to q1 in one second.
    ///
    /// >>> np.allclose(panda.integrate(q, panda.difference(q, panda.neutral())), panda.neutral())
    /// True
    difference(q0, q1) -> Difference;
    /// The distance between configurations: the norm of their difference.
    ///
    /// >>> np.allclose(panda.distance(q, panda.integrate(q, v)), np.linalg.norm(v))
    /// True
    distance(q0, q1) -> Distance;
    /// The derivative (nv, nv) of `integrate` along q, in tangents at both ends.
    d_integrate_dq(v) -> DIntegrateDq;
    /// The derivative (nv, nv) of `integrate` along v, in tangents at its end.
    d_integrate_dv(v) -> DIntegrateDv;
    /// The derivative (nv, nv) of `difference` along q0, in tangents there.
    d_difference_dq0(q0, q1) -> DDifferenceDq0;
    /// The derivative (nv, nv) of `difference` along q1, in tangents there.
    d_difference_dq1(q0, q1) -> DDifferenceDq1;
    /// The configuration with quaternions and (cos, sin) pairs of length one.
    ///
    /// >>> np.allclose(panda.normalise(q), q)
    /// True
    normalise(q) -> Normalise;
    /// The configuration between q0 (t = 0) and q1 (t = 1) on the shortest way; with an array of
    /// times (n,), those of all of them (n, nq).
    ///
    /// >>> panda.interpolate(q, panda.neutral(), [0.0, 0.5, 1.0]).shape
    /// (3, 7)
    /// >>> np.allclose(panda.interpolate(q, panda.neutral(), 1.0), panda.neutral())
    /// True
    interpolate(q0, q1, t) -> Interpolate;
    /// The joint forces (nv,) that hold the robot against gravity and external forces.
    ///
    /// >>> push = {"panda_link8": [0, 0, -5, 0, 0, 0]}
    /// >>> J = panda.jacobian(q, "panda_link8")
    /// >>> tau = panda.gravity_torque(q) - J.T @ push["panda_link8"]
    /// >>> np.allclose(panda.static_torque(q, push), tau)
    /// True
    static_torque(q; forces) -> StaticTorque;
}

#[pymethods]
impl Model {
    /// The neutral configuration (nq,): joints at zero, rotations at the identity.
    ///
    /// >>> panda.neutral().shape
    /// (7,)
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_vec(py, self.model.neutral_configuration::<f64>()).into_any()
    }

    /// Random configurations: one (nq,), or so many rows. Joints with limits are within them,
    /// others within half a turn or one metre. The same seed gives the same.
    ///
    /// >>> panda.random_configuration(seed=1, states=100).shape
    /// (100, 7)
    #[pyo3(signature = (seed, states=None))]
    fn random_configuration<'py>(
        &self,
        py: Python<'py>,
        seed: i128,
        states: Option<i128>,
    ) -> Answer<'py> {
        use numpy::PyArrayMethods;
        let mut source = featherline::random::SplitMix64::new(natural("seed", seed)?);
        let count: usize = natural("states", states.unwrap_or(1))?;
        let mut rows: Vec<f64> = Vec::new();
        let numbers = count.checked_mul(self.model.nq());
        if numbers.is_none_or(|n| rows.try_reserve_exact(n).is_err()) {
            return Err(pyo3::exceptions::PyMemoryError::new_err(format!(
                "there is no memory for {count} states"
            )));
        }
        let mut left = count;
        while left > 0 {
            let portion = left.min(1 << 12);
            py.detach(|| {
                for _ in 0..portion {
                    rows.extend(self.model.random_configuration(&mut source));
                }
            });
            left -= portion;
            py.check_signals()?;
        }
        let flat = numpy::PyArray1::from_vec(py, rows);
        match states {
            None => Ok(flat.into_any()),
            Some(_) => Ok(flat.reshape([count, self.model.nq()])?.into_any()),
        }
    }
}
