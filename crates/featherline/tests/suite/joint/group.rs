//! The laws of the Lie groups that configurations form.

use super::kinds::*;
use featherline::joint::JointKind;

/// Some tens of roundings of numbers of size one to four.
const ROUNDING: f64 = 5e-14;

/// How far apart two configurations place the child; quaternions of opposite sign place it alike.
fn separation(kind: &JointKind, a: &[f64], b: &[f64]) -> f64 {
    let (mut a_rest, mut b_rest) = (a, b);
    let mut largest = 0.0_f64;
    for (_, part) in parts(kind) {
        let (a, a_after) = a_rest.split_at(part.nq());
        let (b, b_after) = b_rest.split_at(part.nq());
        let apart = if let JointKind::Spherical | JointKind::FreeFlyer = part {
            // The placement of these does not tell all coordinates, or loses angles' whole turns.
            placement_distance(&evaluate(&part, a).0, &evaluate(&part, b).0)
        } else {
            gap(a, b)
        };
        largest = largest.max(apart);
        (a_rest, b_rest) = (a_after, b_after);
    }
    largest
}

#[test]
fn integrating_follows_a_constant_velocity() {
    let mut rng = rng(11);
    for kind in all_kinds() {
        for v in velocities(&kind, &mut rng) {
            let q = configuration(&kind, &mut rng);
            for time in [0.0, 0.3, 1.0, 7.0] {
                // d/dt (q ⊕ t v) is the velocity v at q ⊕ t v: with q ⊕ 0 = q, this defines
                // integrate.
                let t = Moving::variable(time, 0);
                let scaled: Vec<_> = v.iter().map(|&v| Moving::fixed(v) * t).collect();
                let reached = integrate(&kind, &fixed(&q), &scaled);
                let expected = tangents(&moving(&kind, &values(&reached), &v));
                let error = gap(&tangents(&reached), &expected);
                assert!(error < ROUNDING, "{kind:?} {v:?}: {error:e}");
            }
            let stayed = integrate(&kind, &q, &vec![0.0; kind.nv()]);
            assert!(gap(&stayed, &q) < ROUNDING, "{kind:?}");
        }
    }
}

#[test]
fn difference_finds_the_velocity_that_was_integrated() {
    let mut rng = rng(12);
    for kind in all_kinds() {
        for v in velocities(&kind, &mut rng) {
            let q = configuration(&kind, &mut rng);
            let found = difference(&kind, &q, &integrate(&kind, &q, &v));
            let error = gap(&found, &v);
            assert!(error < ROUNDING, "{kind:?} {v:?} {found:?}: {error:e}");
        }
    }
}

#[test]
fn integrating_a_difference_arrives() {
    let mut rng = rng(13);
    for kind in all_kinds() {
        for _ in 0..50 {
            let (q0, q1) = (
                configuration(&kind, &mut rng),
                configuration(&kind, &mut rng),
            );
            let arrived = integrate(&kind, &q0, &difference(&kind, &q0, &q1));
            let error = separation(&kind, &arrived, &q1);
            assert!(error < ROUNDING, "{kind:?}: {error:e}");
            assert!(kind.is_normalised(&arrived, 1e-15 * 4.0), "{kind:?}");
            let back: Vec<f64> = difference(&kind, &q1, &q0).iter().map(|x| -x).collect();
            assert!(
                gap(&difference(&kind, &q0, &q1), &back) < ROUNDING,
                "{kind:?}"
            );
        }
    }
}

#[test]
fn half_turns_are_found_one_way_or_the_other() {
    let half_turns = [
        (
            JointKind::revolute_unbounded_x(),
            vec![1.0, 0.0],
            vec![-1.0, 0.0],
        ),
        (
            JointKind::Planar,
            vec![1.0, 2.0, 1.0, 0.0],
            vec![3.0, 1.0, -1.0, 0.0],
        ),
        (
            JointKind::Spherical,
            vec![0.0, 0.0, 0.0, 1.0],
            vec![0.6, 0.0, 0.8, 0.0],
        ),
        (
            JointKind::FreeFlyer,
            vec![1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0],
            vec![0.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0],
        ),
    ];
    for (kind, q0, q1) in half_turns {
        let way = difference(&kind, &q0, &q1);
        let turn = if kind.nv() == 6 {
            &way[3..]
        } else if kind == JointKind::Planar {
            &way[2..]
        } else {
            &way
        };
        let angle = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((angle - std::f64::consts::PI).abs() < ROUNDING, "{kind:?}");
        assert!(
            separation(&kind, &integrate(&kind, &q0, &way), &q1) < ROUNDING,
            "{kind:?}"
        );
    }
}

#[test]
fn the_sign_of_a_quaternion_means_nothing() {
    let mut rng = rng(14);
    let kind = JointKind::FreeFlyer;
    let (q0, q1) = (
        configuration(&kind, &mut rng),
        configuration(&kind, &mut rng),
    );
    let mut opposite = q1.clone();
    opposite[3..].iter_mut().for_each(|x| *x = -*x);
    assert!(
        gap(
            &difference(&kind, &q0, &q1),
            &difference(&kind, &q0, &opposite)
        ) < ROUNDING
    );
}

#[test]
fn interpolation_goes_from_end_to_end_at_constant_speed() {
    let mut rng = rng(15);
    for kind in all_kinds() {
        let (q0, q1) = (
            configuration(&kind, &mut rng),
            configuration(&kind, &mut rng),
        );
        let at = |t: f64| {
            let mut q = vec![0.0; kind.nq()];
            kind.interpolate(&q0, &q1, t, &mut q);
            q
        };
        assert!(separation(&kind, &at(0.0), &q0) < ROUNDING, "{kind:?}");
        assert!(separation(&kind, &at(1.0), &q1) < ROUNDING, "{kind:?}");
        let whole = kind.squared_distance(&q0, &q1).sqrt();
        let length = difference(&kind, &q0, &q1)
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
            .sqrt();
        assert!((whole - length).abs() < ROUNDING, "{kind:?}");
        let mut travelled = 0.0;
        for step in 0..4 {
            let t = f64::from(step) / 4.0;
            let own = kind.squared_distance(&at(t), &at(t + 0.25)).sqrt();
            assert!((own - 0.25 * whole).abs() < ROUNDING, "{kind:?}");
            travelled += own;
        }
        assert!((travelled - whole).abs() < ROUNDING, "{kind:?}");
    }
}

#[test]
fn normalising_gives_length_one_and_keeps_the_placement() {
    let mut rng = rng(16);
    for kind in all_kinds() {
        let q = configuration(&kind, &mut rng);
        let mut drifted = integrate(&kind, &q, &short_velocity(&kind, &mut rng));
        let expected = drifted.clone();
        let has_rotation = kind.nq() > kind.nv();
        let mut rest = drifted.as_mut_slice();
        for (_, part) in parts(&kind) {
            let (own, after) = rest.split_at_mut(part.nq());
            let rotation = &mut own[first_of_rotation(&part)..];
            rotation.iter_mut().for_each(|x| *x *= 1.001);
            rest = after;
        }
        assert_eq!(
            kind.is_normalised(&drifted, 1e-6),
            !has_rotation,
            "{kind:?}"
        );
        kind.normalise(&mut drifted);
        assert!(kind.is_normalised(&drifted, 4.0 * f64::EPSILON), "{kind:?}");
        assert!(gap(&drifted, &expected) < ROUNDING, "{kind:?}");
        let mut neutral = vec![0.0; kind.nq()];
        kind.neutral(&mut neutral);
        assert!(kind.is_normalised(&neutral, 0.0));
    }
}

#[test]
fn integrating_takes_drift_out() {
    let mut rng = rng(17);
    for kind in [
        JointKind::revolute_unbounded(slanted()),
        JointKind::Planar,
        JointKind::Spherical,
        JointKind::FreeFlyer,
    ] {
        let q = configuration(&kind, &mut rng);
        let v = short_velocity(&kind, &mut rng);
        let first = kind.nq()
            - if kind.nq() > 4 || kind == JointKind::Spherical {
                4
            } else {
                2
            };
        let mut drifted = q.clone();
        drifted[first..].iter_mut().for_each(|x| *x *= 1.01);
        let reached = integrate(&kind, &drifted, &v);
        assert!(
            gap(&reached, &integrate(&kind, &q, &v)) < ROUNDING,
            "{kind:?}"
        );
        let back = difference(&kind, &drifted, &reached);
        assert!(gap(&back, &v) < ROUNDING, "{kind:?}");
    }
}
