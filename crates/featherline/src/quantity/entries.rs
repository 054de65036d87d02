//! The entries.

#[cfg(feature = "batch")]
use super::Lanes;
use super::declare::quantities;
use super::entry::{Dimension, Entry, Input, Output, links};
#[cfg(feature = "batch")]
use super::numbers::with_universe;
use super::numbers::{
    matrix, on_bodies, optional, put_aba_terms, put_all, put_each, put_forward, put_inertias,
    put_inverse, under, wrong_number,
};
use super::parameters::{Parameters, Value};
use super::{Algorithm, AnyAlgorithm, ListedQuantity, Quantity, Visitor};
#[cfg(feature = "batch")]
use crate::batch::{Precision, TermRows};
use crate::configuration;
use crate::dynamics::{self, crba::crba_packed};
use crate::error::{Error, check_size};
use crate::kinematics::{ReferenceFrame, Target};
use crate::model::{JointId, Model};
use crate::regressor::{self, LinearQuantity};
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, Force};
use crate::workspace::Workspace;
use Dimension::{Drives, Fixed, JointCoordinates, Joints, Links, Nq, Nv, Packed};

quantities! {
    /// Inverse dynamics: the joint forces that cause the accelerations a, by the recursive
    /// Newton-Euler algorithm; without damping, friction and springs.
    Rnea = "rnea" as "tau" or "joint_forces" or "joint-forces", [q, v, a; f] => tau [Nv] in "N·m, N";
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(
            model.inverse_dynamics(ws, q, v, a, under(&on_bodies(f), false))?);
        lanes |batch, status, rows| Some(match f {
            None => batch.rnea(q, v, a, rows, status),
            Some(f) => {
                let f = with_universe(f, status.len());
                batch.rnea_with_forces(q, v, a, &f, rows, status)
            }
        });
    /// Inverse dynamics with damping, friction and springs of the joints.
    InverseDynamics = "inverse_dynamics", [q, v, a; f] => tau [Nv] in "N·m, N"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            model.inverse_dynamics(ws, q, v, a, under(&on_bodies(f), true))?);
    /// Forward dynamics: the accelerations that the joint forces tau cause, by the articulated-body
    /// algorithm; without damping, friction and springs.
    Aba = "aba" as "qdd" or "qdd_aba" or "joint_accelerations" or "joint-accelerations",
    [q, v, tau; f] => qdd [Nv] in "rad/s², m/s²";
    cost "O(n)", source "Featherstone 2008, table 7.1":
        |model, ws, out| out.copy_from_slice(
            model.forward_dynamics(ws, q, v, tau, under(&on_bodies(f), false))?);
        lanes |batch, status, rows| Some(match f {
            None => batch.aba(q, v, tau, rows, status),
            Some(f) => {
                let f = with_universe(f, status.len());
                batch.aba_with_forces(q, v, tau, &f, rows, status)
            }
        });
    /// Forward dynamics with damping, friction and springs of the joints.
    ForwardDynamics = "forward_dynamics", [q, v, tau; f] => qdd [Nv] in "rad/s², m/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            model.forward_dynamics(ws, q, v, tau, under(&on_bodies(f), true))?);
    /// Forward dynamics by the mass matrix: `rnea` for the bias force, `crba`, and the LTDL
    /// factorisation that exploits branch-induced sparsity.
    ForwardDynamicsCrba = "forward_dynamics_crba" as "qdd_crba" or "aba_by_mass_matrix",
    [q, v, tau; f] => qdd [Nv] in "rad/s², m/s²";
    cost "O(nd²)", source "Featherstone 2008, section 6.5":
        |model, ws, out| out.copy_from_slice(model.forward_dynamics_crba_with_options(
            ws, q, v, tau, under(&on_bodies(f), false))?);
    /// The bias force C(q, v): the joint forces at zero acceleration, gravity among them.
    Bias = "bias" or "nonlinear_effects", [q, v; f] => bias [Nv] in "N·m, N";
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(
            model.bias_with_options(ws, q, v, under(&on_bodies(f), false))?);
        lanes |batch, status, rows| match f {
            None => Some(batch.bias(q, v, rows, status)),
            Some(_) => None,
        };
    /// The joint forces that hold the robot against gravity.
    GravityTorque = "gravity_torque" as "gravity" or "g", [q; f] => gravity [Nv] in "N·m, N";
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(model.static_torque(ws, q, &on_bodies(f))?);
    /// The joint forces that hold the robot against gravity and external forces.
    StaticTorque = "static_torque", [q; f] => tau [Nv] in "N·m, N";
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(model.static_torque(ws, q, &on_bodies(f))?);
    /// Damping, dry friction and springs of the joints, as forces on them.
    PassiveForces = "passive_forces" as "passive", [q, v] => passive [Nv] in "N·m, N"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(model.passive_forces(ws, q, v)?);
    /// The mass matrix M(q), by the composite-rigid-body algorithm.
    Crba = "crba" as "mass_matrix" or "M", [q] => mass_matrix [Nv, Nv] in "kg·m², kg·m, kg";
    cost "O(nd)", source "Featherstone 2008, table 6.2":
        |model, ws, out| out.copy_from_slice(model.crba(ws, q)?.as_slice());
        lanes |batch, status, rows| Some(batch.crba(q, rows, status));
    /// The rows of the mass matrix without structural zeros: of each coordinate the elements of
    /// what moves with it, from the root on.
    CrbaPacked = "crba_packed" as "mass_matrix_packed",
    [q] => mass_matrix [Packed] in "kg·m², kg·m, kg";
    cost "O(nd)", source "Featherstone 2008, table 6.2":
        |model, ws, out| {
            let mass = crba_packed(model, ws, q)?;
            let tree = model.elimination_tree();
            let mut first = 0;
            for k in 0..tree.len() {
                let level = tree.level(k);
                out[first + level] = mass[tree.place::<S>(k, k)];
                // The nearest ancestor is the last one of the row.
                for (i, ancestor) in tree.ancestors(k).enumerate() {
                    out[first + level - 1 - i] = mass[tree.place::<S>(k, ancestor)];
                }
                first += level + 1;
            }
        };
        lanes |batch, status, rows| Some(batch.crba_packed(q, rows, status));
    /// The inverse of the mass matrix.
    MassMatrixInverse = "mass_matrix_inverse",
    [q] => mass_matrix_inverse [Nv, Nv] in "1/(kg·m²), 1/(kg·m), 1/kg";
    cost "O(n²d)", source "Featherstone 2008, section 6.5; Takahashi, Fagan and Chen 1973; Carpentier 2018":
        |model, ws, out| out.copy_from_slice(model.mass_matrix_inverse(ws, q)?.as_slice());
        lanes |batch, status, rows| Some(batch.mass_matrix_inverse(q, rows, status));
    /// M(q)⁻¹ b, by the LTDL factorisation that exploits branch-induced sparsity.
    MassMatrixSolve = "mass_matrix_solve", [q, b] => qdd [Nv] in "rad/s², m/s²";
    cost "O(nd²)", source "Featherstone 2008, section 6.5":
        |model, ws, out| {
            out.copy_from_slice(b);
            model.mass_matrix_solve(ws, q, out)?;
        };
        lanes |batch, status, rows| Some(batch.mass_matrix_solve(q, b, rows, status));
    /// A Coriolis matrix C(q, v), of which Ṁ − 2C is antisymmetric.
    CoriolisMatrix = "coriolis_matrix", [q, v] => coriolis_matrix [Nv, Nv] in "kg·m²/s, kg·m/s, kg/s";
    cost "O(nd)", source "Echeandia and Wensing 2021, algorithm 1":
        |model, ws, out| out.copy_from_slice(model.coriolis_matrix(ws, q, v)?.as_slice());
    /// The articulated-body inertias: each body as it is felt with the bodies that it carries,
    /// which move freely; in the joints' frames.
    ArticulatedInertias = "articulated_inertias",
    [q] => articulated_inertias [Joints, Fixed(6), Fixed(6)] in "kg, kg·m, kg·m²";
    cost "O(n)", source "Featherstone 2008, equations 7.25 and 7.27":
        |model, ws, out| {
            let mut all = vec![ArticulatedInertia::zero(); model.joints().len()];
            model.articulated_inertias(ws, q, &mut all)?;
            put_inertias(out, &all);
        };
    /// The terms of the articulated-body algorithm: articulated-body inertias Iᴬ and bias forces
    /// pᴬ, velocity products c, U = Iᴬ S, D = Sᵀ U, and u = τ − Sᵀ pᴬ; in the joints' frames.
    AbaTerms = "aba_terms" or "articulated_body_terms", [q, v, tau; f] =>
        articulated_inertias [Joints, Fixed(6), Fixed(6)] in "kg, kg·m, kg·m²",
        bias_forces [Joints, Fixed(6)] in "N, N·m", velocity_products [Joints, Fixed(6)] in "m/s², rad/s²",
        U [Fixed(6), Nv] in "kg, kg·m, kg·m²", D [Nv, Nv] in "kg·m², kg·m, kg", u [Nv] in "N·m, N";
    cost "O(n)", source "Featherstone 2008, table 7.1":
        |model, ws, inertias, forces, products, columns, blocks, sides| {
            let mut all = dynamics::AbaTerms::default();
            model.aba_terms(ws, q, v, tau, &on_bodies(f), &mut all)?;
            put_aba_terms([inertias, forces, products, columns, blocks, sides], &all);
        };
    /// The kinetic energy.
    KineticEnergy = "kinetic_energy", [q, v] => kinetic_energy [] in "J";
    cost "O(n)", source "Featherstone 2008, equation 2.67":
        |model, ws, out| out[0] = model.kinetic_energy(ws, q, v)?;
    /// The potential energy of gravity and springs.
    PotentialEnergy = "potential_energy", [q] => potential_energy [] in "J"; cost "O(n)":
        |model, ws, out| out[0] = model.potential_energy(ws, q)?;
    /// Kinetic and potential energy.
    MechanicalEnergy = "mechanical_energy", [q, v] => mechanical_energy [] in "J"; cost "O(n)":
        |model, ws, out| out[0] = model.mechanical_energy(ws, q, v)?;
    /// The Lagrangian: kinetic less potential energy.
    Lagrangian = "lagrangian", [q, v] => lagrangian [] in "J"; cost "O(n)":
        |model, ws, out| {
            let kinetic = model.kinetic_energy(ws, q, v)?;
            out[0] = kinetic - model.potential_energy(ws, q)?;
        };
    /// The centroidal momentum: [linear; angular about the centre of mass], in the world's axes.
    CentroidalMomentum = "centroidal_momentum",
    [q, v] => centroidal_momentum [Fixed(6)] in "N·s, N·m·s";
    cost "O(n)", source "Orin, Goswami and Lee 2013, section 3":
        |model, ws, out| out.copy_from_slice(&model.centroidal_momentum(ws, q, v)?.to_array());
    /// The rate of the centroidal momentum.
    CentroidalMomentumRate = "centroidal_momentum_rate",
    [q, v, a] => centroidal_momentum_rate [Fixed(6)] in "N, N·m"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(&model.centroidal_momentum_rate(ws, q, v, a)?.to_array());
    /// The centroidal momentum matrix A(q): the centroidal momentum is A v.
    CentroidalMap = "centroidal_map", [q] => centroidal_map [Fixed(6), Nv] in "kg, kg·m, kg·m²";
    cost "O(n)", source "Orin, Goswami and Lee 2013; Wensing and Orin 2016":
        |model, ws, out| out.copy_from_slice(model.centroidal_map(ws, q)?.as_slice());
        lanes |batch, status, rows| Some(batch.centroidal_map(q, rows, status));
    /// The rate of the centroidal momentum matrix.
    CentroidalMapRate = "centroidal_map_rate",
    [q, v] => centroidal_map_rate [Fixed(6), Nv] in "kg/s, kg·m/s, kg·m²/s"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(model.centroidal_map_rate(ws, q, v)?.rate.as_slice());
    /// The centre of mass, in the world.
    CenterOfMass = "center_of_mass" as "com", [q] => com [Fixed(3)] in "m";
    cost "O(n)", source "Orin and Goswami 2008":
        |model, ws, out| out.copy_from_slice(&model.center_of_mass(ws, q)?.to_array());
        lanes |batch, status, rows| Some(batch.center_of_mass(q, rows, status));
    /// The velocity of the centre of mass.
    CenterOfMassVelocity = "center_of_mass_velocity", [q, v] => com_velocity [Fixed(3)] in "m/s";
    cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?.center_of_mass_velocity()?.to_array());
    /// The acceleration of the centre of mass.
    CenterOfMassAcceleration = "center_of_mass_acceleration",
    [q, v, a] => com_acceleration [Fixed(3)] in "m/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_accelerations(ws, q, v, a)?
                .center_of_mass_acceleration()?.to_array());
    /// The Jacobian of the centre of mass: its velocity is J v.
    CenterOfMassJacobian = "center_of_mass_jacobian",
    [q] => com_jacobian [Fixed(3), Nv] in "m, 1"; cost "O(n)":
        |model, ws, out| model.centers_of_mass(ws, q)?
            .center_of_mass_jacobian_into(matrix(out, 3))?;
    /// The configuration that is reached from q with the velocity v in one second.
    Integrate = "integrate", [q, v] => q [Nq] in "rad, m"; cost "O(n)":
        |model, _ws, out| configuration::integrate_into(model, q, v, out)?;
    /// The velocity that leads from q0 to q1 in one second.
    Difference = "difference", [q0, q1] => v [Nv] in "rad/s, m/s"; cost "O(n)":
        |model, _ws, out| configuration::difference_into(model, q0, q1, out)?;
    /// The configuration between q0 (t = 0) and q1 (t = 1) on the shortest way.
    Interpolate = "interpolate", [q0, q1, t] => q [Nq] in "rad, m"; cost "O(n)":
        |model, _ws, out| configuration::interpolate_into(model, q0, q1, t[0], out)?;
    /// The distance between configurations: the norm of their difference.
    Distance = "distance", [q0, q1] => distance [] in "rad, m"; cost "O(n)":
        |model, _ws, out| out[0] = model.distance(q0, q1)?;
    /// The derivative of `integrate` along q, in tangents at both ends.
    DIntegrateDq = "d_integrate_dq", [v] => d_integrate_dq [Nv, Nv] in "1"; cost "O(nv²)":
        |model, _ws, out| configuration::d_integrate_dq(model, v, matrix(out, model.nv()))?;
    /// The derivative of `integrate` along v, in tangents at its end.
    DIntegrateDv = "d_integrate_dv", [v] => d_integrate_dv [Nv, Nv] in "s"; cost "O(nv²)":
        |model, _ws, out| configuration::d_integrate_dv(model, v, matrix(out, model.nv()))?;
    /// The derivative of `difference` along q0, in tangents there.
    DDifferenceDq0 = "d_difference_dq0", [q0, q1] => d_difference_dq0 [Nv, Nv] in "1/s";
    cost "O(nv²)":
        |model, _ws, out|
            configuration::d_difference_dq0(model, q0, q1, matrix(out, model.nv()))?;
    /// The derivative of `difference` along q1, in tangents there.
    DDifferenceDq1 = "d_difference_dq1", [q0, q1] => d_difference_dq1 [Nv, Nv] in "1/s";
    cost "O(nv²)":
        |model, _ws, out|
            configuration::d_difference_dq1(model, q0, q1, matrix(out, model.nv()))?;
    /// The configuration with quaternions and (cos, sin) pairs of length one.
    Normalise = "normalise", [q] => q [Nq] in "rad, m"; cost "O(n)":
        |model, _ws, out| {
            out.copy_from_slice(q);
            model.normalise(out)?;
        };
    /// The derivative of `gravity_torque` along q.
    GravityTorqueDerivative = "gravity_torque_derivative",
    [q] => gravity_dq [Nv, Nv] in "N·m, N, N/m";
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, out| out.copy_from_slice(model.gravity_torque_derivative(ws, q)?.as_slice());
    /// The derivative of `static_torque` along q, external forces held in the joints' frames.
    StaticTorqueDerivative = "static_torque_derivative",
    [q; f] => dtau_dq [Nv, Nv] in "N·m, N, N/m";
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, out| out.copy_from_slice(
            model.static_torque_derivative(ws, q, &on_bodies(f))?.as_slice());
    /// The joint torque regressor: `rnea` is its product with the dynamic parameters, plus what the
    /// armature needs.
    JointTorqueRegressor = "joint_torque_regressor" as "regressor",
    [q, v, a] => regressor [Nv, Dimension::Parameters] in "N·m or N per parameter";
    cost "O(nd)", source "Atkeson, An and Hollerbach 1986":
        |model, ws, out| model.write_regressor(ws, q, Some((v, a)), LinearQuantity::Force, out)?;
        lanes |batch, status, rows| Some(batch.joint_torque_regressor(q, v, a, rows, status));
    /// The regressor of `gravity_torque`.
    GravityTorqueRegressor = "gravity_torque_regressor",
    [q] => regressor [Nv, Dimension::Parameters] in "N·m or N per parameter"; cost "O(nd)":
        |model, ws, out| model.write_regressor(ws, q, None, LinearQuantity::Force, out)?;
    /// The regressor of the momentum M(q) v of the joints: identification by momenta needs no
    /// accelerations.
    JointMomentumRegressor = "joint_momentum_regressor",
    [q, v] => regressor [Nv, Dimension::Parameters] in "N·m·s or N·s per parameter"; cost "O(nd)":
        |model, ws, out| model.write_regressor(ws, q, Some((v, v)), LinearQuantity::Momentum, out)?;
    /// The regressor of what drives take: all reflected inertias (armature), dampings and dry
    /// frictions, to stand beside `joint_torque_regressor`.
    DriveRegressor = "drive_regressor", [v, a] => regressor [Nv, Drives] in "N·m or N per parameter";
    cost "O(nv²)":
        |model, _ws, out| regressor::drive_regressor_into(v, a, matrix(out, model.nv()))?;
    /// The regressor of `kinetic_energy` less that of the armature.
    KineticEnergyRegressor = "kinetic_energy_regressor",
    [q, v] => regressor [Dimension::Parameters] in "J per parameter"; cost "O(n)":
        |model, ws, out| model.kinetic_energy_regressor_into(ws, q, v, out)?;
    /// The regressor of the potential energy of gravity.
    PotentialEnergyRegressor = "potential_energy_regressor",
    [q] => regressor [Dimension::Parameters] in "J per parameter"; cost "O(n)":
        |model, ws, out| model.potential_energy_regressor_into(ws, q, out)?;
    /// All terms of the equations of motion in one pass.
    AllTerms = "all_terms", [q, v] =>
        mass_matrix [Nv, Nv] in "kg·m², kg·m, kg", bias [Nv] in "N·m, N",
        gravity [Nv] in "N·m, N", centroidal_map [Fixed(6), Nv] in "kg, kg·m, kg·m²",
        centroidal_momentum [Fixed(6)] in "N·s, N·m·s", centroidal_drift [Fixed(6)] in "N, N·m",
        com [Fixed(3)] in "m", kinetic_energy [] in "J", potential_energy [] in "J";
    cost "O(nd)":
        |model, ws, mass, bias, gravity, map, momentum, drift, center, kinetic, potential| {
            let terms = model.all_terms(ws, q, v)?;
            mass.copy_from_slice(terms.mass_matrix().as_slice());
            bias.copy_from_slice(terms.bias());
            gravity.copy_from_slice(terms.gravity_torque());
            map.copy_from_slice(terms.centroidal_map()?.as_slice());
            momentum.copy_from_slice(&terms.centroidal_momentum()?.to_array());
            drift.copy_from_slice(&terms.centroidal_drift()?.to_array());
            center.copy_from_slice(&terms.centers_of_mass().center_of_mass()?.to_array());
            kinetic[0] = terms.kinetic_energy();
            potential[0] = terms.potential_energy();
        };
        lanes |batch, status, mass, bias, gravity, map, momentum, drift, center, kinetic, potential| {
            let rows = TermRows {
                mass_matrix: mass,
                bias,
                gravity_torque: gravity,
                centroidal_map: map,
                centroidal_momentum: momentum,
                centroidal_drift: drift,
                center_of_mass: center,
                kinetic_energy: kinetic,
                potential_energy: potential,
            };
            Some(batch.all_terms(q, v, rows, status))
        };
    /// The centroidal momentum matrix A(q), and the centroidal momentum A v.
    CentroidalMapAndMomentum = "centroidal_map_and_momentum", [q, v] =>
        centroidal_map [Fixed(6), Nv] in "kg, kg·m, kg·m²",
        centroidal_momentum [Fixed(6)] in "N·s, N·m·s";
    cost "O(n)", source "Orin, Goswami and Lee 2013; Wensing and Orin 2016":
        |model, ws, map, momentum| {
            map.copy_from_slice(model.centroidal_map(ws, q)?.as_slice());
            momentum.fill(S::zero());
            for (column, &rate) in map.as_chunks::<6>().0.iter().zip(v) {
                for (sum, &element) in momentum.iter_mut().zip(column) {
                    *sum += element * rate;
                }
            }
        };
        lanes |batch, status, map, momentum|
            Some(batch.centroidal_momentum(q, v, map, momentum, status));
    /// The factors of the mass matrix, M = Lᵀ D L: L is unit lower triangular and as sparse as the
    /// tree's branches make it, D diagonal.
    Ltdl = "ltdl", [q] => L [Nv, Nv] in "1, m, 1/m", D [Nv] in "kg·m², kg";
    cost "O(nd²)", source "Featherstone 2008, section 6.5":
        |model, ws, lower, diagonal| {
            let factors = model.ltdl(ws, q)?;
            factors.l_into(matrix(lower, model.nv()))?;
            for (k, pivot) in diagonal.iter_mut().enumerate() {
                *pivot = factors.pivot(k);
            }
        };
    /// The force of each joint on its body: [force; moment] in the joint's frame, constraint and
    /// drive together, which carries weight and external forces.
    TransmittedForces = "transmitted_forces",
    [q, v, a; f] => transmitted_forces [Joints, Fixed(6)] in "N, N·m";
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| {
            let mut all = vec![Force::zero(); model.joints().len()];
            model.transmitted_forces(ws, q, v, a, under(&on_bodies(f), true), &mut all)?;
            put_each(out, all[1..].iter().map(|it| it.to_array()));
        };
    /// The placements of all links in the world: the rotation and beside it the translation.
    ForwardKinematics = "forward_kinematics" as "placements" or "link_placements",
    [q] => placement [Links, Fixed(3), Fixed(4)] in "1, m"; cost "O(n)":
        |model, ws, out| {
            let positions = model.forward_kinematics(ws, q)?;
            for (out, link) in out.chunks_exact_mut(12).zip(links(model)) {
                positions.placement(link).write_columns(out);
            }
        };
    /// The placements of all joints in the world: the rotation and beside it the translation.
    JointPlacements = "joint_placements",
    [q] => joint_placements [Joints, Fixed(3), Fixed(4)] in "1, m"; cost "O(n)":
        |model, ws, out| {
            let positions = model.forward_kinematics(ws, q)?;
            for (out, joint) in out.chunks_exact_mut(12).zip(model.joint_ids()) {
                positions.placement(joint).write_columns(out);
            }
        };
    /// The spatial accelerations of all joints' frames, in their own coordinates.
    JointAccelerations = "accelerations",
    [q, v, a] => accelerations [Joints, Fixed(6)] in "m/s², rad/s²"; cost "O(n)":
        |model, ws, out| {
            let views = model.forward_kinematics_accelerations(ws, q, v, a)?;
            let local = |joint| views.acceleration(joint, ReferenceFrame::Local).to_array();
            put_each(out, model.joint_ids().map(local));
        };
    /// The columns of all joints' Jacobians, in the world's coordinates, those of mimic joints
    /// among them.
    JointJacobians = "joint_jacobians",
    [q] => joint_jacobians [Fixed(6), JointCoordinates] in "m, 1"; cost "O(n)":
        |model, ws, out| {
            let jacobians = model.joint_jacobians(ws, q)?;
            let columns = model.joint_ids().flat_map(|joint| jacobians.joint_columns(joint));
            put_each(out, columns.map(|it| it.to_array()));
        };
    /// The placement of a frame in the world: the rotation and beside it the translation.
    Placement { frame: Target } = "placement", [q] => placement [Fixed(3), Fixed(4)] in "1, m";
    cost "O(n)":
        |model, ws, out| model.forward_kinematics(ws, q)?.placement(frame).write_columns(out);
        lanes |batch, status, rows| match frame {
            Target::Frame(frame) => Some(batch.frame_placements(q, &[frame], rows, status)),
            Target::Joint(_) => None,
        };
    /// The velocity of a frame: [linear; angular].
    Velocity { frame: Target, reference: ReferenceFrame } = "velocity",
    [q, v] => velocity [Fixed(6)] in "m/s, rad/s"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?.velocity(frame, reference).to_array());
    /// The spatial acceleration of a frame: [linear; angular].
    Acceleration { frame: Target, reference: ReferenceFrame } = "acceleration",
    [q, v, a] => acceleration [Fixed(6)] in "m/s², rad/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_accelerations(ws, q, v, a)?
                .acceleration(frame, reference).to_array());
    /// The classical acceleration of a frame, which an accelerometer without gravity has.
    ClassicalAcceleration { frame: Target, reference: ReferenceFrame } = "classical_acceleration",
    [q, v, a] => classical_acceleration [Fixed(6)] in "m/s², rad/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_accelerations(ws, q, v, a)?
                .classical_acceleration(frame, reference).to_array());
    /// The spatial acceleration that a frame has while all q̈ are zero.
    BiasAcceleration { frame: Target, reference: ReferenceFrame } = "bias_acceleration",
    [q, v] => bias_acceleration [Fixed(6)] in "m/s², rad/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?
                .bias_acceleration(frame, reference).to_array());
    /// The classical acceleration that a frame has while all q̈ are zero.
    ClassicalBiasAcceleration { frame: Target, reference: ReferenceFrame }
    = "classical_bias_acceleration",
    [q, v] => classical_bias_acceleration [Fixed(6)] in "m/s², rad/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?
                .classical_bias_acceleration(frame, reference).to_array());
    /// The Jacobian of a frame: its velocity is J v.
    Jacobian { frame: Target, reference: ReferenceFrame } = "jacobian",
    [q] => jacobian [Fixed(6), Nv] in "m, 1";
    cost "O(n)", source "Murray, Li and Sastry 1994, section 3.4":
        |model, ws, out| model.forward_kinematics(ws, q)?
            .jacobian_into(frame, reference, matrix(out, 6))?;
        lanes |batch, status, rows| match frame {
            Target::Frame(frame) => {
                Some(batch.frame_jacobians(q, &[frame], reference, rows, status))
            }
            Target::Joint(_) => None,
        };
    /// The rate of a frame's Jacobian.
    JacobianRate { frame: Target, reference: ReferenceFrame } = "jacobian_rate",
    [q, v] => jacobian_rate [Fixed(6), Nv] in "m/s, 1/s"; cost "O(n)":
        |model, ws, out| model.forward_kinematics_velocities(ws, q, v)?
            .jacobian_rate_into(frame, reference, matrix(out, 6))?;
    /// The derivatives of a frame's Jacobian along each coordinate.
    Hessian { frame: Target, reference: ReferenceFrame } = "hessian",
    [q] => hessian [Nv, Fixed(6), Nv] in "m, 1"; cost "O(nd)":
        |model, ws, out| model.hessian_into(ws, q, frame, reference, out)?;
    /// The regressor of the force on the body that a joint moves, weight included, in the joint's
    /// frame.
    JointBodyRegressor { joint: JointId } = "joint_body_regressor",
    [q, v, a] => regressor [Fixed(6), Fixed(10)] in "N or N·m per parameter"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            model.joint_body_regressor(ws, q, v, a, joint)?.as_slice());
    /// The centre of mass of all that a joint moves, in the world.
    SubtreeCenterOfMass { joint: JointId } = "subtree_center_of_mass",
    [q] => com [Fixed(3)] in "m"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.centers_of_mass(ws, q)?.subtree_center_of_mass(joint)?.to_array());
    /// The velocity of the centre of mass of all that a joint moves, in the world.
    SubtreeCenterOfMassVelocity { joint: JointId } = "subtree_center_of_mass_velocity",
    [q, v] => com_velocity [Fixed(3)] in "m/s"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?
                .subtree_center_of_mass_velocity(joint)?.to_array());
    /// The acceleration of the centre of mass of all that a joint moves, in the world.
    SubtreeCenterOfMassAcceleration { joint: JointId } = "subtree_center_of_mass_acceleration",
    [q, v, a] => com_acceleration [Fixed(3)] in "m/s²"; cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_accelerations(ws, q, v, a)?
                .subtree_center_of_mass_acceleration(joint)?.to_array());
    /// The Jacobian of the centre of mass of all that a joint moves.
    SubtreeCenterOfMassJacobian { joint: JointId } = "subtree_center_of_mass_jacobian",
    [q] => com_jacobian [Fixed(3), Nv] in "m, 1"; cost "O(n)":
        |model, ws, out| {
            out.fill(S::zero());
            let centers = model.centers_of_mass(ws, q)?;
            centers.subtree_center_of_mass_jacobian_into(joint, matrix(out, 3))?;
        };
    /// The derivatives of `rnea` along q, v and a, and the joint forces themselves. External forces
    /// stay as they are in the joints' frames.
    RneaDerivatives = "rnea_derivatives" as "tau_derivatives", [q, v, a; f] =>
        tau [Nv] in "N·m, N", dtau_dq [Nv, Nv] in "N·m, N, N/m",
        dtau_dv [Nv, Nv] in "N·m·s, N·s, N·s/m", dtau_da [Nv, Nv] in "kg·m², kg·m, kg";
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, tau, dq, dv, da| put_inverse(
            [tau, dq, dv, da],
            &model.inverse_dynamics_derivatives(ws, q, v, a, under(&on_bodies(f), false))?);
        lanes |batch, status, tau, dq, dv, da| match f {
            None => Some(batch.rnea_derivatives(q, v, a, tau, dq, dv, da, status)),
            Some(_) => None,
        };
    /// The derivatives of `inverse_dynamics`, as those of `rnea`. Dry friction counts as constant.
    InverseDynamicsDerivatives = "inverse_dynamics_derivatives", [q, v, a; f] =>
        tau [Nv] in "N·m, N", dtau_dq [Nv, Nv] in "N·m, N, N/m",
        dtau_dv [Nv, Nv] in "N·m·s, N·s, N·s/m", dtau_da [Nv, Nv] in "kg·m², kg·m, kg";
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, tau, dq, dv, da| put_inverse(
            [tau, dq, dv, da],
            &model.inverse_dynamics_derivatives(ws, q, v, a, under(&on_bodies(f), true))?);
    /// The derivatives of `aba` along q, v and tau, and the accelerations themselves. External
    /// forces stay as they are in the joints' frames.
    AbaDerivatives = "aba_derivatives" as "qdd_derivatives", [q, v, tau; f] =>
        qdd [Nv] in "rad/s², m/s²", dqdd_dq [Nv, Nv] in "1/s², m/s²",
        dqdd_dv [Nv, Nv] in "1/s, m/s", dqdd_dtau [Nv, Nv] in "1/(kg·m²), 1/(kg·m), 1/kg";
    cost "O(n²d)", source "Carpentier and Mansard 2018; Singh, Russell and Wensing 2022":
        |model, ws, qdd, dq, dv, dtau| put_forward(
            [qdd, dq, dv, dtau],
            &model.forward_dynamics_derivatives(ws, q, v, tau, under(&on_bodies(f), false))?);
        lanes |batch, status, qdd, dq, dv, dtau| match f {
            None => Some(batch.aba_derivatives(q, v, tau, qdd, dq, dv, dtau, status)),
            Some(_) => None,
        };
    /// The derivatives of `forward_dynamics`, as those of `aba`. Dry friction counts as constant.
    ForwardDynamicsDerivatives = "forward_dynamics_derivatives", [q, v, tau; f] =>
        qdd [Nv] in "rad/s², m/s²", dqdd_dq [Nv, Nv] in "1/s², m/s²",
        dqdd_dv [Nv, Nv] in "1/s, m/s", dqdd_dtau [Nv, Nv] in "1/(kg·m²), 1/(kg·m), 1/kg";
    cost "O(n²d)", source "Carpentier and Mansard 2018; Singh, Russell and Wensing 2022":
        |model, ws, qdd, dq, dv, dtau| put_forward(
            [qdd, dq, dv, dtau],
            &model.forward_dynamics_derivatives(ws, q, v, tau, under(&on_bodies(f), true))?);
    /// The derivatives of `passive_forces` along q, of springs, and along v, minus the damping. Dry
    /// friction counts as constant.
    PassiveForcesDerivatives = "passive_forces_derivatives", [q] =>
        dpassive_dq [Nv, Nv] in "N·m, N/m", dpassive_dv [Nv, Nv] in "N·m·s, N·s/m";
    cost "O(nv²)":
        |model, ws, dq, dv| {
            let found = model.passive_forces_derivatives(ws, q)?;
            put_all([dq, dv], [found.dq, found.dv]);
        };
    /// The derivatives of `kinetic_energy` along q and v: the latter is the momentum of the joints.
    KineticEnergyDerivatives = "kinetic_energy_derivatives", [q, v] =>
        denergy_dq [Nv] in "N·m, N", denergy_dv [Nv] in "kg·m²/s, kg·m/s"; cost "O(n)":
        |model, ws, dq, dv| {
            let found = model.kinetic_energy_derivatives(ws, q, v)?;
            dq.copy_from_slice(found.dq);
            dv.copy_from_slice(found.dv);
        };
    /// The derivatives of the centroidal momentum and of its rate: along q, along v (the matrix
    /// A(q), which is the rate's along a), and those of the rate along q and v.
    CentroidalDerivatives = "centroidal_derivatives", [q, v, a] =>
        momentum_dq [Fixed(6), Nv] in "N·s, N·m·s", map [Fixed(6), Nv] in "kg, kg·m, kg·m²",
        rate_dq [Fixed(6), Nv] in "N, N·m", rate_dv [Fixed(6), Nv] in "N·s, N·m·s"; cost "O(n)":
        |model, ws, momentum_dq, map, rate_dq, rate_dv| {
            let found = model.centroidal_derivatives(ws, q, v, a)?;
            put_all(
                [momentum_dq, map, rate_dq, rate_dv],
                [found.momentum_dq, found.map, found.rate_dq, found.rate_dv],
            );
        };
    /// The derivatives of a frame's `velocity` along q and v, which is the Jacobian.
    VelocityDerivatives { frame: Target, reference: ReferenceFrame } = "velocity_derivatives",
    [q, v] => velocity_dq [Fixed(6), Nv] in "m/s, 1/s", velocity_dv [Fixed(6), Nv] in "m, 1";
    cost "O(n)":
        |model, ws, dq, dv| {
            // It does not depend on accelerations.
            let found = model.kinematics_derivatives(ws, q, v, v)?;
            found.velocity_into(frame, reference, matrix(dq, 6), matrix(dv, 6))?;
        };
    /// The derivatives of a frame's spatial `acceleration` along q, v and a, which is the Jacobian.
    AccelerationDerivatives { frame: Target, reference: ReferenceFrame }
    = "acceleration_derivatives", [q, v, a] =>
        acceleration_dq [Fixed(6), Nv] in "m/s², 1/s²", acceleration_dv [Fixed(6), Nv] in "m/s, 1/s",
        acceleration_da [Fixed(6), Nv] in "m, 1"; cost "O(n)":
        |model, ws, dq, dv, da| {
            let found = model.kinematics_derivatives(ws, q, v, a)?;
            let [dq, dv, da] = [dq, dv, da].map(|out| matrix(out, 6));
            found.acceleration_into(frame, reference, dq, dv, da)?;
        };
    /// The derivatives of a frame's `classical_acceleration` along q, v and a, which is the
    /// Jacobian.
    ClassicalAccelerationDerivatives { frame: Target, reference: ReferenceFrame }
    = "classical_acceleration_derivatives", [q, v, a] =>
        acceleration_dq [Fixed(6), Nv] in "m/s², 1/s²", acceleration_dv [Fixed(6), Nv] in "m/s, 1/s",
        acceleration_da [Fixed(6), Nv] in "m, 1"; cost "O(n)":
        |model, ws, dq, dv, da| {
            let found = model.kinematics_derivatives(ws, q, v, a)?;
            let [dq, dv, da] = [dq, dv, da].map(|out| matrix(out, 6));
            found.classical_acceleration_into(frame, reference, dq, dv, da)?;
        };
}
