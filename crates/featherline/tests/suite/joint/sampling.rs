//! Random configurations.

use super::kinds::*;
use featherline::joint::JointKind;
use featherline::spatial::Mat3;
use std::f64::consts::PI;

const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

fn draw(kind: &JointKind, rng: &mut rand_chacha::ChaCha8Rng, [lower, upper]: [f64; 2]) -> Vec<f64> {
    let mut q = vec![f64::NAN; kind.nq()];
    kind.random(
        rng,
        &vec![lower; kind.nq()],
        &vec![upper; kind.nq()],
        &mut q,
    );
    q
}

#[test]
fn samples_are_normalised_and_within_their_ranges() {
    let mut rng = rng(31);
    for kind in all_kinds() {
        for bounds in [
            FREE,
            [0.25, 0.5],
            [2.0, f64::INFINITY],
            [f64::NEG_INFINITY, -2.0],
            [-1e308, 1e308],
        ] {
            for _ in 0..50 {
                let q = draw(&kind, &mut rng, bounds);
                assert!(q.iter().all(|x| x.is_finite()), "{kind:?}");
                assert!(kind.is_normalised(&q, 4.0 * f64::EPSILON), "{kind:?}");
                // Entries of rotations are within ±1 anyhow; vectors keep their bounds.
                if kind.nq() == kind.nv() {
                    assert!(
                        q.iter().all(|&x| bounds[0] <= x && x <= bounds[1]),
                        "{kind:?} {q:?}"
                    );
                    assert!(
                        q.iter().all(
                            |&x| x.abs() <= 1e308_f64.min(2.0 + 2.0 * PI) || bounds[1] == 1e308
                        )
                    );
                }
            }
        }
    }
}

#[test]
fn unbounded_angles_fill_a_turn_and_displacements_two_metres() {
    let mut rng = rng(32);
    let (mut angle, mut way) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        let q = draw(&JointKind::cylindrical(slanted()), &mut rng, FREE);
        (angle, way) = (angle.max(q[0].abs()), way.max(q[1].abs()));
    }
    // The largest of a thousand draws misses the end by 2 % with a chance of 2e-9.
    assert!((0.98 * PI..=PI).contains(&angle));
    assert!((0.98..=1.0).contains(&way));
}

#[test]
fn bounds_that_meet_leave_no_choice() {
    let q = draw(&JointKind::revolute_x(), &mut rng(33), [0.7, 0.7]);
    assert_eq!(q, [0.7]);
}

#[test]
fn rotations_are_drawn_uniformly() {
    let mut rng = rng(34);
    let count = 20_000;
    for kind in [JointKind::Spherical, JointKind::FreeFlyer] {
        let mut mean = Mat3::<f64>::zero();
        let mut turn = 0.0;
        for _ in 0..count {
            let rotation = evaluate(&kind, &draw(&kind, &mut rng, FREE)).0.rotation;
            mean = mean + rotation * (1.0 / f64::from(count));
            turn += ((rotation.trace() - 1.0) * 0.5).clamp(-1.0, 1.0).acos() / f64::from(count);
        }
        // Elements of a uniform rotation have mean 0 and variance 1/3: five standard deviations of
        // the mean.
        let bound = 5.0 * (1.0 / (3.0 * f64::from(count))).sqrt();
        assert!(mean.to_rows().concat().iter().all(|x| x.abs() < bound));
        // Its angle has the density (1 − cos θ)/π, hence the mean π/2 + 2/π and a variance below
        // one half.
        let expected = PI / 2.0 + 2.0 / PI;
        assert!((turn - expected).abs() < 5.0 * (0.5 / f64::from(count)).sqrt());
    }
}

#[test]
fn the_same_seed_draws_the_same() {
    for kind in all_kinds() {
        assert_eq!(
            draw(&kind, &mut rng(35), FREE),
            draw(&kind, &mut rng(35), FREE)
        );
    }
}
