//! A plot of points with the line that fits them best, as SVG.

use std::fmt::Write;

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
}

/// A plot. Both axes begin at 0.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it is about.
    pub title: String,
    /// What the axis to the right says.
    pub x: String,
    /// What the axis upwards says.
    pub y: String,
    /// The points.
    pub points: Vec<Point>,
}

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
struct Axis {
    end: f64,
    step: f64,
}

impl Axis {
    fn new(largest: f64) -> Self {
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let rough = largest / TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
        Self { end: (largest / step).ceil() * step, step }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = (self.end / self.step).round() as usize;
        (0..=count).map(|n| n as f64 * self.step)
    }

    fn label(&self, tick: f64) -> String {
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
        let largest = |of: fn(&Point) -> f64| self.points.iter().map(of).fold(0.0, f64::max);
        let (across, up) = (Axis::new(largest(|p| p.x)), Axis::new(largest(|p| p.y)));
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
        if let Some((from, slope)) = fit(&self.points) {
            let ends = [0.0, across.end].map(|at| (x(at), y((from + slope * at).clamp(0.0, up.end))));
            let _ = writeln!(
                svg,
                "<path class=\"fit\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                ends[0].0, ends[0].1, ends[1].0, ends[1].1
            );
        }
        for point in &self.points {
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>", x(point.x), y(point.y));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The picture's begin: its style, its title, what its axes say.
    fn frame(&self) -> String {
        let (middle, side) = ((LEFT + WIDTH - RIGHT) / 2.0, (TOP + HEIGHT - BOTTOM) / 2.0);
        let [title, x, y] = [&self.title, &self.x, &self.y].map(|text| escaped(text));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"13\">\n\
             <style>text{{text-anchor:middle;fill:#333}}.end{{text-anchor:end}}.grid{{stroke:#ddd}}\
             .fit{{stroke:#b33;stroke-width:1.5}}circle{{fill:#246}}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{middle:.1}\" y=\"26\" font-size=\"16\">{title}</text>\n\
             <text x=\"{middle:.1}\" y=\"{:.1}\">{x}</text>\n\
             <text transform=\"translate(22 {side:.1}) rotate(-90)\">{y}</text>\n",
            HEIGHT - 16.0
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
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
        let plot = Plot { title: "a < b".into(), x: "rate".into(), y: "%".into(), points };
        let svg = plot.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains(">4000<") && svg.ends_with("</svg>\n"));
        assert!(!Plot { points: Vec::new(), ..plot }.svg().contains("<circle"));
    }
}
