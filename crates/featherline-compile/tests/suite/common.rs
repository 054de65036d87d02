//! Random robots and states; the kernels' numbers.

use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, FrameKind};
use featherline::samples::{RandomTree, random_tree};
use featherline::{Error, Model, Workspace};
use featherline_compile::Quantity;
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Robots of all shapes; between them every kind of joint.
pub fn models(count: u64) -> Vec<Model> {
    let shape = |seed: u64| RandomTree {
        joints: 1 + (seed as usize * 5) % 14,
        branching: (seed % 5) as f64 / 4.0,
        every_kind: !seed.is_multiple_of(4),
        mimic_joints: seed % 2 == 1,
        floating: seed.is_multiple_of(3),
    };
    (0..count)
        .map(|seed| random_tree(seed, &shape(seed)))
        .collect()
}

/// All quantities, Jacobians of the last frame included.
pub fn quantities(model: &Model) -> Vec<Quantity> {
    let mut all: Vec<Quantity> = Quantity::NAMED.iter().map(|named| named.1).collect();
    let frame = model
        .frame_ids()
        .next_back()
        .expect("the universe is a frame");
    all.push(Quantity::Jacobian(frame, ReferenceFrame::Local));
    all.push(Quantity::Jacobian(frame, ReferenceFrame::LocalWorldAligned));
    all
}

/// A random state as the quantity takes it.
pub fn inputs(quantity: Quantity, model: &Model, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut inputs = model.random_configuration(&mut rng);
    for port in &quantity.inputs(model)[1..] {
        inputs.extend((0..port.rows).map(|_| rng.random_range(-1.0..1.0)));
    }
    inputs
}

/// The kernel's numbers in double precision.
pub fn kernel(quantity: Quantity, model: &Model, inputs: &[f64]) -> Result<Vec<f64>, Error> {
    let ws = &mut Workspace::new(model);
    let (q, rest) = inputs.split_at(model.nq());
    let (v, u) = rest.split_at(rest.len().min(model.nv()));
    let rows = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
    Ok(match quantity {
        Quantity::Rnea => model.rnea(ws, q, v, u)?.to_vec(),
        Quantity::Bias => model.bias(ws, q, v)?.to_vec(),
        Quantity::Gravity => model.gravity_torque(ws, q)?.to_vec(),
        Quantity::Aba => model.aba(ws, q, v, u)?.to_vec(),
        Quantity::ForwardDynamicsCrba => model.forward_dynamics_crba(ws, q, v, u)?.to_vec(),
        Quantity::RneaDerivatives => {
            let found = model.rnea_derivatives(ws, q, v, u)?;
            let matrices = [found.dq, found.dv, found.da].map(rows);
            [found.tau.to_vec(), matrices.concat()].concat()
        }
        Quantity::AbaDerivatives => {
            let found = model.aba_derivatives(ws, q, v, u)?;
            let matrices = [found.dq, found.dv, found.dtau].map(rows);
            [found.acceleration.to_vec(), matrices.concat()].concat()
        }
        Quantity::JointTorqueRegressor => {
            let mut regressor = DMatrix::zeros(model.nv(), 10 * model.joint_ids().count());
            model.joint_torque_regressor_into(ws, q, v, u, &mut regressor)?;
            rows(&regressor)
        }
        Quantity::Crba => rows(model.crba(ws, q)?),
        Quantity::MassMatrixInverse => rows(model.mass_matrix_inverse(ws, q)?),
        Quantity::CentroidalMap => rows(model.centroidal_map(ws, q)?),
        Quantity::ForwardKinematics => {
            let positions = model.forward_kinematics(ws, q)?;
            let mut entries = Vec::new();
            let is_body = |&id: &FrameId| model.frame(id).kind == FrameKind::Body;
            for frame in model.frame_ids().filter(is_body) {
                let matrix = positions.placement(frame).to_homogeneous();
                for row in &matrix[..3] {
                    entries.extend(row);
                }
            }
            entries
        }
        Quantity::Jacobian(frame, reference) => {
            let mut jacobian = DMatrix::zeros(6, model.nv());
            let positions = model.forward_kinematics(ws, q)?;
            positions.jacobian_into(frame, reference, &mut jacobian)?;
            rows(&jacobian)
        }
        Quantity::CenterOfMass => model
            .forward_kinematics(ws, q)?
            .center_of_mass()?
            .to_array()
            .to_vec(),
        Quantity::JointPlacements => {
            let positions = model.forward_kinematics(ws, q)?;
            let joints = model.joint_ids();
            let matrices = joints.map(|joint| positions.placement(joint).to_homogeneous());
            matrices.flat_map(|m| m[..3].concat()).collect()
        }
        Quantity::JointJacobians => {
            let jacobians = model.joint_jacobians(ws, q)?;
            let joints = model.joint_ids();
            let columns = joints.flat_map(|joint| jacobians.joint_columns(joint));
            let columns: Vec<f64> = columns.flat_map(|column| column.to_array()).collect();
            rows(&DMatrix::from_column_slice(6, columns.len() / 6, &columns))
        }
        Quantity::CrbaPacked => {
            let mass = model.crba(ws, q)?;
            let tree = kernel::elimination_tree(model);
            let mut packed = Vec::new();
            for k in 0..tree.len() {
                let mut path: Vec<usize> = tree.ancestors(k).collect();
                path.sort_unstable();
                packed.extend(path.into_iter().chain([k]).map(|i| mass[(k, i)]));
            }
            packed
        }
        Quantity::MassMatrixSolve => {
            let inverse = model.mass_matrix_inverse(ws, q)?;
            (inverse * DMatrix::from_column_slice(model.nv(), 1, v))
                .as_slice()
                .to_vec()
        }
        Quantity::CentroidalMomentum => {
            let map = model.centroidal_map(ws, q)?;
            let momentum = map * DMatrix::from_column_slice(model.nv(), 1, v);
            [rows(map), momentum.as_slice().to_vec()].concat()
        }
        Quantity::AllTerms => {
            let terms = model.all_terms(ws, q, v)?;
            let center = terms.centers_of_mass().center_of_mass()?;
            [
                rows(terms.mass_matrix()),
                terms.bias().to_vec(),
                terms.gravity_torque().to_vec(),
                rows(terms.centroidal_map()?),
                terms.centroidal_momentum()?.to_array().to_vec(),
                terms.centroidal_drift()?.to_array().to_vec(),
                center.to_array().to_vec(),
                vec![terms.kinetic_energy(), terms.potential_energy()],
            ]
            .concat()
        }
    })
}

/// How far rounding may drive a program's numbers from the kernel's, relative to the largest.
/// Constants are merged and sums ordered anew: 1e-16 at a time, in a few thousand operations.
/// Solutions of linear systems take the system's condition on top, which in random robots, with
/// light links at the end of heavy chains, goes up to 1e8.
pub fn tolerance(quantity: Quantity) -> f64 {
    if let Quantity::Aba
    | Quantity::AbaDerivatives
    | Quantity::ForwardDynamicsCrba
    | Quantity::MassMatrixInverse
    | Quantity::MassMatrixSolve = quantity
    {
        1e-7
    } else {
        1e-12
    }
}

/// Fails unless two results agree up to rounding, relative to the largest number.
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        let error = (x - y).abs() / scale;
        assert!(
            error <= tolerance,
            "{what}[{i}]: {x} in place of {y}, {error:e} of the largest"
        );
    }
}
