//! What branches save: the equation of motion solved with and without the zeros that they leave in
//! the mass matrix.

use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::kernel;
use featherline::scalar::{OpCount, Operations, Scalar};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;

/// The mass matrix at some configuration, as numbers of which nothing is known but which are always
/// zero.
fn mass_matrix(model: &Model) -> Result<DMatrix<OpCount>, Error> {
    let q: Vec<f64> = model.neutral_configuration();
    let mut ws = Workspace::new(model);
    let mass = model.crba(&mut ws, &q)?;
    let tree = kernel::elimination_tree(model);
    Ok(DMatrix::from_fn(model.nv(), model.nv(), |row, column| {
        let (low, high) = (row.min(column), row.max(column));
        if low == high || tree.ancestors(high).any(|i| i == low) {
            OpCount::variable(mass[(row, column)])
        } else {
            OpCount::default()
        }
    }))
}

/// H = L Lᵀ without regard to zeros, as the textbook has it; gives L in the lower triangle.
fn dense_cholesky(h: &mut DMatrix<OpCount>) {
    let n = h.nrows();
    for k in 0..n {
        h[(k, k)] = h[(k, k)].sqrt();
        let inverse = OpCount::variable(1.0) / h[(k, k)];
        for i in k + 1..n {
            h[(i, k)] = h[(i, k)] * inverse;
        }
        for j in k + 1..n {
            for i in j..n {
                let product = h[(i, k)] * h[(j, k)];
                h[(i, j)] -= product;
            }
        }
    }
}

/// x ← (L Lᵀ)⁻¹ x.
fn dense_solve(l: &DMatrix<OpCount>, x: &mut [OpCount]) {
    let n = l.nrows();
    for i in 0..n {
        for j in 0..i {
            let product = l[(i, j)] * x[j];
            x[i] -= product;
        }
        x[i] = x[i] / l[(i, i)];
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            let product = l[(j, i)] * x[j];
            x[i] -= product;
        }
        x[i] = x[i] / l[(i, i)];
    }
}

fn right_hand_side(model: &Model) -> Vec<OpCount> {
    vec![OpCount::variable(1.0); model.nv()]
}

struct Costs {
    /// Factorisation along the branches.
    factor: Operations,
    /// Solution with it.
    solve: Operations,
    dense_factor: Operations,
    dense_solve: Operations,
    /// Bias forces and mass matrix.
    equation: Operations,
}

fn costs(model: &Model) -> Result<Costs, Error> {
    let h = mass_matrix(model)?;
    let tree = kernel::elimination_tree(model);
    let mut packed = tree.pack(&h)?;
    // A dense method knows no zero.
    let mut dense = h.map(|x| OpCount::variable(x.value()));
    let (factor, factor_cost) = OpCount::measure(|| factorize_ltdl(tree, &mut packed));
    let mut x = right_hand_side(model);
    let factor = factor?;
    let (_, solve) = OpCount::measure(|| factor.solve(&mut x));
    let (_, dense_factor) = OpCount::measure(|| dense_cholesky(&mut dense));
    let mut y = right_hand_side(model);
    let (_, dense_solve) = OpCount::measure(|| dense_solve(&dense, &mut y));
    for (x, y) in x.iter().zip(&y) {
        assert!((x.value() - y.value()).abs() <= 1e-9 * x.value().abs().max(1.0));
    }
    let mut ws = Workspace::new(model);
    let neutral: Vec<f64> = model.neutral_configuration();
    let q: Vec<OpCount> = neutral.into_iter().map(OpCount::variable).collect();
    let v = right_hand_side(model);
    let (done, equation) = OpCount::measure(|| {
        model.bias(&mut ws, &q, &v)?;
        model.crba(&mut ws, &q).map(|_| ())
    });
    done?;
    Ok(Costs {
        factor: factor_cost,
        solve,
        dense_factor,
        dense_solve,
        equation,
    })
}

fn robots() -> [(&'static str, Model); 7] {
    [
        ("double_pendulum", featherline_robots::double_pendulum()),
        ("ur5", featherline_robots::ur5()),
        ("panda", featherline_robots::panda()),
        ("hand", featherline_robots::hand()),
        ("quadruped", featherline_robots::quadruped()),
        ("humanoid", featherline_robots::humanoid()),
        ("snake", featherline_robots::snake()),
    ]
}

#[test]
fn factorisations_of_robots_cost_what_their_formulas_say() -> Result<(), Error> {
    for (name, model) in robots() {
        let tree = kernel::elimination_tree(&model);
        let n = tree.len() as u64;
        let depths = (0..tree.len()).map(|k| tree.ancestors(k).count() as u64);
        let pairs: u64 = depths.clone().sum();
        let updates: u64 = depths.clone().map(|d| d * (d + 1) / 2).sum();
        let costs = costs(&model)?;
        let expected = Operations {
            additions: updates,
            multiplications: pairs + updates,
            divisions: n,
            ..Operations::default()
        };
        assert_eq!(costs.factor, expected, "{name}");
        let expected = Operations {
            additions: 2 * pairs,
            multiplications: 2 * pairs + n,
            ..Operations::default()
        };
        assert_eq!(costs.solve, expected, "{name}");
        let expected = Operations {
            additions: (n * n * n - n) / 6,
            multiplications: n * (n - 1) / 2 + (n * n * n - n) / 6,
            divisions: n,
            square_roots: n,
            ..Operations::default()
        };
        assert_eq!(costs.dense_factor, expected, "{name}, dense");
    }
    Ok(())
}

/// Featherstone (2005; lecture "Computational robot dynamics, part 4") says that branches make the
/// solution of the equation of motion of a typical humanoid or quadruped about four times cheaper.
/// That holds for factorisation and solution on this humanoid; on this quadruped, whose legs have
/// three joints only, they save a little more than half.
#[test]
fn branches_make_legged_robots_cheaper() -> Result<(), Error> {
    println!("factor, factor and solve, whole forward dynamics: dense by sparse");
    for (name, model) in robots() {
        let c = costs(&model)?;
        let ratio = |dense: u64, sparse: u64| dense as f64 / sparse as f64;
        let (sparse, dense) = (c.factor.total(), c.dense_factor.total());
        let factor = ratio(dense, sparse);
        let (sparse, dense) = (sparse + c.solve.total(), dense + c.dense_solve.total());
        let solve = ratio(dense, sparse);
        let equation = c.equation.total();
        let whole = ratio(dense + equation, sparse + equation);
        let expected = match name {
            "humanoid" => 3.6..4.4,
            "quadruped" => 2.0..2.4,
            // Nothing is saved where nothing branches, but square roots and divisions.
            "ur5" | "panda" | "snake" => 1.0..1.1,
            _ => 1.0..f64::INFINITY,
        };
        assert!(expected.contains(&solve), "{name}: {solve}");
        println!(
            "{name:<16} {factor:>6.2} {solve:>6.2} {whole:>6.2}   ({sparse} of {dense}, equation {equation})"
        );
    }
    Ok(())
}
