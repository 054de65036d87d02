//! `simulate`: options that would change nothing are refused, and defaults follow each other.

use crate::process::{Run, file, json_lines, run};
use serde_json::Value;

fn simulate(arguments: &[&str]) -> Run {
    run(&[&["simulate"], arguments].concat())
}

fn summary(arguments: &[&str]) -> Value {
    let run = simulate(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    json_lines(&run.out).remove(0)
}

fn refused(arguments: &[&str], reasons: &[&str]) {
    let run = simulate(arguments);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
    for reason in reasons {
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    let cases: [(&[&str], &[&str]); 25] = [
        (
            &["panda", "--keep-fixed-joint", "panda_joint8"],
            &["`--keep-fixed-joint` changes nothing", "does not move"],
        ),
        (
            &[
                "panda",
                "--tolerance",
                "1e-6",
                "--integrator",
                "variational",
            ],
            &["`--tolerance`", "variational takes steps"],
        ),
        (
            &["panda", "--step", "1", "--every", "0.01"],
            &["`--step`", "every 0.01 s", "longer `--every`"],
        ),
        (
            &["double_pendulum", "--goal", "0,0"],
            &["`--goal`", "controller is none", "controller `pd`"],
        ),
        (
            &[
                "double_pendulum",
                "--frequency",
                "2",
                "--controller",
                "gravity",
            ],
            &["`--frequency`", "controller is gravity"],
        ),
        (
            &["double_pendulum", "--assemble"],
            &["`--assemble`", "has no loops", "leave it out"],
        ),
        (
            &["double_pendulum", "--loops=both"],
            &["`--loops`", "has no loops"],
        ),
        (
            &[
                "four_bar",
                "--loops=stabilisation",
                "--integrator",
                "maximal-variational",
            ],
            &["`--loops`", "closes the loops itself"],
        ),
        (
            &[
                "four_bar",
                "--loops=projection",
                "--integrator",
                "maximal-variational",
            ],
            &["`--loops`", "another method"],
        ),
        (
            &["snake", "--passive"],
            &["`--passive`", "no damping, no dry friction and no springs"],
        ),
        (
            &["snake", "--limits"],
            &["`--limits`", "has no limits of joints"],
        ),
        (
            &["four_bar", "--limits=1e4,10"],
            &["`--limits`", "has no limits of joints"],
        ),
        (
            &["four_bar", "--assemble"],
            &["`--assemble`", "begins with its loops closed", "by `--q`"],
        ),
        (
            &["panda", "--seconds", "1", "--every", "2"],
            &["`--every`", "over after 1 s", "longer `--seconds`"],
        ),
        (
            &["panda", "--seconds", "1", "--step", "2"],
            &["`--step`", "over after 1 s"],
        ),
        (
            &["panda", "--mimic", "free"],
            &["`--mimic`", "no joint of `panda` mimics", "leave it out"],
        ),
        (
            &["four_bar", "--mimic", "coupled"],
            &["`--mimic`", "no joint of `four_bar`"],
        ),
        (
            &["panda", "--continuous", "cos-sin"],
            &["`--continuous`", "`panda` has no continuous joint"],
        ),
        (
            &["hand", "--mimic", "coupled"],
            &["`--mimic`", "`hand` is read like that anyway"],
        ),
        (
            &["humanoid", "--floating-base"],
            &["`--floating-base`", "`humanoid` floats anyway"],
        ),
        (
            &["panda", "--fixed-base"],
            &["`--fixed-base`", "is fixed anyway"],
        ),
        (
            &["stewart", "--fixed-base"],
            &["`--fixed-base`", "`stewart` is fixed anyway"],
        ),
        (
            &["panda", "--seconds", "1e300"],
            &["so that 1e300 s need more than 1e12 of them"],
        ),
        (
            &["panda", "--limits=1e4"],
            &["two numbers are needed, stiffness and damping"],
        ),
        (
            &["panda", "--limits=-1,2"],
            &["the stiffness of joint limits is -1"],
        ),
    ];
    for (arguments, reasons) in cases {
        refused(arguments, reasons);
    }
}

#[test]
fn the_same_options_act_where_they_mean_something() {
    let short = ["--seconds", "0.1"];
    for arguments in [
        &[
            "panda",
            "--tolerance",
            "1e-6",
            "--integrator",
            "dormand-prince",
        ][..],
        &[
            "panda",
            "--goal",
            "0,0,0,-1,0,1,0",
            "--frequency",
            "2",
            "--controller",
            "pd",
        ],
        &["four_bar", "--assemble", "--q", "0.1,0,0"],
        &["hand", "--mimic", "free"],
        &["quadruped", "--fixed-base"],
        &["panda", "--every", "0.1", "--step", "0.1"],
        &["four_bar", "--loops=both"],
        &["four_bar", "--loops", "--integrator", "maximal-variational"],
        &["panda", "--passive", "--limits"],
        &["panda", "--limits=1e4,100"],
    ] {
        summary(&[arguments, &short].concat());
    }
}

#[test]
fn samples_follow_a_long_step_and_leave_it_whole() {
    let start = ["double_pendulum", "--q", "0.1,0", "--seconds", "2"];
    let method = ["--integrator", "runge-kutta-4"];
    let count = |more: &[&str]| summary(&[&start[..], more, &method].concat())["samples"].clone();
    assert_eq!(count(&["--step", "0.1"]), 21);
    assert_eq!(count(&["--step", "0.002"]), 201);
    assert_eq!(count(&["--step", "0.001", "--every", "0.5"]), 5);
    // A step that is cut to 10 ms leaves a thousandth of the error that 0.1 s does, by a method of
    // fourth order.
    let error = |step: &str| {
        let line = summary(&[&start[..], &["--step", step], &method].concat());
        line["peak_relative_energy_error"]
            .as_f64()
            .expect("a number")
    };
    assert!(error("0.1") > 1e3 * error("0.01"));
    // A longest step counts for a method that chooses its own: with nothing else to limit them they
    // grow beyond it.
    let steps = |step: &str| {
        let integrator = [
            "--integrator",
            "dormand-prince",
            "--tolerance",
            "1e-2",
            "--every",
            "2",
        ];
        let line = summary(&[&start[..], &integrator, &["--step", step]].concat());
        line["energy"].clone()
    };
    assert_ne!(steps("2"), steps("0.01"));
}

#[test]
fn figures_that_no_robot_has_are_named_where_motions_are_lost() {
    let link = |name: &str, mass: &str| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0 0 -0.5"/><mass value="{mass}"/>
               <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let hinge = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"> <parent link="{parent}"/> <child link="{child}"/>
               <origin xyz="0 0 -1"/> <axis xyz="0 1 0"/></joint>"#
        )
    };
    let text = [
        r#"<robot name="huge"><link name="base"/>"#.to_owned(),
        link("thigh", "1"),
        link("shank", "1e300"),
        hinge("hip", "base", "thigh"),
        hinge("knee", "thigh", "shank"),
        "</robot>".to_owned(),
    ];
    let path = file("huge.urdf", &text.concat());
    let robot = path.to_str().expect("the path is UTF-8");
    for integrator in ["runge-kutta-4", "implicit-midpoint", "variational"] {
        let arguments = [robot, "--integrator", integrator, "--seconds", "1"];
        let run = simulate(&[&arguments[..], &["--v", "1e100,1"]].concat());
        let error = run.err.lines().find(|line| line.starts_with("error"));
        let error = error.expect("nothing can move it");
        assert!(
            error.contains("the mass of body `shank` is 1e300"),
            "{error}"
        );
    }
}

#[test]
fn steps_that_no_time_can_show_are_refused() {
    for option in ["--step", "--every"] {
        for length in ["1e-300", "1e-12"] {
            refused(
                &["double_pendulum", option, length],
                &["more than 1e12 of them", "Take a longer"],
            );
        }
    }
    refused(
        &["double_pendulum", "--q", "1e17,0"],
        &[
            "joint `shoulder`",
            "numbers are 1.6e1 apart",
            "nearer to zero",
        ],
    );
}

/// A motor on 0.1 kg·m², and a thruster on 2 kg: in 1 s constant controls u give the energies
/// u²/(2 I) and u²/(2 m).
const ACTUATORS: &str = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j'/>
    <inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body><body><joint type='slide' axis='0 0 1'/>
    <inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='s'/></body></worldbody>
    <actuator><motor name='arm' joint='j'/><motor name='rotor' site='s' gear='0 0 1 0 0 0'/></actuator></mujoco>";

#[test]
fn controls_are_constant_by_order_or_by_name() {
    let path = file("controls.xml", ACTUATORS);
    let path = path.to_str().unwrap();
    for (list, controls, energy) in [
        ("-1,4", [-1.0, 4.0], 5.0 + 4.0),
        ("rotor=4", [0.0, 4.0], 4.0),
        ("arm=.5,rotor=-2", [0.5, -2.0], 1.25 + 1.0),
    ] {
        let found = summary(&[
            path,
            "--controls",
            list,
            "--seconds",
            "1",
            "--format",
            "jsonl",
        ]);
        let decided: Vec<f64> =
            serde_json::from_value(found["decision"]["controls"].clone()).unwrap();
        assert_eq!(decided, controls);
        let end = found["energy"][1].as_f64().unwrap();
        assert!((end - energy).abs() < 1e-9, "{list}: {found}");
    }
    refused(
        &[path, "--controls", "1"],
        &["1 controls are given, where the robot has 2 actuators: arm, rotor"],
    );
    refused(
        &[path, "--controls", "motor=1"],
        &["no actuator `motor`", "it has arm, rotor"],
    );
    refused(
        &[path, "--controls", "arm=x"],
        &["such as shoulder=0.5,elbow=1"],
    );
    refused(
        &[path, "--controls", "1,2", "--controller", "hold"],
        &["`--controls` changes nothing", "leave it out"],
    );
}
