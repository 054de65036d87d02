//! Bodies that fall on a heap, turned every way: what a step costs while everything moves.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin tumbling -- box 10 0.8
//! ```
//!
//! The shape (`box`, `capsule`, `cylinder` or `sphere`), the layers of six bodies, and the time in
//! s.

use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::setup::Setup;
use std::time::Instant;

/// The step, in s.
const STEP: f64 = 1e-3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shape, layers, duration] = &arguments[..] else {
        return Err("the shape, the layers and the time are needed, such as `box 10 0.8`".into());
    };
    let geometry = match shape.as_str() {
        "box" => "box = [0.06, 0.08, 0.1]",
        "capsule" => "capsule = [0.03, 0.1]",
        "cylinder" => "cylinder = [0.03, 0.1]",
        "sphere" => "sphere = 0.04",
        other => return Err(format!("there is no shape `{other}`").into()),
    };
    let layers: usize = layers.parse()?;
    let steps = (duration.parse::<f64>()? / STEP) as usize;
    let text = format!(
        "[ground]\n[[body]]\nname = 'body'\n{geometry}\nposition = [0, 0, 0.2]\nrpy = [1, 0.3, 0.2]\n\
         repeat = [2, 3, {layers}]\nspacing = [0.15, 0.15, 0.15]\n"
    );
    let scene = load_str_with(&text, &LoadOptions::new())?;
    let start = Setup::default().decide(&scene)?.with_friction(0.5);
    let mut stepping = start.time_stepping()?;
    let (mut q, mut v) = (start.q, start.v);
    let mut times = Vec::with_capacity(steps);
    let (mut inexact, mut factorisations, mut residual) = (0, 0, 0.0_f64);
    let (mut points, mut pushing) = (0, 0);
    for _ in 0..steps {
        let clock = Instant::now();
        let outcome = stepping.step(0.0, &mut q, &mut v, STEP)?.outcome;
        times.push(clock.elapsed().as_secs_f64() * 1e3);
        inexact += usize::from(!outcome.has_converged);
        factorisations += outcome.factorisations;
        residual = residual.max(outcome.residual);
        let contacts = stepping.contacts();
        points += contacts.len();
        pushing += contacts
            .iter()
            .filter(|it| it.normal_impulse() > 0.0)
            .count();
    }
    let mean = times.iter().sum::<f64>() / steps as f64;
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[(part * (steps - 1) as f64) as usize];
    println!(
        "{} bodies, {steps} steps: mean {mean:.3} ms, median {:.3}, 99 % {:.3}, worst {:.3}",
        scene.model.nv() / 6,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    let mean = |count: usize| count as f64 / steps as f64;
    println!(
        "{:.1} points a step, {:.1} of them push",
        mean(points),
        mean(pushing)
    );
    println!(
        "{:.1} factorisations a step; {inexact} steps not exact, worst residual {residual:.1e} m/s",
        factorisations as f64 / steps as f64
    );
    Ok(())
}
