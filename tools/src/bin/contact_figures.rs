//! The pictures of the guide's page about contact.
//!
//! `cargo run --release -p featherline-tools --bin contact_figures -- FOLDER`

use featherline_constraint::nonsmooth::{ConeLaw, SolverOptions};
use featherline_formats::load_str;
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use featherline_tools::chart::{Axis, Chart, Curve, SeriesLabelPosition};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("the folder to write to is missing")?;
    sliding(&folder)?;
    stack(&folder)
}

/// The height of a cube that is thrown flat, by both laws.
fn sliding(folder: &Path) -> Outcome<()> {
    let scene = "[ground]\n[[body]]\nname = 'cube'\nbox = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.05]\n\
                 velocity = [6, 0, 0, 0, 0, 0]";
    let height = |q: &[f64], _: f64| 1e3 * (q[2] - 0.05);
    let laws = [
        ("exact law", ConeLaw::Exact),
        ("convex law", ConeLaw::Convex),
    ];
    let mut curves = Vec::new();
    for (name, law) in laws {
        let points = course(scene, law, (5e-3, 300), height)?;
        curves.push(Curve { name, points });
    }
    let title = "cube of 0.1 m thrown flat at 6 m/s, μ = 0.5, steps of 5 ms: height of its centre above rest";
    let height = Axis::linear("height [mm]");
    draw(&folder.join("contact_sliding.svg"), title, height, &curves)
}

/// The deepest overlap in a stack whose lightest box is below.
fn stack(folder: &Path) -> Outcome<()> {
    let mut scene = "[ground]\n".to_owned();
    for (k, mass) in [1.0, 10.0, 100.0, 1000.0].iter().enumerate() {
        let height = 0.051 + 0.101 * k as f64;
        writeln!(
            scene,
            "[[body]]\nname = 'box_{k}'\nbox = [0.1, 0.1, 0.1]\nmass = {mass:?}\nposition = [0, 0, {height:?}]"
        )?;
    }
    // No overlap has no logarithm: one that is less than rounding counts as rounding.
    let depth = |_: &[f64], penetration: f64| penetration.max(1e-17);
    let points = course(&scene, ConeLaw::Exact, (1e-3, 2000), depth)?;
    let parts = points.chunks(20).map(|part| {
        let most = part.iter().fold(0.0_f64, |most, p| most.max(p.1));
        (part[0].0, most)
    });
    let points = parts.collect();
    let curves = [Curve {
        name: "deepest of each 20 ms",
        points,
    }];
    let title =
        "boxes of 1, 10, 100 and 1000 kg, the lighter below, let go 1 mm apart, steps of 1 ms";
    let depth = Axis::logarithmic("penetration [m]");
    draw(&folder.join("contact_stack.svg"), title, depth, &curves)
}

/// What a measure of the configuration and the deepest overlap is over time, in steps of given
/// length and number.
fn course(
    scene: &str,
    law: ConeLaw,
    (h, steps): (f64, usize),
    measure: impl Fn(&[f64], f64) -> f64,
) -> Outcome<Vec<(f64, f64)>> {
    let scene = load_str(scene)?;
    let surface = Surface {
        friction: 0.5,
        restitution: 0.0,
    };
    let contacts = CollisionContacts::uniform(scene.contact_model(None)?.collision, surface);
    let options = SolverOptions {
        law,
        ..SolverOptions::default()
    };
    let stepping = TimeStepping::with(&scene.model, (), contacts)?;
    let mut stepping = stepping.with_options(options);
    let mut q = scene.model.reference_configurations()["start"].clone();
    let mut v = scene.velocity("start").ok_or("a scene has a start state")?;
    let mut points = Vec::with_capacity(steps);
    for k in 0..steps {
        let report = stepping.step(0.0, &mut q, &mut v, h)?;
        points.push(((k + 1) as f64 * h, measure(&q, report.penetration)));
    }
    Ok(points)
}

/// Draws curves over time.
fn draw(path: &Path, title: &str, y: Axis, curves: &[Curve]) -> Outcome<()> {
    let chart = Chart {
        title,
        height: 320,
        x: Axis::from_zero("time [s]"),
        y,
        curves,
        band: None,
        has_dots: false,
        legend: SeriesLabelPosition::MiddleRight,
    };
    Ok(chart.write(path)?)
}
