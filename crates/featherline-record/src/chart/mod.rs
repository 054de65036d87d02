//! Charts of curves over time, panels one below the other, as SVG or in a terminal.
//!
//! ```
//! use featherline_record::chart::{Panel, Series, terminal, write_svg};
//!
//! let points = (0..100).map(|k| (0.01 * f64::from(k), f64::from(k).sin())).collect();
//! let series = vec![Series { name: "sine".to_owned(), points }];
//! let panels = [Panel { title: "angle [rad]".to_owned(), series }];
//!
//! let path = std::env::temp_dir().join("featherline-record-chart.svg");
//! write_svg(&path, "pendulum", &panels)?;
//! println!("{}", terminal("pendulum", &panels, 80));
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`History`] collects the curves of a simulation.

mod history;
mod terminal;

pub use history::History;
pub use terminal::terminal;

use crate::RecordError;
use crate::number::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A panel of curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The quantity of the curves, with the unit.
    pub title: String,
    /// The curves.
    pub series: Vec<Series>,
}

/// A curve over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Times in s, and values.
    pub points: Vec<(f64, f64)>,
}

/// Sizes in pixels, or in dots of a terminal.
struct Sizes {
    font: u32,
    left: u32,
    bottom: u32,
    margin: u32,
    /// Room for half of the last label.
    right: u32,
    ticks: usize,
    /// Whether there is room for a legend.
    legend: bool,
}

/// The width of a picture and the height of a panel, in pixels.
const PICTURE: (u32, u32) = (900, 240);

const ON_PAPER: Sizes = Sizes {
    font: 15,
    left: 84,
    bottom: 32,
    margin: 10,
    right: 24,
    ticks: 5,
    legend: true,
};

/// Colours for colour-blind readers, too (M. Okabe and K. Ito, *Color universal design*, 2008).
const COLOURS: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

/// Checks that a chart can be written to a path, before there is one.
///
/// # Errors
/// [`RecordError::UnknownChart`] unless the extension is `svg`.
pub fn check_path(path: &Path) -> Result<(), RecordError> {
    match path.extension() {
        Some(extension) if extension == "svg" => Ok(()),
        _ => Err(RecordError::UnknownChart {
            path: path.to_owned(),
        }),
    }
}

/// Writes the panels of a robot as an SVG file.
///
/// # Errors
/// [`RecordError::UnknownChart`] unless the extension is `svg`; [`RecordError::Write`] if the file
/// can't be written.
pub fn write_svg(path: &Path, robot: &str, panels: &[Panel]) -> Result<(), RecordError> {
    check_path(path)?;
    let mut text = String::new();
    let drawn = {
        let size = (PICTURE.0, PICTURE.1 * panels.len() as u32);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area, robot, panels, &ON_PAPER)
    };
    drawn.map_err(|error| RecordError::of_file(path)(error.to_string()))?;
    std::fs::write(path, text).map_err(RecordError::of_file(path))
}

/// Draws the panels from top to bottom.
fn draw<B>(
    area: &DrawingArea<B, Shift>,
    robot: &str,
    panels: &[Panel],
    sizes: &Sizes,
) -> Result<(), Box<dyn Error>>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    area.fill(&WHITE)?;
    for (part, panel) in area.split_evenly((panels.len(), 1)).iter().zip(panels) {
        draw_panel(part, &format!("{robot}: {}", panel.title), panel, sizes)?;
    }
    area.present()?;
    Ok(())
}

fn draw_panel<B>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    panel: &Panel,
    sizes: &Sizes,
) -> Result<(), Box<dyn Error>>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let (left, right) = range(points().map(|p| p.0));
    let (low, high) = range(points().map(|p| p.1));
    let font = ("sans-serif", sizes.font).into_font();
    let mut chart = ChartBuilder::on(area)
        .caption(title, font.clone())
        .margin(sizes.margin)
        .margin_right(sizes.right)
        .set_label_area_size(LabelAreaPosition::Left, sizes.left)
        .set_label_area_size(LabelAreaPosition::Bottom, sizes.bottom)
        .build_cartesian_2d(left..right, low..high)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(sizes.ticks)
        .y_labels(sizes.ticks)
        .x_label_formatter(&|t| format!("{} s", short(*t)))
        .y_label_formatter(&|value| short(*value))
        .label_style(font.clone())
        .draw()?;
    for (series, colour) in panel.series.iter().zip(COLOURS.iter().cycle()) {
        let line = std::iter::once(PathElement::new(series.points.clone(), colour));
        let length = sizes.font as i32;
        chart
            .draw_series(line)?
            .label(series.name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + length, y)], *colour));
    }
    if sizes.legend && panel.series.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .label_font(font)
            .draw()?;
    }
    Ok(())
}

/// The least and the greatest value, widened where they are equal.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    if low < high {
        (low, high)
    } else if low.is_finite() {
        let around = if low == 0.0 { 1e-16 } else { 0.1 * low.abs() };
        (low - around, low + around)
    } else {
        (0.0, 1.0)
    }
}
