//! Curves over time on a logarithmic scale.

use plotters::prelude::*;
use std::error::Error;

/// A curve with its name.
pub struct Curve {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// Told apart by people who do not see all colours, too (M. Okabe and K. Ito, *Color universal
/// design*, 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
];
const INK: RGBColor = RGBColor(60, 66, 74);

/// A picture of curves, as SVG.
pub fn chart(title: &str, curves: &[Curve]) -> Result<String, Box<dyn Error>> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().fold(1.0_f64, |m, p| m.max(p.0));
    let (low, high) = points().fold((1.0_f64, 1e-16_f64), |(low, high), p| {
        (low.min(p.1), high.max(p.1))
    });
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (860, 420)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 15, &INK))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(62)
            .build_cartesian_2d(0.0..end, (0.5 * low..2.0 * high).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK)
            .label_style(("sans-serif", 12, &INK))
            .x_desc("time [s]")
            .y_label_formatter(&|y| format!("{y:.0e}"))
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
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .label_font(("sans-serif", 12, &INK))
            .draw()?;
        area.present()?;
    }
    Ok(text)
}
