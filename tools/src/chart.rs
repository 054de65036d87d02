//! Charts of curves as SVG.

use anyhow::{Context, Result, anyhow, ensure};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

pub use plotters::prelude::SeriesLabelPosition;

/// Told apart by people who do not see all colours, too (after M. Okabe and K. Ito, *Color
/// universal design*, 2008).
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(180, 170, 40),
    RGBColor(140, 140, 140),
    RGBColor(110, 50, 20),
];
const BAND: RGBColor = RGBColor(86, 180, 233);
const INK: RGBColor = RGBColor(60, 66, 74);
const WIDTH: u32 = 860;
const FONT: (&str, u32) = ("sans-serif", 12);

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A curve with its name.
pub struct Curve {
    /// The name in the legend.
    pub name: &'static str,
    /// x and y, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// An area around a curve, with its name.
pub struct Band {
    /// The name in the legend.
    pub name: &'static str,
    /// x, the lower and the upper y, from left to right.
    pub points: Vec<(f64, f64, f64)>,
}

/// An axis: what it shows, and its scale.
pub struct Axis {
    label: &'static str,
    is_logarithmic: bool,
    /// Where it begins, if not at the least value.
    start: Option<f64>,
}

impl Axis {
    /// An axis that is divided evenly.
    pub fn linear(label: &'static str) -> Self {
        Self {
            label,
            is_logarithmic: false,
            start: None,
        }
    }

    /// A linear axis that begins at zero.
    pub fn from_zero(label: &'static str) -> Self {
        Self {
            start: Some(0.0),
            ..Self::linear(label)
        }
    }

    /// An axis of positive values, divided by powers of ten.
    pub fn logarithmic(label: &'static str) -> Self {
        Self {
            is_logarithmic: true,
            ..Self::linear(label)
        }
    }

    /// From the least to the greatest value.
    fn across(&self, values: impl Iterator<Item = f64>) -> Range<f64> {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        self.start.unwrap_or(low)..high
    }

    /// The same with a margin, so that no curve lies on the frame.
    fn upward(&self, values: impl Iterator<Item = f64>) -> Range<f64> {
        let Range { start, end } = self.across(values);
        if self.is_logarithmic {
            return 0.5 * start..2.0 * end;
        }
        let margin = 0.05 * (end - start).max(1e-3);
        self.start.unwrap_or(start - margin)..end + margin
    }

    fn tick(&self, value: f64) -> String {
        if self.is_logarithmic && !(1.0..1e6).contains(&value) {
            return format!("{value:.0e}");
        }
        // Without what rounding leaves of a tick's distance, and of zero's sign.
        format!("{}", (1e6 * value).round() / 1e6 + 0.0)
    }
}

/// Curves over a common axis.
pub struct Chart<'a> {
    /// The title above the chart, if any.
    pub title: &'a str,
    /// The height in pixels.
    pub height: u32,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upward.
    pub y: Axis,
    /// The curves, the first below.
    pub curves: &'a [Curve],
    /// The band below the curves.
    pub band: Option<Band>,
    /// Whether each point has a dot.
    pub has_dots: bool,
    /// Where the legend stands.
    pub legend: SeriesLabelPosition,
}

impl Chart<'_> {
    /// Writes the chart to a file.
    ///
    /// # Errors
    /// If there is no point, or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, (WIDTH, self.height)).into_drawing_area())?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn draw(&self, area: &Area<'_>) -> Result<()> {
        let points = || {
            let curves = self.curves.iter().flat_map(|curve| &curve.points).copied();
            let band = self.band.iter().flat_map(|band| &band.points);
            curves.chain(band.flat_map(|&(x, low, high)| [(x, low), (x, high)]))
        };
        ensure!(points().next().is_some(), "there is nothing to draw");
        let x = self.x.across(points().map(|p| p.0));
        let y = self.y.upward(points().map(|p| p.1));
        let drawn = match (self.x.is_logarithmic, self.y.is_logarithmic) {
            (false, false) => self.draw_in(area, x, y),
            (false, true) => self.draw_in(area, x, y.log_scale()),
            (true, false) => self.draw_in(area, x.log_scale(), y),
            (true, true) => self.draw_in(area, x.log_scale(), y.log_scale()),
        };
        drawn.map_err(|error| anyhow!("cannot draw `{}`: {error}", self.title))
    }

    fn draw_in<X, Y>(&self, area: &Area<'_>, x: X, y: Y) -> Drawn
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area);
        chart
            .margin(10)
            .margin_right(24)
            .x_label_area_size(36)
            .y_label_area_size(62);
        if !self.title.is_empty() {
            chart.caption(self.title, ("sans-serif", 15, &INK));
        }
        let mut chart = chart.build_cartesian_2d(x, y)?;
        let mut mesh = chart.configure_mesh();
        if self.x.is_logarithmic {
            // With more, powers of ten are labelled twice.
            mesh.x_labels(4);
        }
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK)
            .label_style((FONT.0, FONT.1, &INK))
            .x_desc(self.x.label)
            .y_desc(self.y.label)
            .x_label_formatter(&|x| self.x.tick(*x))
            .y_label_formatter(&|y| self.y.tick(*y))
            .draw()?;
        if let Some(band) = &self.band {
            let below = band.points.iter().map(|&(x, low, _)| (x, low));
            let above = band.points.iter().rev().map(|&(x, _, high)| (x, high));
            let outline: Vec<(f64, f64)> = below.chain(above).collect();
            let style = BAND.mix(0.4).filled();
            chart
                .draw_series([Polygon::new(outline, style)])?
                .label(band.name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 16, y + 5)], style));
        }
        for (curve, colour) in self.curves.iter().zip(COLOURS.into_iter().cycle()) {
            // Noise of many points is not legible in thick lines.
            let width = if curve.points.len() > 100 { 1 } else { 2 };
            let style = colour.stroke_width(width);
            chart
                .draw_series([PathElement::new(curve.points.clone(), style)])?
                .label(curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
            if self.has_dots {
                let points = curve.points.iter();
                chart.draw_series(points.map(|point| Circle::new(*point, 3, colour.filled())))?;
            }
        }
        chart
            .configure_series_labels()
            .position(self.legend.clone())
            .background_style(WHITE.mix(0.85))
            .label_font((FONT.0, FONT.1, &INK))
            .draw()?;
        area.present()
    }
}
