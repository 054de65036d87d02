//! The requested outputs over the samples: a panel for each number.

use super::series::{Moment, Moments};
use crate::failure::Failure;
use featherline_record::number::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::io;
use std::ops::Range;
use std::path::Path;

const WIDTH: u32 = 420;
const HEIGHT: u32 = 220;
const MOST_ACROSS: usize = 3;
/// Colours for colour-blind readers, too (M. Okabe and K. Ito, 2008).
const LINE: RGBColor = RGBColor(0, 114, 178);
const BAND: RGBColor = RGBColor(86, 180, 233);
const INK: RGBColor = RGBColor(60, 66, 74);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawResult = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Writes a picture of all numbers, with bands of two standard deviations where these are known.
pub fn draw(path: &Path, labels: &[String], moments: &Moments) -> Result<(), Failure> {
    let (across, down) = panels(labels);
    let size = (WIDTH * across as u32, HEIGHT * down as u32);
    let failure = Failure::of_file(path);
    let picture = svg(size, |area| draw_panels(area, labels, moments))
        .map_err(|error| failure(io::Error::other(error.to_string())))?;
    std::fs::write(path, picture).map_err(failure)
}

/// A picture on white.
fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> DrawResult,
) -> Result<String, DrawingAreaErrorKind<io::Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(text)
}

/// The columns and rows of panels.
fn panels(labels: &[String]) -> (usize, usize) {
    let across = labels.len().clamp(1, MOST_ACROSS);
    (across, labels.len().div_ceil(across).max(1))
}

fn draw_panels(area: &Area<'_>, labels: &[String], moments: &Moments) -> DrawResult {
    let (across, down) = panels(labels);
    // Times, if every sample has one.
    let times: Option<Vec<f64>> = moments.iter().map(|moment| moment.time).collect();
    let unit = if times.is_some() { "s" } else { "sample" };
    let numbers = || moments.numbers().map(|number| number as f64).collect();
    let times = times.unwrap_or_else(numbers);
    let moments: Vec<&Moment> = moments.iter().collect();
    let panels = area.split_evenly((down, across));
    for ((number, label), panel) in labels.iter().enumerate().zip(panels) {
        draw_panel(&panel, label, unit, &times, number, &moments)?;
    }
    Ok(())
}

fn draw_panel(
    panel: &Area<'_>,
    label: &str,
    unit: &str,
    times: &[f64],
    number: usize,
    moments: &[&Moment],
) -> DrawResult {
    let points = times.iter().zip(moments).map(|(&time, moment)| {
        let sigma = moment.deviations.as_ref().map_or(0.0, |all| all[number]);
        (time, moment.values[number], 2.0 * sigma)
    });
    let points: Vec<(f64, f64, f64)> = points.collect();
    let ends = points
        .iter()
        .flat_map(|&(_, value, band)| [value - band, value + band]);
    let heights = span(ends);
    // A tick that is zero but for rounding.
    let nothing = 1e-9 * (heights.end - heights.start);
    let mut chart = ChartBuilder::on(panel)
        .caption(label, ("sans-serif", 14, &INK))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(62)
        .build_cartesian_2d(span(times.iter().copied()), heights)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.15))
        .axis_style(INK)
        .label_style(("sans-serif", 11, &INK))
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|value| short(*value))
        .y_label_formatter(&|value| short(if value.abs() < nothing { 0.0 } else { *value }))
        .x_desc(unit)
        .draw()?;
    // A sample without a solution leaves a gap.
    for run in points.split(|(_, value, _)| !value.is_finite()) {
        if run.iter().any(|&(_, _, band)| band > 0.0) {
            let above = run.iter().map(|&(time, value, band)| (time, value + band));
            let below = run
                .iter()
                .rev()
                .map(|&(time, value, band)| (time, value - band));
            let outline: Vec<(f64, f64)> = above.chain(below).collect();
            chart.draw_series([Polygon::new(outline, BAND.mix(0.4))])?;
        }
        let line: Vec<(f64, f64)> = run.iter().map(|&(time, value, _)| (time, value)).collect();
        chart.draw_series([PathElement::new(line, LINE.stroke_width(1))])?;
    }
    Ok(())
}

/// From the least to the greatest finite number, and a little more.
fn span(values: impl Iterator<Item = f64>) -> Range<f64> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return 0.0..1.0;
    }
    let margin = (0.05 * (high - low))
        .max(1e-6 * high.abs().max(low.abs()))
        .max(1e-9);
    low - margin..high + margin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(labels: &[String], moments: &[Moment]) -> String {
        let mut all = Moments::new();
        moments.iter().cloned().for_each(|moment| all.push(moment));
        svg((WIDTH, HEIGHT), |area| draw_panels(area, labels, &all)).expect("drawn")
    }

    fn moment(time: Option<f64>, value: f64, sigma: Option<f64>) -> Moment {
        Moment {
            time,
            values: vec![value],
            deviations: sigma.map(|sigma| vec![sigma]),
        }
    }

    #[test]
    fn a_band_is_drawn_where_there_are_deviations_and_a_gap_where_there_is_no_value() {
        let labels = ["τ of elbow".to_owned()];
        let drawn = |moments: &[Moment]| picture(&labels, moments);
        let known = |k: u32| moment(Some(f64::from(k)), f64::from(k), Some(0.5));
        let whole = drawn(&[known(0), known(1), known(2), known(3)]);
        assert_eq!(whole.matches("<polygon").count(), 1);
        assert!(
            whole.contains("τ of elbow") && whole.contains("\ns\n"),
            "{whole}"
        );
        let gap = [
            known(0),
            known(1),
            moment(Some(2.0), f64::NAN, Some(0.5)),
            known(3),
            known(4),
        ];
        assert_eq!(drawn(&gap).matches("<polygon").count(), 2);
        let bare = drawn(&[moment(None, 1.0, None), moment(Some(1.0), 2.0, None)]);
        assert!(
            !bare.contains("<polygon") && bare.contains("\nsample\n"),
            "{bare}"
        );
        assert!(drawn(&[]).starts_with("<svg"));
    }

    #[test]
    fn the_band_is_two_standard_deviations_wide() {
        let labels = ["x".to_owned()];
        let band = |sigma| {
            let moments = [0.0, 1.0].map(|time| moment(Some(time), 10.0 * time, Some(sigma)));
            let picture = picture(&labels, &moments);
            let outline = picture.split("<polygon").nth(1).expect("a band");
            let outline = outline.split("points=\"").nth(1).expect("its corners");
            let corners = outline
                .split('"')
                .next()
                .expect("they end")
                .split_whitespace();
            let heights: Vec<f64> = corners
                .map(|corner| {
                    corner
                        .split(',')
                        .nth(1)
                        .and_then(|y| y.parse().ok())
                        .expect("a number")
                })
                .collect();
            // The first and the last corner stand at the same time; 20 and 4σ make up 1/1.1 of the
            // height.
            let height = f64::from(HEIGHT) - 16.0 - 34.0;
            (heights[3] - heights[0], height / 1.1 / (10.0 + 4.0 * sigma))
        };
        for sigma in [0.5, 2.0] {
            let (width, unit) = band(sigma);
            // The caption takes some of the height, and corners stand on whole pixels.
            assert!(
                width < 4.0 * sigma * unit && width > 3.2 * sigma * unit - 1.0,
                "{width} {unit}"
            );
        }
    }
}
