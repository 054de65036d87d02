//! The picture of the README: featherline's time by the reference's, call by call and robot by
//! robot.
//!
//! It stands on no background of its own, in colours that can be told from white and from black.

use crate::form::Form;
use crate::report::{REFERENCE, RobotResult};
use crate::row::Contestant;
use crate::targets;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: u32 = 860;
const LEFT: i32 = 190;
const RIGHT: i32 = 840;
const TOP: i32 = 64;
const ROW: i32 = 36;
/// Dots of one call stand below each other, so that equal ratios do not hide each other.
const STEP: i32 = 3;
const INK: RGBColor = RGBColor(125, 130, 138);
const AIM: RGBColor = RGBColor(214, 90, 60);
/// Told apart by people who do not see all colours, too (after M. Okabe and K. Ito, 2008).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(180, 170, 40),
    RGBColor(125, 130, 138),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One call: its name, what its ratio should not exceed, and its ratio on each robot.
struct Line {
    call: &'static str,
    aim: Option<f64>,
    ratios: Vec<Option<f64>>,
}

/// Draws the ratios for one state.
///
/// # Errors
/// If nothing was measured.
pub fn svg(robots: &[RobotResult], reference: &str) -> Result<String> {
    let lines = lines(robots);
    let ratios = lines.iter().flat_map(|line| line.ratios.iter().flatten());
    let greatest = ratios.fold(1.0_f64, |greatest, ratio| greatest.max(*ratio));
    if lines.is_empty() {
        return Err(anyhow!("there is nothing to draw"));
    }
    // The axis ends at a tick.
    let end = (greatest * 5.0 + 0.5).ceil() / 5.0;
    let across = |ratio: f64| LEFT + (f64::from(RIGHT - LEFT) * ratio / end).round() as i32;
    let bottom = TOP + ROW * i32::try_from(lines.len())?;
    let mut text = String::new();
    {
        let height = u32::try_from(bottom + 50)?;
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        let draw = || -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
            axis(&area, across, end, bottom, reference)?;
            for (k, line) in lines.iter().enumerate() {
                let y = TOP + ROW * k as i32 + ROW / 2;
                row(&area, across, line, y)?;
            }
            legend(&area, robots)?;
            area.present()
        };
        draw().map_err(|error| anyhow!("cannot draw the picture: {error}"))?;
    }
    Ok(text)
}

fn lines(robots: &[RobotResult]) -> Vec<Line> {
    let first = robots.first();
    let calls = first.map(|robot| robot.calls.iter().map(|measured| measured.row.call));
    let ratio = |robot: &RobotResult, k: usize| {
        let row = &robot.calls.get(k)?.row;
        let ratio = row.ratio(Contestant::Own(Form::Single), REFERENCE)?;
        Some(ratio.median)
    };
    let calls = calls.into_iter().flatten().enumerate();
    calls
        .map(|(k, call)| Line {
            call,
            aim: targets::greatest_ratio(call, Form::Single, true),
            ratios: robots.iter().map(|robot| ratio(robot, k)).collect(),
        })
        .collect()
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn write(area: &Area<'_>, text: &str, at: (i32, i32), horizontal: HPos) -> Drawn {
    let style = ("sans-serif", 14).into_font().color(&INK);
    let style = style.pos(Pos::new(horizontal, VPos::Center));
    area.draw(&Text::new(text.to_owned(), at, style))
}

/// Ticks every fifth, and a stronger line where both libraries are equally fast.
fn axis(
    area: &Area<'_>,
    across: impl Fn(f64) -> i32,
    end: f64,
    bottom: i32,
    reference: &str,
) -> Drawn {
    let ticks = (end * 5.0).round() as i32;
    for tick in 0..=ticks {
        let ratio = f64::from(tick) / 5.0;
        let x = across(ratio);
        let style = INK.mix(if tick == 5 { 1.0 } else { 0.3 }).stroke_width(1);
        area.draw(&PathElement::new(vec![(x, TOP), (x, bottom)], style))?;
        write(area, &format!("{ratio:.1}"), (x, bottom + 14), HPos::Center)?;
    }
    let label =
        format!("time by {reference}'s, one state on one core: left of 1 is faster; red: the aim");
    write(
        area,
        &label,
        ((LEFT + RIGHT) / 2, bottom + 36),
        HPos::Center,
    )
}

fn row(area: &Area<'_>, across: impl Fn(f64) -> i32, line: &Line, y: i32) -> Drawn {
    write(area, line.call, (LEFT - 12, y), HPos::Right)?;
    if let Some(aim) = line.aim {
        let x = across(aim);
        let ends = vec![(x, y - ROW / 2 + 3), (x, y + ROW / 2 - 3)];
        area.draw(&PathElement::new(ends, AIM.stroke_width(3)))?;
    }
    for (robot, ratio) in line.ratios.iter().enumerate() {
        if let Some(ratio) = ratio {
            let colour = COLOURS[robot % COLOURS.len()];
            let y = y + below(robot, line.ratios.len());
            area.draw(&Circle::new((across(*ratio), y), 4, colour.filled()))?;
        }
    }
    Ok(())
}

/// How far below the middle of its row a robot's dot stands.
fn below(robot: usize, robots: usize) -> i32 {
    STEP * (2 * robot as i32 - robots as i32 + 1) / 2
}

fn legend(area: &Area<'_>, robots: &[RobotResult]) -> Drawn {
    let width = (WIDTH as i32 - 40) / robots.len().max(1) as i32;
    for (k, robot) in robots.iter().enumerate() {
        let x = 28 + width * k as i32;
        let colour = COLOURS[k % COLOURS.len()];
        area.draw(&Circle::new((x, 30), 5, colour.filled()))?;
        write(area, &robot.name, (x + 10, 30), HPos::Left)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Measured;
    use crate::row::{Row, Run};
    use featherline_bench::footprint::Footprint;

    fn robot(name: &str, own: f64) -> RobotResult {
        let run = |contestant, time| Run {
            processes: vec![vec![time]],
            ..Run::new(contestant, "rnea".to_owned())
        };
        let runs = vec![
            run(Contestant::Own(Form::Single), own),
            run(REFERENCE, 100.0),
        ];
        RobotResult {
            name: name.to_owned(),
            nv: 7,
            bodies: 7,
            footprint: Footprint {
                model: 0,
                recursive: 0,
                workspace: 0,
            },
            batches: [0; 2],
            calls: vec![Measured {
                row: Row { call: "rnea", runs },
                operations: None,
                program: None,
            }],
        }
    }

    #[test]
    fn a_dot_stands_where_its_ratio_is() -> Result<()> {
        let svg = svg(&[robot("arm", 50.0), robot("leg", 110.0)], "Reference")?;
        for text in ["arm", "leg", "rnea", "Reference"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        // The axis goes from 190 to 840, and from 0 to 1.2.
        let (middle, half, more) = (TOP + ROW / 2, 190 + 271, 190 + 596);
        for (x, y) in [(half, middle - 1), (more, middle + 1)] {
            let dot = format!("cx=\"{x}\" cy=\"{y}\"");
            assert!(svg.contains(&dot), "{dot} in {svg}");
        }
        assert!(super::svg(&[], "Reference").is_err());
        Ok(())
    }
}
