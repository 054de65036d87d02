//! Quantities that can be requested, and the keys of their results.

use crate::process::{
    command, evaluate, evaluate_random, file, matrix, robot_with_arm, run, times, vector,
};
use serde_json::Value;

const ALL: [&str; 15] = [
    "state",
    "tau",
    "bias",
    "gravity",
    "mass_matrix",
    "mass_matrix_inverse",
    "passive",
    "qdd",
    "qdd_crba",
    "placements",
    "com",
    "centroidal_momentum",
    "kinetic_energy",
    "potential_energy",
    "operation_counts",
];

fn keys(line: &Value) -> Vec<&str> {
    line.as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

fn sorted(keys: &[&str]) -> Vec<String> {
    let mut keys: Vec<String> = keys.iter().map(|&k| k.to_owned()).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_catalogue_is_computed_by_name() {
    let list = "tau,bias,gravity,mass_matrix,coriolis_matrix,center_of_mass_jacobian,\
                center_of_mass_velocity,mechanical_energy,kinetic_energy,potential_energy,\
                mass_matrix_solve,static_torque,articulated_inertias,regressor,gravity_torque";
    let input = r#"{"q": [0.3, -0.5], "v": [1, 2], "tau": [0.2, 0.1]}"#;
    let line = &evaluate(
        &["double_pendulum", "--states", "-", "--compute", list],
        input,
    )[0];
    let v = [1.0, 2.0];
    let near = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        let pairs = found.iter().zip(expected);
        assert!(
            pairs.clone().all(|(a, b)| (a - b).abs() < 1e-12),
            "{found:?} {expected:?}"
        );
    };
    let bias = vector(&line["bias"]);
    let gravity = vector(&line["gravity"]);
    let velocity_terms: Vec<f64> = bias.iter().zip(&gravity).map(|(b, g)| b - g).collect();
    near(
        &times(&matrix(&line["coriolis_matrix"]), &v),
        &velocity_terms,
    );
    let jacobian = matrix(&line["center_of_mass_jacobian"]);
    near(
        &times(&jacobian, &v),
        &vector(&line["center_of_mass_velocity"]),
    );
    let energy = |key: &str| line[key].as_f64().expect("an energy");
    let sum = energy("kinetic_energy") + energy("potential_energy");
    near(&[energy("mechanical_energy")], &[sum]);
    let solved = vector(&line["mass_matrix_solve"]);
    near(&times(&matrix(&line["mass_matrix"]), &solved), &[0.2, 0.1]);
    near(&vector(&line["static_torque"]), &gravity);
    assert_eq!(matrix(&line["regressor"])[0].len(), 20);
    assert_eq!(
        line["articulated_inertias"]
            .as_object()
            .map(serde_json::Map::len),
        Some(2)
    );

    let refused = run(&["eval", "panda", "--compute", "difference"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("a state has no `q0`"),
        "{}",
        refused.err
    );
}

#[test]
fn quantities_of_bodies_agree_with_those_of_coordinates() {
    let list = "tau,qdd,mass_matrix,accelerations,transmitted_forces,articulated_inertias,ltdl,\
                aba_terms,maximal_dynamics";
    let input = r#"{"q": [0.3, -0.5], "v": [1, 2], "a": [3, -1], "tau": [0.2, 0.1],
        "external_forces": {"tip": [1, 0, 2, 0, 0.5, 0], "elbow": [0, 0, -3, 0, 0, 0]}}"#
        .replace('\n', " ");
    let line = &evaluate(
        &["double_pendulum", "--states", "-", "--compute", list],
        &input,
    )[0];
    let six = |value: &Value| vector(value);
    let [tau, qdd] = ["tau", "qdd"].map(|key| vector(&line[key]));
    let transmitted = ["shoulder", "elbow"].map(|j| six(&line["transmitted_forces"][j]));
    let free = ["shoulder", "elbow"].map(|j| six(&line["maximal_dynamics"]["accelerations"][j]));
    for k in 0..2 {
        // Hinges about y.
        assert!((transmitted[k][4] - tau[k]).abs() < 1e-12);
        let before = if k == 0 { 0.0 } else { free[0][4] };
        assert!((free[k][4] - before - qdd[k]).abs() < 1e-9);
    }
    let own = six(&line["accelerations"]["elbow"]);
    assert!((own[4] - 2.0).abs() < 1e-12);
    let mass = matrix(&line["mass_matrix"]);
    let (l, d) = (matrix(&line["ltdl"]["L"]), vector(&line["ltdl"]["D"]));
    for i in 0..2 {
        for k in 0..2 {
            let product: f64 = (0..2).map(|r| l[r][i] * d[r] * l[r][k]).sum();
            assert!((product - mass[i][k]).abs() < 1e-12);
        }
    }
    // Joints of one coordinate: the articulated bodies have the pivots of the mass matrix.
    let pivots = matrix(&line["aba_terms"]["D"]);
    assert!((pivots[0][0] - d[0]).abs() < 1e-12 && (pivots[1][1] - d[1]).abs() < 1e-12);
    assert_eq!((pivots[0][1], pivots[1][0]), (0.0, 0.0));
    assert_eq!(matrix(&line["aba_terms"]["U"]).len(), 6);
    // The last body carries nothing: its own moment about the hinge.
    let last = matrix(&line["articulated_inertias"]["elbow"]);
    assert!((last[4][4] - 1.0 / 3.0).abs() < 1e-12 && last[0][0] == 1.0);
    let text = run(&[
        "eval",
        "double_pendulum",
        "--compute",
        list,
        "--format",
        "text",
    ]);
    assert_eq!(text.code, 0);
    for heading in [
        "maximal_dynamics, joint_forces",
        "ltdl, L",
        "articulated_inertias, elbow",
    ] {
        assert!(text.out.contains(heading), "{heading}: {}", text.out);
    }
}

#[test]
fn external_forces_may_be_constant_in_the_world() {
    // The elbow is at (−sin q₀, 0, −cos q₀): 3 N along x turn the shoulder by 3 cos q₀; along the
    // lower rod's x axis by 3 cos q₁.
    let state = |q: f64, word: &str| {
        format!(
            r#"{{"q": [{q}, 0.2], "forces_in": "{word}", "external_forces": {{"elbow": [3, 0, 0, 0, 0, 0]}}}}"#
        )
    };
    let list = "static_torque,static_torque_derivative,gravity_torque_derivative,\
                transmitted_forces,maximal_dynamics";
    let input = [state(0.4, "aligned"), state(0.4, "local")].join("\n");
    let arguments = ["double_pendulum", "--states", "-", "--compute", list];
    let lines = &evaluate(&arguments, &input);
    let of = |line: &Value, key: &str| matrix(&line[key])[0][0];
    let weight = 9.81 * (1.5 * 0.4_f64.sin() + 0.5 * 0.6_f64.sin());
    for (line, torque, change) in [
        (&lines[0], 3.0 * 0.4_f64.cos(), -3.0 * 0.4_f64.sin()),
        (&lines[1], 3.0 * 0.2_f64.cos(), 0.0),
    ] {
        let found = vector(&line["static_torque"])[0];
        assert!((found - weight - torque).abs() < 1e-12, "{found}");
        let by_q = of(line, "static_torque_derivative") - of(line, "gravity_torque_derivative");
        // External forces count in the derivative of the gravity torque not at all.
        assert!((by_q - change).abs() < 1e-12, "{by_q}");
    }
    let input = r#"{"forces_in": "wold", "external_forces": {}}"#;
    let arguments = [
        "eval",
        "double_pendulum",
        "--states",
        "-",
        "--format",
        "jsonl",
    ];
    let refused = crate::process::run_with(&arguments, input);
    assert_eq!(refused.code, 2);
    assert!(
        refused.out.contains("did you mean `world`?"),
        "{}",
        refused.out
    );
}

#[test]
fn external_forces_on_names_that_are_none_are_errors() {
    let input = r#"{"external_forces": {"elbo": [0, 0, 0, 0, 0, 0]}}"#;
    let lines = crate::process::run_with(
        &[
            "eval",
            "double_pendulum",
            "--states",
            "-",
            "--format",
            "jsonl",
        ],
        input,
    );
    assert_eq!(lines.code, 2);
    assert!(lines.err.contains("elbow"), "{}", lines.err);
}

#[test]
fn commas_of_names_are_written_with_a_backslash() {
    let text = include_str!("../../../../robots/double_pendulum.urdf");
    let text = text
        .replace("\"elbow\"", "\"elbow, left\"")
        .replace("\"tip\"", "\"tip, left\"");
    let robot = file("commas.urdf", &text);
    let robot = robot.to_str().expect("the path is UTF-8");
    let line = &evaluate(
        &[robot, "--compute", "tau,jacobian:tip\\, left:world,com"],
        "",
    )[0];
    assert_eq!(
        sorted(&keys(line)),
        sorted(&["com", "jacobian:tip, left:world", "tau"])
    );
}

#[test]
#[cfg(feature = "system")]
fn commas_of_joints_in_the_sparse_system_are_written_with_a_backslash() {
    let text = include_str!("../../../../robots/double_pendulum.urdf");
    let robot = file(
        "commas_system.urdf",
        &text.replace("\"elbow\"", "\"elbow, left\""),
    );
    let robot = robot.to_str().expect("the path is UTF-8");
    let known = "qdd:shoulder,tau:elbow\\, left,no-external-forces";
    let done = run(&["system", robot, "--known", known]);
    assert_eq!(done.code, 0, "{}", done.err);
    let refused = run(&["system", robot, "--known", &known.replace('\\', "")]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("did you mean `elbow, left`"),
        "{}",
        refused.err
    );
}

#[test]
fn each_list_gives_its_keys() {
    let of = |arguments: &[&str], input: &str| {
        let line = &evaluate(arguments, input)[0];
        sorted(&keys(line))
    };
    assert_eq!(of(&["panda", "--compute", "all"], ""), sorted(&ALL));
    assert_eq!(of(&["panda"], ""), sorted(&ALL[..14]));
    assert_eq!(of(&["panda", "--states", "-"], "{}"), sorted(&ALL[1..14]));
    let several = [
        "panda",
        "--compute",
        "tau, com",
        "--compute",
        "tau,jacobian:panda_link7:local",
    ];
    assert_eq!(
        of(&several, ""),
        sorted(&["com", "jacobian:panda_link7:local", "tau"])
    );
    let more = ["panda", "--compute", "all,jacobian:panda_joint3:world"];
    assert_eq!(of(&more, "").len(), 16);
}

#[test]
fn keys_come_in_the_order_asked_for() {
    let run = run(&["eval", "panda", "--compute", "gravity,bias,tau"]);
    let places: Vec<_> = ["gravity", "bias", "tau"]
        .iter()
        .map(|k| run.out.find(k))
        .collect();
    assert!(places.is_sorted() && places[0].is_some(), "{}", run.out);
}

#[test]
fn shapes_are_those_of_the_robot() {
    let line = &evaluate_random("humanoid", 1, "all,jacobian:head:world")[0];
    for key in ["tau", "bias", "gravity", "passive", "qdd", "qdd_crba"] {
        assert_eq!(vector(&line[key]).len(), 38, "{key}");
    }
    for key in ["mass_matrix", "mass_matrix_inverse"] {
        let rows = matrix(&line[key]);
        assert!(
            rows.len() == 38 && rows.iter().all(|row| row.len() == 38),
            "{key}"
        );
    }
    let rows = matrix(&line["jacobian:head:world"]);
    assert!(rows.len() == 6 && rows.iter().all(|row| row.len() == 38));
    assert_eq!(vector(&line["com"]).len(), 3);
    assert_eq!(vector(&line["centroidal_momentum"]).len(), 6);
    assert_eq!(vector(&line["state"]["q"]).len(), 39);
    let info: Value =
        serde_json::from_str(&run(&["info", "humanoid", "--json"]).out).expect("JSON");
    let bodies = info["bodies"].as_array().expect("a list");
    let placements = line["placements"].as_object().expect("an object");
    assert_eq!(placements.len(), bodies.len());
    for body in bodies {
        let placement = matrix(&placements[body["name"].as_str().expect("a name")]);
        assert_eq!(placement.len(), 4);
        assert_eq!(placement[3], [0.0, 0.0, 0.0, 1.0]);
    }
    // Lumped links are among them.
    assert!(placements.contains_key("left_sole"));
}

#[test]
fn operations_are_counted_and_are_the_same_in_every_state() {
    let lines = evaluate_random("panda", 3, "operation_counts");
    let counts = &lines[0]["operation_counts"];
    let count =
        |algorithm: &str, operation: &str| counts[algorithm][operation].as_u64().expect("a number");
    for algorithm in ["rnea", "crba", "aba"] {
        assert_eq!(count(algorithm, "sin_cos"), 7, "{algorithm}");
        assert_eq!(count(algorithm, "square_roots"), 0, "{algorithm}");
        assert!(count(algorithm, "multiplications") > count(algorithm, "additions") / 2);
    }
    // On a chain of n coordinates, k ancestors each: the closed formula of the factorisation over
    // ancestors, from which constant elements of M may only take away. The last pivot is a
    // constant, and the first has no ancestors.
    let multiplications: u64 = (0..7).map(|k| k + k * (k + 1) / 2).sum();
    let additions: u64 = (0..7).map(|k| k * (k + 1) / 2).sum();
    assert!(count("ltdl", "multiplications") <= multiplications);
    assert!(count("ltdl", "additions") <= additions);
    assert!((5..=6).contains(&count("ltdl", "divisions")));
    assert!(count("aba", "divisions") <= 7 && count("aba", "divisions") >= 6);
    for line in &lines[1..] {
        assert_eq!(&line["operation_counts"], counts);
    }
}

#[test]
fn what_does_not_exist_is_refused_with_a_suggestion() {
    for (list, reason) in [
        ("tua", "there is no quantity `tua`; did you mean `tau`?"),
        ("mass_matrix_invers", "did you mean `mass_matrix_inverse`?"),
        ("tau,,bias", "there is no quantity ``"),
        ("jacobian", "write jacobian:LINK:FRAME"),
        ("jacobian:panda_link7", "write jacobian:LINK:FRAME"),
        ("jacobian:panda_lnk7:local", "did you mean `panda_link7`?"),
        ("jacobian:panda_link7:globl", "none in `globl`"),
        ("jacobian:panda_link7:alinged", "did you mean `aligned`?"),
    ] {
        let run = run(&["eval", "panda", "--compute", list]);
        assert_eq!(run.code, 2, "{list}");
        assert!(run.out.is_empty());
        assert!(run.err.contains(reason), "{}", run.err);
    }
}

/// A leaf without mass behind a link with mass: M is singular in every configuration.
fn singular() -> String {
    let others = r#"<link name="tip"/>
  <joint name="shoulder" type="continuous">
    <parent link="base"/> <child link="arm"/> <axis xyz="0 1 0"/>
  </joint>
  <joint name="twist" type="continuous">
    <parent link="arm"/> <child link="tip"/> <axis xyz="1 0 0"/>
  </joint>"#;
    robot_with_arm("singular", 0.1, others)
}

#[test]
fn what_has_no_value_is_null_with_the_reason_and_the_rest_comes() {
    let path = file("singular.urdf", &singular());
    let robot = path.to_str().expect("the path is UTF-8");
    let lines = evaluate(&[robot, "--states", "-"], "{}\n{\"q\":[1,2],\"v\":[3,4]}\n");
    assert_eq!(lines.len(), 2);
    for line in &lines {
        for key in ["mass_matrix_inverse", "qdd", "qdd_crba"] {
            assert!(line[key].is_null(), "{key}");
            let reason = line["errors"][key].as_str().expect("a reason");
            assert!(
                reason.contains("singular") && reason.contains("`twist`"),
                "{reason}"
            );
        }
        assert_eq!(line["errors"].as_object().expect("an object").len(), 3);
        assert_eq!(matrix(&line["mass_matrix"])[1], [0.0, 0.0]);
        assert_eq!(vector(&line["tau"]).len(), 2);
        assert!(line["kinetic_energy"].is_number());
    }
}

#[test]
fn operations_that_can_be_counted_are_where_others_can_not() {
    let path = file("singular_counts.urdf", &singular());
    let robot = path.to_str().expect("the path is UTF-8");
    let line = &evaluate(&[robot, "--compute", "operation_counts"], "")[0];
    let counts = &line["operation_counts"];
    for algorithm in ["rnea", "crba"] {
        assert_eq!(counts[algorithm]["sin_cos"], 2, "{algorithm}");
    }
    for algorithm in ["aba", "ltdl"] {
        assert!(counts[algorithm].is_null(), "{algorithm}");
        let key = format!("operation_counts.{algorithm}");
        let reason = line["errors"][&key].as_str().expect("a reason");
        assert!(
            reason.contains("singular") && reason.contains("`twist`"),
            "{reason}"
        );
    }
    assert_eq!(line["errors"].as_object().expect("an object").len(), 2);
}

/// A chain of hinges, its links of one kilogram.
fn chain(links: usize) -> String {
    let mut text = "<robot name=\"chain\"><link name=\"l0\"/>".to_owned();
    for i in 1..=links {
        let above = i - 1;
        text.push_str(&format!(
            r#"<link name="l{i}"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="j{i}" type="continuous"><origin xyz="0.001 0 0"/><axis xyz="0 1 0"/>
<parent link="l{above}"/><child link="l{i}"/></joint>"#
        ));
    }
    text + "</robot>"
}

/// 20,000 joints would need 33 GB for matrices, which no test machine need have.
#[test]
fn matrices_that_do_not_fit_in_memory_are_refused_and_recursions_go_on() {
    let path = file("chain.urdf", &chain(20_000));
    let robot = path.to_str().expect("the path is UTF-8");
    let line = &evaluate(&[robot], "")[0];
    for key in ["mass_matrix", "mass_matrix_inverse", "qdd_crba"] {
        assert!(line[key].is_null(), "{key}");
        let reason = line["errors"][key].as_str().expect("a reason");
        assert!(reason.contains("20000 degrees of freedom"), "{reason}");
        assert!(
            reason.contains(" GB") && reason.contains("ask for"),
            "{reason}"
        );
        let asked = run(&["eval", robot, "--compute", &format!("tau, {key}")]);
        assert_eq!((asked.code, asked.out.as_str()), (2, ""), "{key}");
        assert!(
            asked.err.contains(&format!("quantity `{key}`: {reason}")),
            "{}",
            asked.err
        );
    }
    assert_eq!(line["errors"].as_object().expect("an object").len(), 3);
    for key in ["tau", "bias", "gravity", "passive", "qdd"] {
        assert_eq!(vector(&line[key]).len(), 20_000, "{key}");
    }
    assert!(line["com"].is_array() && line["kinetic_energy"].is_number());

    let jacobian = "operation_counts,jacobian:l20000:local";
    let line = &evaluate(&[robot, "--compute", jacobian], "")[0];
    assert_eq!(matrix(&line["jacobian:l20000:local"])[0].len(), 20_000);
    let counts = &line["operation_counts"];
    assert_eq!(counts["aba"]["sin_cos"], 20_000);
    assert!(counts["crba"].is_null() && counts["ltdl"].is_null());
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    for arguments in [
        &["eval", "panda", "--states", "-", "--random", "3"][..],
        &["eval", "panda", "--seed", "3"],
        &["eval", "panda", "--floating-base", "--fixed-base"],
        &["eval", "panda", "--format", "xml"],
        &["eval"],
        &["evaluate", "panda"],
        &[],
    ] {
        assert_eq!(run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn help_tells_quantities_and_exit_codes() {
    let help = command(&["eval", "--help"])
        .output()
        .expect("the binary runs");
    let text = String::from_utf8(help.stdout).expect("UTF-8");
    assert!(help.status.success());
    for key in ALL {
        assert!(text.contains(key), "{key}");
    }
    assert!(run(&["--help"]).out.contains("Exit codes"));
    assert!(run(&["check", "--help"]).out.contains("Exit codes"));
}
