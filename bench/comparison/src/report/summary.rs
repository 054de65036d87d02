//! The table at the end of a run: ratios of one state beside the reference, and how others stand.

use super::{REFERENCE, Report};
use crate::form::Form;
use crate::row::{Contestant, Row};
use featherline_bench::statistics::median;
use std::fmt::{self, Write};

/// Columns of a terminal, and those for the name of a call.
const WIDTH: usize = 100;
const CALL: usize = 32;

impl Report<'_> {
    /// A table of the ratios beside the reference, call by call and robot by robot, for a terminal
    /// of 100 columns, and a line for each other peer.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_summary(&mut text);
        text
    }

    fn write_summary(&self, text: &mut String) -> fmt::Result {
        let trees = self.robots.iter().map(|it| {
            let rows = it.calls.iter().map(|measured| &measured.row);
            (it.name.as_str(), rows.collect::<Vec<_>>())
        });
        let held = self
            .held
            .iter()
            .map(|it| (it.name.as_str(), it.rows.iter().collect()));
        let linkages = self
            .linkages
            .iter()
            .map(|it| (it.name.as_str(), it.rows.iter().collect()));
        let groups: [Vec<(&str, Vec<&Row>)>; 3] =
            [trees.collect(), held.collect(), linkages.collect()];
        let reference = self.peers.first().map_or("", String::as_str);
        writeln!(
            text,
            "featherline's time by {reference}'s, one state after the other; below 1, featherline is faster"
        )?;
        for group in groups
            .iter()
            .filter(|robots| robots.iter().any(|it| !it.1.is_empty()))
        {
            table(group, text)?;
        }
        for (peer, name) in self.peers.iter().enumerate().skip(1) {
            let rows = groups.iter().flatten().flat_map(|(_, rows)| rows);
            let mut ratios: Vec<f64> = rows
                .filter_map(|row| row.ratio(Contestant::Own(Form::Single), Contestant::Peer(peer)))
                .map(|ratio| ratio.median)
                .collect();
            ratios.sort_by(f64::total_cmp);
            if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
                let (count, middle) = (ratios.len(), median(&ratios));
                writeln!(
                    text,
                    "beside {name}: {least:.2} to {most:.2}, median {middle:.2}, of {count} times"
                )?;
            }
        }
        Ok(())
    }
}

/// A table of robots with the same calls.
fn table(robots: &[(&str, Vec<&Row>)], text: &mut String) -> fmt::Result {
    let width = ((WIDTH - CALL) / robots.len().max(1)).clamp(6, 14);
    write!(text, "\n{:CALL$}", "")?;
    for (name, _) in robots {
        // As much of a name as fits.
        let name: String = name.chars().take(width - 1).collect();
        write!(text, "{name:>width$}")?;
    }
    writeln!(text)?;
    let calls = robots.first().map_or(&[][..], |(_, rows)| rows);
    for (index, row) in calls.iter().enumerate() {
        write!(text, "{:CALL$}", row.call)?;
        for (_, rows) in robots {
            let row = rows.get(index);
            let ratio = row.and_then(|row| row.ratio(Contestant::Own(Form::Single), REFERENCE));
            match ratio {
                Some(ratio) => write!(text, "{:>width$.2}", ratio.median)?,
                None => write!(text, "{:>width$}", "")?,
            }
        }
        writeln!(text)?;
    }
    Ok(())
}
