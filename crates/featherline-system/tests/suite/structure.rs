//! Matching and the Dulmage-Mendelsohn decomposition.

use crate::common::{robots, trees};
use featherline::Model;
use featherline::samples::{RandomTree, random_tree, snake};
use featherline_system::{DulmageMendelsohn, KnownValue, Matching, Problem, Sparsity, System};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_pattern(seed: u64) -> Sparsity {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, columns) = (rng.random_range(1..8), rng.random_range(1..8));
    let density = rng.random_range(0.1..0.6);
    let mut entries = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if rng.random::<f64>() < density {
                entries.push((row, column));
            }
        }
    }
    Sparsity::new(rows, columns, entries).expect("inside")
}

/// The structural rank as the rank of a matrix of random numbers, which have no relation.
fn generic_rank(pattern: &Sparsity, rows: &[usize], columns: &[usize]) -> usize {
    if rows.is_empty() || columns.is_empty() {
        return 0;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let mut matrix = nalgebra::DMatrix::zeros(pattern.rows(), pattern.columns());
    for (row, column) in pattern.iter() {
        matrix[(row, column)] = rng.random_range(0.5..2.0);
    }
    matrix.select_rows(rows).select_columns(columns).rank(1e-9)
}

#[test]
fn a_maximum_matching_has_as_many_pairs_as_the_generic_rank() {
    for seed in 0..300 {
        let pattern = random_pattern(seed);
        let matching = Matching::maximum(&pattern);
        let (rows, columns): (Vec<_>, Vec<_>) = (
            (0..pattern.rows()).collect(),
            (0..pattern.columns()).collect(),
        );
        assert_eq!(
            matching.rank(),
            generic_rank(&pattern, &rows, &columns),
            "seed {seed}"
        );
        for row in rows {
            if let Some(column) = matching.column_of(row) {
                assert_eq!(matching.row_of(column), Some(row));
                assert!(pattern.position(row, column).is_some());
            }
        }
    }
}

#[test]
fn the_parts_are_what_their_names_say() {
    for seed in 0..300 {
        let pattern = random_pattern(seed);
        let parts = DulmageMendelsohn::new(&pattern);
        let (over, exact, under) = (
            parts.overdetermined(),
            parts.determined(),
            parts.underdetermined(),
        );
        let mut rows = parts.row_order();
        let mut columns = parts.column_order();
        // Nothing above the diagonal blocks: a row has no entry in a part after its own.
        let part_of_row = |row: usize| {
            if over.rows.contains(&row) {
                0
            } else {
                let at = exact.rows.iter().position(|&r| r == row);
                at.map_or(usize::MAX, |at| {
                    1 + parts
                        .blocks()
                        .position(|b| b.contains(&at))
                        .expect("a block")
                })
            }
        };
        let part_of_column = |column: usize| {
            if over.columns.contains(&column) {
                0
            } else {
                let at = exact.columns.iter().position(|&c| c == column);
                at.map_or(usize::MAX, |at| {
                    1 + parts
                        .blocks()
                        .position(|b| b.contains(&at))
                        .expect("a block")
                })
            }
        };
        for (row, column) in pattern.iter() {
            assert!(part_of_column(column) <= part_of_row(row), "seed {seed}");
        }
        rows.sort_unstable();
        columns.sort_unstable();
        assert_eq!(rows, (0..pattern.rows()).collect::<Vec<_>>());
        assert_eq!(columns, (0..pattern.columns()).collect::<Vec<_>>());
        // Ranks: columns of the first, all of the second, rows of the third.
        assert_eq!(
            generic_rank(&pattern, &over.rows, &over.columns),
            over.columns.len()
        );
        assert_eq!(
            generic_rank(&pattern, &exact.rows, &exact.columns),
            exact.rows.len()
        );
        assert_eq!(
            generic_rank(&pattern, &under.rows, &under.columns),
            under.rows.len()
        );
        assert!(over.rows.len() > over.columns.len() || over.rows.is_empty());
        assert!(under.columns.len() > under.rows.len() || under.columns.is_empty());
        // Every single row of the overdetermined part could be left out, no other.
        let all: Vec<usize> = (0..pattern.columns()).collect();
        for row in 0..pattern.rows() {
            let others: Vec<usize> = (0..pattern.rows()).filter(|&r| r != row).collect();
            let redundant = generic_rank(&pattern, &others, &all) == parts.rank();
            assert_eq!(
                redundant,
                over.rows.contains(&row),
                "seed {seed}, row {row}"
            );
        }
    }
}

/// Fails unless the order that is found solves inverse dynamics by substitution alone.
fn check_triangular(model: Model) {
    let name = model.name().to_owned();
    let problem = Problem::new(model)
        .joint_accelerations(KnownValue::Input)
        .external_forces(KnownValue::Input);
    let system = System::new(problem).expect("a system");
    let pattern = system.sparsity();
    let parts = DulmageMendelsohn::new(pattern);
    assert!(
        parts.is_triangular(),
        "{name}: a block of {}",
        parts.largest_block()
    );
    // Triangular: in this order no row has an unknown that is not solved yet, but its own, so
    // nothing fills in.
    let mut solved = vec![false; pattern.columns()];
    for (row, column) in parts.row_order().into_iter().zip(parts.column_order()) {
        for &other in pattern.row(row) {
            assert!(solved[other] || other == column, "{name}");
        }
        assert!(pattern.position(row, column).is_some(), "{name}");
        solved[column] = true;
    }
    assert!(solved.into_iter().all(|x| x), "{name}");
}

#[test]
fn the_block_triangular_form_finds_the_recursion_of_inverse_dynamics_by_itself() {
    trees()
        .map(|(model, _)| model)
        .chain(robots())
        .for_each(check_triangular);
    for (seed, joints, branching) in [
        (1, 100, 0.0),
        (2, 300, 0.5),
        (3, 1000, 0.8),
        (4, 1000, 0.02),
    ] {
        let shape = RandomTree {
            joints,
            branching,
            floating: seed % 2 == 0,
            ..RandomTree::default()
        };
        check_triangular(random_tree(seed, &shape));
    }
    check_triangular(snake(1000));
}

#[test]
fn forward_dynamics_is_exactly_determined_with_one_block_for_each_tree() {
    for model in robots() {
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let parts = DulmageMendelsohn::new(system.sparsity());
        assert_eq!(parts.rank(), system.unknowns().count());
        assert!(
            parts.overdetermined().rows.is_empty() && parts.underdetermined().columns.is_empty()
        );
        // Known forces are blocks of one; accelerations and transmitted forces depend on each
        // other.
        assert!(parts.largest_block() > system.model().nv());
    }
}

#[test]
fn rows_that_do_not_count_appear_nowhere() {
    let pattern = Sparsity::new(3, 2, [(0, 0), (1, 1), (2, 0), (2, 1)]).expect("inside");
    let parts = DulmageMendelsohn::of_rows(&pattern, |row| row != 1);
    assert!(parts.overdetermined().rows.is_empty());
    assert_eq!(parts.row_order(), [0, 2]);
}
