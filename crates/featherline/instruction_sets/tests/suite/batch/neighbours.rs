//! The row and the status of a state depend on nothing but that state: whatever is wrong with it or
//! beside it.

use super::every::{Rows, row, states, together};
use featherline::batch::{Algorithm, Batch, BatchStatus, Precision};
use featherline::samples::{RandomTree, double_pendulum, humanoid, random_tree};
use featherline::scalar::Scalar;
use featherline::{Error, Model, Workspace};

/// The rows of some states.
fn pick<T: Copy>(from: &Rows<T>, states: &[usize]) -> Rows<T> {
    let pick = |rows: &[T]| {
        let chosen = states.iter().flat_map(|&s| row(rows, from.count, s));
        chosen.copied().collect()
    };
    Rows {
        q: pick(&from.q),
        v: pick(&from.v),
        w: pick(&from.w),
        count: states.len(),
    }
}

/// As many sound states as there are lanes, and after them states with one number each spoiled, in
/// each coordinate of each input.
fn spoiled<T: Precision>(model: &Model, lanes: usize, values: &[T]) -> Rows<T> {
    let (nq, nv) = (model.nq(), model.nv());
    let mut all = Rows::<T>::of(&states(model, lanes as u64));
    let sound = pick(&all, &[0]);
    let mut add = |row: Rows<T>| {
        all.q.extend(row.q);
        all.v.extend(row.v);
        all.w.extend(row.w);
        all.count += 1;
    };
    for k in 0..nq + 2 * nv {
        for &value in values {
            let mut row = pick(&sound, &[0]);
            if k < nq {
                row.q[k] = value;
            } else if k < nq + nv {
                row.v[k - nq] = value;
            } else {
                row.w[k - nq - nv] = value;
            }
            add(row);
        }
    }
    // Quaternions of length zero, of all joints and of one.
    let mut row = pick(&sound, &[0]);
    row.q.fill(T::zero());
    add(row);
    for joint in model.joints().iter().filter(|j| j.nq > j.nv) {
        let mut row = pick(&sound, &[0]);
        row.q[joint.idx_q..joint.idx_q + joint.nq].fill(T::zero());
        add(row);
    }
    all
}

/// Inverse dynamics, as users may write it.
struct InverseDynamics;

impl Algorithm for InverseDynamics {
    #[inline(always)]
    fn run<S: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error> {
        let tau = model.rnea(ws, inputs[0], inputs[1], inputs[2])?;
        results[0].copy_from_slice(tau);
        Ok(())
    }
}

/// All calls' rows and statuses.
type Found<T> = Vec<(&'static str, Vec<T>, Vec<BatchStatus>)>;

fn every<T: Precision>(batch: &mut Batch<T>, rows: &Rows<T>) -> Found<T> {
    let (results, statuses) = together(batch, rows);
    let mut found: Found<T> = results
        .into_iter()
        .zip(statuses)
        .map(|((name, rows), status)| (name, rows, status))
        .collect();
    let mut tau = vec![T::zero(); rows.v.len()];
    let mut status = vec![BatchStatus::default(); rows.count];
    let inputs = [&rows.q[..], &rows.v, &rows.w];
    batch
        .evaluate(&InverseDynamics, inputs, [&mut tau], &mut status)
        .unwrap();
    found.push(("evaluate", tau, status));
    found
}

/// Fails unless states get beside others what they get alone, at each place in a block.
fn check<T: Precision>(model: &Model, values: &[T], bits: fn(T) -> u64) {
    let mut batch = Batch::<T>::new(model, 1).unwrap();
    let lanes = batch.lanes();
    let all = spoiled(model, lanes, values);
    let alone: Vec<_> = (0..all.count)
        .map(|s| every(&mut batch, &pick(&all, &[s])))
        .collect();
    let failed = alone.iter().filter(|f| !f[0].2[0].is_solved()).count();
    assert!(failed > all.count / 4, "inverse dynamics of {failed} fail");
    let mut orders: Vec<Vec<usize>> = (0..lanes)
        .map(|place| {
            let block = |s| (0..lanes).map(move |l| if l == place { s } else { l });
            (lanes..all.count).flat_map(block).collect()
        })
        .collect();
    // Bad ones beside bad ones, of other kinds and of the same, and beside sound ones by threes.
    orders.push((0..all.count).rev().collect());
    orders.push((0..all.count).map(|s| s * 31 % all.count).collect());
    orders.push(
        (0..all.count)
            .map(|s| if s % 3 == 0 { s % lanes } else { s })
            .collect(),
    );
    for order in orders {
        let found = every(&mut batch, &pick(&all, &order));
        for (call, (name, rows, status)) in found.iter().enumerate() {
            for (place, &s) in order.iter().enumerate() {
                let (_, expected, expected_status) = &alone[s][call];
                assert_eq!(
                    status[place], expected_status[0],
                    "{name}, state {s} at {place}"
                );
                for (a, b) in row(rows, order.len(), place).iter().zip(expected) {
                    assert_eq!(
                        bits(*a),
                        bits(*b),
                        "{name}, state {s} at {place}: {a:?}, alone {b:?}"
                    );
                }
            }
        }
    }
}

/// A floating robot with several quaternions.
fn robot() -> Model {
    let shape = RandomTree {
        joints: 7,
        floating: true,
        mimic_joints: false,
        ..RandomTree::default()
    };
    random_tree(3, &shape)
}

/// Invalid inputs, inputs that overflow at once or as a square, and an angle that takes more than
/// the usual reduction.
const DOUBLES: [f64; 5] = [f64::NAN, f64::NEG_INFINITY, 1e300, -1e160, 1e9];
const SINGLES: [f32; 5] = [f32::NAN, f32::NEG_INFINITY, 1e38, -2e19, 1e6];

#[test]
fn a_bad_state_gets_what_it_gets_alone() {
    for model in [robot(), double_pendulum()] {
        check(&model, &DOUBLES, f64::to_bits);
        check(&model, &SINGLES, |x| x.to_bits().into());
    }
}

#[test]
fn a_bad_state_of_a_humanoid_gets_what_it_gets_alone() {
    check(&humanoid(), &DOUBLES[..1], f64::to_bits);
}

#[test]
fn an_input_that_no_result_depends_on_may_be_anything() {
    let model = humanoid();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let mut rows = Rows::<f64>::of(&states(&model, 8));
    rows.q[0] = f64::NAN;
    // The block fails for this one.
    rows.q[3 * model.nq() + 9] = f64::NAN;
    let mut mass = vec![0.0; 8 * model.nv() * model.nv()];
    let mut status = [BatchStatus::default(); 8];
    let failed = batch.crba(&rows.q, &mut mass, &mut status);
    assert_eq!((failed, status[3]), (Ok(1), BatchStatus::NotFinite));
    assert!(row(&mass, 8, 0).iter().all(|m| m.is_finite()));
}

#[test]
fn a_quaternion_too_long_is_one_state_s_matter() {
    let model = humanoid();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let mut rows = Rows::<f64>::of(&states(&model, 5));
    rows.q[2 * model.nq() + 4] *= 1e300;
    let (mut tau, mut status) = (vec![0.0; 5 * model.nv()], [BatchStatus::default(); 5]);
    let inputs = [&rows.q[..], &rows.v, &rows.w];
    let failed = batch.evaluate(&InverseDynamics, inputs, [&mut tau], &mut status);
    assert_eq!(failed, Ok(1));
    assert_eq!(status[2], BatchStatus::Overflow);
    assert!(status[3].is_solved() && row(&tau, 5, 3).iter().all(|t| t.is_finite()));
}
