//! Line charts as SVG.

use std::fmt::Write;

/// A line of a chart.
pub struct Line {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

const COLOURS: [&str; 7] = [
    "#3f5f93", "#e08a2c", "#2f8f6b", "#a8436b", "#7a6bb5", "#6d7a8d", "#b0a030",
];
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;

/// Maps a chart's numbers to its picture.
struct Axes {
    low: f64,
    high: f64,
    top: f64,
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM)
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into about six.
fn step(range: f64) -> f64 {
    let raw = range / 6.0;
    let power = 10_f64.powf(raw.log10().floor());
    let leading = [1.0, 2.0, 5.0, 10.0];
    power
        * leading
            .into_iter()
            .find(|l| l * power >= raw)
            .unwrap_or(10.0)
}

/// The picture of some lines over the number of links.
pub fn chart(title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let low = points().fold(f64::INFINITY, |m, p| m.min(p.0));
    let high = points().fold(low + 1.0, |m, p| m.max(p.0));
    let most = points().fold(1.0_f64, |m, p| m.max(p.1));
    let tick = step(most);
    let axes = Axes {
        low,
        high,
        top: (most / tick).ceil() * tick,
    };
    let mut svg = String::new();
    // Writing to a string does not fail.
    let mut put = |text: String| _ = writeln!(svg, "{text}");
    put(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\">\n<style>\n  text {{ font: 13px \"Noto Sans\", Arial, sans-serif; fill: #1d2430; }}\n  \
         .paper {{ fill: #ffffff; }}\n  .grid {{ stroke: #d5d9e0; }}\n  \
         @media (prefers-color-scheme: dark) {{ text {{ fill: #e6eaf0; }} .paper {{ fill: #12161d; }} \
         .grid {{ stroke: #2e3642; }} }}\n</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-weight=\"600\">{title}</text>"
    ));
    let mut value = 0.0;
    while value <= axes.top {
        let y = axes.y(value);
        put(format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0
        ));
        value += tick;
    }
    let stride = step(high - low).max(1.0);
    let mut value = (low / stride).ceil() * stride;
    while value <= high {
        put(format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
            axes.x(value),
            HEIGHT - BOTTOM + 20.0
        ));
        value += stride;
    }
    put(format!(
        "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">number of links N</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0
    ));
    for (k, line) in lines.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let path: Vec<String> = line
            .points
            .iter()
            .map(|&(x, y)| format!("{:.1},{:.1}", axes.x(x), axes.y(y)))
            .collect();
        put(format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" points=\"{}\"/>",
            path.join(" ")
        ));
        let y = TOP + 16.0 + 20.0 * k as f64;
        put(format!(
            "<line stroke=\"{colour}\" stroke-width=\"3\" x1=\"{}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            LEFT + 12.0,
            LEFT + 40.0,
            LEFT + 48.0,
            y + 4.0,
            line.name
        ));
    }
    svg.push_str("</svg>\n");
    svg
}
