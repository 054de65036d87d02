//! Line charts as SVG.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

/// A line of a chart.
pub struct Line {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

const COLOURS: [RGBColor; 8] = [
    RGBColor(63, 95, 147),
    RGBColor(224, 138, 44),
    RGBColor(47, 143, 107),
    RGBColor(168, 67, 107),
    RGBColor(122, 107, 181),
    RGBColor(109, 122, 141),
    RGBColor(176, 160, 48),
    RGBColor(29, 36, 48),
];
const SIZE: (u32, u32) = (760, 440);
const INK: RGBColor = RGBColor(29, 36, 48);

/// The picture of some lines over the number of links.
pub fn chart(title: &str, lines: &[Line]) -> Result<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let low = points().fold(f64::INFINITY, |m, p| m.min(p.0));
    let high = points().fold(low + 1.0, |m, p| m.max(p.0));
    let most = points().fold(1.0_f64, |m, p| m.max(p.1));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let draw = || -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
            area.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&area)
                .caption(title, ("sans-serif", 17, &INK))
                .margin(12)
                .x_label_area_size(44)
                .y_label_area_size(66)
                .build_cartesian_2d(low..high, 0.0..1.02 * most)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(INK.mix(0.15))
                .axis_style(INK)
                .label_style(("sans-serif", 13, &INK))
                .x_desc("number of links N")
                .x_label_formatter(&|links| format!("{links:.0}"))
                .y_label_formatter(&|count| format!("{count:.0}"))
                .draw()?;
            for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
                let path = PathElement::new(line.points.clone(), colour.stroke_width(2));
                chart
                    .draw_series([path])?
                    .label(line.name)
                    .legend(|(x, y)| {
                        PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3))
                    });
            }
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .label_font(("sans-serif", 13, &INK))
                .legend_area_size(32)
                .margin(10)
                .draw()?;
            area.present()
        };
        draw().map_err(|error| anyhow!("cannot draw the picture: {error}"))?;
    }
    Ok(svg)
}
