//! Angles that are too large to be meant.

use super::lines::Lines;
use super::position;
use crate::message::warn;
use featherline::Model;
use featherline_formats::plausibility;
use featherline_record::coordinates::{self, Measure};

/// From this angle on, in rad, neighbouring doubles are a milliradian apart or more. The sine is
/// exact for the number, but the number is hardly the angle that was meant.
const LARGEST: f64 = 4e12;

/// Warns of angles of a configuration that seem to be in degrees; whether there are some.
pub fn doubt_degrees(model: &Model, q: &[f64], place: &str) -> bool {
    let doubts = plausibility::in_a_line(&plausibility::doubtful_angles(model, q));
    if let Some(doubts) = &doubts {
        warn(&format!("{place}: {doubts}"));
    }
    doubts.is_some()
}

/// Warns of the first configuration with such an angle, and of the first that seems to be in
/// degrees.
pub struct Angles {
    /// The indices of angles in q.
    entries: Vec<usize>,
    warned: bool,
    /// Whether degrees were doubted.
    doubted: bool,
}

impl Angles {
    /// Of a robot.
    pub fn new(model: &Model) -> Self {
        let entries = coordinates::configuration(model).into_iter().enumerate();
        let angles = entries.filter(|(_, entry)| entry.measure == Measure::Angle);
        Self {
            entries: angles.map(|(at, _)| at).collect(),
            warned: false,
            doubted: false,
        }
    }

    /// Warns, the first time, if the line that came last has such an angle in its configuration.
    pub fn watch(&mut self, model: &Model, q: &[f64], lines: &Lines) {
        self.doubted = self.doubted || doubt_degrees(model, q, &lines.label());
        if self.warned {
            return;
        }
        let far = |&&at: &&usize| q[at].abs() >= LARGEST;
        let Some(&at) = self.entries.iter().find(far) else {
            return;
        };
        self.warned = true;
        let angle = q[at];
        let apart = angle.abs() - angle.abs().next_down();
        let column = position::column(lines.text(), "q", at);
        let column = column.map_or_else(String::new, |column| format!(", column {column}"));
        warn(&format!(
            "{}{column}: `q`[{at}] = {angle:e} rad is no angle: numbers of that size lie {apart:.0e} rad apart; give it \
             within some turns of zero (other such angles are not reported)",
            lines.label()
        ));
    }
}
