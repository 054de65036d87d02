//! A singular mass matrix is reported at the joint that causes it, by every algorithm that needs the inverse.

use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};

/// Three hinges in a row: two rods, and a last link with the given inertia.
fn chain(last: Inertia<f64>) -> Model {
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), Sym3::scalar(0.1));
    let below = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    let mut builder = ModelBuilder::new("chain");
    let mut parent = ModelBuilder::UNIVERSE;
    for (name, inertia) in [("first", rod), ("second", rod), ("third", last)] {
        let hinge = JointSpec::new(name, parent, JointKind::revolute_y()).placement(below);
        parent = builder.add_joint(hinge);
        builder.add_body(parent, format!("{name}_link"), Se3::identity(), inertia);
    }
    builder.build().expect("the chain is valid").model
}

fn joint_of<T>(result: Result<T, Error>) -> String {
    match result.map(drop) {
        Err(Error::SingularInertia { joint }) => joint,
        other => panic!("expected a singular mass matrix, found {other:?}"),
    }
}

#[test]
fn the_joint_that_moves_no_inertia_is_named() {
    let on_the_axis = Inertia::new(1.0, Vec3::zero(), Sym3::zero());
    for model in [chain(Inertia::zero()), chain(on_the_axis)] {
        let mut ws = Workspace::new(&model);
        let (q, zero) = ([0.3, -0.4, 0.5], [0.0; 3]);
        assert_eq!(joint_of(model.ltdl(&mut ws, &q)), "third");
        assert_eq!(joint_of(model.aba(&mut ws, &q, &zero, &zero)), "third");
        assert_eq!(joint_of(model.mass_matrix_inverse(&mut ws, &q)), "third");
        let by_crba = model.forward_dynamics_crba(&mut ws, &q, &zero, &zero);
        assert_eq!(joint_of(by_crba), "third");
    }
}
