//! The picture of the guide's page about contact.
//!
//! `cargo run --release -p featherline-tools --bin contact_figures -- FOLDER`

use featherline_constraint::nonsmooth::{FrictionLaw, SolverOptions};
use featherline_formats::load_str;
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use featherline_tools::chart::{Axis, Chart, Curve, SeriesLabelPosition};
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("the folder to write to is missing")?;
    sliding(&folder.join("contact_sliding.svg"))
}

/// The height of a cube that is thrown flat, by both laws.
fn sliding(path: &Path) -> Outcome<()> {
    let scene = "[ground]\n[[body]]\nname = 'cube'\nbox = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.05]\n\
                 velocity = [6, 0, 0, 0, 0, 0]";
    let laws = [
        ("exact law", FrictionLaw::Exact),
        ("convex law", FrictionLaw::Convex),
    ];
    let mut curves = Vec::new();
    for (name, law) in laws {
        let points = course(scene, law, (5e-3, 300))?;
        curves.push(Curve { name, points });
    }
    let chart = Chart {
        title: "cube of 0.1 m thrown flat at 6 m/s, μ = 0.5, steps of 5 ms: height of its centre above rest",
        height: 320,
        x: Axis::from_zero("time [s]"),
        y: Axis::linear("height [mm]"),
        curves: &curves,
        band: None,
        has_dots: false,
        legend: SeriesLabelPosition::MiddleRight,
    };
    Ok(chart.write(path)?)
}

/// The height of the cube above rest, in mm, over time, in steps of given length and number.
fn course(scene: &str, law: FrictionLaw, (h, steps): (f64, usize)) -> Outcome<Vec<(f64, f64)>> {
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
        stepping.step(0.0, &mut q, &mut v, h)?;
        points.push(((k + 1) as f64 * h, 1e3 * (q[2] - 0.05)));
    }
    Ok(points)
}
