//! Algorithms in one workspace, and workspaces without matrices.

use super::*;
use crate::samples;

#[test]
fn algorithms_agree_in_one_workspace() -> Result<(), Error> {
    let model = samples::double_pendulum();
    let (q, v, a) = ([0.3, -0.2], [1.0, -2.0], [0.5, 4.0]);
    let mut ws = Workspace::new(&model);
    let tau = model.rnea(&mut ws, &q, &v, &a)?.to_vec();
    // Rounding of numbers near one.
    let back = model.aba(&mut ws, &q, &v, &tau)?;
    assert!((0..2).all(|k| (back[k] - a[k]).abs() < 1e-12));
    let mass = model.crba(&mut ws, &q)?.clone();
    let inverse = model.mass_matrix_inverse(&mut ws, &q)?;
    assert!((&mass * inverse - DMatrix::identity(2, 2)).amax() < 1e-12);
    let by_a = model.rnea_derivatives(&mut ws, &q, &v, &a)?.da.clone();
    assert!((by_a - &mass).amax() < 1e-12);
    let packed = crate::dynamics::crba::crba_packed(&model, &mut ws, &q)?;
    assert!((packed[0] - mass[(0, 0)]).abs() < 1e-12);
    Ok(())
}

#[cfg(not(miri))] // a model of thousands of bodies takes minutes there
#[test]
fn matrices_beyond_all_memory_are_an_error_and_recursions_work() -> Result<(), Error> {
    use crate::joint::JointKind;
    use crate::model::{JointSpec, ModelBuilder};
    use crate::spatial::Inertia;

    // Matrices of 1.4 TB.
    let mut builder = ModelBuilder::new("balls");
    for k in 0..20_000 {
        let root = ModelBuilder::UNIVERSE;
        let ball = JointSpec::new(format!("b{k}"), root, JointKind::FreeFlyer);
        let ball = builder.add_joint(ball);
        let inertia = Inertia::sphere(1.0, 0.1);
        builder.add_body(ball, format!("b{k}"), Se3::identity(), inertia);
    }
    let model = builder.build().expect("sound").model;
    let mut ws = Workspace::new(&model);
    let (q, still) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    let (nv, bytes) = (model.nv(), Workspace::<f64>::matrix_bytes(&model));
    assert_eq!(model.crba(&mut ws, &q), Err(Error::TooLarge { nv, bytes }));
    assert!(bytes > 1_000_000_000_000);
    assert_eq!(model.rnea(&mut ws, &q, &still, &still)?.len(), nv);
    Ok(())
}

#[test]
fn a_packed_workspace_has_the_packed_mass_matrix_alone() -> Result<(), Error> {
    let model = samples::snake(5);
    let q = model.neutral_configuration();
    let (mut ws, mut full) = (Workspace::packed(&model), Workspace::new(&model));
    let packed = crate::dynamics::crba::crba_packed(&model, &mut ws, &q)?;
    assert_eq!(
        packed,
        crate::dynamics::crba::crba_packed(&model, &mut full, &q)?
    );
    assert_eq!(model.crba(&mut ws, &q), Err(Error::NoMatrices));
    assert_eq!(
        model.mass_matrix_inverse(&mut ws, &q),
        Err(Error::NoMatrices)
    );
    let zeros = vec![0.0; model.nv()];
    let derivatives = model.rnea_derivatives(&mut ws, &q, &zeros, &zeros);
    assert!(derivatives.is_err_and(|error| error == Error::NoMatrices));
    assert!(
        model
            .aba_derivatives(&mut ws, &q, &zeros, &zeros)
            .is_err_and(|error| error == Error::NoMatrices)
    );
    Ok(())
}
