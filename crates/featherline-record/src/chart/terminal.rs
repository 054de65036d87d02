//! Curves in a terminal: Braille patterns, eight dots to a character.

use super::{Panel, Sizes, draw};
use plotters::prelude::IntoDrawingArea;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    rasterizer,
};
use std::convert::Infallible;

/// Dots of a character, across and down.
const DOTS: (u32, u32) = (2, 4);

/// Rows of characters of a panel.
const ROWS: u32 = 12;

/// The most characters of a line: wider lines are hard to read.
const MOST_COLUMNS: u32 = 110;

/// The Braille pattern without dots (Unicode 15, block 2800), and what each dot adds: by row, left
/// and right.
const BLANK: u32 = 0x2800;
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

const SIZES: Sizes = Sizes {
    font: DOTS.1,
    left: 12 * DOTS.0,
    bottom: 2 * DOTS.1,
    margin: 0,
    right: 4 * DOTS.0,
    ticks: 4,
    legend: false,
};

/// The panels of a robot as lines of text, in Braille patterns, for a terminal of so many columns.
/// Patterns have one colour: each curve has a panel of its own, titled with its name.
pub fn terminal(robot: &str, panels: &[Panel], columns: u16) -> String {
    let columns = u32::from(columns).clamp(40, MOST_COLUMNS);
    let panels: Vec<Panel> = panels.iter().flat_map(apart).collect();
    let mut screen = Screen::new(columns, ROWS * panels.len() as u32);
    {
        let area = (&mut screen).into_drawing_area();
        // Drawing in memory does not fail.
        let _ = draw(&area, robot, &panels, &SIZES);
    }
    screen.text()
}

/// A panel for each curve.
fn apart(panel: &Panel) -> impl Iterator<Item = Panel> + '_ {
    let is_alone = panel.series.len() == 1;
    panel.series.iter().map(move |curve| Panel {
        title: match is_alone {
            true => panel.title.clone(),
            false => format!("{} {}", curve.name, panel.title),
        },
        series: vec![curve.clone()],
    })
}

/// Characters, each of them a pattern of dots or a letter over it.
struct Screen {
    columns: u32,
    rows: u32,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
}

impl Screen {
    fn new(columns: u32, rows: u32) -> Self {
        let cells = (columns * rows) as usize;
        Self {
            columns,
            rows,
            dots: vec![0; cells],
            letters: vec![None; cells],
        }
    }

    /// The index of a character, if it is on the screen.
    fn cell(&self, column: i32, row: i32) -> Option<usize> {
        let on = (0..self.columns as i32).contains(&column) && (0..self.rows as i32).contains(&row);
        on.then(|| (row * self.columns as i32 + column) as usize)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in 0..self.rows as usize {
            let begin = row * self.columns as usize;
            let line: String = (begin..begin + self.columns as usize)
                .map(|k| match (self.letters[k], self.dots[k]) {
                    (Some(letter), _) => letter,
                    (None, 0) => ' ',
                    // Every pattern of the block is a character.
                    (None, dots) => char::from_u32(BLANK + u32::from(dots)).unwrap_or(' '),
                })
                .collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

type DrawResult = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for &mut Screen {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.columns * DOTS.0, self.rows * DOTS.1)
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }

    fn present(&mut self) -> DrawResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> DrawResult {
        let (width, height) = (DOTS.0 as i32, DOTS.1 as i32);
        // The background is the terminal's own.
        if colour.rgb == (255, 255, 255) || x < 0 || y < 0 {
            return Ok(());
        }
        if let Some(cell) = self.cell(x / width, y / height) {
            self.dots[cell] |= BITS[(y % height) as usize][(x % width) as usize];
        }
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        if fill && style.color().rgb == (255, 255, 255) {
            return Ok(());
        }
        rasterizer::draw_rect(self, from, to, style, fill)
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        (x, y): BackendCoord,
    ) -> DrawResult {
        let length = text.chars().count() as i32;
        let anchor = style.anchor();
        let column = x / DOTS.0 as i32
            - match anchor.h_pos {
                HPos::Left => 0,
                HPos::Center => length / 2,
                HPos::Right => length,
            };
        let row = y / DOTS.1 as i32 - i32::from(matches!(anchor.v_pos, VPos::Bottom));
        for (k, letter) in text.chars().enumerate() {
            if let Some(cell) = self.cell(column + k as i32, row) {
                self.letters[cell] = Some(letter);
            }
        }
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        _: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((text.chars().count() as u32 * DOTS.0, DOTS.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Series;

    #[test]
    fn a_line_goes_from_corner_to_corner_under_its_title() {
        let points = (0..=50)
            .map(|k| (f64::from(k), f64::from(k) * 0.01))
            .collect();
        let panel = Panel {
            title: "a rising line".to_owned(),
            series: vec![Series {
                name: "line".to_owned(),
                points,
            }],
        };
        let text = terminal("robot", &[panel], 80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), ROWS as usize);
        assert!(
            text.contains("robot: a rising line") && text.contains("40 s"),
            "{text}"
        );
        let is_dots = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
        let last = |line: &&str| {
            line.chars()
                .enumerate()
                .filter(|(_, c)| is_dots(*c))
                .map(|(k, _)| k)
                .last()
        };
        let ends: Vec<usize> = lines[1..9].iter().filter_map(last).collect();
        // Higher rows end further to the right.
        assert!(
            ends.len() > 5 && ends.is_sorted_by(|a, b| a >= b),
            "{ends:?}\n{text}"
        );
        assert!(lines.iter().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn curves_of_one_panel_are_drawn_apart_and_named() {
        let series = |name: &str| Series {
            name: name.to_owned(),
            points: vec![(0.0, 0.0), (1.0, 1.0)],
        };
        let panel = Panel {
            title: "momentum since the start".to_owned(),
            series: vec![series("linear [N s]"), series("angular [N m s]")],
        };
        let text = terminal("robot", &[panel], 80);
        assert_eq!(text.lines().count(), 2 * ROWS as usize);
        for name in ["linear [N s]", "angular [N m s]"] {
            let title = format!("robot: {name} momentum since the start");
            assert!(text.contains(&title), "{text}");
        }
    }
}
