//! Times over the number of bodies, both on logarithmic scales.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

/// A curve with its name.
pub struct Curve {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// Told apart by people who do not see all colours, too (M. Okabe and K. Ito, *Color universal
/// design*, 2008).
const COLOURS: [RGBColor; 2] = [RGBColor(213, 94, 0), RGBColor(0, 114, 178)];
const INK: RGBColor = RGBColor(60, 66, 74);

/// A picture of curves, as SVG.
pub fn chart(title: &str, curves: &[Curve]) -> Result<String> {
    let mut text = String::new();
    draw(title, curves, &mut text).map_err(|error| anyhow!("cannot draw the picture: {error}"))?;
    Ok(text)
}

fn draw(
    title: &str,
    curves: &[Curve],
    text: &mut String,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().fold(1.0_f64, |m, p| m.max(p.0));
    let (low, high) = points().fold((f64::INFINITY, 0.0_f64), |(low, high), p| {
        (low.min(p.1), high.max(p.1))
    });
    let area = SVGBackend::with_string(text, (860, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 15, &INK))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(62)
        .build_cartesian_2d((1.0..end).log_scale(), (0.5 * low..2.0 * high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.15))
        .axis_style(INK)
        .label_style(("sans-serif", 12, &INK))
        .x_labels(4)
        .x_label_formatter(&|bodies| bodies.to_string())
        .x_desc("bodies")
        .y_desc("time of a state [s]")
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .draw()?;
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let line = PathElement::new(curve.points.clone(), colour);
        chart
            .draw_series(std::iter::once(line))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        let points = curve.points.iter();
        chart.draw_series(points.map(|point| Circle::new(*point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .label_font(("sans-serif", 12, &INK))
        .draw()?;
    area.present()
}
