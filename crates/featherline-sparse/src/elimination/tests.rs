use super::{Elimination, EliminationError};
use crate::order::{self, EliminationOrder, OrderError};
use crate::sparsity::Sparsity;
use crate::template::{Symbol, Template};
use featherline::scalar::Operations;
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A random matrix with a full diagonal in some hidden permutation; some entries ±1, some other
/// constants.
struct Random {
    template: Template,
    values: Vec<f64>,
    known: Vec<f64>,
}

fn random(seed: u64, n: usize, entries_per_row: usize) -> Random {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut hidden: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        hidden.swap(k, random.random_range(0..=k));
    }
    let mut positions = Vec::new();
    for row in 0..n {
        positions.push((row, hidden[row]));
        for _ in 0..random.random_range(0..entries_per_row) {
            positions.push((row, random.random_range(0..n)));
        }
    }
    let pattern = Arc::new(Sparsity::new(n, n, positions).expect("all inside"));
    let entries: Vec<Symbol> = (0..pattern.entries())
        .map(|_| match random.random_range(0..4) {
            0 => Symbol::Constant(1.0),
            1 => Symbol::Constant(-1.0),
            2 => Symbol::Constant(random.random::<f64>() + 0.5),
            _ => Symbol::Variable,
        })
        .collect();
    let mut sample = || -> Vec<f64> {
        let value = |symbol: &Symbol| match *symbol {
            Symbol::Constant(value) => value,
            Symbol::Variable => random.random::<f64>() * 4.0 - 2.0,
        };
        entries.iter().map(value).collect()
    };
    let samples = [sample(), sample(), sample()];
    let values = sample();
    let known = (0..n).map(|_| random.random::<f64>() - 0.5).collect();
    let right = vec![Symbol::Variable; n];
    Random {
        template: Template::new(pattern, entries, right, &samples).expect("sizes fit"),
        values,
        known,
    }
}

fn dense(pattern: &Sparsity, values: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(pattern.rows(), pattern.columns());
    for ((row, column), value) in pattern.iter().zip(values) {
        matrix[(row, column)] = *value;
    }
    matrix
}

/// An order by name, as the tables of the tests list them.
type Named = (
    &'static str,
    fn(&Template) -> Result<EliminationOrder, OrderError>,
);

const ORDERS: [Named; 6] = [
    ("Markowitz", order::markowitz),
    ("COLAMD", order::colamd),
    ("AMD", order::amd),
    ("minimum degree", order::minimum_degree),
    ("nested dissection", order::nested_dissection),
    ("reverse Cuthill-McKee", order::reverse_cuthill_mckee),
];

#[test]
fn every_order_solves_random_systems_as_dense_elimination_does() {
    for seed in 0..12 {
        let case = random(seed, 40, 4);
        let matrix = dense(case.template.pattern(), &case.values);
        let condition = {
            let values = matrix.clone().svd(false, false).singular_values;
            values.max() / values.min()
        };
        // Both lose what the condition costs; pivots without exchange may cost three more digits.
        let tolerance = 1e-12 * condition.max(1.0);
        if tolerance > 1e-6 {
            continue;
        }
        let expected = matrix.lu().solve(&DVector::from_column_slice(&case.known));
        let expected = expected.expect("the matrix is regular");
        for (name, order) in ORDERS {
            // A random matrix may be structurally singular in the sampled states' sense; then all
            // say so.
            let order = match order(&case.template) {
                Ok(order) => order,
                Err(error) => panic!("{name}, seed {seed}: {error}"),
            };
            let elimination = Elimination::new(&case.template, &order).expect("pivots were tried");
            let mut factors = elimination.factors::<f64>();
            let mut found = vec![0.0; 40];
            factors
                .factorize(&elimination, &case.values)
                .expect("sizes fit");
            factors
                .solve(&elimination, &case.known, &mut found)
                .expect("sizes fit");
            let error = (DVector::from_vec(found) - &expected).amax();
            assert!(
                error <= tolerance * expected.amax(),
                "{name}, seed {seed}: {error:e} against {tolerance:e}"
            );
        }
    }
}

#[test]
fn a_hidden_triangle_is_found_and_fills_nothing() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let n = 300;
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
    for k in (1..n).rev() {
        rows.swap(k, random.random_range(0..=k));
        columns.swap(k, random.random_range(0..=k));
    }
    let mut positions = Vec::new();
    for i in 0..n {
        positions.push((rows[i], columns[i]));
        for _ in 0..4 {
            positions.push((rows[i], columns[random.random_range(0..=i)]));
        }
    }
    let pattern = Arc::new(Sparsity::new(n, n, positions).expect("all inside"));
    let values: Vec<f64> = (0..pattern.entries())
        .map(|_| 1.0 + random.random::<f64>())
        .collect();
    let off_diagonal = (pattern.entries() - n) as u64;
    let entries = vec![Symbol::Variable; values.len()];
    let template = Template::new(pattern, entries, vec![Symbol::Variable; n], &[values]);
    let template = template.expect("sizes fit");
    for (name, order) in ORDERS {
        let order = order(&template).expect("the triangle has an order");
        let elimination = Elimination::new(&template, &order).expect("pivots are not zero");
        assert_eq!(elimination.fill_in(), 0, "{name}");
        assert!(elimination.blocks().all(|block| block.len() == 1), "{name}");
        // Forward substitution: one product and one sum for each entry off the diagonal, one
        // division on it.
        let operations = elimination
            .operations(&template)
            .expect("the same template");
        let expected = Operations {
            additions: off_diagonal,
            multiplications: off_diagonal,
            divisions: n as u64,
            ..Operations::default()
        };
        assert_eq!(operations, expected, "{name}");
    }
}

/// A full matrix costs what textbooks say: n³/3 for the factors, n² for a solve (Golub and Van Loan
/// 2013, section 3.2).
#[test]
fn a_full_matrix_costs_what_textbooks_say() {
    let n = 7_u64;
    let size = n as usize;
    let positions = (0..size * size).map(|k| (k / size, k % size));
    let pattern = Arc::new(Sparsity::new(size, size, positions).expect("all inside"));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let sample: Vec<f64> = (0..size * size)
        .map(|_| random.random::<f64>() + 0.1)
        .collect();
    let entries = vec![Symbol::Variable; size * size];
    let template = Template::new(pattern, entries, vec![Symbol::Variable; size], &[sample]);
    let template = template.expect("sizes fit");
    let order = EliminationOrder::new((0..size).map(|k| (k, k)).collect()).expect("an order");
    let elimination = Elimination::new(&template, &order).expect("pivots are not zero");
    let operations = elimination
        .operations(&template)
        .expect("the same template");
    let squares = (n - 1) * n * (2 * n - 1) / 6;
    let pairs = n * (n - 1) / 2;
    assert_eq!(operations.additions, squares + 2 * pairs);
    // The last unknown is divided by its pivot; the others are multiplied by the reciprocals.
    assert_eq!(
        operations.multiplications,
        squares + pairs + 2 * pairs + n - 1
    );
    assert_eq!(operations.divisions, n);
}

#[test]
fn a_vanishing_pivot_is_refused_beforehand() {
    let pattern = Arc::new(Sparsity::new(2, 2, [(0, 1), (1, 0), (1, 1)]).expect("inside"));
    let template = Template::new(
        pattern,
        vec![Symbol::Variable; 3],
        vec![Symbol::Variable; 2],
        &[vec![1.0, 2.0, 3.0]],
    );
    let template = template.expect("sizes fit");
    let order = EliminationOrder::new(vec![(0, 0), (1, 1)]).expect("an order");
    assert!(matches!(
        Elimination::new(&template, &order),
        Err(EliminationError::ZeroPivot {
            position: 0,
            row: 0,
            column: 0
        })
    ));
}

#[test]
fn what_nobody_asks_for_is_not_computed() {
    let case = random(3, 40, 4);
    let n = case.template.size();
    let order = order::markowitz(&case.template).expect("regular");
    let all = Elimination::new(&case.template, &order).expect("pivots were tried");
    let mut complete = vec![0.0; n];
    let mut factors = all.factors::<f64>();
    factors.factorize(&all, &case.values).expect("sizes fit");
    factors
        .solve(&all, &case.known, &mut complete)
        .expect("sizes fit");
    for column in [0, n / 2, n - 1] {
        let requested: Vec<bool> = (0..n).map(|other| other == column).collect();
        let template = case
            .template
            .clone()
            .requesting(requested)
            .expect("sizes fit");
        let some = Elimination::new(&template, &order).expect("pivots were tried");
        let mut factors = some.factors::<f64>();
        let mut found = vec![f64::NAN; n];
        factors.factorize(&some, &case.values).expect("sizes fit");
        factors
            .solve(&some, &case.known, &mut found)
            .expect("sizes fit");
        assert_eq!(found[column], complete[column], "the same operations");
        for other in 0..n {
            assert_eq!(found[other].is_nan(), !some.found()[other]);
        }
        let fewer = some
            .operations(&template)
            .expect("the same template")
            .total();
        assert!(
            fewer
                <= all
                    .operations(&template)
                    .expect("the same template")
                    .total()
        );
    }
}
