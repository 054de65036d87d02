//! Angles so large that they say nothing.

use super::place;
use super::source::Lines;
use crate::coordinates::{self, Measure};
use crate::warning::warn;
use featherline::Model;

/// From this angle on, in rad, neighbouring doubles lie a milliradian apart and more. Sines of such an angle are those of the
/// number, to the last digit, but the number is hardly the angle that was meant.
const LARGEST: f64 = 4e12;

/// Watches for configurations with such angles, and warns of the first.
pub struct Angles {
    /// Where angles stand in q.
    entries: Vec<usize>,
    warned: bool,
}

impl Angles {
    /// Of a robot.
    pub fn new(model: &Model) -> Self {
        let entries = coordinates::configuration(model).into_iter().enumerate();
        let angles = entries.filter(|(_, entry)| entry.measure == Measure::Angle);
        Self {
            entries: angles.map(|(at, _)| at).collect(),
            warned: false,
        }
    }

    /// Warns, the first time, if the line that came last has such an angle in its configuration.
    pub fn watch(&mut self, q: &[f64], lines: &Lines) {
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
        let column = place::column(lines.text(), "q", at);
        let column = column.map_or_else(String::new, |column| format!(", column {column}"));
        warn(&format!(
            "{}{column}: `q`[{at}] = {angle:e} rad is no angle: numbers of that size lie {apart:.0e} rad apart; give it within some \
             turns of zero (further ones are not told)",
            lines.place()
        ));
    }
}
