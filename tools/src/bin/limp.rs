//! Robots without drives: the energy that a method gains from nothing.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin limp -- 0.001 2 ROBOT.urdf MODEL.xml
//! ```
//!
//! The step and the time in s, then files. A robot whose file has no ground floats above one of our
//! own. A line each: coordinates, the greatest kinetic energy, the gain and its part of it, the
//! time of a step, steps that are not exact, points of contact a step, and those that push.

use featherline_formats::{LoadOptions, load_with};
use featherline_sim::contact::Drives;
use featherline_sim::simulation::{Bookkeeper, SceneStart};
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
        "{:>4} {:>10} {:>10} {:>9} {:>8} {:>7} {:>6} {:>4}",
        "nv", "kinetic J", "gain J", "gain", "us/step", "inexact", "points", "push"
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
    let start = match robot.is_world() {
        true => SceneStart::new(&robot)?,
        false => SceneStart::on_ground(&robot, 0.0)?,
    };
    let (mut q, mut v) = (start.q.clone(), start.v.clone());
    let mut stepping = start.with_drives(Drives::none()).time_stepping()?;
    let mut books = Bookkeeper::new(&robot.model);
    let clock = Instant::now();
    let steps = (duration / step).round() as usize;
    let (mut points, mut pushing) = (0, 0);
    for k in 0..steps {
        books.step(
            &mut stepping,
            |()| (&[], &[]),
            step * k as f64,
            (&mut q, &mut v),
            step,
        )?;
        let contacts = stepping.contacts();
        points += contacts.len();
        pushing += contacts
            .iter()
            .filter(|it| it.normal_impulse() > 0.0)
            .count();
    }
    let time = clock.elapsed().as_secs_f64() * 1e6 / steps as f64;
    let account = books.account();
    Ok(format!(
        "{:4} {:10.3} {:10.2e} {:9.1e} {time:8.1} {:7} {:6} {:4}",
        robot.model.nv(),
        account.kinetic_energy,
        account.energy_gain,
        account.energy_gain / account.kinetic_energy,
        account.inexact_steps,
        points / steps,
        pushing / steps
    ))
}
