//! The pictures of the guide's page about contact.
//!
//! `cargo run --release -p featherline-tools --bin contact_figures -- FOLDER`

use featherline_constraint::nonsmooth::{ConeLaw, SolverOptions};
use featherline_formats::load_str;
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use plotters::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Colours that are told apart by people who do not see all of them, too (M. Okabe and K. Ito,
/// *Color universal design*, 2008).
const COLOURS: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0)];
const INK: RGBColor = RGBColor(60, 66, 74);

/// A curve with its name.
struct Curve {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

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
    let picture = chart(title, "height [mm]", &curves, |y| format!("{y:.0}"))?;
    std::fs::write(folder.join("contact_sliding.svg"), picture)?;
    Ok(())
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
    let depth = |_: &[f64], penetration: f64| penetration.max(1e-17).log10();
    let points = course(&scene, ConeLaw::Exact, (1e-3, 2000), depth)?;
    let parts = points.chunks(20).map(|part| {
        let most = part.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.1));
        (part[0].0, most)
    });
    let points = parts.collect();
    let curves = [Curve {
        name: "deepest of each 20 ms",
        points,
    }];
    let title =
        "boxes of 1, 10, 100 and 1000 kg, the lighter below, let go 1 mm apart, steps of 1 ms";
    let picture = chart(title, "penetration [m]", &curves, |y| {
        format!("{:.0e}", 10.0_f64.powf(y))
    })?;
    std::fs::write(folder.join("contact_stack.svg"), picture)?;
    Ok(())
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

/// A picture of curves over time, as SVG.
fn chart(
    title: &str,
    what: &str,
    curves: &[Curve],
    label: impl Fn(f64) -> String,
) -> Outcome<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().fold(0.0_f64, |most, p| most.max(p.0));
    let low = points().fold(f64::INFINITY, |low, p| low.min(p.1));
    let high = points().fold(f64::NEG_INFINITY, |high, p| high.max(p.1));
    let margin = 0.05 * (high - low).max(1e-3);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (860, 320)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 15, &INK))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(62)
            .build_cartesian_2d(0.0..end, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK)
            .label_style(("sans-serif", 12, &INK))
            .x_desc("time [s]")
            .y_desc(what)
            .y_label_formatter(&|y| label(*y))
            .draw()?;
        for (curve, colour) in curves.iter().zip(COLOURS) {
            let line = PathElement::new(curve.points.clone(), colour);
            chart
                .draw_series(std::iter::once(line))?
                .label(curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::MiddleRight)
            .background_style(WHITE.mix(0.85))
            .label_font(("sans-serif", 12, &INK))
            .draw()?;
        area.present()?;
    }
    Ok(text)
}
