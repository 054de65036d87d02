//! Random cone problems: dense masses, contacts whose rows are mixed, redundant or both.

use featherline::model::EliminationTree;
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::{Law, Outcome, Rows, Set, Solver, SolverOptions};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many coordinates the problems have.
const COORDINATES: usize = 24;

/// M (v − v*) = Jᵀ λ with λ in the product of cones.
pub struct ConeProblem {
    /// M.
    pub mass: DMatrix<f64>,
    /// v*.
    pub free: DVector<f64>,
    /// J, three rows a contact, the normal last.
    pub jacobian: DMatrix<f64>,
    /// μ of each contact.
    pub friction: Vec<f64>,
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    // A sum of twelve uniform numbers.
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

impl ConeProblem {
    /// A problem of `contacts` contacts. Of three seeds one has full rows and friction between 0.2
    /// and 1; one repeats a third of the contacts exactly; one reads six coordinates at each
    /// contact, and has friction between 0 and 1.5, every fifth none. More than eight contacts are
    /// always redundant. There is a velocity that opens all contacts: then a solution exists (V.
    /// Acary, F. Cadoux, C. Lemaréchal, J. Malick, "A formulation of the linear discrete Coulomb
    /// friction problem via convex optimization", ZAMM 91, 2011).
    pub fn random(seed: u64, contacts: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = COORDINATES;
        let mut matrix =
            |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| normal(&mut rng));
        let a = matrix(n, n);
        let mass = &a * a.transpose() / n as f64 + DMatrix::identity(n, n) * 0.1;
        let mut jacobian = matrix(3 * contacts, n);
        let free = matrix(n, 1).column(0).into_owned();
        let mut friction: Vec<f64> = (0..contacts).map(|_| rng.random_range(0.2..1.0)).collect();
        match seed % 3 {
            1 => {
                let kept = contacts - contacts / 3;
                for i in kept..contacts {
                    let copy = jacobian.rows(3 * (i - kept), 3).into_owned();
                    jacobian.rows_mut(3 * i, 3).copy_from(&copy);
                    friction[i] = friction[i - kept];
                }
            }
            2 => {
                for i in 0..contacts {
                    let first = rng.random_range(0..n / 6) * 6;
                    for k in (0..n).filter(|k| !(first..first + 6).contains(k)) {
                        jacobian.view_mut((3 * i, k), (3, 1)).fill(0.0);
                    }
                    friction[i] = if i % 5 == 0 {
                        0.0
                    } else {
                        rng.random_range(0.0..1.5)
                    };
                }
            }
            _ => {}
        }
        // u_n = μ ‖u_t‖ + 1 at some velocity: the normal rows change along it.
        let opening = DVector::from_fn(n, |_, _| normal(&mut rng));
        for (i, friction) in friction.iter().enumerate() {
            let support: Vec<usize> = (0..n).filter(|&k| jacobian[(3 * i, k)] != 0.0).collect();
            let u = jacobian.rows(3 * i, 3) * &opening;
            let lacks = friction * u[0].hypot(u[1]) + 1.0 - u[2];
            let length: f64 = support.iter().map(|&k| opening[k] * opening[k]).sum();
            for k in support {
                jacobian[(3 * i + 2, k)] += lacks / length * opening[k];
            }
        }
        Self {
            mass,
            free,
            jacobian,
            friction,
        }
    }

    /// The solver's impulses without a warm start.
    pub fn solve(&self) -> (Vec<f64>, Outcome) {
        let (tree, mass) = packed(&self.mass);
        let rows = contacts(
            &self.jacobian,
            &vec![0.0; self.jacobian.nrows()],
            &self.friction,
        );
        let mut impulses = vec![0.0; rows.len()];
        let mut solver = Solver::new(&tree);
        assert!(solver.set_mass(&mass), "a sum of squares");
        let options = SolverOptions::default();
        let outcome = solver.solve(self.free.as_slice(), &rows, &mut impulses, &options);
        (impulses, outcome)
    }
}

/// The axes of the world.
pub fn axes() -> [Vec3<f64>; 3] {
    [0, 1, 2].map(Vec3::unit)
}

/// The tree of a dense matrix, and the matrix packed along it.
pub fn packed(dense: &DMatrix<f64>) -> (EliminationTree, Vec<f64>) {
    let n = dense.nrows();
    let parents = (0..n).map(|k| k.checked_sub(1)).collect();
    let tree = EliminationTree::new(parents).unwrap();
    let mut packed = vec![0.0; tree.tight_len()];
    for k in 0..n {
        for i in 0..=k {
            packed[tree.tight_place(k, i)] = dense[(k, i)];
        }
    }
    (tree, packed)
}

/// Rows of contacts, three of a dense Jacobian each.
pub fn contacts(jacobian: &DMatrix<f64>, bias: &[f64], friction: &[f64]) -> Rows {
    let mut rows = Rows::new();
    for (i, &friction) in friction.iter().enumerate() {
        let pair = rows.push_reading(3);
        for k in 0..jacobian.ncols() {
            let column: Vec<f64> = (0..3).map(|r| jacobian[(3 * i + r, k)]).collect();
            if column.iter().any(|x| *x != 0.0) {
                rows.push_column(k, [column[0], column[1], column[2], 0.0, 0.0, 0.0]);
            }
        }
        let mut law = Law::rigid(Set::Cone { friction });
        law.bias = [bias[3 * i], bias[3 * i + 1], bias[3 * i + 2]];
        rows.push_point(pair, axes(), Vec3::zero(), law);
    }
    rows
}
