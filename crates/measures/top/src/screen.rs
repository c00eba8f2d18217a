//! The screen: what the view shows, as lines.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::App;
use crate::table::printable;
use crate::views::{View, summary};

/// The keys, at the foot.
const KEYS: &str = "1-7 view   ↑↓ row   Enter details   p purge   f forcepurge   Space hold   q end";

/// Draws all of it.
pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let heights = [Constraint::Length(3), Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)];
    let [head, tabs, body, foot] = Layout::vertical(heights).areas(frame.area());
    if let Some(between) = app.between() {
        frame.render_widget(Paragraph::new(summary(&between).map(Line::from).to_vec()), head);
    }
    frame.render_widget(names(app), tabs);
    let shown = match &app.answer {
        Some(answer) => {
            Paragraph::new(answer.lines().map(|line| Line::from(printable(line))).collect::<Vec<_>>())
        }
        None => Paragraph::new(rows(app, usize::from(body.height))),
    };
    frame.render_widget(shown, body);
    frame.render_widget(below(app), foot);
}

fn names(app: &App) -> Line<'static> {
    let name = |(place, view): (usize, &View)| {
        let text = format!(" {} {} ", place + 1, view.name());
        if *view == app.view() { text.reversed() } else { Span::from(text) }
    };
    let mut spans: Vec<_> = View::ALL.iter().enumerate().map(name).collect();
    if app.paused {
        spans.push("  held".bold());
    }
    Line::from(spans)
}

/// The heading, and as many rows as fit, the chosen one among them.
fn rows(app: &App, height: usize) -> Vec<Line<'static>> {
    let mut lines = app.table().lines().into_iter();
    let heading = lines.next().unwrap_or_default();
    let first = app.row.saturating_sub(height.saturating_sub(2));
    let style = |place: usize| if place == app.row { Style::new().reversed() } else { Style::new() };
    let rows = lines.enumerate().skip(first).map(|(place, text)| Line::from(text).style(style(place)));
    std::iter::once(Line::from(heading).bold()).chain(rows).take(height).collect()
}

fn below(app: &App) -> Line<'static> {
    match (app.question(), &app.answer, &app.trouble) {
        (Some(question), ..) => Line::from(question).bold(),
        (None, Some(_), _) => Line::from("any key: back"),
        (None, None, Some(trouble)) => Line::from(printable(trouble)).bold(),
        (None, None, None) => Line::from(KEYS),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::app::Key;
    use crate::snapshot::{Figure, Snapshot};

    fn figure(name: &str, labels: &[(&str, &str)], value: f64) -> Figure {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Figure { name: name.into(), labels, value }
    }

    fn at(seconds: u64, reads: f64) -> Snapshot {
        let mut figures = vec![
            figure("region", &[("applid", "BANK"), ("sysid", "BNK1")], 1.0),
            figure("serves", &[], 1.0),
            figure("health", &[], 100.0),
            figure("uptime_seconds", &[], seconds as f64),
            figure("terminals", &[], 3.0),
            figure("tcbs", &[], 2.0),
            figure("tasks", &[("state", "running")], 5.0),
            figure("tasks_max", &[], 250.0),
        ];
        for (file, reads) in [("ACCOUNTS", reads), ("CUSTOMER", reads / 2.0)] {
            for kind in ["read", "browse", "add", "update", "delete"] {
                let value = if kind == "read" { reads } else { 0.0 };
                figures.push(figure("file_requests", &[("file", file), ("kind", kind)], value));
            }
        }
        Snapshot::new(Duration::from_secs(seconds), figures, Vec::new())
    }

    #[test]
    fn files_are_shown_by_their_rates() {
        let mut app = App::default();
        app.sees(Ok(at(10, 100.0)));
        app.sees(Ok(at(12, 500.0)));
        app.presses(Key::Character('4'));
        let mut terminal = Terminal::new(TestBackend::new(80, 10)).expect("a terminal");
        terminal.draw(|frame| draw(&app, frame)).expect("drawn");
        terminal.backend().assert_buffer_lines_match([
            "BANK (BNK1) serves   health 100   up 12 s   terminals 3   TCBs 2",
            "Tasks 5 of 250, 0 wait to begin   0.0 ended/s   0.0 % of a processor",
            "Units of work 0.0/s   forces of the log 0.0/s",
            " 1 Tasks  2 Transactions  3 Waits  4 Files  5 Services  6 SQL  7 TCBs",
            "File      All/s  Reads/s  Browses/s  Adds/s  Updates/s  Deletes/s",
            "ACCOUNTS  200.0    200.0        0.0     0.0        0.0        0.0",
            "CUSTOMER  100.0    100.0        0.0     0.0        0.0        0.0",
            "",
            "",
            "1-7 view   ↑↓ row   Enter details   p purge   f forcepurge   Space hold   q end",
        ]);
    }

    /// The text of a screen, line by line.
    trait Lines {
        fn assert_buffer_lines_match<'a>(&self, expected: impl IntoIterator<Item = &'a str>);
    }

    impl Lines for TestBackend {
        fn assert_buffer_lines_match<'a>(&self, expected: impl IntoIterator<Item = &'a str>) {
            let buffer = self.buffer();
            let line = |row: u16| {
                let cells = (0..buffer.area.width).map(|column| buffer[(column, row)].symbol());
                cells.collect::<String>().trim_end().to_owned()
            };
            let lines: Vec<_> = (0..buffer.area.height).map(line).collect();
            assert_eq!(lines, expected.into_iter().map(str::trim_end).collect::<Vec<_>>());
        }
    }
}
