//! Linkages over a million steps of the variational integrator in maximal coordinates.

use crate::Outcome;
use featherline::joint::JointKind;
use featherline::model::{Joint, JointHandle, JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Force, Inertia, Se3, Vec3};
use featherline::{Model, Workspace};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::{assemble, loop_gap, project_velocity};
use featherline_sim::integrator::MaximalVariationalIntegrator;
use featherline_sim::integrator::forces::TorqueFunction;
use featherline_sim::simulation::{Conservation, InnerEnergy, Recorder, Sample};
use std::fmt::Write;

const STEPS: usize = 1_000_000;
/// Of robots of many bodies.
const FEWER: usize = 100_000;
/// How many steps there are between samples.
const EVERY: usize = 10;

/// The conserved quantities of the long motions.
pub fn table() -> Outcome<String> {
    let mut table = String::from(
        "| linkage | peak relative energy error | energy drift [1/s] | momentum [N·s], angular [N·m·s] | loop error [m, rad] | \
         joint error [m, rad] | iterations |\n|---|---|---|---|---|---|---|\n",
    );
    let motions = [
        (samples::four_bar(), 0.01, STEPS, None),
        (samples::four_bar(), 0.005, STEPS, None),
        (samples::bennett(), 0.01, STEPS, None),
        (floating_four_bar()?, 0.01, STEPS, None),
        (samples::delta(), 0.005, FEWER, Some(("arm_", 20.0))),
        (samples::stewart(), 0.005, FEWER, Some(("slider_", 2000.0))),
    ];
    for (model, step, steps, drives) in motions {
        let springs = drives.map_or(Vec::new(), |(name, stiffness)| {
            springs(&model, name, stiffness)
        });
        writeln!(table, "{}", row(&model, step, steps, &springs)?)?;
    }
    writeln!(
        table,
        "\n{STEPS} steps, of the last two {FEWER}, from where each linkage was drawn, pushed by 1 rad/s and 1 m/s in every coordinate as far as the loops \
         let it, the floating one without linear momentum. Springs drive the delta robot's arms (20 N·m/rad) and the Stewart \
         platform's sliders (2000 N/m): without drives both fall. Sampled every {EVERY} steps, the errors of joints at each step."
    )?;
    Ok(table)
}

/// A spring that holds a joint of one freedom near zero.
struct Spring {
    idx_q: usize,
    idx_v: usize,
    /// In N·m/rad or N/m.
    stiffness: f64,
}

/// Springs on the joints whose names begin with these letters.
fn springs(model: &Model, name: &str, stiffness: f64) -> Vec<Spring> {
    let named = |joint: &&Joint| joint.name.starts_with(name);
    let spring = |joint: &Joint| Spring {
        idx_q: joint.idx_q,
        idx_v: joint.idx_v,
        stiffness,
    };
    model.joints().iter().filter(named).map(spring).collect()
}

fn row(model: &Model, step: f64, steps: usize, springs: &[Spring]) -> Outcome<String> {
    let mut q = match model.reference_configurations().get("closed") {
        Some(closed) => closed.clone(),
        None => model.neutral_configuration(),
    };
    let mut loops = LoopWorkspace::new(model)?;
    let mut ws = Workspace::new(model);
    let mut v = vec![1.0; model.nv()];
    assemble(model, &mut loops, &mut q)?;
    project_velocity(model, &mut loops, &q, &mut v)?;
    let mut account = Conservation::new(model);
    if account.floats_freely() {
        stay(model, &mut ws, &q, &mut v)?;
    }
    let law = TorqueFunction::new(|_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
        for spring in springs {
            tau[spring.idx_v] -= spring.stiffness * q[spring.idx_q];
        }
    });
    let mut motion = MaximalVariationalIntegrator::with_forces(model, law)?;
    motion.start(0.0, &q, &v)?;
    let begin = motion.momentum()?;
    let (mut joint_error, mut iterations, mut momentum_error) = (0.0_f64, 0, [0.0_f64; 2]);
    for k in 0..=steps {
        if k % EVERY == 0 {
            v.copy_from_slice(motion.velocity()?);
            q.copy_from_slice(motion.configuration());
            let change = motion.momentum()? - begin;
            momentum_error[0] = momentum_error[0].max(change.linear.norm());
            momentum_error[1] = momentum_error[1].max(change.angular.norm());
            let energy = |spring: &Spring| 0.5 * spring.stiffness * q[spring.idx_q].powi(2);
            let stored: f64 = springs.iter().map(energy).sum();
            // A robot that floats does so without linear momentum: its centre of mass rests.
            let kinetic_energy = model.kinetic_energy(&mut ws, &q, &v)?;
            let sample = Sample {
                t: step * k as f64,
                q: &q,
                v: &v,
                tau: &[],
                kinetic_energy,
                potential_energy: model.potential_energy(&mut ws, &q)? + stored,
                inner_energy: account.floats_freely().then_some(InnerEnergy {
                    kinetic: kinetic_energy,
                    potential: stored,
                }),
                momentum: Force::zero(),
                loop_gap: loop_gap(model, &mut loops, &q, &v)?,
                contact: None,
            };
            let _ = account.record(&sample);
        }
        motion.step(step)?;
        joint_error = joint_error.max(motion.gap());
        iterations += motion.iterations();
    }
    let momentum = if account.floats_freely() {
        let [linear, angular] = momentum_error;
        format!("{linear:.1e}, {angular:.1e}")
    } else {
        String::new()
    };
    let drift = account.energy_drift();
    Ok(format!(
        "| {}, {} ms | {:.1e} | {:.1e} ± {:.1e} | {momentum} | {:.1e} | {joint_error:.1e} | {:.1} |",
        model.name(),
        1e3 * step,
        account.peak_energy_error(),
        drift.slope,
        drift.error,
        account.loop_error().0,
        iterations as f64 / (steps + 1) as f64
    ))
}

/// Takes the linear momentum from a robot that floats. Far from the world's origin positions have
/// fewer digits, and with them the lever arms of impulses, so that angular momentum would go the
/// way of its rounding.
fn stay(model: &Model, ws: &mut Workspace<f64>, q: &[f64], v: &mut [f64]) -> Outcome<()> {
    let drift = model.centroidal_momentum(ws, q, v)?.linear * (1.0 / model.total_mass());
    let base = model
        .forward_kinematics(ws, q)?
        .placement(model.joint_id("frame")?);
    let surplus = base.rotation.tr_mul_vec(drift).to_array();
    for (own, surplus) in v.iter_mut().zip(surplus) {
        *own -= surplus;
    }
    Ok(())
}

/// A four-bar linkage whose frame floats, without gravity.
fn floating_four_bar() -> Outcome<Model> {
    let mut builder = ModelBuilder::new("four_bar on a floating frame");
    let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
    let bar = |length: f64| Inertia::cuboid(length, Vec3::new(0.03, 0.02, length));
    let hinge =
        |name: &str, parent: JointHandle| JointSpec::new(name, parent, JointKind::revolute_y());
    let frame = JointSpec::new("frame", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let frame = builder.add_joint(frame);
    builder.add_body(frame, "frame_bar", at(0.2, -0.1), bar(0.4));
    let crank = builder.add_joint(hinge("crank", frame));
    builder.add_body(crank, "crank_bar", at(0.0, 0.1), bar(0.2));
    let coupler = builder.add_joint(hinge("coupler", crank).placement(at(0.0, 0.2)));
    builder.add_body(coupler, "coupler_bar", at(0.2, 0.0), bar(0.4));
    let rocker = builder.add_joint(hinge("rocker", frame).placement(at(0.4, 0.0)));
    builder.add_body(rocker, "rocker_bar", at(0.0, 0.15), bar(0.3));
    let ends = ((coupler, at(0.4, 0.1)), (rocker, at(0.0, 0.3)));
    builder.close_loop("pin", JointKind::revolute_y(), ends.0, ends.1);
    builder.gravity(Vec3::zero());
    Ok(builder.build()?.model)
}
