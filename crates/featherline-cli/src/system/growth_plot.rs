//! Operations against the number of bodies, as a picture.

use super::plot::{Drawn, INK, write};
use crate::failure::Failure;
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (820, 520);
/// Colours for colour-blind readers, too (M. Okabe and K. Ito, 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(150, 140, 20),
];

/// Counts of one order, over the number of bodies.
pub struct Curve<'a> {
    pub name: &'a str,
    pub is_formula: bool,
    /// Bodies and operations; none where there is no such order.
    pub points: Vec<(usize, Option<u64>)>,
}

/// Draws all curves in one chart.
pub fn draw(path: &Path, robot: &str, curves: &[Curve<'_>]) -> Result<(), Failure> {
    write(path, SIZE, |area| {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let most = points().filter_map(|point| point.1).max().unwrap_or(1);
        let bodies = points().map(|point| point.0).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .caption(
                format!("{robot}: operations for its first N bodies"),
                ("sans-serif", 16, &INK),
            )
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(76)
            .build_cartesian_2d(0.0..bodies as f64 + 0.5, 0.0..1.05 * most as f64)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK)
            .label_style(("sans-serif", 12, &INK))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .x_desc("N")
            .draw()?;
        let (formulas, orders): (Vec<_>, Vec<_>) =
            curves.iter().partition(|curve| curve.is_formula);
        for (k, order) in orders.into_iter().enumerate() {
            draw_order(&mut chart, order, k)?;
        }
        for (k, formula) in formulas.into_iter().enumerate() {
            draw_formula(&mut chart, formula, k)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(INK.mix(0.3))
            .label_font(("sans-serif", 12, &INK))
            .draw()?;
        Ok(())
    })
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// The points that there are, where nothing lies between them: an order that there is not leaves a
/// gap.
fn runs(curve: &Curve<'_>) -> impl Iterator<Item = Vec<(f64, f64)>> {
    let runs = curve.points.split(|point| point.1.is_none());
    runs.map(|run| {
        run.iter()
            .filter_map(|&(bodies, count)| Some((bodies as f64, count? as f64)))
            .collect()
    })
}

/// A line with marks, which are hollow when colours begin again.
fn draw_order<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, curve: &Curve<'_>, number: usize) -> Drawn {
    let colour = COLOURS[number % COLOURS.len()];
    let mark = if number < COLOURS.len() {
        colour.filled()
    } else {
        colour.stroke_width(1)
    };
    for points in runs(curve) {
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, mark)))?;
        chart.draw_series([PathElement::new(points, colour.stroke_width(1))])?;
    }
    let key = chart.draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())?;
    key.label(curve.name).legend(move |place| {
        let line = PathElement::new([(0, 0), (18, 0)], colour.stroke_width(1));
        EmptyElement::at(place) + line + Circle::new((9, 0), 3, mark)
    });
    Ok(())
}

/// Marks alone: crosses for the first formula, triangles for the second.
fn draw_formula<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, curve: &Curve<'_>, number: usize) -> Drawn {
    const SIZE: i32 = 3;
    for points in runs(curve) {
        match number {
            0 => chart.draw_series(points.iter().map(|&point| Cross::new(point, SIZE, INK)))?,
            _ => chart.draw_series(points.iter().map(|&p| TriangleMarker::new(p, SIZE, INK)))?,
        };
    }
    let key = chart.draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())?;
    let key = key.label(curve.name);
    match number {
        0 => key.legend(|(x, y)| Cross::new((x + 9, y), SIZE, INK)),
        _ => key.legend(|(x, y)| TriangleMarker::new((x + 9, y), SIZE, INK)),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_lines_with_gaps_and_formulas_crosses() {
        let path =
            std::env::temp_dir().join(format!("featherline-growth-{}.svg", std::process::id()));
        let curve = |name, is_formula, points| Curve {
            name,
            is_formula,
            points,
        };
        let broken = vec![
            (1, Some(10)),
            (2, Some(20)),
            (3, None),
            (4, Some(50)),
            (5, Some(60)),
        ];
        let formula = vec![(1, None), (2, Some(15)), (3, Some(30))];
        let curves = [curve("aba", false, broken), curve("formula", true, formula)];
        draw(&path, "snake", &curves).expect("writable");
        let picture = std::fs::read_to_string(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it is there");
        // Each order's mark is a circle, and its line is broken where it has no number; the key has
        // both, too.
        assert_eq!(picture.matches("<circle").count(), 4 + 1);
        let lines = picture.split("<polyline").skip(1);
        let own = |line: &&str| {
            line.lines()
                .next()
                .is_some_and(|tag| tag.contains("#0072B2"))
        };
        assert_eq!(lines.filter(own).count(), 3, "{picture}");
        assert!(picture.contains("aba") && picture.contains("formula"));
    }
}
