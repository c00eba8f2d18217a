//! Statements shown as text.

use db2::package::Text;
use db2::{Arithmetic, Embedded, Holds, Letters, Numbered, Role};

/// Result of a statement: its kind, its text, its variables.
pub fn show(line: &str) -> String {
    let mut names = vec![String::new()];
    let mut variables = |host: &db2::Token, role: Role| {
        let mut name = host.text.clone();
        if let Some(indicator) = &host.indicator {
            name = format!("{name}:{indicator}");
        }
        if role != Role::Value {
            name = format!("{name}({role:?})");
        }
        names.push(name);
        let number = names.len() as u32 - 1;
        vec![Numbered { number, holds: holds(&host.text) }]
    };
    let read = db2::read(&Letters::plain(line), Arithmetic::default(), &mut variables);
    let list = |numbers: &[u32]| {
        let list: Vec<&str> = numbers.iter().map(|number| names[*number as usize].as_str()).collect();
        list.join(", ")
    };
    let mut out = String::new();
    let mut add = |what: &str, text: &str| {
        if !text.is_empty() {
            out += &format!("    {what} {text}\n");
        }
    };
    match read {
        Err(mistake) => add("!", &format!("{mistake}")),
        Ok(Embedded::Nothing) => add("·", "nothing"),
        Ok(Embedded::Whenever(whenever)) => add("·", &format!("{whenever:?}")),
        Ok(Embedded::Table(table)) => texts(&table.table.create).iter().for_each(|text| add("=", text)),
        Ok(Embedded::Cursor(declared)) => {
            let cursor = &declared.cursor;
            let flags = [
                (cursor.hold, "hold"),
                (cursor.read_only, "read-only"),
                (cursor.for_update, "for update"),
                (cursor.rowset, "rowset"),
                (cursor.scroll, "scroll"),
            ];
            let flags: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            add("·", &format!("Cursor {} {}", cursor.name, flags.join(", ")));
            add("·", &cursor.prepared.clone().unwrap_or_default());
            add("=", &declared.text.sql);
            add("<", &list(&declared.inputs));
        }
        Ok(Embedded::Executable(statement)) => {
            let mut action = format!("{:?}", statement.action);
            if let db2::package::Action::Define(list) = &statement.action {
                action = "Define".into();
                texts(list).iter().for_each(|text| add("=", text));
            }
            let cursor = statement.cursor.map_or(String::new(), |(name, _)| format!(" of {name}"));
            add("·", &format!("{action}{cursor}"));
            add("=", &statement.text.sql);
            add("<", &list(&statement.inputs));
            add(">", &list(&statement.targets));
            add("@", &list(&statement.descriptors));
            if let Some(isolation) = statement.isolation {
                add("·", &format!("{isolation:?}"));
            }
        }
    }
    out
}

/// The kind of number in a variable, by its name: P7V2 is DECIMAL(7, 2), W11 INTEGER; others are no numbers.
fn holds(name: &str) -> Holds {
    let number = |text: &str| text.parse().ok();
    if let Some(digits) = name.strip_prefix('W').and_then(number) {
        return Holds::Whole(digits);
    }
    let parts = name.strip_prefix('P').and_then(|rest| rest.split_once('V'));
    match parts.map(|(precision, scale)| (number(precision), number(scale))) {
        Some((Some(precision), Some(scale))) => Holds::Decimal { precision, scale },
        _ => Holds::Other,
    }
}

fn texts(list: &[Text]) -> Vec<String> {
    list.iter().map(|text| text.sql.clone()).collect()
}
