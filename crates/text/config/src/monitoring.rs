//! `[monitoring]`: what MONITOR does, and the service classes and report classes of tasks.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;
use instruments::points::{Action, NoAction, Point};

use crate::names::{LONG_NAME, resource_name};
use crate::reader::{Table, refused};
use crate::{Located, codes};

/// The numbers of monitoring points.
const NUMBER: RangeInclusive<u32> = 0..=255;
/// The entry of points that name none.
const ENTRY: &str = "USER";

/// `[monitoring]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonitoringConfig {
    /// The monitoring points of programs.
    pub points: Vec<Point>,
    /// The classes of tasks: the first that fits counts.
    pub classes: Vec<WorkClass>,
}

/// Names in upper case.
fn upper(table: &Table<'_>, key: &'static str) -> Vec<String> {
    let names = table.strings(key).unwrap_or_default();
    names.into_iter().map(|name| name.value.to_ascii_uppercase()).collect()
}

/// `[[monitoring.class]]`: tasks with a service class and a report class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkClass {
    /// The transactions, with `*` at the end for any characters; empty: all.
    pub transactions: Vec<String>,
    /// The users, in the same way.
    pub users: Vec<String>,
    /// The service class; empty: none.
    pub service: String,
    /// The report class; empty: none.
    pub report: String,
}

impl MonitoringConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let points = table.tables("point").into_iter().filter_map(point).collect();
        let classes = table.tables("class").into_iter().map(class).collect();
        table.finish();
        Self { points, classes }
    }
}

/// `[[monitoring.point]]`.
fn point(table: Table<'_>) -> Option<Point> {
    let entry = match table.string("entry") {
        Some(entry) => resource_name(&table, "an entry", &entry, LONG_NAME),
        None => ENTRY.to_owned(),
    };
    let number = table.number("point", NUMBER);
    if table.place_of("point").is_none() {
        let message = Diagnostic::error(codes::MISSING, "[[monitoring.point]] needs `point`");
        table.report(message.at(table.place()).help("add a line such as: point = 1"));
    }
    let actions = table.strings("perform").unwrap_or_default();
    let actions = actions.iter().filter_map(|text| action(&table, text)).collect();
    let names = |key| names(&table, key);
    let (clocks, counters) = (names("clocks"), names("counters"));
    table.finish();
    Some(Point { entry, number: u8::try_from(number?).ok()?, actions, clocks, counters })
}

fn action(table: &Table<'_>, text: &Located<String>) -> Option<Action> {
    let action = Action::parse(&text.value);
    if action.is_err() {
        table.report(refused("perform", text, &NoAction.to_string(), []));
    }
    action.ok()
}

fn names(table: &Table<'_>, key: &'static str) -> Vec<String> {
    let names = table.strings(key).unwrap_or_default();
    names.iter().map(|name| resource_name(table, "a name of a clock or counter", name, LONG_NAME)).collect()
}

/// `[[monitoring.class]]`.
fn class(table: Table<'_>) -> WorkClass {
    let upper = |key| upper(&table, key);
    let name = |key, what| {
        table.string(key).map(|name| resource_name(&table, what, &name, LONG_NAME)).unwrap_or_default()
    };
    let class = WorkClass {
        transactions: upper("transactions"),
        users: upper("users"),
        service: name("service", "a service class"),
        report: name("report", "a report class"),
    };
    table.finish();
    class
}
