//! Numbers of different quantities must fit together; each comes from an algorithm of its own.

use crate::process::{
    close, dot, evaluate, evaluate_random, file, matrix, run, sum, times, vector,
};
use serde_json::{Value, json};

/// Fixed and floating, branched, with mimic joints; a floating base has more q than v.
const ROBOTS: [&str; 4] = ["panda", "hand", "quadruped", "humanoid"];
/// Rounding of a few hundred operations on numbers that cancel.
const ROUNDING: f64 = 1e-9;

#[test]
fn forces_and_accelerations_agree_in_both_directions() {
    let keys = "state,tau,bias,mass_matrix,mass_matrix_inverse,qdd,qdd_crba";
    for robot in ROBOTS {
        for line in evaluate_random(robot, 3, keys) {
            let mass = matrix(&line["mass_matrix"]);
            let bias = vector(&line["bias"]);
            let a = vector(&line["state"]["a"]);
            let expected = sum(&times(&mass, &a), &bias);
            close("M a + C", &vector(&line["tau"]), &expected, ROUNDING);
            let qdd = vector(&line["qdd"]);
            close("two ways", &vector(&line["qdd_crba"]), &qdd, 1e-8);
            let driven = sum(&times(&mass, &qdd), &bias);
            close("M q̈ + C", &driven, &vector(&line["state"]["tau"]), 1e-8);
            let inverse = matrix(&line["mass_matrix_inverse"]);
            for (k, column) in inverse.iter().enumerate() {
                // The inverse is symmetric, so that its rows are its columns.
                let mut unit = vec![0.0; inverse.len()];
                unit[k] = 1.0;
                close("M M⁻¹", &times(&mass, column), &unit, 1e-8);
            }
        }
    }
}

#[test]
fn gravity_is_the_bias_at_rest_and_the_slope_of_the_potential_energy() {
    for robot in ["panda", "ur5"] {
        for line in evaluate_random(robot, 2, "state,gravity") {
            let q = vector(&line["state"]["q"]);
            let gravity = vector(&line["gravity"]);
            let step = 1e-5;
            let mut states = vec![json!({ "q": q }).to_string()];
            for k in 0..q.len() {
                for sign in [1.0, -1.0] {
                    let mut moved = q.clone();
                    moved[k] += sign * step;
                    states.push(json!({ "q": moved }).to_string());
                }
            }
            let compute = ["--compute", "bias,potential_energy"];
            let lines = evaluate(
                &[&[robot, "--states", "-"], &compute[..]].concat(),
                &states.join("\n"),
            );
            close("bias", &vector(&lines[0]["bias"]), &gravity, ROUNDING);
            let energy = |line: &Value| line["potential_energy"].as_f64().expect("a number");
            let slopes = lines[1..]
                .chunks(2)
                .map(|pair| (energy(&pair[0]) - energy(&pair[1])) / (2.0 * step));
            // Differences of 100 J lose ten digits to a step of 1e-5, and the third derivative adds
            // as much.
            close("slope", &slopes.collect::<Vec<_>>(), &gravity, 1e-7);
        }
    }
}

#[test]
fn energies_and_momentum_follow_from_mass_and_velocity() {
    let keys = "state,mass_matrix,kinetic_energy,potential_energy,com";
    for robot in ROBOTS {
        let info: Value = serde_json::from_str(&run(&["info", robot, "--json"]).out).expect("JSON");
        let weight = 9.81 * info["total_mass"].as_f64().expect("a number");
        for line in evaluate_random(robot, 2, keys) {
            let v = vector(&line["state"]["v"]);
            let kinetic = dot(&times(&matrix(&line["mass_matrix"]), &v), &v) / 2.0;
            close(
                "½ vᵀ M v",
                &[line["kinetic_energy"].as_f64().expect("a number")],
                &[kinetic],
                ROUNDING,
            );
            let potential = weight * vector(&line["com"])[2];
            close(
                "m g z",
                &[line["potential_energy"].as_f64().expect("a number")],
                &[potential],
                ROUNDING,
            );
        }
    }
}

#[test]
fn linear_momentum_is_mass_times_the_velocity_of_the_centre_of_mass() {
    let info: Value = serde_json::from_str(&run(&["info", "panda", "--json"]).out).expect("JSON");
    let mass = info["total_mass"].as_f64().expect("a number");
    for line in evaluate_random("panda", 3, "state,centroidal_momentum") {
        let (q, v) = (vector(&line["state"]["q"]), vector(&line["state"]["v"]));
        let step = 1e-6;
        let at = |time: f64| {
            let moved: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + time * v).collect();
            json!({ "q": moved }).to_string()
        };
        let states = [at(step), at(-step)].join("\n");
        let lines = evaluate(&["panda", "--states", "-", "--compute", "com"], &states);
        let (after, before) = (vector(&lines[0]["com"]), vector(&lines[1]["com"]));
        let velocity: Vec<f64> = after
            .iter()
            .zip(&before)
            .map(|(a, b)| (a - b) / (2.0 * step))
            .collect();
        let linear: Vec<f64> = velocity.iter().map(|x| mass * x).collect();
        // A step of 1e-6 leaves about nine digits.
        close(
            "m v",
            &vector(&line["centroidal_momentum"])[..3],
            &linear,
            1e-7,
        );
    }
}

/// A point mass of 2 kg, half a metre below a hinge about y with damping 0.3 and friction 0.2.
const PENDULUM: &str = r#"
<robot name="pendulum">
  <link name="base"/>
  <link name="bob">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="2"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/> <child link="bob"/> <axis xyz="0 1 0"/>
    <dynamics damping="0.3" friction="0.2"/>
  </joint>
</robot>"#;

#[test]
fn a_pendulum_moves_as_in_the_textbook() {
    let path = file("pendulum.urdf", PENDULUM);
    let (q, v, a, tau) = (0.4_f64, 1.5, -2.0, 0.7);
    let state = json!({ "q": [q], "v": [v], "a": [a], "tau": [tau] }).to_string();
    let robot = path.to_str().expect("the path is UTF-8");
    let lines = evaluate(&[robot, "--states", "-"], &state);
    let line = &lines[0];
    // m l² and m g l sin q.
    let (inertia, weight) = (2.0 * 0.25, 2.0 * 9.81 * 0.5 * q.sin());
    let check = |key: &str, found: &Value, expected: f64| {
        let found = if found.is_array() {
            vector(found)[0]
        } else {
            found.as_f64().expect(key)
        };
        close(key, &[found], &[expected], 1e-14);
    };
    check("mass_matrix", &line["mass_matrix"][0], inertia);
    check(
        "mass_matrix_inverse",
        &line["mass_matrix_inverse"][0],
        1.0 / inertia,
    );
    check("tau", &line["tau"], inertia * a + weight);
    check("bias", &line["bias"], weight);
    check("gravity", &line["gravity"], weight);
    check("qdd", &line["qdd"], (tau - weight) / inertia);
    check("qdd_crba", &line["qdd_crba"], (tau - weight) / inertia);
    check("passive", &line["passive"], -0.3 * v - 0.2);
    check(
        "kinetic_energy",
        &line["kinetic_energy"],
        inertia * v * v / 2.0,
    );
    check(
        "potential_energy",
        &line["potential_energy"],
        -2.0 * 9.81 * 0.5 * q.cos(),
    );
    let com = [-0.5 * q.sin(), 0.0, -0.5 * q.cos()];
    close("com", &vector(&line["com"]), &com, 1e-14);
    // Velocity of the bob: perpendicular to the rod.
    let momentum = [-q.cos() * v, 0.0, q.sin() * v, 0.0, 0.0, 0.0];
    close(
        "momentum",
        &vector(&line["centroidal_momentum"]),
        &momentum,
        1e-14,
    );
    let (s, c) = q.sin_cos();
    let turned = [
        [c, 0.0, s, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [-s, 0.0, c, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    for (found, expected) in matrix(&line["placements"]["bob"]).iter().zip(&turned) {
        close("placement", found, expected, 1e-15);
    }
    assert!(line.get("errors").is_none());
}
