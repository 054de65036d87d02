//! Linkages of which one link has no mass, light or heavy, beside bodies that are neither.

use super::dense;
use featherline::joint::JointKind;
use featherline::model::{JointHandle, JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Motion, Se3, Vec3};
use featherline::{Model, Workspace, samples};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::{assemble, project_velocity};
use featherline_sim::integrator::MaximalVariationalIntegrator;
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use nalgebra::{DMatrix, DVector, Vector6};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A linkage of which each body weighs so many times what it did, beside a pendulum of another
/// mass.
fn weighed(model: &Model, factors: &[f64], pendulum: f64) -> Model {
    let mut builder = ModelBuilder::new(model.name());
    let mut handles: Vec<JointHandle> = vec![ModelBuilder::UNIVERSE];
    for (joint, &factor) in model.joints()[1..].iter().zip(factors) {
        let parent = handles[joint.parent.index()];
        let spec = JointSpec::new(&joint.name, parent, joint.kind.clone());
        let handle = builder.add_joint(spec.placement(joint.placement));
        let Inertia {
            mass,
            com,
            rotational,
        } = joint.inertia;
        let inertia = Inertia::new(factor * mass, com, rotational * factor);
        let body = format!("{}_body", joint.name);
        builder.add_body(handle, body, Se3::identity(), inertia);
        handles.push(handle);
    }
    let kind = JointKind::revolute_y();
    let hinge = builder.add_joint(JointSpec::new("pendulum", ModelBuilder::UNIVERSE, kind));
    let bob = Inertia::cuboid(pendulum, Vec3::new(0.1, 0.1, 0.4));
    let below = Se3::from_translation(Vec3::new(0.0, 0.0, -0.3));
    builder.add_body(hinge, "bob", below, bob);
    for joint in model.loop_joints() {
        let from = (
            handles[joint.predecessor.index()],
            joint.predecessor_placement,
        );
        let to = (handles[joint.successor.index()], joint.successor_placement);
        builder.close_loop(&joint.name, joint.kind.clone(), from, to);
    }
    builder.build().unwrap().model
}

/// A linkage without the mass of one link, in motion.
struct Case {
    name: String,
    model: Model,
    /// How many bodies the linkage has.
    bodies: usize,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let linkages = [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::delta(),
        samples::stewart(),
    ];
    for (number, linkage) in linkages.iter().enumerate() {
        let drawn = match linkage.reference_configurations().get("closed") {
            Some(closed) => closed.clone(),
            None => linkage.neutral_configuration(),
        };
        let mut ws = LoopWorkspace::new(linkage).unwrap();
        for seed in 0..40 {
            let mut rng = ChaCha8Rng::seed_from_u64(100 * number as u64 + seed);
            let mut tangent = |size: f64| -> Vec<f64> {
                (0..linkage.nv())
                    .map(|_| size * rng.random_range(-1.0..1.0))
                    .collect()
            };
            let (step, mut v, mut tau) = (tangent(0.15), tangent(1.0), tangent(1.0));
            let mut q = linkage.integrate(&drawn, &step).unwrap();
            assemble(linkage, &mut ws, &mut q).unwrap();
            project_velocity(linkage, &mut ws, &q, &mut v).unwrap();
            let mut ratio = || 10_f64.powf(rng.random_range(-6.0..6.0));
            // The linkage as a whole, and what stands beside; its bodies among each other by up to
            // ten thousand.
            let (whole, pendulum) = (ratio(), ratio());
            let bodies = linkage.joints().len() - 1;
            let mut factors: Vec<f64> = match seed % 2 {
                0 => vec![whole; bodies],
                _ => (0..bodies).map(|_| whole * ratio().cbrt()).collect(),
            };
            let light = rng.random_range(0..bodies);
            factors[light] = 0.0;
            tau.iter_mut().for_each(|tau| *tau *= whole);
            for own in [&mut q, &mut v, &mut tau] {
                own.push(0.3);
            }
            let joint = &linkage.joints()[light + 1].name;
            cases.push(Case {
                name: format!("{} {seed}, {joint} massless", linkage.name()),
                model: weighed(linkage, &factors, pendulum),
                bodies,
                q,
                v,
                tau,
            });
        }
    }
    cases
}

/// Accelerations of all bodies, from the motions that the constraints leave: however unlike masses
/// are, only what moves together is weighed together.
fn solve_for_motions(
    model: &Model,
    state: &MaximalState,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
) -> Vec<Motion<f64>> {
    let external = vec![Force::zero(); model.joints().len()];
    let dense::Assembled { kkt, right, .. } = dense::assembled(model, state, q, v, tau, &external);
    let bodies = model.joints().len() - 1;
    let (n, m) = (6 * bodies, kkt.nrows() - 6 * bodies);
    let inertia = kkt.view((0, 0), (n, n)).into_owned();
    let rows = kkt.view((n, 0), (m, n)).into_owned();
    let (force, target) = (right.rows(0, n).into_owned(), right.rows(n, m).into_owned());
    let square = rows.tr_mul(&rows);
    // Squares of what constraints hold of a motion: those of linkages stand far above rounding.
    let least = 1e-11 * square.amax();
    let eigen = square.symmetric_eigen();
    let free: Vec<usize> = (0..n).filter(|&k| eigen.eigenvalues[k] < least).collect();
    let mut motions = DMatrix::from_fn(n, free.len(), |r, c| eigen.eigenvectors[(r, free[c])]);
    let mut found = DVector::zeros(n);
    // Again for what rounding of the squares leaves.
    for _ in 0..3 {
        for mut column in motions.column_iter_mut() {
            let left = rows.tr_mul(&(&rows * &column));
            column -= dense::pseudo_inverse_times(&eigen, least, &left);
        }
        let left = rows.tr_mul(&(&target - &rows * &found));
        found += dense::pseudo_inverse_times(&eigen, least, &left);
    }
    let mut weighed = motions.tr_mul(&(&inertia * &motions));
    let scale = weighed.diagonal().map(|x| x.sqrt().recip());
    for r in 0..free.len() {
        for c in 0..free.len() {
            weighed[(r, c)] *= scale[r] * scale[c];
        }
    }
    let factors = weighed.full_piv_lu();
    for _ in 0..3 {
        let left = motions.tr_mul(&(&force - &inertia * &found));
        let step = factors.solve(&left.component_mul(&scale)).unwrap();
        found += &motions * step.component_mul(&scale);
    }
    let own = |i: usize| Vector6::from_fn(|r, _| found[6 * (i - 1) + r]).into();
    std::iter::once(Motion::zero())
        .chain((1..=bodies).map(own))
        .collect()
}

#[test]
fn a_massless_link_moves_as_the_others_have_it() {
    for Case {
        name,
        model,
        bodies,
        q,
        v,
        tau,
    } in cases()
    {
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let expected = solve_for_motions(&model, &state, &q, &v, &tau);
        let expected = &expected[..=bodies];
        let mut ws = MaximalWorkspace::new(&model).unwrap();
        let found = maximal_dynamics(&model, &mut ws, &state, &tau, &[]);
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        let most = |part: fn(&Motion<f64>) -> f64| expected.iter().map(part).fold(0.0, f64::max);
        let (linear, angular) = (most(|a| a.linear.norm()), most(|a| a.angular.norm()));
        for (found, expected) in found.accelerations.iter().zip(expected) {
            // Rounding, times masses that differ by ten thousand.
            let error = (found.linear - expected.linear).norm() / linear;
            assert!(error < 1e-11, "{name}: {error:e} of {linear} m/s²");
            let error = (found.angular - expected.angular).norm() / angular;
            assert!(error < 1e-11, "{name}: {error:e} of {angular} rad/s²");
        }
    }
}

#[test]
fn a_massless_link_is_followed_in_time() {
    let mut iterations = 0;
    for Case {
        name, model, q, v, ..
    } in cases()
    {
        let mut motion = MaximalVariationalIntegrator::new(&model).unwrap();
        motion.start(0.0, &q, &v).unwrap();
        for _ in 0..20 {
            let stepped = motion.step(1e-3);
            stepped.unwrap_or_else(|error| panic!("{name}: {error}"));
            iterations += motion.iterations();
            let found = motion.velocity();
            assert!(found.is_ok(), "{name}: {}", found.unwrap_err());
            assert!(motion.gap() < 1e-10, "{name}: {:e}", motion.gap());
        }
    }
    // As many as the linkages take with all their masses.
    assert!(iterations < 200 * 20 * 8, "{iterations}");
}
