//! The one list of all that is found about a robot.

use featherline_formats::check::{Finding, findings};
use featherline_formats::repair::{RepairOptions, propose_str};
use featherline_formats::{Robot, Severity, load_str};

/// The errors and warnings of a text, with their repairs.
fn found(text: &str) -> Vec<Finding> {
    let repairs = propose_str(text, &RepairOptions::new()).unwrap();
    findings(load_str(text).as_ref(), Some(&repairs))
}

fn codes(found: &[Finding]) -> Vec<(Severity, &'static str)> {
    found.iter().map(|it| (it.severity, it.code)).collect()
}

/// An arm in millimetres: a box of 0.1, 0.1 and 0.3 m, whose moments are a million times those of
/// 1 kg, (0.1² + 0.3²) / 12 and (0.1² + 0.1²) / 12.
const MILLIMETRES: &str = "<robot name='r'><link name='base'/>
  <link name='arm'><inertial><mass value='1'/>
    <inertia ixx='8400' ixy='0' ixz='0' iyy='8400' iyz='0' izz='1200'/></inertial>
    <collision><geometry><box size='0.1 0.1 0.3'/></geometry></collision></link>
  <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>
    <limit lower='-1' upper='1' effort='10' velocity='2'/></joint></robot>";

#[test]
fn doubts_are_found_beside_the_readers_warnings() {
    assert_eq!(
        codes(&found(MILLIMETRES)),
        [(Severity::Warning, "large-moments")]
    );
}

#[test]
fn what_actuators_do_not_do_in_simulations_is_found() {
    // The force of a muscle is no spring, no damper and no constant.
    let text =
        "<mujoco model='m'><worldbody><body name='b'><joint name='j'/><geom size='0.1'/></body>
      </worldbody><actuator>
      <muscle name='biceps' joint='j'/></actuator></mujoco>";
    let found = findings(load_str(text).as_ref(), None);
    assert_eq!(codes(&found), [(Severity::Warning, "simplified")]);
    assert_eq!(found[0].location.position.map(|it| it.line), Some(3));
}

#[test]
fn the_mass_matrix_is_tested() {
    // Of two parallel slides the outer one moves 1e-12 kg, the inner one 1 kg more: the condition
    // is about 1e12.
    let link = |name: &str, mass: f64| {
        format!(
            "<link name='{name}'><inertial><mass value='{mass}'/><inertia ixx='{0}' iyy='{0}' izz='{0}'
             ixy='0' ixz='0' iyz='0'/></inertial></link>",
            mass * 0.01
        )
    };
    let joint = |parent: &str, child: &str, lower: f64| {
        format!(
            "<joint name='{child}' type='prismatic'><parent link='{parent}'/><child link='{child}'/>
             <limit lower='{lower}' upper='1' effort='1' velocity='1'/></joint>"
        )
    };
    let text = format!(
        "<robot name='r'><link name='base'/>{}{}{}{}</robot>",
        link("inner", 1.0),
        link("outer", 1e-12),
        joint("base", "inner", 0.5),
        joint("inner", "outer", -1.0)
    );
    let found = found(&text);
    let expected = [
        (Severity::Note, "neutral-outside-limits"),
        (Severity::Warning, "ill-conditioned-mass-matrix"),
    ];
    assert_eq!(codes(&found), expected);
    assert!(
        found[0]
            .message
            .contains("the neutral configuration 0 lies outside the limits [0.5, 1]")
    );
    assert!(found[1].message.contains("`outer`") && found[1].message.contains("1e12"));
}

#[test]
fn errors_come_with_their_repairs_and_with_what_remains() {
    let text = MILLIMETRES
        .replace("xyz='0 0 1'", "xyz='0 0 0'")
        .replace("8400", "8,4");
    let found = found(&text);
    let (last, others) = found.split_last().unwrap();
    assert!(others.iter().all(|it| it.severity <= last.severity));
    let comma = found.iter().find(|it| it.code == "not-a-number").unwrap();
    assert_eq!(comma.severity, Severity::Error);
    assert!(comma.repair.is_some());
    // An axis of no length needs a choice.
    let axis = found.iter().find(|it| it.code == "zero-axis").unwrap();
    assert_eq!((axis.severity, &axis.repair), (Severity::Error, &None));
}

#[test]
fn a_model_without_lines_has_its_findings_too() {
    let read = load_str(&MILLIMETRES.replace("effort='10'", "effort='0'")).unwrap();
    let saved = Robot::from_model(read.model);
    let found = findings(Ok(&saved), None);
    assert!(
        codes(&found).contains(&(Severity::Warning, "zero-bound")),
        "{found:?}"
    );
}
