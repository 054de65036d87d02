//! A robot of the program held on the ground: microseconds a step, factorisations, residual.
//!
//! `cargo run --release -p featherline-sim --example standing -- quadruped`

use featherline::Workspace;
use featherline::spatial::Se3;
use featherline_formats::LoadOptions;
use featherline_geometry::CollisionWorkspace;
use featherline_sim::contact::{CollisionContacts, Drives, Surface, TimeStepping};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or("quadruped".to_owned());
    let robot = featherline_robots::load(&name, &LoadOptions::new().floating_base(true))?;
    let model = &robot.model;
    let mut contact = robot.contact_model(Some(0.0))?;
    let mut q = model.neutral_configuration();
    featherline_constraint::nonsmooth::clamp_to_limits(model, &mut q);
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let mut ws = Workspace::<f64>::recursive(model);
    model
        .forward_kinematics(&mut ws, &q)?
        .joint_placements_into(&mut joints)?;
    let mut queries = CollisionWorkspace::new(&contact.collision);
    let mut placed = queries.place(&contact.collision, &joints)?;
    let ground = contact.collision.shapes().len() - 1;
    let mut lowest = f64::INFINITY;
    let mut overlapping = Vec::new();
    for (pair, found) in contact.collision.pairs().iter().zip(placed.distances()?) {
        if pair.contains(&ground) {
            lowest = lowest.min(found.distance);
        } else if found.distance < 0.0 {
            overlapping.push(*pair);
        }
    }
    q[2] -= lowest;
    contact.exclude(&overlapping);
    let pairs = contact.collision.pairs().len();
    let surface = Surface {
        friction: 0.8,
        restitution: 0.0,
    };
    let source = CollisionContacts::uniform(contact.collision, surface);
    let drives = Drives::holding(model, &q)?;
    let mut stepping = TimeStepping::with(model, (), source)?.with_drives(drives);
    let mut v = vec![0.0; model.nv()];
    for part in 0..5 {
        let clock = Instant::now();
        let (mut factorisations, mut worst, mut failed) = (0, 0.0_f64, 0);
        let steps = 2000;
        for _ in 0..steps {
            let report = stepping.step(0.0, &mut q, &mut v, 1e-3)?;
            factorisations += report.outcome.factorisations;
            worst = worst.max(report.outcome.residual);
            failed += usize::from(!report.outcome.has_converged);
        }
        if std::env::var("SHOW").is_ok() {
            for c in stepping.contacts() {
                println!(
                    "{:?} {:.3e} f {:x} imp {:?} u {:?} n {:?}",
                    c.contact.point.to_array(),
                    c.contact.gap,
                    c.contact.feature,
                    c.impulse.to_array(),
                    c.velocity.to_array(),
                    c.contact.normal.to_array()
                );
            }
            println!(
                "q {:.5?} v {:.2e}",
                &q[..7],
                v.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
            );
        }
        println!(
            "{part}: {:.2} us a step, {} pairs, {} contacts, {:.2} factorisations, residual {worst:.1e}, {failed} inexact",
            clock.elapsed().as_secs_f64() / f64::from(steps) * 1e6,
            pairs,
            stepping.contacts().len(),
            f64::from(u32::try_from(factorisations)?) / f64::from(steps)
        );
    }
    Ok(())
}
