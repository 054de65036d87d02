//! Curves over time, one panel below the other, on anything that can be drawn on.

use crate::failure::Failure;
use crate::number::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A panel of curves.
pub struct Panel {
    pub title: String,
    pub series: Vec<Series>,
}

/// A curve over time.
pub struct Series {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// Sizes in the unit of what is drawn on.
pub struct Sizes {
    pub font: u32,
    pub left: u32,
    pub bottom: u32,
    pub margin: u32,
    /// Room for half of the last label.
    pub right: u32,
    pub ticks: usize,
    /// Whether there is room for a legend.
    pub legend: bool,
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

/// Colours that people tell apart who see few: two of those of M. Okabe and K. Ito, *Color universal design*, 2008.
const COLOURS: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

/// Fails unless the path is one of a picture that can be drawn.
pub fn check_path(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|e| e == "svg") {
        return Ok(());
    }
    Err(Failure::Simulation(format!(
        "can't draw {}: the extension says the format, which is svg",
        path.display()
    )))
}

/// Writes the panels as a picture.
pub fn write_svg(path: &Path, robot: &str, panels: &[Panel]) -> Result<(), Failure> {
    let mut text = String::new();
    let drawn = {
        let size = (PICTURE.0, PICTURE.1 * panels.len() as u32);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area, robot, panels, &ON_PAPER)
    };
    drawn
        .map_err(|error| Failure::Simulation(format!("can't draw {}: {error}", path.display())))?;
    std::fs::write(path, text).map_err(|reason| Failure::File {
        path: path.to_owned(),
        reason,
    })
}

/// Draws the panels from top to bottom.
pub fn draw<B>(
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
            .label(series.name)
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

/// From the least to the greatest value, widened to something where they are the same.
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
