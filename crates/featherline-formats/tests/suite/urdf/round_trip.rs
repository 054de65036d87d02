//! A written URDF says the same as the one that was read.

use super::damaged::ROBOTS;
use featherline::joint::JointKind;
use featherline::model::{Joint, Model};
use featherline::spatial::Se3;
use featherline_formats::description::{Description, Form};
use featherline_formats::{ErrorCause, LoadOptions, WarningCause, load_str, load_str_with, urdf};

/// Rotations go through their angles: a handful of roundings.
const ROUNDING: f64 = 4e-15;

fn is_near(a: &Se3<f64>, b: &Se3<f64>) -> bool {
    let (a, b) = (a.to_homogeneous(), b.to_homogeneous());
    let mut pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.all(|(x, y)| (x - y).abs() <= ROUNDING * x.abs().max(1.0))
}

fn assert_same(read: &Description, again: &Description) {
    assert_eq!(read.links.len(), again.links.len());
    for (a, b) in read.links.iter().zip(&again.links) {
        assert_eq!(a.name, b.name);
        assert_eq!(a.inertial.is_some(), b.inertial.is_some(), "{}", a.name);
        if let (Some(a), Some(b)) = (&a.inertial, &b.inertial) {
            assert_eq!((a.mass, a.moments), (b.mass, b.moments));
            assert!(is_near(&a.placement, &b.placement));
        }
    }
    assert_eq!(read.joints.len(), again.joints.len());
    for (a, b) in read.joints.iter().zip(&again.joints) {
        assert_eq!((&a.name, &a.motion), (&b.name, &b.motion));
        assert_eq!((a.parent, a.child), (b.parent, b.child));
        assert_eq!((&a.limits, &a.drive), (&b.limits, &b.drive), "{}", a.name);
        assert!(is_near(&a.placement, &b.placement), "{}", a.name);
        let law = |joint: &featherline_formats::description::Joint| {
            joint
                .mimic
                .as_ref()
                .map(|it| (it.joint, it.ratio, it.offset))
        };
        assert_eq!(law(a), law(b));
    }
    assert_eq!(read.geometry.len(), again.geometry.len());
    for (a, b) in read.geometry.iter().zip(&again.geometry) {
        assert_eq!(
            (&a.name, a.link, a.is_visual),
            (&b.name, b.link, b.is_visual)
        );
        assert!(is_near(&a.placement, &b.placement));
        match (&a.form, &b.form) {
            (Form::Shape(a), Form::Shape(b)) => assert_eq!(a, b),
            (Form::Mesh(a), Form::Mesh(b)) => assert_eq!((&a.uri, a.scale), (&b.uri, b.scale)),
            (a, b) => panic!("{a:?} is not {b:?}"),
        }
        let colour = |of: &Description, material: Option<usize>| {
            material.map(|it| (of.materials[it].name.clone(), of.materials[it].colour))
        };
        assert_eq!(colour(read, a.material), colour(again, b.material));
    }
    let texts = |of: &Description| of.kept.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
    let (mut a, mut b) = (texts(read), texts(again));
    a.sort();
    b.sort();
    assert_eq!(a, b);
}

#[test]
fn every_robot_comes_back() {
    for text in ROBOTS {
        let read = load_str(text).unwrap();
        let written = urdf::to_string(&read.description).unwrap();
        assert!(written.warnings.is_empty(), "{:?}", written.warnings);
        let again = load_str(&written.text).unwrap();
        assert_same(&read.description, &again.description);
        // Writing once more gives the same text.
        assert_eq!(
            urdf::to_string(&again.description).unwrap().text,
            written.text
        );
    }
}

#[test]
fn names_with_signs_of_xml_and_odd_numbers_come_back() {
    let text = "<robot name='a &lt;b&gt; &amp; \"c\"'><link name='l&#10;1'/><link name='m'/>
        <joint name='j' type='prismatic'><parent link='l&#10;1'/><child link='m'/>
        <origin xyz='1e-300 -0.1 12345678901234567' rpy='0.1 1.5707963267948966 -0.3'/>
        <limit lower='-inf' upper='1e-7' velocity='1e20' effort='inf'/></joint></robot>";
    let read = load_str(text).unwrap();
    let written = urdf::to_string(&read.description).unwrap();
    assert_same(
        &read.description,
        &load_str(&written.text).unwrap().description,
    );
}

#[test]
fn the_spring_of_a_model_is_reported_and_a_ball_joint_refused() {
    let mut model = featherline::samples::double_pendulum();
    let of = |model: &Model| urdf::to_string(&Description::from_model(model));
    let hinges: Vec<&Joint> = model.joints()[1..].iter().collect();
    assert!(hinges.iter().all(|it| it.drive.stiffness == [0.0]));
    assert!(of(&model).unwrap().warnings.is_empty());
    model = model
        .with_reference_configuration("bent", vec![0.0, 1.0])
        .unwrap();
    let written = of(&model).unwrap();
    let what = |it: &WarningCause| {
        if let WarningCause::NotWritten { what, .. } = it {
            what.clone()
        } else {
            panic!("{it:?}")
        }
    };
    let lacks: Vec<String> = written.warnings.iter().map(|it| what(&it.cause)).collect();
    assert_eq!(lacks, ["the configuration `bent`"]);
    let humanoid = featherline::samples::humanoid();
    let kinds: Vec<_> = humanoid.joints().iter().map(|it| &it.kind).collect();
    let error = of(&humanoid);
    match kinds.iter().any(|it| matches!(it, JointKind::Spherical)) {
        true => assert!(matches!(
            error.unwrap_err().cause(),
            ErrorCause::NotExpressible { .. }
        )),
        false => assert!(error.is_ok()),
    }
}

#[test]
fn the_dynamics_are_the_same() {
    let options = LoadOptions::new().floating_base(true);
    for text in ROBOTS {
        let model = load_str_with(text, &options).unwrap().model;
        let written = urdf::to_string(&load_str(text).unwrap().description).unwrap();
        let again = load_str_with(&written.text, &options).unwrap().model;
        let q = model.neutral_configuration::<f64>();
        let ones = vec![1.0; model.nv()];
        let forces = |model: &Model| -> Vec<f64> {
            let mut ws = featherline::Workspace::new(model);
            model.rnea(&mut ws, &q, &ones, &ones).unwrap().to_vec()
        };
        let (a, b) = (forces(&model), forces(&again));
        let largest = a.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (x, y) in a.iter().zip(&b) {
            assert!(
                (x - y).abs() < 1e-12 * largest,
                "{}: {x} is not {y}",
                model.name()
            );
        }
    }
}

#[test]
fn no_bound_is_a_number_that_single_precision_has() {
    let text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
      <parent link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint></robot>";
    let robot = load_str(text).unwrap();
    let written = urdf::to_string(&robot.description).unwrap().text;
    for attribute in ["effort", "velocity"] {
        let (_, value) = written.split_once(&format!("{attribute}=\"")).unwrap();
        let value: f32 = value.split('"').next().unwrap().parse().unwrap();
        assert!(value.is_finite() && value > 1e20, "{written}");
    }
    // The greatest double is that of other writers, 0 and a large motor's torque are bounds.
    for (bound, expected) in [
        ("1.7976931348623157e308", f64::INFINITY),
        ("0", 0.0),
        ("1e9", 1e9),
    ] {
        let text = text.replace(
            "upper='1'",
            &format!("upper='1' effort='{bound}' velocity='1'"),
        );
        assert_eq!(
            load_str(&text).unwrap().model.joints()[1].limits.effort,
            [expected]
        );
    }
    assert_eq!(load_str(&written).unwrap().model, robot.model);
}
