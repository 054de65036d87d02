//! Sparse factorisations: known factors are found again, and dense ones agree.

use featherline::dynamics::ltdl::{factorize_ltdl, factorize_ltl};
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{EliminationTree, JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, double_pendulum, random_tree, snake};
use featherline::scalar::{OpCount, Scalar};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Trees of every shape: chains on both sides of whole registers and of the longest path that is
/// solved in registers, combs, stars, branches that leave in the middle of a panel, numberings with
/// gaps, and those of robots.
fn trees() -> Vec<EliminationTree> {
    let mut parents: Vec<Vec<Option<usize>>> = Vec::new();
    for n in (0..20).chain([127, 128, 129, 140, 203]) {
        parents.push((0..n).map(|k: usize| k.checked_sub(1)).collect());
    }
    parents.push(vec![None; 9]);
    parents.push((0..40).map(|k: usize| k.checked_sub(1 + k % 2)).collect());
    // The children of 1, 2 and 0 after a chain of four, in an order that is no preorder.
    let chain = [None, Some(0), Some(1), Some(2)];
    let branches = [
        Some(1),
        Some(4),
        Some(2),
        Some(0),
        Some(5),
        Some(6),
        Some(3),
    ];
    parents.push(chain.into_iter().chain(branches).collect());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for n in 1..60_usize {
        let parent = |k: usize| match rng.random_range(0..6) {
            0 => None,
            1 if k > 0 => Some(rng.random_range(0..k)),
            _ => k.checked_sub(1),
        };
        parents.push((0..n).map(parent).collect());
    }
    let built = |p| EliminationTree::new(p).expect("parents come first");
    let mut trees: Vec<EliminationTree> = parents.into_iter().map(built).collect();
    for seed in 0..30 {
        let shape = RandomTree {
            joints: 5 + seed as usize,
            mimic_joints: true,
            ..RandomTree::default()
        };
        trees.push(kernel::elimination_tree(&random_tree(seed, &shape)).clone());
    }
    trees
}

/// L with the pattern of a tree, and D. Both are of order one, and so is L⁻¹, since the elements of
/// a row of L sum to less than a half.
fn factors(tree: &EliminationTree, seed: u64) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = tree.len();
    let mut l = DMatrix::identity(n, n);
    let mut d = DMatrix::zeros(n, n);
    for k in 0..n {
        d[(k, k)] = rng.random_range(0.5..2.0);
        for i in tree.ancestors(k) {
            l[(k, i)] = rng.random_range(-0.5..0.5) / tree.level(k) as f64;
        }
    }
    (l, d)
}

#[test]
fn known_factors_are_found_again() -> Result<(), Error> {
    for (seed, tree) in trees().iter().enumerate() {
        let (l, d) = factors(tree, seed as u64);
        let h = l.transpose() * &d * &l;
        let mut packed = tree.pack(&h)?;
        let factor = factorize_ltdl(tree, &mut packed)?;
        // Sums of a few dozen terms of order one.
        let tolerance = 1e-13;
        for k in 0..tree.len() {
            assert!((factor.pivot(k) - d[(k, k)]).abs() < tolerance);
            assert!((factor.inverse_pivot(k) * d[(k, k)] - 1.0).abs() < tolerance);
            for i in 0..tree.len() {
                assert!((factor.l(k, i) - l[(k, i)]).abs() < tolerance, "{tree:?}");
            }
            let (ancestors, row): (Vec<_>, Vec<_>) = factor.row(k).unzip();
            assert_eq!(ancestors, tree.ancestors(k).collect::<Vec<_>>());
            let expected = DVector::from_iterator(row.len(), ancestors.iter().map(|&i| l[(k, i)]));
            assert!(difference(row, &expected) < tolerance, "{tree:?}");
        }
        // Earlier content is overwritten.
        let mut dense = DMatrix::from_element(tree.len(), tree.len(), 7.0);
        factor.l_into(&mut dense)?;
        assert!((&dense - &l).amax() < tolerance, "{tree:?}");
        assert!(
            factor
                .l_into(&mut DMatrix::zeros(tree.len() + 1, tree.len()))
                .is_err()
        );
        let mut packed = tree.pack(&h)?;
        let factor = factorize_ltl(tree, &mut packed)?;
        factor.l_into(&mut dense)?;
        let root = DMatrix::from_diagonal(&d.diagonal().map(f64::sqrt)) * &l;
        assert!((dense - root).amax() < tolerance, "{tree:?}");
        assert!((0..tree.len()).all(|k| factor.row(k).all(|(i, x)| x == factor.l(k, i))));
        for k in 0..tree.len() {
            let root = d[(k, k)].sqrt();
            assert!((packed[tree.place::<f64>(k, k)] - root).abs() < tolerance);
            for i in tree.ancestors(k) {
                let expected = root * l[(k, i)];
                assert!((packed[tree.place::<f64>(k, i)] - expected).abs() < tolerance);
            }
        }
    }
    Ok(())
}

/// The largest difference between two vectors.
fn difference(a: impl IntoIterator<Item = f64>, b: &DVector<f64>) -> f64 {
    a.into_iter()
        .zip(b.iter())
        .fold(0.0, |worst: f64, (x, y)| worst.max((x - y).abs()))
}

#[test]
fn solutions_are_those_of_dense_factorisations() -> Result<(), Error> {
    for (seed, tree) in trees().iter().enumerate() {
        let n = tree.len();
        let (l, d) = factors(tree, seed as u64);
        let h = l.transpose() * &d * &l;
        let b = DVector::from_fn(n, |k, _| 1.0 - 0.3 * (k % 7) as f64);
        let cholesky = h.clone().cholesky().expect("positive definite");
        let expected = cholesky.solve(&b);
        // The condition number is a few dozen at most.
        let tolerance = 1e-12;

        let mut packed = tree.pack(&h)?;
        let factor = factorize_ltdl(tree, &mut packed)?;
        let mut x: Vec<f64> = b.iter().copied().collect();
        factor.solve(&mut x)?;
        assert!(
            difference(x.iter().copied(), &expected) < tolerance,
            "{tree:?}"
        );
        let mut packed_root = tree.pack(&h)?;
        let root = factorize_ltl(tree, &mut packed_root)?;
        let mut y: Vec<f64> = b.iter().copied().collect();
        root.solve(&mut y)?;
        assert!(
            difference(y.iter().copied(), &expected) < tolerance,
            "{tree:?}"
        );
        // H x by its two factors, and back, step by step.
        root.mul_l(&mut y)?;
        root.mul_l_transposed(&mut y)?;
        assert!(difference(y.iter().copied(), &b) < tolerance, "{tree:?}");
        root.solve_l_transposed(&mut y)?;
        root.solve_l(&mut y)?;
        assert!(
            difference(y.iter().copied(), &expected) < tolerance,
            "{tree:?}"
        );
        let mut inverse = DMatrix::zeros(n, n);
        root.inverse(&mut inverse)?;
        assert!(difference((&inverse * &b).iter().copied(), &expected) < tolerance);
        // The steps of a solution one by one.
        let mut steps: Vec<f64> = b.iter().copied().collect();
        factor.solve_l_transposed(&mut steps)?;
        assert!(
            difference(
                steps.iter().copied(),
                &(l.transpose().try_inverse().expect("unit diagonal") * &b)
            ) < tolerance
        );
        for k in 0..n {
            steps[k] *= factor.inverse_pivot(k);
        }
        factor.solve_l(&mut steps)?;
        assert!(difference(steps.iter().copied(), &expected) < tolerance);
        // And back.
        factor.mul_l(&mut x)?;
        for k in 0..n {
            x[k] *= factor.pivot(k);
        }
        factor.mul_l_transposed(&mut x)?;
        assert!(difference(x, &b) < tolerance);
        let mut inverse = DMatrix::zeros(n, n);
        factor.inverse(&mut inverse)?;
        assert!((inverse - cholesky.inverse()).amax() < tolerance);

        // Several right-hand sides at once, on both sides of a register's width.
        for width in [1, 3, 4, 6] {
            let several = DMatrix::from_fn(n, width, |k, c| 1.0 - 0.3 * ((k + 2 * c) % 7) as f64);
            let mut rows: Vec<f64> = several.transpose().iter().copied().collect();
            factor.solve_rows(&mut rows, width)?;
            let expected = cholesky.solve(&several);
            let found = DMatrix::from_row_slice(n, width, &rows);
            assert!((found - expected).amax() < tolerance, "{width} of {tree:?}");
        }

        // Other scalars: those that share registers, and those that do not.
        let mut packed = tree.pack(&h.map(|x| x as f32))?;
        let mut x: Vec<f32> = b.iter().map(|&x| x as f32).collect();
        factorize_ltdl(tree, &mut packed)?.solve(&mut x)?;
        // As above, with the rounding of single precision.
        assert!(difference(x.iter().map(|&x| f64::from(x)), &expected) < 3e-4);
        let mut packed = tree.pack(&h.map(OpCount::constant))?;
        let mut x: Vec<OpCount> = b.iter().map(|&x| OpCount::constant(x)).collect();
        factorize_ltdl(tree, &mut packed)?.solve(&mut x)?;
        assert!(difference(x.iter().map(|x| x.value()), &expected) < tolerance);
    }
    Ok(())
}

#[test]
fn a_factor_of_no_use_does_not_spoil_the_next() -> Result<(), Error> {
    let mut builder = ModelBuilder::new("branches");
    let heavy = Inertia::new(1.0, Vec3::zero(), Sym3::scalar(0.1));
    let hinge = JointKind::revolute_y;
    // A chain of four, and from its middle two parallel slides with a turntable between: their rows
    // have padding. As long as the table is not turned, the slides cannot be told apart.
    let joints = [
        ("a", None, hinge(), heavy),
        ("b", Some(0), hinge(), heavy),
        ("c", Some(1), hinge(), heavy),
        ("d", Some(2), hinge(), heavy),
        ("slide", Some(1), JointKind::prismatic_x(), Inertia::zero()),
        (
            "turntable",
            Some(4),
            JointKind::revolute_z(),
            Inertia::zero(),
        ),
        ("second_slide", Some(5), JointKind::prismatic_x(), heavy),
    ];
    let mut handles = Vec::new();
    for (name, parent, kind, body) in joints {
        let parent = parent.map_or(ModelBuilder::UNIVERSE, |p: usize| handles[p]);
        let handle = builder.add_joint(JointSpec::new(name, parent, kind));
        builder.add_body(handle, format!("{name}_body"), Se3::identity(), body);
        handles.push(handle);
    }
    let model = builder.build().expect("a valid model").model;
    let mut ws = Workspace::new(&model);
    let solution = |ws: &mut Workspace<f64>, turn: f64| {
        let mut x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let q = [0.1, -0.4, 0.3, 0.8, 0.0, turn, 0.0];
        model.ltdl(ws, &q)?.solve(&mut x)?;
        Ok::<_, Error>(x)
    };
    let expected = solution(&mut ws, 1.0)?;
    assert_eq!(expected.map(f64::is_finite), [true; 7]);
    let singular = solution(&mut ws, 0.0).expect_err("parallel slides");
    let expected_error = Error::SingularInertia {
        joint: "slide".to_owned(),
    };
    assert_eq!(singular.to_string(), expected_error.to_string());
    assert_eq!(solution(&mut ws, 1.0)?, expected);
    Ok(())
}

#[test]
fn chains_take_the_memory_that_is_promised() {
    for n in 1..200 {
        let model = snake(n);
        let tree = kernel::elimination_tree(&model);
        let (tight, padded) = (tree.packed_len::<OpCount>(), tree.packed_len::<f64>());
        assert_eq!(tight, n * (n + 1) / 2);
        assert!(tight <= padded && padded <= n * n / 2 + 2 * n + 2);
    }
}

#[test]
fn a_right_hand_side_without_a_finite_solution_is_refused() {
    let model = double_pendulum();
    let mut ws = Workspace::new(&model);
    let factor = model.ltdl(&mut ws, &[0.3, -0.2]).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let outcome = factor.solve(&mut [1.0, bad]);
        assert!(matches!(outcome, Err(Error::NotFinite { .. })));
        let outcome = factor.solve_rows(&mut [1.0, 0.0, 0.0, bad], 2);
        assert!(matches!(outcome, Err(Error::NotFinite { .. })));
        let outcome = factor.solve_rows(&mut [1.0, 0.0, 0.0], 2);
        assert!(matches!(outcome, Err(Error::Size { .. })));
    }
}

/// Solves at once and in two steps, with numbers that share registers or do not.
fn at_once<S: Scalar>(model: &Model) -> Result<(), Error> {
    let b: Vec<f64> = (0..model.nv()).map(|k| (1.3 * k as f64).cos()).collect();
    let q = model.integrate(&model.neutral_configuration(), &b)?;
    let [q, b] = [q, b].map(|row| row.into_iter().map(S::constant).collect::<Vec<_>>());
    let (mut ws, mut x, mut y) = (Workspace::new(model), b.clone(), b);
    model.ltdl(&mut ws, &q)?.solve(&mut x)?;
    model.mass_matrix_solve(&mut ws, &q, &mut y)?;
    assert_eq!(x, y, "{}", model.name());
    assert!(x.iter().any(|x| *x != S::zero()));
    Ok(())
}

#[test]
fn factorising_and_solving_at_once_is_the_same_to_the_last_bit() -> Result<(), Error> {
    // Paths of up to eight panels, which are solved on the way, and a longer one.
    let mut models = vec![snake(1), snake(7), snake(32), snake(45)];
    for seed in 0..20 {
        let shape = RandomTree {
            joints: 3 + seed as usize,
            floating: seed % 2 == 0,
            mimic_joints: seed % 3 == 0,
            ..RandomTree::default()
        };
        models.push(random_tree(seed, &shape));
    }
    for model in &models {
        at_once::<f64>(model)?;
        at_once::<OpCount>(model)?;
    }
    let mut ws = Workspace::new(&models[1]);
    let q = models[1].neutral_configuration();
    let mut short = [0.0; 3];
    let size = models[1].mass_matrix_solve(&mut ws, &q, &mut short);
    assert!(matches!(size, Err(Error::Size { .. })));
    let mut bad = [f64::NAN; 7];
    let not_finite = models[1].mass_matrix_solve(&mut ws, &q, &mut bad);
    assert!(matches!(not_finite, Err(Error::NotFinite { .. })));
    Ok(())
}
