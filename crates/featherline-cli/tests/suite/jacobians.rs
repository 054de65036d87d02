//! Jacobians in three frames, against placements and against each other.

use crate::process::{close, evaluate, evaluate_random, matrix, times, vector};
use serde_json::json;

fn transposed(m: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..m[0].len())
        .map(|j| m.iter().map(|row| row[j]).collect())
        .collect()
}

fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    vec![
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[test]
fn the_three_frames_differ_by_the_placement_of_the_link() {
    let keys =
        "placements,jacobian:left_sole:local,jacobian:left_sole:world,jacobian:left_sole:aligned";
    for line in evaluate_random("humanoid", 2, keys) {
        let placement = matrix(&line["placements"]["left_sole"]);
        let rotation: Vec<Vec<f64>> = placement[..3].iter().map(|row| row[..3].to_vec()).collect();
        let origin: Vec<f64> = placement[..3].iter().map(|row| row[3]).collect();
        let columns =
            |frame: &str| transposed(&matrix(&line[format!("jacobian:left_sole:{frame}")]));
        let (local, world, aligned) = (columns("local"), columns("world"), columns("aligned"));
        assert_eq!(local.len(), 38);
        for ((local, world), aligned) in local.iter().zip(&world).zip(&aligned) {
            close(
                "linear",
                &times(&rotation, &local[..3]),
                &aligned[..3],
                1e-13,
            );
            close(
                "angular",
                &times(&rotation, &local[3..]),
                &aligned[3..],
                1e-13,
            );
            close("angular", &world[3..], &aligned[3..], 1e-13);
            // The velocity of the point at the world's origin.
            let moved = cross(&origin, &aligned[3..]);
            let expected: Vec<f64> = aligned[..3]
                .iter()
                .zip(&moved)
                .map(|(v, m)| v + m)
                .collect();
            close("linear", &world[..3], &expected, 1e-13);
        }
    }
}

#[test]
fn the_aligned_jacobian_is_the_slope_of_the_position() {
    let line = &evaluate_random("panda", 1, "state,jacobian:panda_link8:aligned")[0];
    let q = vector(&line["state"]["q"]);
    let jacobian = transposed(&matrix(&line["jacobian:panda_link8:aligned"]));
    let step = 1e-6;
    for k in 0..q.len() {
        let moved = |by: f64| {
            let mut moved = q.clone();
            moved[k] += by;
            json!({ "q": moved }).to_string()
        };
        let states = [moved(step), moved(-step)].join("\n");
        let lines = evaluate(
            &["panda", "--states", "-", "--compute", "placements"],
            &states,
        );
        let position = |i: usize| -> Vec<f64> {
            matrix(&lines[i]["placements"]["panda_link8"])[..3]
                .iter()
                .map(|row| row[3])
                .collect()
        };
        let slope: Vec<f64> = position(0)
            .iter()
            .zip(position(1))
            .map(|(a, b)| (a - b) / (2.0 * step))
            .collect();
        // A step of 1e-6 leaves about nine digits.
        close("slope", &jacobian[k][..3], &slope, 1e-8);
    }
}
