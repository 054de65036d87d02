//! Names of rows and columns, which differ from each other; their units.

use crate::common::{robots, trees};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_system::{Label, Problem, SensorFile, System};
use std::collections::BTreeSet;

fn check(system: &System) {
    let (rows, columns) = (system.equations().count(), system.unknowns().count());
    let labels = [
        (rows, (0..rows).map_while(|k| system.row_label(k)).collect()),
        (
            columns,
            (0..columns).map_while(|k| system.column_label(k)).collect(),
        ),
    ];
    for (count, labels) in labels {
        let labels: Vec<Label> = labels;
        let names: BTreeSet<String> = labels.iter().map(Label::to_string).collect();
        assert_eq!(
            [labels.len(), names.len()],
            [count; 2],
            "{}",
            system.model().name()
        );
    }
    assert_eq!(system.row_label(rows), None);
    assert_eq!(system.column_label(columns), None);
}

#[test]
fn no_two_rows_and_no_two_columns_have_the_same_name() {
    let models = trees().map(|(model, _)| model).chain(robots());
    for model in models.chain([samples::four_bar(), samples::delta()]) {
        check(&System::new(Problem::forward_dynamics(model)).expect("a system"));
    }
    let model = featherline_robots::panda();
    let text = include_str!("../../../../robots/panda-wrist.toml");
    let file = SensorFile::read(text, &model).expect("a file");
    check(&System::new(file.problem(model, &[]).expect("a problem")).expect("a system"));
}

/// Forces along rails are in N, moments about axes in N·m.
#[test]
fn units_are_those_of_the_motions() {
    let mut builder = ModelBuilder::new("cart_pole");
    let cart = JointSpec::new("cart", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let cart = builder.add_joint(cart);
    let pole = JointKind::Cylindrical {
        axis: Vec3::unit(1),
    };
    let pole = builder.add_joint(JointSpec::new("pole", cart, pole));
    for (joint, name) in [(cart, "cart"), (pole, "pole")] {
        builder.add_body(joint, name, Se3::identity(), Inertia::sphere(1.0, 0.1));
    }
    let model = builder.build().expect("a model").model;
    let system = System::new(Problem::forward_dynamics(model)).expect("a system");
    let of = |columns: std::ops::Range<usize>| {
        let labels = columns.filter_map(|column| system.column_label(column));
        labels.map(|label| label.unit).collect::<Vec<_>>()
    };
    let unknowns = system.unknowns();
    // A cylindrical joint's coordinates: the angle, then the length, or the other way round.
    let forces = of(unknowns.joint_forces());
    assert_eq!(forces[0], "N");
    assert_eq!(
        BTreeSet::from([&forces[1][..], &forces[2][..]]),
        BTreeSet::from(["N", "N·m"])
    );
    let accelerations = of(unknowns.joint_accelerations());
    assert_eq!(accelerations[0], "m/s²");
    for (force, acceleration) in forces.iter().zip(&accelerations) {
        assert_eq!(force == "N", acceleration == "m/s²");
    }
}
