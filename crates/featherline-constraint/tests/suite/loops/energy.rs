//! Long motions of linkages.

use super::robots::{Closed, moved};
use featherline::Model;
use featherline::samples;
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{loop_dynamics, loop_gap};

/// Classical Runge-Kutta steps of the tree's coordinates, which are a vector space.
fn simulate(
    model: &Model,
    ws: &mut LoopWorkspace,
    (q, v): (&mut [f64], &mut [f64]),
    (step, steps): (f64, usize),
    stabilisation: &Stabilisation,
) {
    let n = q.len();
    let tau = vec![0.0; n];
    let (weights, times) = ([1.0, 2.0, 2.0, 1.0], [0.0, 0.5, 0.5, 1.0]);
    for _ in 0..steps {
        let (mut dq, mut dv) = (vec![0.0; n], vec![0.0; n]);
        let (mut sum_q, mut sum_v) = (vec![0.0; n], vec![0.0; n]);
        for stage in 0..4 {
            let at = |x: &[f64], dx: &[f64]| -> Vec<f64> {
                x.iter()
                    .zip(dx)
                    .map(|(x, d)| x + times[stage] * step * d)
                    .collect()
            };
            let (own_q, own_v) = (at(q, &dq), at(v, &dv));
            let result =
                loop_dynamics(model, ws, &own_q, &own_v, &tau, &[], stabilisation).unwrap();
            dv = result.accelerations.to_vec();
            dq = own_v;
            for k in 0..n {
                sum_q[k] += weights[stage] * dq[k];
                sum_v[k] += weights[stage] * dv[k];
            }
        }
        for k in 0..n {
            q[k] += step / 6.0 * sum_q[k];
            v[k] += step / 6.0 * sum_v[k];
        }
    }
}

fn energy(model: &Model, q: &[f64], v: &[f64]) -> f64 {
    let mut tree = featherline::Workspace::new(model);
    let kinetic = model.kinetic_energy(&mut tree, q, v).unwrap();
    kinetic + model.potential_energy(&mut tree, q).unwrap()
}

#[test]
fn planar_linkages_keep_their_energy() {
    for (model, seed) in [
        (samples::four_bar(), 1),
        (samples::six_bar(), 2),
        (samples::bennett(), 3),
    ] {
        let Closed {
            model,
            mut ws,
            mut q,
            mut v,
            ..
        } = moved(model, seed);
        let before = energy(&model, &q, &v);
        simulate(
            &model,
            &mut ws,
            (&mut q, &mut v),
            (1e-4, 3000),
            &Stabilisation::NONE,
        );
        let after = energy(&model, &q, &v);
        // Fourth order: errors of a step of 1e-4 s with rates of some 10/s are some 1e-12 of each.
        assert!(
            (after - before).abs() < 1e-9,
            "{}: {before} {after}",
            model.name()
        );
        let gap = loop_gap(&model, &mut ws, &q, &v).unwrap();
        assert!(
            gap.position < 1e-9 && gap.velocity < 1e-8,
            "{}: {gap:?}",
            model.name()
        );
    }
}

#[test]
fn a_stabilised_loop_closes() {
    let Closed {
        model,
        mut ws,
        mut q,
        mut v,
        ..
    } = moved(samples::four_bar(), 4);
    q[2] += 1e-3;
    let open = loop_gap(&model, &mut ws, &q, &v).unwrap();
    let pull = Stabilisation::critical(0.02);
    simulate(&model, &mut ws, (&mut q, &mut v), (1e-3, 400), &pull);
    let gap = loop_gap(&model, &mut ws, &q, &v).unwrap();
    // Twenty time constants: 21 e^-20 of the first gap.
    assert!(
        open.position > 1e-4 && gap.position < 1e-9,
        "{open:?} {gap:?}"
    );
}
