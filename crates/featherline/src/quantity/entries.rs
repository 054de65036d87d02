//! The entries.

#[cfg(feature = "batch")]
use super::Lanes;
use super::entry::{Dimension, Entry, Input, Output};
use super::{Algorithm, AnyQuantity, Quantity};
#[cfg(feature = "batch")]
use crate::batch::Precision;
use crate::configuration;
use crate::error::Error;
use crate::model::Model;
use crate::regressor;
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, Force};
use crate::workspace::Workspace;
use Dimension::{Drives, Fixed, Joints, Nq, Nv, Parameters};
use nalgebra::{DMatrix, DMatrixViewMut};

/// One quantity: its type, its name, what it takes and gives, and how; last, how in lanes.
macro_rules! quantities {
    ($(
        $(#[doc = $meaning:literal])+
        $type:ident = $name:literal $(or $alias:literal)*,
        $inputs:tt => $output:ident [$($dimension:expr),*] in $unit:literal,
        cost $cost:literal $(, source $source:literal)?:
        |$model:ident, $ws:ident, $out:ident| $one:expr;
        $(lanes |$batch:ident, $result:ident, $status:ident| $many:expr;)?
    )*) => {
        $(
            $(#[doc = $meaning])+
            #[derive(Clone, Copy, Debug)]
            pub struct $type;

            impl Algorithm for $type {
                #[inline(always)]
                fn run<S: Scalar>(
                    &self,
                    $model: &Model,
                    $ws: &mut Workspace<S>,
                    inputs: &[&[S]],
                    results: &mut [&mut [S]],
                ) -> Result<(), Error> {
                    let (&$inputs, [$out]) = (inputs, results) else {
                        return Err(wrong_number(&Self::ENTRY, inputs.len()));
                    };
                    $one;
                    Ok(())
                }
            }

            impl Quantity for $type {
                const ENTRY: Entry = Entry {
                    name: $name,
                    aliases: &[$($alias),*],
                    meaning: concat!($($meaning),+),
                    inputs: &named!($inputs),
                    output: Output {
                        name: stringify!($output),
                        dimensions: &[$($dimension),*],
                        unit: $unit,
                    },
                    cost: $cost,
                    source: concat!($($source)?),
                };

                $(
                    #[cfg(feature = "batch")]
                    fn run_in_lanes<T: Precision>(
                        lanes: Lanes<'_, T>,
                    ) -> Option<Result<usize, Error>> {
                        let Lanes { batch: $batch, inputs, result: $result, status: $status } = lanes;
                        let &$inputs = inputs else {
                            return Some(Err(wrong_number(&Self::ENTRY, inputs.len())));
                        };
                        Some($many)
                    }
                )?
            }
        )*

        /// All quantities that need no more than their inputs.
        pub static CATALOGUE: &[&dyn AnyQuantity] = &[$(&$type),*];
    };
}

/// Inputs by their names.
macro_rules! named {
    ([$($input:ident),*]) => {
        [$(Input::named(stringify!($input))),*]
    };
}

/// Calls pass as many inputs as the entry says.
#[cold]
fn wrong_number(entry: &Entry, found: usize) -> Error {
    Error::Size {
        what: "the inputs of a quantity",
        expected: entry.inputs.len(),
        found,
    }
}

/// Forces on the bodies of all joints, six numbers each but for the universe's, which has none.
fn on_bodies<S: Scalar>(rows: &[S]) -> Vec<Force<S>> {
    let own = rows
        .as_chunks::<6>()
        .0
        .iter()
        .map(|&row| Force::from_array(row));
    std::iter::once(Force::zero()).chain(own).collect()
}

/// A matrix that a method writes, whose numbers go to `out`.
fn written<S: Scalar>(
    out: &mut [S],
    rows: usize,
    write: impl FnOnce(&mut DMatrix<S>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut matrix = DMatrix::from_element(rows, out.len() / rows.max(1), S::zero());
    write(&mut matrix)?;
    out.copy_from_slice(matrix.as_slice());
    Ok(())
}

quantities! {
    /// The bias force C(q, v): the joint forces at zero acceleration, gravity among them.
    Bias = "bias", [q, v] => bias [Nv] in "N·m, N", cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(model.bias(ws, q, v)?);
        lanes |batch, result, status| batch.bias(q, v, result, status);
    /// The joint forces that hold the robot against gravity.
    GravityTorque = "gravity_torque" or "gravity", [q] => gravity [Nv] in "N·m, N",
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(model.gravity_torque(ws, q)?);
    /// The joint forces that hold the robot against gravity and external forces.
    StaticTorque = "static_torque", [q, f] => tau [Nv] in "N·m, N",
    cost "O(n)", source "Featherstone 2008, table 5.1":
        |model, ws, out| out.copy_from_slice(model.static_torque(ws, q, &on_bodies(f))?);
    /// Damping, dry friction and springs of the joints, as forces on them.
    PassiveForces = "passive_forces" or "passive", [q, v] => passive [Nv] in "N·m, N", cost "O(n)":
        |model, ws, out| out.copy_from_slice(model.passive_forces(ws, q, v)?);
    /// The mass matrix M(q), by the composite-rigid-body algorithm.
    Crba = "crba" or "mass_matrix", [q] => mass_matrix [Nv, Nv] in "kg·m², kg·m, kg",
    cost "O(nd)", source "Featherstone 2008, table 6.2":
        |model, ws, out| out.copy_from_slice(model.crba(ws, q)?.as_slice());
        lanes |batch, result, status| batch.crba(q, result, status);
    /// The inverse of the mass matrix.
    MassMatrixInverse = "mass_matrix_inverse",
    [q] => mass_matrix_inverse [Nv, Nv] in "1/(kg·m²), 1/(kg·m), 1/kg",
    cost "O(n²d)", source "Featherstone 2008, section 6.5; Takahashi, Fagan and Chen 1973; Carpentier 2018":
        |model, ws, out| out.copy_from_slice(model.mass_matrix_inverse(ws, q)?.as_slice());
        lanes |batch, result, status| batch.mass_matrix_inverse(q, result, status);
    /// M(q)⁻¹ b, by the LTDL factorisation that exploits branch-induced sparsity.
    MassMatrixSolve = "mass_matrix_solve", [q, b] => qdd [Nv] in "rad/s², m/s²",
    cost "O(nd²)", source "Featherstone 2008, section 6.5":
        |model, ws, out| {
            out.copy_from_slice(b);
            model.mass_matrix_solve(ws, q, out)?;
        };
        lanes |batch, result, status| batch.mass_matrix_solve(q, b, result, status);
    /// A Coriolis matrix C(q, v), of which Ṁ − 2C is antisymmetric.
    CoriolisMatrix = "coriolis_matrix", [q, v] => coriolis_matrix [Nv, Nv] in "kg·m²/s, kg·m/s, kg/s",
    cost "O(nd)", source "Echeandia and Wensing 2021, algorithm 1":
        |model, ws, out| out.copy_from_slice(model.coriolis_matrix(ws, q, v)?.as_slice());
    /// The articulated-body inertias: each body as it is felt with the bodies that it carries,
    /// which move freely; in the joints' frames.
    ArticulatedInertias = "articulated_inertias",
    [q] => articulated_inertias [Joints, Fixed(6), Fixed(6)] in "kg, kg·m, kg·m²",
    cost "O(n)", source "Featherstone 2008, equations 7.25 and 7.27":
        |model, ws, out| {
            let mut all = vec![ArticulatedInertia::zero(); model.joints().len()];
            model.articulated_inertias(ws, q, &mut all)?;
            for (out, inertia) in out.chunks_exact_mut(36).zip(&all[1..]) {
                out.copy_from_slice(inertia.to_matrix().as_flattened());
            }
        };
    /// The kinetic energy.
    KineticEnergy = "kinetic_energy", [q, v] => kinetic_energy [] in "J",
    cost "O(n)", source "Featherstone 2008, equation 2.67":
        |model, ws, out| out[0] = model.kinetic_energy(ws, q, v)?;
    /// The potential energy of gravity and springs.
    PotentialEnergy = "potential_energy", [q] => potential_energy [] in "J", cost "O(n)":
        |model, ws, out| out[0] = model.potential_energy(ws, q)?;
    /// Kinetic and potential energy.
    MechanicalEnergy = "mechanical_energy", [q, v] => mechanical_energy [] in "J", cost "O(n)":
        |model, ws, out| out[0] = model.mechanical_energy(ws, q, v)?;
    /// The centroidal momentum: [linear; angular about the centre of mass], in the world's axes.
    CentroidalMomentum = "centroidal_momentum",
    [q, v] => centroidal_momentum [Fixed(6)] in "kg·m/s, kg·m²/s",
    cost "O(n)", source "Orin, Goswami and Lee 2013, section 3":
        |model, ws, out| out.copy_from_slice(&model.centroidal_momentum(ws, q, v)?.to_array());
    /// The rate of the centroidal momentum.
    CentroidalMomentumRate = "centroidal_momentum_rate",
    [q, v, a] => centroidal_momentum_rate [Fixed(6)] in "N, N·m", cost "O(n)":
        |model, ws, out| out.copy_from_slice(&model.centroidal_momentum_rate(ws, q, v, a)?.to_array());
    /// The centroidal momentum matrix A(q): the centroidal momentum is A v.
    CentroidalMap = "centroidal_map", [q] => centroidal_map [Fixed(6), Nv] in "kg, kg·m, kg·m²",
    cost "O(n)", source "Orin, Goswami and Lee 2013; Wensing and Orin 2016":
        |model, ws, out| out.copy_from_slice(model.centroidal_map(ws, q)?.as_slice());
        lanes |batch, result, status| batch.centroidal_map(q, result, status);
    /// The rate of the centroidal momentum matrix.
    CentroidalMapRate = "centroidal_map_rate",
    [q, v] => centroidal_map_rate [Fixed(6), Nv] in "kg/s, kg·m/s, kg·m²/s", cost "O(n)":
        |model, ws, out| out.copy_from_slice(model.centroidal_map_rate(ws, q, v)?.rate.as_slice());
    /// The centre of mass, in the world.
    CenterOfMass = "center_of_mass" or "com", [q] => com [Fixed(3)] in "m",
    cost "O(n)", source "Orin and Goswami 2008":
        |model, ws, out| out.copy_from_slice(&model.center_of_mass(ws, q)?.to_array());
        lanes |batch, result, status| batch.center_of_mass(q, result, status);
    /// The velocity of the centre of mass.
    CenterOfMassVelocity = "center_of_mass_velocity", [q, v] => com_velocity [Fixed(3)] in "m/s",
    cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_velocities(ws, q, v)?.center_of_mass_velocity()?.to_array());
    /// The acceleration of the centre of mass.
    CenterOfMassAcceleration = "center_of_mass_acceleration",
    [q, v, a] => com_acceleration [Fixed(3)] in "m/s²", cost "O(n)":
        |model, ws, out| out.copy_from_slice(
            &model.forward_kinematics_accelerations(ws, q, v, a)?
                .center_of_mass_acceleration()?.to_array());
    /// The Jacobian of the centre of mass: its velocity is J v.
    CenterOfMassJacobian = "center_of_mass_jacobian",
    [q] => com_jacobian [Fixed(3), Nv] in "m, 1", cost "O(n)":
        |model, ws, out| model.centers_of_mass(ws, q)?
            .center_of_mass_jacobian_into(DMatrixViewMut::from_slice(out, 3, model.nv()))?;
    /// The configuration that is reached from q with the velocity v in one second.
    Integrate = "integrate", [q, v] => q [Nq] in "rad, m", cost "O(n)":
        |model, _ws, out| configuration::integrate_into(model, q, v, out)?;
    /// The velocity that leads from q0 to q1 in one second.
    Difference = "difference", [q0, q1] => v [Nv] in "rad/s, m/s", cost "O(n)":
        |model, _ws, out| configuration::difference_into(model, q0, q1, out)?;
    /// The configuration between q0 (t = 0) and q1 (t = 1) on the shortest way.
    Interpolate = "interpolate", [q0, q1, t] => q [Nq] in "rad, m", cost "O(n)":
        |model, _ws, out| configuration::interpolate_into(model, q0, q1, t[0], out)?;
    /// The distance between configurations: the norm of their difference.
    Distance = "distance", [q0, q1] => distance [] in "rad, m", cost "O(n)":
        |model, _ws, out| out[0] = model.distance(q0, q1)?;
    /// The derivative of `integrate` along q, in tangents at both ends.
    DIntegrateDq = "d_integrate_dq", [v] => d_integrate_dq [Nv, Nv] in "1", cost "O(nv²)":
        |model, _ws, out| written(out, model.nv(), |m| configuration::d_integrate_dq(model, v, m))?;
    /// The derivative of `integrate` along v, in tangents at its end.
    DIntegrateDv = "d_integrate_dv", [v] => d_integrate_dv [Nv, Nv] in "s", cost "O(nv²)":
        |model, _ws, out| written(out, model.nv(), |m| configuration::d_integrate_dv(model, v, m))?;
    /// The derivative of `difference` along q0, in tangents there.
    DDifferenceDq0 = "d_difference_dq0", [q0, q1] => d_difference_dq0 [Nv, Nv] in "1/s",
    cost "O(nv²)":
        |model, _ws, out|
            written(out, model.nv(), |m| configuration::d_difference_dq0(model, q0, q1, m))?;
    /// The derivative of `difference` along q1, in tangents there.
    DDifferenceDq1 = "d_difference_dq1", [q0, q1] => d_difference_dq1 [Nv, Nv] in "1/s",
    cost "O(nv²)":
        |model, _ws, out|
            written(out, model.nv(), |m| configuration::d_difference_dq1(model, q0, q1, m))?;
    /// The configuration with quaternions and (cos, sin) pairs of length one.
    Normalise = "normalise", [q] => q [Nq] in "rad, m", cost "O(n)":
        |model, _ws, out| {
            out.copy_from_slice(q);
            model.normalise(out)?;
        };
    /// The derivative of `gravity_torque` along q.
    GravityTorqueDerivative = "gravity_torque_derivative",
    [q] => gravity_dq [Nv, Nv] in "N·m, N, N/m",
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, out| out.copy_from_slice(model.gravity_torque_derivative(ws, q)?.as_slice());
    /// The derivative of `static_torque` along q, external forces held in the joints' frames.
    StaticTorqueDerivative = "static_torque_derivative",
    [q, f] => dtau_dq [Nv, Nv] in "N·m, N, N/m",
    cost "O(nd)", source "Singh, Russell and Wensing 2022, algorithm 1":
        |model, ws, out| out.copy_from_slice(
            model.static_torque_derivative(ws, q, &on_bodies(f))?.as_slice());
    /// The joint torque regressor: `rnea` is its product with the dynamic parameters, plus what the
    /// armature needs.
    JointTorqueRegressor = "joint_torque_regressor" or "regressor",
    [q, v, a] => regressor [Nv, Parameters] in "joint force a parameter",
    cost "O(nd)", source "Atkeson, An and Hollerbach 1986":
        |model, ws, out| written(out, model.nv(), |m| {
            model.joint_torque_regressor_into(ws, q, v, a, m)
        })?;
        lanes |batch, result, status| batch.joint_torque_regressor(q, v, a, result, status);
    /// The regressor of `gravity_torque`.
    GravityTorqueRegressor = "gravity_torque_regressor",
    [q] => regressor [Nv, Parameters] in "joint force a parameter", cost "O(nd)":
        |model, ws, out| written(out, model.nv(), |m| model.gravity_torque_regressor_into(ws, q, m))?;
    /// The regressor of the momentum M(q) v of the joints: identification by momenta needs no
    /// accelerations.
    JointMomentumRegressor = "joint_momentum_regressor",
    [q, v] => regressor [Nv, Parameters] in "joint momentum a parameter", cost "O(nd)":
        |model, ws, out| written(out, model.nv(), |m| {
            model.joint_momentum_regressor_into(ws, q, v, m)
        })?;
    /// The regressor of what drives take: all reflected inertias (armature), dampings and dry
    /// frictions, to stand beside `joint_torque_regressor`.
    DriveRegressor = "drive_regressor", [v, a] => regressor [Nv, Drives] in "joint force a parameter",
    cost "O(nv²)":
        |model, _ws, out| written(out, model.nv(), |m| regressor::drive_regressor_into(v, a, m))?;
    /// The regressor of `kinetic_energy` less that of the armature.
    KineticEnergyRegressor = "kinetic_energy_regressor",
    [q, v] => regressor [Parameters] in "J a parameter", cost "O(n)":
        |model, ws, out| model.kinetic_energy_regressor_into(ws, q, v, out)?;
    /// The regressor of the potential energy of gravity.
    PotentialEnergyRegressor = "potential_energy_regressor",
    [q] => regressor [Parameters] in "J a parameter", cost "O(n)":
        |model, ws, out| model.potential_energy_regressor_into(ws, q, out)?;
}
