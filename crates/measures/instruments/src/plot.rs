//! A plot of points with the lines that fit them best, as SVG or as characters.

use std::fmt::Write;

use crate::escape::escaped;

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
}

/// Points that belong together: they have a colour, a letter and a line of their own.
#[derive(Clone, Debug)]
pub struct Series {
    /// Their name; may be empty if there is one series.
    pub name: String,
    /// The points.
    pub points: Vec<Point>,
}

/// A plot. Both axes begin at 0.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its title.
    pub title: String,
    /// The label of the axis to the right.
    pub x: String,
    /// The label of the axis upwards.
    pub y: String,
    /// The series that are drawn.
    pub series: Vec<Series>,
}

/// The colours of series, over and over, and the letters.
const COLOURS: [&str; 4] = ["#b33", "#246", "#484", "#850"];
const LETTERS: [char; 4] = ['o', 'x', '+', '*'];
/// The size of the field of points in characters.
const COLUMNS: usize = 64;
const LINES: usize = 16;

/// The size of the picture, and of the space around the field of points.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 64.0;
/// Ticks of an axis, about.
const TICKS: f64 = 6.0;

/// An axis: from 0 to its end, with a tick every step.
pub(crate) struct Axis {
    pub(crate) end: f64,
    step: f64,
}

impl Axis {
    pub(crate) fn new(largest: f64) -> Self {
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let rough = largest / TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
        Self { end: (largest / step).ceil() * step, step }
    }

    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = (self.end / self.step).round() as usize;
        (0..=count).map(|n| n as f64 * self.step)
    }

    pub(crate) fn label(&self, tick: f64) -> String {
        let decimals = if self.step >= 1.0 { 0 } else { (-self.step.log10().floor()) as usize };
        format!("{tick:.decimals$}")
    }
}

/// The line through the points with the least squares: where it crosses the axis upwards, and how steep it is.
fn fit(points: &[Point]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let mean = |of: fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.x), mean(|p| p.y));
    let spread: f64 = points.iter().map(|p| (p.x - x).powi(2)).sum();
    if spread <= f64::EPSILON {
        return None;
    }
    let slope = points.iter().map(|p| (p.x - x) * (p.y - y)).sum::<f64>() / spread;
    Some((y - slope * x, slope))
}

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let (across, up) = self.axes();
        let x = |value: f64| LEFT + value / across.end * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / up.end * (HEIGHT - TOP - BOTTOM);
        let mut svg = self.frame();
        // Writing to a String cannot fail.
        for tick in across.ticks() {
            let (at, label) = (x(tick), across.label(tick));
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/>", y(0.0), y(up.end));
            let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{:.1}\">{label}</text>", y(0.0) + 20.0);
        }
        for tick in up.ticks() {
            let (at, label) = (y(tick), up.label(tick));
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/>", x(0.0), x(across.end));
            let _ = writeln!(
                svg,
                "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
                x(0.0) - 8.0,
                at + 4.0
            );
        }
        for (number, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            if let Some((from, slope)) = fit(&series.points) {
                let ends = [0.0, across.end].map(|at| (x(at), y((from + slope * at).clamp(0.0, up.end))));
                let _ = writeln!(
                    svg,
                    "<path stroke=\"{colour}\" stroke-width=\"1.5\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                    ends[0].0, ends[0].1, ends[1].0, ends[1].1
                );
            }
            for point in &series.points {
                let (x, y) = (x(point.x), y(point.y));
                let _ = writeln!(svg, "<circle fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
            }
            let (name, y) = (escaped(&series.name), TOP + 16.0 * (number + 1) as f64);
            let _ = writeln!(
                svg,
                "<text fill=\"{colour}\" style=\"text-anchor:start\" x=\"{:.1}\" y=\"{y:.1}\">{name}</text>",
                LEFT + 12.0
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The axis to the right, and the axis upwards.
    fn axes(&self) -> (Axis, Axis) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let largest = |of: fn(&Point) -> f64| points().map(of).fold(0.0, f64::max);
        (Axis::new(largest(|p| p.x)), Axis::new(largest(|p| p.y)))
    }

    /// The points as characters, each series with a letter of its own.
    pub fn text(&self) -> String {
        let (across, up) = self.axes();
        let mut field = vec![vec![' '; COLUMNS + 1]; LINES + 1];
        for (series, letter) in self.series.iter().zip(LETTERS.iter().cycle()) {
            for point in &series.points {
                let column = (point.x / across.end * COLUMNS as f64).round() as usize;
                let line = LINES - (point.y / up.end * LINES as f64).round() as usize;
                field[line][column] = *letter;
            }
        }
        let width = up.ticks().map(|tick| up.label(tick).len()).max().unwrap_or(0);
        let mut text = format!("{}: {} against {}\n", self.title, self.y, self.x);
        for (number, line) in field.iter().enumerate() {
            let tick =
                up.ticks().find(|tick| LINES - (tick / up.end * LINES as f64).round() as usize == number);
            let label = tick.map_or_else(String::new, |tick| up.label(tick));
            let line: String = line.iter().collect();
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{label:>width$} │{}", line.trim_end());
        }
        let mut labels = " ".repeat(width + 2);
        for tick in across.ticks() {
            let at = width + 2 + (tick / across.end * COLUMNS as f64).round() as usize;
            let label = across.label(tick);
            let from = (at + 1).saturating_sub(label.len()).max(labels.chars().count() + 1);
            labels.extend(std::iter::repeat_n(' ', from.saturating_sub(labels.chars().count())));
            labels += &label;
        }
        let _ = writeln!(text, "{:>width$} └{}\n{labels}", "", "─".repeat(COLUMNS + 1));
        for (series, letter) in self.series.iter().zip(LETTERS.iter().cycle()) {
            let _ = writeln!(text, "{letter} {}", series.name);
        }
        text
    }

    /// The picture's begin: its style, its title, what its axes say.
    fn frame(&self) -> String {
        let (middle, side) = ((LEFT + WIDTH - RIGHT) / 2.0, (TOP + HEIGHT - BOTTOM) / 2.0);
        let [title, x, y] = [&self.title, &self.x, &self.y].map(|text| escaped(text));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"13\">\n\
             <style>text{{text-anchor:middle}}.end{{text-anchor:end}}.grid{{stroke:#ddd}}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{middle:.1}\" y=\"26\" font-size=\"16\">{title}</text>\n\
             <text x=\"{middle:.1}\" y=\"{:.1}\">{x}</text>\n\
             <text transform=\"translate(22 {side:.1}) rotate(-90)\">{y}</text>\n",
            HEIGHT - 16.0
        )
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_that_holds_everything() {
        for (largest, end, step) in
            [(8_680.0, 10_000.0, 2_000.0), (97.0, 100.0, 20.0), (0.07, 0.08, 0.02), (0.0, 1.0, 0.2)]
        {
            let axis = Axis::new(largest);
            assert!(
                (axis.end - end).abs() < 1e-9 && (axis.step - step).abs() < 1e-9,
                "{largest}: {}",
                axis.end
            );
        }
    }

    #[test]
    fn the_line_goes_through_points_that_lie_on_one() {
        let points = [1.0, 2.0, 5.0].map(|x| Point { x, y: 3.0 + 2.0 * x });
        let (from, slope) = fit(&points).expect("points that differ");
        assert!((from - 3.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9);
        assert_eq!(fit(&points[..1]), None);
    }

    #[test]
    fn every_point_is_in_the_picture() {
        let points = vec![Point { x: 500.0, y: 25.0 }, Point { x: 3_494.0, y: 174.0 }];
        let series = vec![Series { name: "log < off".into(), points }];
        let plot = Plot { title: "a < b".into(), x: "rate".into(), y: "%".into(), series };
        let svg = plot.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains(">4000<") && svg.ends_with("</svg>\n"));
        assert!(!Plot { series: Vec::new(), ..plot }.svg().contains("<circle"));
    }

    #[test]
    fn points_as_characters() {
        let points = |slope: f64| [500.0, 1_000.0, 2_000.0].map(|x| Point { x, y: slope * x }).to_vec();
        let series = [("without", 0.01), ("with", 0.012)]
            .map(|(name, slope)| Series { name: name.into(), points: points(slope) })
            .to_vec();
        let plot = Plot { title: "CPU".into(), x: "rate".into(), y: "%".into(), series };
        expect![[r#"
            CPU: % against rate
            25 │
               │                                                                x
               │
            20 │                                                                o
               │
               │
            15 │
               │
               │                                x
               │
            10 │                                o
               │
               │                x
             5 │                o
               │
               │
             0 │
               └─────────────────────────────────────────────────────────────────
                 0            500            1000            1500            2000
            o without
            x with
        "#]]
        .assert_eq(&plot.text());
    }
}
