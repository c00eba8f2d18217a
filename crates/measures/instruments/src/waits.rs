//! The parts of the response time, and the causes of waits, the largest first.

use spec::measures::monitoring_fields;

use crate::performance::{Performance, Timed, Totals, meaning};
use crate::table::{Cell, Table};

/// A cause for which tasks waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// The field that means this cause alone.
    pub field: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Microseconds of a task on average.
    pub us: f64,
    /// Its part of the response time, in percent.
    pub share: f64,
}

impl Performance {
    /// The wait that took most of the response time, all tasks together.
    pub fn largest_wait(&self) -> Option<Wait> {
        let all = self.together();
        all.waits
            .iter()
            .filter_map(|(field, timed)| wait(&all, field, *timed))
            .max_by(|one, other| one.us.total_cmp(&other.us))
    }

    /// Returns a wait by its field; `None` if no task waited for it.
    pub fn wait(&self, field: &str) -> Option<Wait> {
        let all = self.together();
        wait(&all, field, *all.waits.get(field)?)
    }

    /// The analysis of one transaction, or of all together where there are several and none is named.
    pub fn waits(&self) -> Table {
        let (name, totals) = match self.of.iter().next() {
            Some((name, totals)) if self.of.len() == 1 => (name.clone(), totals.clone()),
            _ => ("all transactions".to_owned(), self.together()),
        };
        let columns = [
            ("Part", ""),
            ("Field", ""),
            ("Time", "ms/task"),
            ("of response", "%"),
            ("Times", "/task"),
            ("each", "ms"),
        ];
        let title = format!("Wait analysis of {name}: {} tasks", totals.tasks);
        let mut table = Table::new(title, &columns);
        let whole = Timed { time: totals.response_ns, count: totals.tasks };
        let mut part = |name: &str, field: &str, timed: Timed| {
            if timed.count > 0 {
                table.rows.push(row(&totals, name, field, timed));
            }
        };
        part("Response time", "", whole);
        part("  first dispatch delay", "DSPDELAY", totals.first_dispatch);
        part("  dispatched", "USRDISPT", totals.dispatch);
        part("    processor", "USRCPUT", totals.processor);
        part("  suspended", "SUSPTIME", totals.suspend);
        part("    could go on, waited for the TCB", "DISPWTT", totals.redispatch);
        let causes = largest_first(totals.waits.iter().map(|(field, timed)| (field.as_str(), *timed)));
        for (field, timed) in &causes {
            part(&format!("    {}", meaning(field)), field, *timed);
        }
        for (name, timed) in largest_first(totals.named.iter().map(|(name, timed)| (name.as_str(), *timed))) {
            part(&format!("      named {name}"), "", timed);
        }
        let word = self.largest_wait().map(|Wait { field, meaning, share, .. }| {
            format!("The largest wait is {field} ({meaning}): {share:.1} % of the response time.")
        });
        table.notes = word.into_iter().chain(self.notes()).collect();
        table
    }
}

fn largest_first<'a>(timed: impl Iterator<Item = (&'a str, Timed)>) -> Vec<(&'a str, Timed)> {
    let mut list: Vec<_> = timed.filter(|(_, timed)| timed.count > 0).collect();
    list.sort_by_key(|(_, timed)| std::cmp::Reverse(timed.time));
    list
}

fn wait(totals: &Totals, field: &str, timed: Timed) -> Option<Wait> {
    let field = monitoring_fields().iter().find(|known| known.name == field)?;
    let share = 100.0 * timed.time as f64 / totals.response_ns.max(1) as f64;
    Some(Wait { field: field.name, meaning: field.meaning, us: totals.average_us(timed.time), share })
}

fn row(totals: &Totals, name: &str, field: &str, timed: Timed) -> Vec<Cell> {
    let tasks = totals.tasks.max(1) as f64;
    vec![
        Cell::Text(name.to_owned()),
        Cell::Text(field.to_owned()),
        Cell::Number(timed.time as f64 / 1e6 / tasks, 4),
        Cell::Number(100.0 * timed.time as f64 / totals.response_ns.max(1) as f64, 1),
        Cell::Number(timed.count as f64 / tasks, 2),
        Cell::Number(timed.time as f64 / 1e6 / timed.count.max(1) as f64, 4),
    ]
}
