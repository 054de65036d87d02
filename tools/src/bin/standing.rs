//! A robot of the program held on the ground: microseconds a step, factorisations, residual; and
//! after some seconds how far it has moved, and how exact and how symmetric its forces are.
//!
//! `cargo run --release -p featherline-tools --bin standing -- quadruped 600`

use featherline::spatial::Vec3;
use featherline_formats::LoadOptions;
use featherline_sim::contact::ContactImpulse;
use featherline_sim::setup::Setup;
use std::time::Instant;

/// The step, in s.
const STEP: f64 = 1e-3;

/// How far the forces are from carrying the weight, and from those at the points mirrored in
/// y, relative to the weight.
fn imbalance(contacts: &[ContactImpulse], weight: f64) -> (f64, f64) {
    let forces = contacts
        .iter()
        .map(|it| (it.contact.point, it.impulse * STEP.recip()));
    let forces: Vec<(Vec3<f64>, Vec3<f64>)> = forces.collect();
    let sum = forces.iter().fold(Vec3::zero(), |sum, it| sum + it.1);
    let mut asymmetry: f64 = 0.0;
    for (point, force) in &forces {
        let mirrored = |x: Vec3<f64>| Vec3::new(x.x, -x.y, x.z);
        let apart = forces.iter().map(|(other, own)| {
            let way = (mirrored(*other) - *point).norm();
            (way, (mirrored(*own) - *force).norm())
        });
        let nearest = apart.min_by(|a, b| a.0.total_cmp(&b.0));
        asymmetry = asymmetry.max(nearest.map_or(0.0, |it| it.1));
    }
    let lacks = (sum - Vec3::unit(2) * weight).norm();
    (lacks / weight, asymmetry / weight)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or("quadruped".to_owned());
    let seconds = std::env::args().nth(2).map(|word| word.parse());
    let seconds: f64 = seconds.transpose()?.unwrap_or(10.0);
    let robot = featherline_robots::load(&name, &LoadOptions::new().floating_base(true))?;
    let model = &robot.model;
    let start = Setup::default().decide(&robot)?;
    let pairs = start.contacts.model().pairs().len();
    let mut stepping = start.time_stepping()?;
    let (mut q, mut v) = (start.q, start.v);
    let mut settled = Vec::new();
    for part in 0..5 {
        let clock = Instant::now();
        let (mut factorisations, mut worst, mut failed) = (0, 0.0_f64, 0);
        let steps = (seconds / (5.0 * STEP)).round() as u32;
        for _ in 0..steps {
            let report = stepping.step(0.0, &mut q, &mut v, STEP)?;
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
        if part == 0 {
            settled = q[..3].to_vec();
        }
    }
    let moved = q.iter().zip(&settled).map(|(a, b)| (a - b).abs());
    let moved = moved.fold(0.0_f64, f64::max);
    let weight = model.total_mass() * model.gravity().norm();
    let (lacks, asymmetry) = imbalance(stepping.contacts(), weight);
    println!(
        "forces: the weight to {lacks:.1e}, symmetric to {asymmetry:.1e} of it; the base moved {moved:.1e} m in {:.0} s",
        0.8 * seconds
    );
    Ok(())
}
