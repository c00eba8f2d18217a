//! The auxiliary trace as text: a line for each entry, all of each entry, or the calls of a task with their times.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::format::{Broken, FileEntry, Reader, Record};
use crate::moments::moment;
use crate::performance::lost_note;

/// The form of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceForm {
    /// A line for each entry.
    Short,
    /// Every field of each entry.
    Full,
    /// For each task its commands, those of programs that it LINKs to within the LINK, with the time of each.
    Tree,
}

/// The entries that are shown; empty lists and `None` take all.
#[derive(Clone, Debug, Default)]
pub struct TraceFilter {
    /// The number of the task.
    pub task: Option<u64>,
    /// Transactions.
    pub transactions: Vec<String>,
    /// Terminals.
    pub terminals: Vec<String>,
    /// Users.
    pub users: Vec<String>,
    /// Components.
    pub components: Vec<String>,
}

impl TraceFilter {
    pub(crate) fn takes(&self, record: &Record<'_>) -> bool {
        let has = |list: &[String], field: &str| {
            let value = record.text(field);
            list.is_empty() || list.iter().any(|wanted| wanted.eq_ignore_ascii_case(&value))
        };
        self.task.is_none_or(|task| record.number("TASK") == task)
            && has(&self.transactions, "TRANSACTION")
            && has(&self.terminals, "TERMINAL")
            && has(&self.users, "USER")
            // The end of a task has no component: the tree needs it.
            && (record.text("POINT") == "END" || has(&self.components, "COMPONENT"))
    }
}

/// An auxiliary trace of any number of files.
pub struct TraceReport {
    form: TraceForm,
    filter: TraceFilter,
    most: usize,
    shown: usize,
    text: String,
    trees: BTreeMap<u64, Tree>,
    lost: u64,
}

/// The calls of a task.
#[derive(Default)]
struct Tree {
    head: String,
    begun: u64,
    /// Commands in the order of their beginnings, each with its depth.
    calls: Vec<Call>,
    /// Those that have not come back, the first one first.
    open: Vec<usize>,
    end: Option<(u64, String)>,
}

struct Call {
    /// The command, or the function of an entry beyond level 1.
    command: String,
    depth: usize,
    begun: u64,
    /// Nanoseconds; `None`: it has not come back.
    took: Option<u64>,
    what: String,
    outcome: String,
}

impl TraceReport {
    /// Shows at most so many entries.
    pub fn new(form: TraceForm, filter: TraceFilter, most: usize) -> Self {
        Self { form, filter, most, shown: 0, text: String::new(), trees: BTreeMap::new(), lost: 0 }
    }

    /// Adds the entries of a file; files come in the order in which they were written.
    ///
    /// # Errors
    /// The place where the file is broken; records before it are there.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if self.shown < self.most && self.filter.takes(&record) => {
                    self.shown += 1;
                    match self.form {
                        TraceForm::Short => short(&mut self.text, &record),
                        TraceForm::Full => full(&mut self.text, &record),
                        TraceForm::Tree => {
                            self.trees.entry(record.number("TASK")).or_default().take(&record);
                        }
                    }
                }
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    /// The trace.
    pub fn text(&self) -> String {
        let mut text = self.text.clone();
        self.trees.values().for_each(|tree| tree.write(&mut text));
        for note in lost_note(self.lost) {
            let _ = writeln!(text, "{note}");
        }
        if self.shown == self.most {
            let _ = writeln!(text, "These are the first {}; there may be more.", self.most);
        }
        text
    }
}

/// The condition and RESP2 of an entry; empty: none.
fn outcome(record: &Record<'_>) -> String {
    match (record.text("CONDITION"), record.number("RESP2")) {
        (condition, 0) => condition.into_owned(),
        (condition, resp2) => format!("{condition} {resp2}"),
    }
}

/// The content of an entry: a command, the number of a program's entry, or what an entry beyond level 1 tells.
fn what(record: &Record<'_>) -> String {
    let resource = record.text("RESOURCE");
    if record.number("LEVEL") > 1 {
        return detail(record, &resource);
    }
    match &*record.text("POINT") {
        "USER" => format!("{} {resource} {}", record.number("NUMBER"), record.text("DATA")),
        _ => record.text("COMMAND").into_owned(),
    }
}

/// An entry beyond level 1: function, resource, number and words, as far as they are there.
fn detail(record: &Record<'_>, resource: &str) -> String {
    let (function, number, data) = (record.text("COMMAND"), record.number("NUMBER"), record.text("DATA"));
    let number = if number == 0 { String::new() } else { number.to_string() };
    let parts = [&*function, resource, &number, &*data].map(str::trim);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn short(text: &mut String, record: &Record<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{} {:>8} {:<4} {:<2} {:<5} {:<8} {} {}",
        moment(record.number("AT")),
        record.number("TASK"),
        record.text("TRANSACTION"),
        record.text("COMPONENT"),
        record.text("POINT"),
        record.text("PROGRAM"),
        what(record),
        outcome(record)
    );
}

fn full(text: &mut String, record: &Record<'_>) {
    let _ = writeln!(text, "{} task {}", moment(record.number("AT")), record.number("TASK"));
    for (column, value) in &record.values {
        let Some(name) = record.kind.columns.get(*column).and_then(|column| column.fields.first()) else {
            continue;
        };
        if name != "AT" && name != "TASK" {
            let _ = writeln!(text, "    {name:<12} {}", crate::statistics::shown(value, None));
        }
    }
}

impl Tree {
    fn take(&mut self, record: &Record<'_>) {
        let at = record.number("NANOSECONDS");
        if self.head.is_empty() {
            self.begun = at;
            self.head = format!(
                "Task {} ({}), user {}, from {}",
                record.number("TASK"),
                record.text("TRANSACTION"),
                record.text("USER"),
                moment(record.number("AT"))
            );
        }
        let program = record.text("PROGRAM");
        match &*record.text("POINT") {
            "END" => self.end = Some((at, outcome(record))),
            "EXIT" if record.number("LEVEL") > 1 => {
                self.comes_back(&record.text("COMMAND"), at, record.text("DATA").into_owned());
            }
            "EXIT" => self.comes_back(&record.text("COMMAND"), at, outcome(record)),
            point => {
                let what = format!("{program:<8} {}", what(record));
                let depth = self.open.len();
                let is_open = point == "ENTRY";
                let (took, command) = ((!is_open).then_some(0), record.text("COMMAND").into_owned());
                self.calls.push(Call { command, depth, begun: at, took, what, outcome: String::new() });
                if is_open {
                    self.open.push(self.calls.len() - 1);
                }
            }
        }
    }

    /// The last command of that name that is open has come back. Commands that have begun since and are open have not, and never will: it
    /// has ended its program.
    fn comes_back(&mut self, command: &str, at: u64, outcome: String) {
        let is_it = |place: &&usize| self.calls[**place].command == command;
        let Some(found) = self.open.iter().rev().find(is_it).copied() else { return };
        while let Some(place) = self.open.pop() {
            let call = &mut self.calls[place];
            call.took = Some(at.saturating_sub(call.begun));
            if place == found {
                call.outcome = outcome;
                return;
            }
        }
    }

    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "{}\n{:>12} {:>12}", self.head, "begun us", "took us");
        for call in &self.calls {
            let begun = call.begun.saturating_sub(self.begun) as f64 / 1e3;
            // A command that ends its task has taken until the end.
            let until = self.end.as_ref().map(|(end, _)| end.saturating_sub(call.begun));
            let took = call.took.or(until).map_or(String::from("-"), |ns| format!("{:.1}", ns as f64 / 1e3));
            let indent = "  ".repeat(call.depth);
            let line = format!("{begun:>12.1} {took:>12}  {indent}{} {}", call.what, call.outcome);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if let Some((end, abend)) = &self.end {
            let end = end.saturating_sub(self.begun) as f64 / 1e3;
            let how = if abend.is_empty() { "ends".to_owned() } else { format!("ends with abend {abend}") };
            let _ = writeln!(text, "{end:>12.1} {:>12}  {how}", "");
        }
        text.push('\n');
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};

    use super::*;

    const COLUMNS: [(ColumnForm, &str); 8] = [
        (ColumnForm::Value, "NANOSECONDS"),
        (ColumnForm::Value, "TASK"),
        (ColumnForm::Text, "TRANSACTION"),
        (ColumnForm::Text, "POINT"),
        (ColumnForm::Text, "COMMAND"),
        (ColumnForm::Text, "PROGRAM"),
        (ColumnForm::Text, "CONDITION"),
        (ColumnForm::Text, "COMPONENT"),
    ];

    /// A task that reads, and links to a program that asks for the time.
    pub const PAYMENT: [(u64, u64, &str, &str, &str, &str); 9] = [
        (1_000, 7, "ENTRY", "READ", "PAYS", ""),
        (3_000, 7, "EXIT", "READ", "PAYS", "NOTFND"),
        (4_000, 7, "ENTRY", "LINK", "PAYS", ""),
        (5_000, 7, "ENTRY", "ASKTIME", "RATES", ""),
        (6_000, 7, "EXIT", "ASKTIME", "RATES", ""),
        (7_000, 7, "ENTRY", "RETURN", "RATES", ""),
        (9_000, 7, "EXIT", "LINK", "PAYS", ""),
        (10_000, 7, "ENTRY", "RETURN", "PAYS", ""),
        (11_000, 7, "END", "", "", ""),
    ];

    /// A file with entries: nanoseconds, task, point, command, program, condition.
    pub fn file(entries: &[(u64, u64, &str, &str, &str, &str)]) -> Vec<u8> {
        let columns =
            COLUMNS.iter().map(|(form, name)| LayoutColumn { form: *form, names: (*name).to_owned() });
        let kinds = vec![KindLayout { name: "entry".to_owned(), columns: columns.collect() }];
        let mut bytes = Layout { kinds }.header();
        for (at, task, point, command, program, condition) in entries {
            let mut record = Encoder::begin(&mut bytes, 0);
            record.number(0, *at);
            record.number(1, *task);
            for (column, text) in
                [(2, "PAYS"), (3, *point), (4, *command), (5, *program), (6, *condition), (7, "FC")]
            {
                record.text(column, text.as_bytes());
            }
            record.end();
        }
        bytes
    }

    fn tree(entries: &[(u64, u64, &str, &str, &str, &str)], filter: TraceFilter) -> Vec<String> {
        let mut report = TraceReport::new(TraceForm::Tree, filter, 100);
        report.add(&file(entries)).expect("a file of ours");
        let text = report.text();
        text.lines().skip(2).filter(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn commands_stand_within_the_link_that_has_led_to_them_with_their_times() {
        let expected = [
            "0.0          2.0  PAYS     READ NOTFND",
            "3.0          5.0  PAYS     LINK",
            "4.0          1.0    RATES    ASKTIME",
            "6.0          2.0    RATES    RETURN",
            "9.0          1.0  PAYS     RETURN",
            "10.0               ends",
        ];
        assert_eq!(tree(&PAYMENT, TraceFilter::default()), expected);
        let other = TraceFilter { task: Some(8), ..TraceFilter::default() };
        assert!(tree(&PAYMENT, other).is_empty());
    }

    #[test]
    fn an_entry_that_is_missing_breaks_no_tree() {
        let entries = [
            (1_000, 7, "EXIT", "READ", "PAYS", ""),
            (2_000, 7, "ENTRY", "LINK", "PAYS", ""),
            (3_000, 7, "END", "", "", "ASRA"),
        ];
        let expected = ["1.0          1.0  PAYS     LINK", "2.0               ends with abend ASRA"];
        assert_eq!(tree(&entries, TraceFilter::default()), expected);
    }

    #[test]
    fn no_more_entries_are_shown_than_are_asked_for() {
        let mut report = TraceReport::new(TraceForm::Short, TraceFilter::default(), 1);
        let entry = (1_000, 7, "ENTRY", "READ", "PAYS", "");
        report.add(&file(&[entry, entry])).expect("a file of ours");
        assert_eq!(report.text().lines().count(), 2, "{}", report.text());
    }
}
