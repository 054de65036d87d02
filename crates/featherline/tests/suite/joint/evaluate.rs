//! Placement, motion subspace and its rates.

use super::kinds::*;
use featherline::joint::{JointError, JointKind};
use featherline::samples::{RandomTree, random_tree};
use featherline::scalar::OpCount;
use featherline::spatial::{Motion, Se3, Vec3};
use std::collections::BTreeSet;

/// Some tens of roundings of numbers of size one.
const ROUNDING: f64 = 2e-14;

#[test]
fn the_motion_subspace_is_the_derivative_of_the_placement() {
    let mut rng = rng(1);
    for kind in all_kinds() {
        for _ in 0..20 {
            let q = configuration(&kind, &mut rng);
            let v = uniform(&mut rng, kind.nv(), 1.0);
            let (_, subspace) = evaluate(&kind, &q);
            let (placement, _) = evaluate(&kind, &moving(&kind, &q, &v));
            let error = distance(&combine(&subspace, &v), &velocity(&placement));
            assert!(error < ROUNDING, "{kind:?}: {error:e}");
        }
    }
}

#[test]
fn rates_are_the_derivative_of_the_motion_subspace() {
    let mut rng = rng(2);
    for kind in all_kinds() {
        let mut largest = 0.0_f64;
        for _ in 0..20 {
            let q = configuration(&kind, &mut rng);
            let v = uniform(&mut rng, kind.nv(), 1.0);
            let mut rates = vec![Motion::zero(); kind.nv()];
            kind.subspace_rates(&q, &v, &mut rates);
            let (_, subspace) = evaluate(&kind, &moving(&kind, &q, &v));
            for (analytical, column) in rates.iter().zip(&subspace) {
                let error = distance(analytical, &rate(column));
                assert!(error < ROUNDING, "{kind:?}: {error:e}");
                largest = largest.max(distance(analytical, &Motion::zero()));
            }
        }
        assert_eq!(kind.has_constant_subspace(), largest == 0.0, "{kind:?}");
    }
}

/// Placement, columns and rates of several joints one after the other agree with those of one
/// joint.
fn assert_same_as_chain(kind: &JointKind, chain: &[(Se3<f64>, JointKind)], q: &[f64], v: &[f64]) {
    let mut placement = Se3::identity();
    let mut velocity = Motion::zero();
    // The acceleration of the last frame relative to the first at zero rates of v.
    let mut bias = Motion::zero();
    let (mut q_rest, mut v_rest) = (q, v);
    for (offset, part) in chain {
        let (own_q, q_after) = q_rest.split_at(part.nq());
        let (own_v, v_after) = v_rest.split_at(part.nv());
        let (own, subspace) = evaluate(part, own_q);
        let step = offset.compose(&own);
        let mut rates = vec![Motion::zero(); part.nv()];
        part.subspace_rates(own_q, own_v, &mut rates);
        let joint_velocity = combine(&subspace, own_v);
        placement = placement.compose(&step);
        velocity = step.inverse_act_motion(&velocity) + joint_velocity;
        bias = step.inverse_act_motion(&bias)
            + combine(&rates, own_v)
            + velocity.cross(&joint_velocity);
        (q_rest, v_rest) = (q_after, v_after);
    }
    let (whole, subspace) = evaluate(kind, q);
    let mut rates = vec![Motion::zero(); kind.nv()];
    kind.subspace_rates(q, v, &mut rates);
    assert!(
        placement_distance(&whole, &placement) < ROUNDING,
        "{kind:?}"
    );
    assert!(
        distance(&combine(&subspace, v), &velocity) < ROUNDING,
        "{kind:?}"
    );
    assert!(distance(&combine(&rates, v), &bias) < ROUNDING, "{kind:?}");
}

#[test]
fn a_composite_is_the_chain_of_its_parts() {
    let mut rng = rng(3);
    for kind in all_kinds() {
        let q = configuration(&kind, &mut rng);
        let v = uniform(&mut rng, kind.nv(), 1.0);
        assert_same_as_chain(&kind, &parts(&kind), &q, &v);
    }
}

#[test]
fn kinds_of_several_degrees_are_chains_of_simpler_ones() {
    let mut rng = rng(4);
    let here = Se3::identity();
    let (u, w) = (slanted(), Vec3::new(0.8, 0.0, 0.6));
    let cases = [
        (
            JointKind::universal(u, w),
            vec![JointKind::revolute(u), JointKind::revolute(w)],
        ),
        (
            JointKind::cylindrical(u),
            vec![JointKind::revolute(u), JointKind::prismatic(u)],
        ),
        (
            JointKind::SphericalZyx,
            vec![
                JointKind::revolute_z(),
                JointKind::revolute_y(),
                JointKind::revolute_x(),
            ],
        ),
        (
            JointKind::Translation,
            vec![
                JointKind::prismatic_x(),
                JointKind::prismatic_y(),
                JointKind::prismatic_z(),
            ],
        ),
    ];
    for (kind, chain) in cases {
        let chain: Vec<_> = chain.into_iter().map(|part| (here, part)).collect();
        for _ in 0..20 {
            let q = uniform(&mut rng, kind.nq(), 2.0);
            let v = uniform(&mut rng, kind.nv(), 1.0);
            assert_same_as_chain(&kind, &chain, &q, &v);
        }
    }
}

#[test]
fn an_ellipsoid_joint_stays_on_its_ellipsoid() {
    let mut rng = rng(5);
    let radii = Vec3::new(0.3, 0.5, 0.2);
    let turns = [
        JointKind::revolute_x(),
        JointKind::revolute_y(),
        JointKind::revolute_z(),
    ];
    let rotation_chain = composite(&turns.map(|turn| (Se3::identity(), turn)));
    for _ in 0..20 {
        let q = uniform(&mut rng, 3, 3.0);
        let (placement, _) = evaluate(&JointKind::ellipsoid(radii), &q);
        let (turned, _) = evaluate(&rotation_chain, &q);
        let p = placement.translation;
        let level = (p.x / radii.x).powi(2) + (p.y / radii.y).powi(2) + (p.z / radii.z).powi(2);
        assert!((level - 1.0).abs() < ROUNDING);
        let rotation_only = Se3::from_rotation(placement.rotation);
        assert!(placement_distance(&rotation_only, &turned) < ROUNDING);
    }
}

#[test]
fn a_screw_advances_by_its_pitch() {
    let joint = JointKind::helical(slanted(), 0.1);
    let (placement, subspace) = evaluate(&joint, &[std::f64::consts::TAU]);
    let advance = slanted() * (0.1 * std::f64::consts::TAU);
    assert!(placement_distance(&placement, &Se3::from_translation(advance)) < ROUNDING);
    assert!(distance(&subspace[0], &Motion::new(slanted() * 0.1, slanted())) < ROUNDING);
}

#[test]
fn at_the_neutral_configuration_the_frames_coincide() {
    for kind in simple_kinds() {
        let mut q = vec![f64::NAN; kind.nq()];
        kind.neutral(&mut q);
        let (placement, _) = evaluate(&kind, &q);
        // An ellipsoid joint starts at the pole on its z axis.
        let expected = if let JointKind::Ellipsoid { radii } = &kind {
            Vec3::new(0.0, 0.0, radii.z)
        } else {
            Vec3::zero()
        };
        assert_eq!(
            placement_distance(&placement, &Se3::from_translation(expected)),
            0.0,
            "{kind:?}"
        );
    }
}

#[test]
fn rotations_of_any_length_are_read_as_rotations() {
    let mut rng = rng(6);
    for kind in all_kinds() {
        let q = configuration(&kind, &mut rng);
        let mut longer = Vec::new();
        let mut zero = Vec::new();
        let mut rest = q.as_slice();
        let mut turns = false;
        for (_, part) in parts(&kind) {
            let (own, after) = rest.split_at(part.nq());
            let first = first_of_rotation(&part);
            turns |= first < own.len();
            let scaled = |factor: f64| {
                own.iter()
                    .enumerate()
                    .map(move |(i, x)| if i < first { *x } else { factor * x })
            };
            longer.extend(scaled(1.7));
            zero.extend(scaled(0.0));
            rest = after;
        }
        let (placement, _) = evaluate(&kind, &q);
        assert!(
            placement_distance(&placement, &evaluate(&kind, &longer).0) < ROUNDING,
            "{kind:?}"
        );
        let degenerate = evaluate(&kind, &zero).0.rotation;
        let finite =
            degenerate.x.is_finite() && degenerate.y.is_finite() && degenerate.z.is_finite();
        assert_eq!(finite, !turns, "{kind:?}");
    }
}

#[test]
fn a_displacement_places_a_mimic_joint_as_its_configuration_would() {
    let angle = 0.9_f64;
    for kind in all_kinds()
        .into_iter()
        .filter(JointKind::has_one_displacement)
    {
        let q = if let JointKind::RevoluteUnbounded { .. } = kind {
            vec![angle.cos(), angle.sin()]
        } else {
            vec![angle]
        };
        let (placement, subspace) = evaluate(&kind, &q);
        let mut column = [Motion::zero()];
        let other = kind.evaluate_displacement(angle, &mut column);
        assert!(
            placement_distance(&placement, &other) < ROUNDING,
            "{kind:?}"
        );
        assert_eq!(subspace[0], column[0]);
    }
}

#[test]
fn aligned_axes_cost_no_products() {
    let cost = |kind: JointKind| {
        let q = vec![OpCount::variable(0.3); kind.nq()];
        let mut subspace = vec![Motion::zero(); kind.nv()];
        OpCount::measure(|| kind.evaluate(&q, &mut subspace)).1
    };
    for kind in [
        JointKind::revolute_x(),
        JointKind::revolute_y(),
        JointKind::revolute_z(),
    ] {
        let operations = cost(kind);
        assert_eq!((operations.sin_cos, operations.total()), (1, 1));
    }
    for kind in [
        JointKind::prismatic_x(),
        JointKind::prismatic_y(),
        JointKind::prismatic_z(),
    ] {
        assert_eq!(cost(kind).total(), 0);
    }
    // The pitch times the angle.
    let operations = cost(JointKind::helical(Vec3::unit(1), 0.2));
    assert_eq!(
        (
            operations.sin_cos,
            operations.multiplications,
            operations.total()
        ),
        (1, 1, 2)
    );
    // Two sines with their cosines; the product of rotations about x and y has four products.
    let operations = cost(JointKind::universal(Vec3::unit(0), Vec3::unit(1)));
    assert_eq!(
        (
            operations.sin_cos,
            operations.multiplications,
            operations.total()
        ),
        (2, 4, 6)
    );
    assert_eq!(cost(JointKind::Translation).total(), 0);
}

#[test]
fn nested_composites_are_joined() {
    let inner = composite(&[
        (offset(), JointKind::revolute_x()),
        (offset(), JointKind::Planar),
    ]);
    let middle = composite(&[
        (offset(), inner),
        (Se3::identity(), JointKind::prismatic_z()),
    ]);
    let nested = composite(&[
        (Se3::identity(), JointKind::revolute_y()),
        (offset(), middle),
    ]);
    let twice = offset().compose(&offset());
    let thrice = offset().compose(&twice);
    let flat = composite(&[
        (Se3::identity(), JointKind::revolute_y()),
        (thrice, JointKind::revolute_x()),
        (offset(), JointKind::Planar),
        (Se3::identity(), JointKind::prismatic_z()),
    ]);
    assert_eq!((nested.nq(), nested.nv()), (7, 6));
    assert_eq!(parts(&nested).len(), 4);
    for ((a, kind), (b, expected)) in parts(&nested).iter().zip(parts(&flat)) {
        assert_eq!(*kind, expected);
        assert!(placement_distance(a, &b) < ROUNDING);
    }
}

#[test]
fn kinds_survive_being_written_and_read() {
    for kind in all_kinds() {
        let text = serde_json::to_string(&kind).expect("all numbers are finite");
        let read: JointKind = serde_json::from_str(&text).expect("the text was just written");
        assert_eq!(read, kind);
        assert!(text.contains(&format!("\"{}\"", kind.name())), "{text}");
    }
}

/// So that a new kind is not left out of the tests.
#[test]
fn every_kind_is_tested_and_drawn() {
    let names = BTreeSet::from(JointKind::NAMES);
    let tested: BTreeSet<_> = all_kinds().iter().map(JointKind::name).collect();
    assert_eq!(tested, names);
    let shape = RandomTree {
        joints: 300,
        ..RandomTree::default()
    };
    // The universe is fixed.
    let drawn = random_tree(1, &shape);
    let drawn: BTreeSet<_> = drawn.joints().iter().map(|it| it.kind.name()).collect();
    assert_eq!(drawn, names);
}

#[test]
fn what_makes_no_sense_is_named() {
    let zero = Vec3::zero();
    let nan = Vec3::new(0.0, f64::NAN, 1.0);
    let here = Se3::identity();
    let error = |kind: JointKind| {
        kind.check()
            .expect_err("the kind makes no sense")
            .to_string()
    };
    assert!(
        error(JointKind::revolute(zero)).contains("axis of a revolute joint is the zero vector")
    );
    assert!(error(JointKind::prismatic(nan)).contains("axis of a prismatic joint is not finite"));
    assert!(error(JointKind::helical(Vec3::unit(0), f64::INFINITY)).contains("pitch of a helical"));
    assert!(
        error(JointKind::universal(Vec3::unit(0), zero)).contains("second axis of a universal")
    );
    assert!(error(JointKind::ellipsoid(nan)).contains("radii of a ellipsoid"));
    assert!(
        error(composite(&[
            (here, JointKind::Planar),
            (here, JointKind::cylindrical(zero))
        ]))
        .contains("cylindrical")
    );
    assert!(
        error(composite(&[(
            Se3::from_translation(nan),
            JointKind::Planar
        )]))
        .contains("placement of a part")
    );
    let mut mirrored = here;
    mirrored.rotation.x = -mirrored.rotation.x;
    assert!(error(composite(&[(mirrored, JointKind::Planar)])).contains("not a rotation"));
    assert_eq!(JointKind::composite([]), Err(JointError::EmptyComposite));
    for kind in all_kinds() {
        assert_eq!(kind.check(), Ok(()));
    }
    let long = JointKind::Revolute {
        axis: Vec3::new(0.0, 0.0, -3.0),
    };
    let unit = JointKind::revolute(Vec3::new(0.0, 0.0, -1.0));
    let within = composite(&[(here, long.clone())]).normalised_axes();
    assert_eq!(long.normalised_axes(), unit);
    assert_eq!(within, composite(&[(here, unit)]));
}
