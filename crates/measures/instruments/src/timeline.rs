//! A figure against the time of day, as SVG.

use std::fmt::Write;

use crate::escape::escaped;
use crate::moments::moment;
use crate::plot::Axis;

/// The size of the picture, and of the space around the field of points.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 40.0;
/// Points that are drawn: of more, each has the largest of its neighbours.
const POINTS_MAX: usize = 600;

/// A figure at points in time.
pub struct Timeline {
    /// Its title.
    pub title: String,
    /// Its unit.
    pub unit: String,
    /// Microseconds since 1970, and the figure; in order.
    pub points: Vec<(u64, f64)>,
}

impl Timeline {
    /// The picture.
    pub fn svg(&self) -> String {
        let points = self.thinned();
        let (first, last) = (points.first().map_or(0, |p| p.0), points.last().map_or(0, |p| p.0));
        let up = Axis::new(points.iter().map(|point| point.1).fold(0.0, f64::max));
        let span = last.saturating_sub(first).max(1) as f64;
        let x = |at: u64| LEFT + at.saturating_sub(first) as f64 / span * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / up.end * (HEIGHT - TOP - BOTTOM);
        let mut svg = self.frame();
        // Writing to a String cannot fail.
        for tick in up.ticks() {
            let (at, label) = (y(tick), up.label(tick));
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT:.1} {at:.1}H{:.1}\"/>", WIDTH - RIGHT);
            let _ = writeln!(
                svg,
                "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
                LEFT - 8.0,
                at + 4.0
            );
        }
        for (class, at, time) in [("start", LEFT, first), ("end", WIDTH - RIGHT, last)] {
            let label = escaped(&moment(time));
            let _ = writeln!(
                svg,
                "<text class=\"{class}\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>",
                HEIGHT - 14.0
            );
        }
        let line: Vec<_> =
            points.iter().map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value))).collect();
        let _ = writeln!(svg, "<polyline class=\"line\" points=\"{}\"/>", line.join(" "));
        if let [(at, value)] = points[..] {
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>", x(at), y(value));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The points that are drawn.
    fn thinned(&self) -> Vec<(u64, f64)> {
        let of_one = self.points.len().div_ceil(POINTS_MAX).max(1);
        let largest =
            |points: &[(u64, f64)]| points.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
        self.points.chunks(of_one).filter_map(largest).collect()
    }

    fn frame(&self) -> String {
        let label = escaped(&format!("{}: {}", self.title, self.unit));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"13\" role=\"img\">\n<title>{label}</title>\n\
             <text class=\"start\" x=\"{LEFT:.1}\" y=\"22\" font-size=\"15\">{label}</text>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_keep_their_peak_and_none_or_one_is_a_picture_too() {
        let line = |points| Timeline { title: "Rate".into(), unit: "<a>".into(), points };
        let mut points: Vec<_> = (0..10_000).map(|n| (n * 1_000_000, 1.0)).collect();
        points[5_001].1 = 97.0;
        let many = line(points);
        assert!(many.thinned().len() <= POINTS_MAX && many.thinned().iter().any(|point| point.1 > 96.0));
        assert!(many.svg().contains("&lt;a&gt;") && !many.svg().contains("<a>"));
        assert!(line(vec![(1, 2.0)]).svg().contains("<circle"));
        assert!(line(Vec::new()).svg().ends_with("</svg>\n"));
    }
}
