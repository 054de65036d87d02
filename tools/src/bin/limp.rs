//! Robots without drives: the energy that a method gains from nothing.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin limp -- 0.001 2 ROBOT.urdf MODEL.xml
//! ```
//!
//! The step and the time in s, then files. A robot whose file has no ground floats above one of our
//! own. A line each: coordinates, the greatest kinetic energy, the gain and its part of it, the
//! mean and the longest time of a step, matrices factorised a step, steps that are not exact,
//! points of contact a step, and those that push.

use featherline_formats::{LoadOptions, load_with};
use featherline_sim::contact::Drives;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::Bookkeeper;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = || -> Result<f64, Box<dyn Error>> {
        Ok(arguments
            .next()
            .ok_or("the step and the time are needed")?
            .parse()?)
    };
    let (step, duration) = (number()?, number()?);
    println!(
        "{:>4} {:>10} {:>10} {:>9} {:>8} {:>8} {:>5} {:>7} {:>6} {:>4}",
        "nv",
        "kinetic J",
        "gain J",
        "gain",
        "us/step",
        "worst",
        "fact.",
        "inexact",
        "points",
        "push"
    );
    for file in arguments {
        match run(&file, step, duration) {
            Ok(line) => println!("{line} {file}"),
            Err(error) => println!("failed {file}: {error}"),
        }
    }
    Ok(())
}

fn run(file: &str, step: f64, duration: f64) -> Result<String, Box<dyn Error>> {
    let options = LoadOptions::new().floating_base(file.ends_with(".urdf"));
    let robot = load_with(file, &options)?;
    let start = Setup::default().decide(&robot)?;
    let (mut q, mut v) = (start.q.clone(), start.v.clone());
    let mut stepping = start.with_drives(Drives::none()).time_stepping()?;
    let mut books = Bookkeeper::new(&robot.model);
    let steps = (duration / step).round() as usize;
    let (mut points, mut pushing, mut factorisations) = (0, 0, 0);
    let mut times = Vec::with_capacity(steps);
    for k in 0..steps {
        let clock = Instant::now();
        let report = books.step(
            &mut stepping,
            |_| (&[], &[]),
            step * k as f64,
            (&mut q, &mut v),
            step,
        )?;
        times.push(clock.elapsed().as_secs_f64() * 1e6);
        factorisations += report.outcome.factorisations;
        let contacts = stepping.contacts();
        points += contacts.len();
        pushing += contacts
            .iter()
            .filter(|it| it.normal_impulse() > 0.0)
            .count();
    }
    let mean = times.iter().sum::<f64>() / steps as f64;
    let worst = times.iter().copied().fold(0.0, f64::max);
    let account = books.account();
    Ok(format!(
        "{:4} {:10.3} {:10.2e} {:9.1e} {mean:8.1} {worst:8.0} {:5.1} {:7} {:6} {:4}",
        robot.model.nv(),
        account.kinetic_energy,
        account.energy_gain,
        account.energy_gain / account.kinetic_energy,
        factorisations as f64 / steps as f64,
        account.inexact_steps,
        points / steps,
        pushing / steps
    ))
}
