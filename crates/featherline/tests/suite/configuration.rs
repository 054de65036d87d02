//! Configurations of whole robots.

use crate::common::{State, close, models};
use featherline::configuration;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointSpec, Limits, ModelBuilder};
use featherline::scalar::Dual;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Some tens of roundings of numbers of size one to ten.
const ROUNDING: f64 = 1e-13;

type Moving = Dual<f64, 1>;

fn fixed(values: &[f64]) -> Vec<Moving> {
    values.iter().map(|&x| Moving::fixed(x)).collect()
}

fn values(numbers: &[Moving]) -> Vec<f64> {
    numbers.iter().map(|x| x.value).collect()
}

fn tangents(numbers: &[Moving]) -> Vec<f64> {
    numbers.iter().map(|x| x.tangent[0]).collect()
}

/// The configuration as it begins to move along one coordinate.
fn nudged(model: &Model, q: &[f64], coordinate: usize) -> Vec<Moving> {
    let mut direction = vec![Moving::fixed(0.0); model.nv()];
    direction[coordinate] = Moving::variable(0.0, 0);
    model
        .integrate(&fixed(q), &direction)
        .expect("a valid state")
}

/// How a moving configuration moves, in its own tangent space.
fn motion(model: &Model, q: &[Moving]) -> Vec<f64> {
    let here = fixed(&values(q));
    tangents(&model.difference(&here, q).expect("a valid state"))
}

fn column(matrix: &DMatrix<f64>, index: usize) -> Vec<f64> {
    matrix.column(index).iter().copied().collect()
}

#[test]
fn the_way_to_a_configuration_leads_there() {
    for (model, seed) in models() {
        let (start, end) = (
            State::random(&model, seed),
            State::random(&model, seed + 1000),
        );
        let way = model.difference(&start.q, &end.q).expect("valid states");
        let arrived = model.integrate(&start.q, &way).expect("valid states");
        assert!(
            model
                .is_normalised(&arrived, 1e-15 * 4.0)
                .expect("the right size")
        );
        let missed = model.distance(&arrived, &end.q).expect("valid states");
        assert!(missed < ROUNDING, "{}: {missed:e}", model.name());
        let found = model
            .difference(
                &start.q,
                &model.integrate(&start.q, &start.v).expect("a valid state"),
            )
            .expect("valid states");
        close("velocity", &found, &start.v, ROUNDING);
        let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let distance = model.distance(&start.q, &end.q).expect("valid states");
        assert!((length - distance).abs() < ROUNDING * length.max(1.0));
    }
}

#[test]
fn interpolation_divides_the_way() {
    for (model, seed) in models() {
        let (start, end) = (
            State::random(&model, seed),
            State::random(&model, seed + 1000),
        );
        let way = model.difference(&start.q, &end.q).expect("valid states");
        for t in [0.0, 0.3, 1.0] {
            let between = model
                .interpolate(&start.q, &end.q, t)
                .expect("valid states");
            let done = model.difference(&start.q, &between).expect("valid states");
            let expected: Vec<f64> = way.iter().map(|x| x * t).collect();
            close("part of the way", &done, &expected, ROUNDING);
        }
    }
}

#[test]
fn a_robot_moves_as_its_joints_do() {
    for (model, seed) in models() {
        let state = State::random(&model, seed);
        let reached = model.integrate(&state.q, &state.v).expect("a valid state");
        let mut seen = (0, 0);
        for joint in model.joints().iter().filter(|joint| joint.mimic.is_none()) {
            let (q, v) = (
                joint.idx_q..joint.idx_q + joint.nq,
                joint.idx_v..joint.idx_v + joint.nv,
            );
            let mut own = vec![0.0; joint.nq];
            joint
                .kind
                .integrate(&state.q[q.clone()], &state.v[v], &mut own);
            close("joint", &reached[q], &own, 4.0 * f64::EPSILON);
            seen = (seen.0 + joint.nq, seen.1 + joint.nv);
        }
        // Mimic joints have no coordinates, and nothing is left over.
        assert_eq!(seen, (model.nq(), model.nv()));
    }
}

#[test]
fn the_jacobians_of_integrate_are_its_derivatives() {
    for (model, seed) in models() {
        let nv = model.nv();
        let State { q, v, .. } = State::random(&model, seed);
        let mut by_q = DMatrix::from_element(nv, nv, f64::NAN);
        let mut by_v = by_q.clone();
        configuration::d_integrate_dq(&model, &v, &mut by_q).expect("the right sizes");
        configuration::d_integrate_dv(&model, &v, &mut by_v).expect("the right sizes");
        for k in 0..nv {
            let moved = model
                .integrate(&nudged(&model, &q, k), &fixed(&v))
                .expect("a valid state");
            close("by q", &motion(&model, &moved), &column(&by_q, k), ROUNDING);
            let mut varied = fixed(&v);
            varied[k].tangent[0] = 1.0;
            let moved = model.integrate(&fixed(&q), &varied).expect("a valid state");
            close("by v", &motion(&model, &moved), &column(&by_v, k), ROUNDING);
        }
    }
}

#[test]
fn the_jacobians_of_difference_are_its_derivatives() {
    for (model, seed) in models() {
        let nv = model.nv();
        let (q0, q1) = (
            State::random(&model, seed).q,
            State::random(&model, seed + 1000).q,
        );
        let mut by_start = DMatrix::from_element(nv, nv, f64::NAN);
        let mut by_end = by_start.clone();
        configuration::d_difference_dq0(&model, &q0, &q1, &mut by_start).expect("the right sizes");
        configuration::d_difference_dq1(&model, &q0, &q1, &mut by_end).expect("the right sizes");
        for k in 0..nv {
            let moved = model
                .difference(&nudged(&model, &q0, k), &fixed(&q1))
                .expect("valid");
            close(
                "by the start",
                &tangents(&moved),
                &column(&by_start, k),
                ROUNDING,
            );
            let moved = model
                .difference(&fixed(&q0), &nudged(&model, &q1, k))
                .expect("valid");
            close(
                "by the end",
                &tangents(&moved),
                &column(&by_end, k),
                ROUNDING,
            );
        }
    }
}

#[test]
fn products_with_the_jacobians_are_those_of_their_matrices() {
    for (model, seed) in models() {
        let nv = model.nv();
        let State { q, v: u, a: v, .. } = State::random(&model, seed);
        let end = model.integrate(&q, &u).expect("a valid state");
        let mut matrix = DMatrix::from_element(nv, nv, f64::NAN);
        let mut product = vec![f64::NAN; nv];
        let vector = nalgebra::DVector::from_column_slice(&v);

        configuration::d_integrate_dv(&model, &u, &mut matrix).expect("valid");
        kernel::displacement_velocity(&model, &u, &v, &mut product).expect("valid");
        close(
            "velocity",
            &product,
            (&matrix * &vector).as_slice(),
            ROUNDING,
        );

        configuration::d_difference_dq1(&model, &q, &end, &mut matrix).expect("valid");
        kernel::displacement_rate(&model, &u, &v, &mut product).expect("valid");
        close("rate", &product, (&matrix * &vector).as_slice(), ROUNDING);
    }
}

/// Sums of nv products of numbers of size one to ten, times some tens of roundings.
const PRODUCT: f64 = 1e-12;

#[test]
fn products_in_place_are_those_of_their_matrices() {
    for (model, seed) in models() {
        let nv = model.nv();
        let State { q, v, .. } = State::random(&model, seed);
        let q1 = State::random(&model, seed + 1000).q;
        let mut matrix = DMatrix::from_element(nv, nv, f64::NAN);
        let x = DMatrix::from_fn(nv, 3, |i, j| (1.0 + i as f64 + 7.0 * j as f64).sin());
        let (mut columns, mut rows) = (x.clone(), x.transpose());
        // Compares with the products of the matrix, and gives both their first values again.
        let check = |what,
                     by_matrix: &DMatrix<f64>,
                     columns: &mut DMatrix<f64>,
                     rows: &mut DMatrix<f64>| {
            close(
                what,
                columns.as_slice(),
                (by_matrix * &x).as_slice(),
                PRODUCT,
            );
            let expected = x.transpose() * by_matrix;
            close(what, rows.as_slice(), expected.as_slice(), PRODUCT);
            columns.copy_from(&x);
            x.transpose_to(rows);
        };
        configuration::d_integrate_dq(&model, &v, &mut matrix).expect("valid");
        configuration::d_integrate_dq_times(&model, &v, &mut columns).expect("valid");
        configuration::times_d_integrate_dq(&model, &v, &mut rows).expect("valid");
        let mut back = columns.clone();
        configuration::transport_to_start(&model, &v, &mut back).expect("valid");
        close("there and back", back.as_slice(), x.as_slice(), PRODUCT);
        check("q ⊕ v by q", &matrix, &mut columns, &mut rows);

        configuration::d_integrate_dv(&model, &v, &mut matrix).expect("valid");
        configuration::d_integrate_dv_times(&model, &v, &mut columns).expect("valid");
        configuration::times_d_integrate_dv(&model, &v, &mut rows).expect("valid");
        check("q ⊕ v by v", &matrix, &mut columns, &mut rows);

        configuration::d_difference_dq0(&model, &q, &q1, &mut matrix).expect("valid");
        configuration::d_difference_dq0_times(&model, &q, &q1, &mut columns).expect("valid");
        configuration::times_d_difference_dq0(&model, &q, &q1, &mut rows).expect("valid");
        check("q1 ⊖ q0 by q0", &matrix, &mut columns, &mut rows);

        configuration::d_difference_dq1(&model, &q, &q1, &mut matrix).expect("valid");
        configuration::d_difference_dq1_times(&model, &q, &q1, &mut columns).expect("valid");
        configuration::times_d_difference_dq1(&model, &q, &q1, &mut rows).expect("valid");
        check("q1 ⊖ q0 by q1", &matrix, &mut columns, &mut rows);
    }
}

#[test]
fn products_in_place_say_what_is_wrong() {
    let model = turning();
    let nv = model.nv();
    let (q, v) = (model.neutral_configuration::<f64>(), vec![0.1; nv]);
    let mut x = DMatrix::zeros(nv, 2);
    x[(1, 1)] = f64::NAN;
    assert_eq!(
        configuration::d_integrate_dq_times(&model, &v, &mut x),
        Err(Error::NotFinite {
            what: "the matrix",
            index: nv + 1
        })
    );
    x.fill(1.0);
    assert!(matches!(
        configuration::times_d_integrate_dv(&model, &v, &mut x),
        Err(Error::Size { expected, found: 2, .. }) if expected == nv
    ));
    assert!(matches!(
        configuration::d_integrate_dv_times(&model, &v, x.rows_mut(1, nv - 1)),
        Err(Error::Size { .. })
    ));
    let mut bad = v.clone();
    bad[nv - 1] = f64::INFINITY;
    assert_eq!(
        configuration::d_integrate_dv_times(&model, &bad, &mut x.clone()),
        Err(Error::NotFinite {
            what: "v",
            index: nv - 1
        })
    );
    let mut bad = q.clone();
    bad[0] = f64::NAN;
    assert_eq!(
        configuration::d_difference_dq1_times(&model, &q, &bad, &mut x),
        Err(Error::NotFinite {
            what: "q1",
            index: 0
        })
    );
    let mut huge = DMatrix::from_element(nv, 1, f64::MAX);
    assert!(matches!(
        configuration::d_integrate_dv_times(&model, &v, &mut huge),
        Err(Error::Overflow { .. })
    ));
}

#[test]
fn samples_are_normalised_and_within_limits() {
    let mut builder = ModelBuilder::new("limited");
    let limits = Limits {
        lower: vec![-0.5],
        upper: vec![0.25],
        ..Limits::unbounded(1, 1)
    };
    let hinge =
        JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_x()).limits(limits);
    let hinge = builder.add_joint(hinge);
    let rod = Inertia::new(1.0, Vec3::zero(), Sym3::scalar(0.1));
    builder.add_body(hinge, "rod", Se3::identity(), rod);
    let limited = builder.build().expect("a sound model").model;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100 {
        let q = limited.random_configuration(&mut rng);
        assert!((-0.5..=0.25).contains(&q[0]));
    }
    for (model, _) in models() {
        let q = model.random_configuration(&mut rng);
        assert!(model.is_normalised(&q, 1e-15).expect("the right size"));
        let mut again = vec![f64::NAN; model.nq()];
        let seed = ChaCha8Rng::seed_from_u64(5);
        configuration::random_into(&model, &mut seed.clone(), &mut again).expect("the right size");
        assert_eq!(again, model.random_configuration(&mut seed.clone()));
        let neutral: Vec<f64> = model.neutral_configuration();
        assert!(model.is_normalised(&neutral, 0.0).expect("the right size"));
        assert_eq!(model.distance(&neutral, &neutral), Ok(0.0));
    }
}

#[test]
fn normalising_takes_drift_out() {
    for (model, seed) in models() {
        let mut q = State::random(&model, seed).q;
        let before = q.clone();
        let mut turns = false;
        for joint in model.joints().iter().filter(|joint| joint.mimic.is_none()) {
            if joint.kind == JointKind::Spherical {
                q[joint.idx_q..joint.idx_q + 4]
                    .iter_mut()
                    .for_each(|x| *x *= 1.01);
                turns = true;
            }
        }
        assert_eq!(model.is_normalised(&q, 1e-3), Ok(!turns));
        model
            .normalise(&mut q)
            .expect("no rotation has length zero");
        close("normalised", &q, &before, ROUNDING);
    }
}

/// Three joints of which each has a rotation of its own, q being 2, 4 and 7 entries long.
fn turning() -> Model {
    let mut builder = ModelBuilder::new("turning");
    let body = Inertia::new(1.0, Vec3::zero(), Sym3::scalar(0.1));
    let mut parent = ModelBuilder::UNIVERSE;
    let kinds = [
        JointKind::revolute_unbounded_z(),
        JointKind::Planar,
        JointKind::FreeFlyer,
    ];
    for (name, kind) in ["wheel", "car", "drone"].into_iter().zip(kinds) {
        parent = builder.add_joint(JointSpec::new(name, parent, kind));
        builder.add_body(parent, format!("{name}_body"), Se3::identity(), body);
    }
    builder.build().expect("a sound model").model
}

#[test]
fn a_rotation_of_length_zero_is_named() {
    let model = turning();
    let good: Vec<f64> = model.neutral_configuration();
    let v = vec![0.1; model.nv()];
    let mut matrix = DMatrix::zeros(model.nv(), model.nv());
    for (name, index, entries) in [("wheel", 0, 0..2), ("car", 2, 4..6), ("drone", 6, 9..13)] {
        let expected = Error::ZeroRotation {
            joint: name.to_owned(),
            index,
        };
        let mut bad = good.clone();
        bad[entries].fill(0.0);
        assert_eq!(model.integrate(&bad, &v), Err(expected.clone()));
        assert_eq!(model.difference(&bad, &good), Err(expected.clone()));
        assert_eq!(model.difference(&good, &bad), Err(expected.clone()));
        assert_eq!(model.distance(&good, &bad), Err(expected.clone()));
        assert_eq!(model.interpolate(&good, &bad, 0.5), Err(expected.clone()));
        assert_eq!(model.normalise(&mut bad.clone()), Err(expected.clone()));
        if name != "wheel" {
            // The way of a single angle has the same Jacobian everywhere.
            assert_eq!(
                configuration::d_difference_dq0(&model, &bad, &good, &mut matrix),
                Err(expected.clone())
            );
            assert_eq!(
                configuration::d_difference_dq1(&model, &good, &bad, &mut matrix),
                Err(expected)
            );
        }
    }
}

#[test]
fn what_is_not_finite_is_named() {
    let model = turning();
    let good: Vec<f64> = model.neutral_configuration();
    let v = vec![0.1; model.nv()];
    let mut matrix = DMatrix::zeros(model.nv(), model.nv());
    let error = |what, index| Error::NotFinite { what, index };
    for (index, value) in [
        (0, f64::NAN),
        (3, f64::INFINITY),
        (8, f64::NAN),
        (12, f64::NEG_INFINITY),
    ] {
        let mut bad = good.clone();
        bad[index] = value;
        assert_eq!(model.integrate(&bad, &v), Err(error("q", index)));
        assert_eq!(model.difference(&bad, &good), Err(error("q0", index)));
        assert_eq!(model.difference(&good, &bad), Err(error("q1", index)));
        assert_eq!(model.distance(&good, &bad), Err(error("q1", index)));
        assert_eq!(model.interpolate(&bad, &good, 0.5), Err(error("q0", index)));
        assert_eq!(model.normalise(&mut bad.clone()), Err(error("q", index)));
        assert_eq!(
            configuration::d_difference_dq0(&model, &bad, &good, &mut matrix),
            Err(error("q0", index))
        );
        assert_eq!(
            configuration::d_difference_dq1(&model, &good, &bad, &mut matrix),
            Err(error("q1", index))
        );
    }
    assert_eq!(
        model.interpolate(&good, &good, f64::NAN),
        Err(error("t", 0))
    );
    let mut bad = v.clone();
    bad[0] = f64::NAN;
    assert_eq!(model.integrate(&good, &bad), Err(error("v", 0)));
    assert_eq!(
        configuration::d_integrate_dq(&model, &bad, &mut matrix),
        Err(error("v", 0))
    );
    assert_eq!(
        configuration::d_integrate_dv(&model, &bad, &mut matrix),
        Err(error("v", 0))
    );
}

#[test]
fn what_overflows_is_no_result() {
    let model = turning();
    let good: Vec<f64> = model.neutral_configuration();
    let mut far = good.clone();
    far[2] = 1e308;
    let mut v = vec![0.0; model.nv()];
    v[1] = 1e308;
    assert!(matches!(
        model.integrate(&far, &v),
        Err(Error::Overflow { .. })
    ));
    far[2] = -1e308;
    let mut other = good;
    other[2] = 1e308;
    assert!(matches!(
        model.difference(&far, &other),
        Err(Error::Overflow { .. })
    ));
    // A quaternion too long to be squared has no direction that could be computed.
    other[2] = 0.0;
    other[12] = 1e200;
    let mut ws = Workspace::new(&model);
    for done in [
        model.normalise(&mut other.clone()),
        model.integrate(&other, &vec![0.0; model.nv()]).map(drop),
        model.gravity_torque(&mut ws, &other).map(drop),
    ] {
        let Err(Error::LongRotation { joint, index }) = done else {
            panic!("{done:?}");
        };
        let owner = model.joint(model.joint_id(&joint).expect("a joint"));
        assert!(owner.idx_q == index && (index..index + owner.nq).contains(&12));
    }
}

#[test]
fn wrong_sizes_are_named() {
    let model = turning();
    let (q, v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    let short = |result: Result<(), Error>, name: &str| match result {
        Err(Error::Size { what, .. }) => assert!(what.contains(name), "{what}"),
        other => panic!("{name}: {other:?}"),
    };
    let (q_short, v_short) = (&q[1..], &v[1..]);
    short(model.integrate(q_short, &v).map(drop), "q");
    short(model.integrate(&q, v_short).map(drop), "v");
    short(
        configuration::integrate_into(&model, &q, &v, &mut q.clone()[1..]),
        "written",
    );
    short(model.difference(q_short, &q).map(drop), "q0");
    short(model.difference(&q, q_short).map(drop), "q1");
    short(
        configuration::difference_into(&model, &q, &q, &mut v.clone()[1..]),
        "written",
    );
    short(model.interpolate(q_short, &q, 0.0).map(drop), "q0");
    short(
        configuration::interpolate_into(&model, &q, &q, 0.0, &mut q.clone()[1..]),
        "written",
    );
    short(model.distance(&q, q_short).map(drop), "q1");
    short(model.normalise(&mut q.clone()[1..]), "q");
    short(model.is_normalised(q_short, 0.0).map(drop), "q");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    short(
        configuration::random_into(&model, &mut rng, &mut q.clone()[1..]),
        "written",
    );
    let mut square = DMatrix::zeros(model.nv(), model.nv());
    let mut low = DMatrix::zeros(model.nv() - 1, model.nv());
    let mut slim = DMatrix::zeros(model.nv(), model.nv() - 1);
    short(
        configuration::d_integrate_dq(&model, v_short, &mut square),
        "v",
    );
    short(configuration::d_integrate_dv(&model, &v, &mut low), "rows");
    short(
        configuration::d_integrate_dq(&model, &v, &mut slim),
        "columns",
    );
    short(
        configuration::d_difference_dq0(&model, q_short, &q, &mut square),
        "q0",
    );
    short(
        configuration::d_difference_dq1(&model, &q, q_short, &mut square),
        "q1",
    );
    short(
        configuration::d_difference_dq1(&model, &q, &q, &mut low),
        "rows",
    );
}
