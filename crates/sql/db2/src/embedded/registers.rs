//! SET: of host variables, and of special registers.

use super::{Embedded, Executable, rows};
use crate::mistake::Mistake;
use crate::package::{Action, Text};
use crate::print::print;
use crate::rewrite;
use crate::token::Kind;
use crate::words::Words;

/// Reads a SET.
pub(super) fn set(words: Words) -> Result<Embedded, Mistake> {
    let list = words.is(1, &["("]) && words.has_kind(2, Kind::Host);
    let executable = match () {
        () if words.has_kind(1, Kind::Host) => assignments(words)?,
        () if list => together(words)?,
        () if words.is(1, &["CONNECTION"]) => Executable::plain(Action::Connection),
        () if words.is(1, &["OPTION"]) => return Ok(Embedded::Nothing),
        () => register(words)?,
    };
    Ok(Embedded::Executable(Box::new(executable)))
}

/// SET :A = x, :B = y.
fn assignments(mut words: Words) -> Result<Executable, Mistake> {
    let mut targets = Vec::new();
    let mut at = 1;
    loop {
        let (Some(token), true) = (words.get(at), words.is(at + 1, &["="])) else {
            return Err(
                Mistake::new(words.spot(at), "SET without =").help("write SET :VARIABLE = expression")
            );
        };
        if token.kind != Kind::Host {
            return Err(Mistake::new(token.spot, "SET of something that is no host variable"));
        }
        targets.push(token.variable);
        words.cut(at..at + 2);
        // To the comma in front of the next.
        while at < words.len() && !words.is(at, &[","]) {
            at = if words.is(at, &["("]) { words.close(at) } else { at + 1 };
        }
        if at >= words.len() {
            break;
        }
        at += 1;
    }
    words.put(0..1, "SELECT");
    Ok(rows::row(words, targets))
}

/// SET (:A, :B) = (x, y).
fn together(mut words: Words) -> Result<Executable, Mistake> {
    let end = words.close(1);
    let (targets, behind) = rows::list(&words, 2);
    if behind + 1 != end || !words.is(end, &["=", "("]) {
        return Err(Mistake::new(words.spot(1), "SET of a list").help("write SET (:A, :B) = (x, y)"));
    }
    let inner_end = words.close(end + 1) - 1;
    let query = words.is_any(end + 2, &["SELECT", "WITH"]);
    words.cut(inner_end..inner_end + 1);
    words.cut(1..end + 2);
    if query {
        words.cut(0..1);
    } else {
        words.put(0..1, "SELECT");
    }
    if let Some(first) = words.list.get_mut(1) {
        first.glued = false;
    }
    Ok(rows::row(words, targets))
}

/// SET CURRENT SQLID = 'X', SET CURRENT SCHEMA :H, SET SCHEMA X, SET PATH = …
fn register(mut words: Words) -> Result<Executable, Mistake> {
    let start = 1 + usize::from(words.is(1, &["CURRENT"]));
    let Some(name) = words.get(start).filter(|token| token.is_name()).map(|token| token.name()) else {
        return Err(Mistake::new(words.spot(0), "SET of what?")
            .help("write SET :VARIABLE = … or SET CURRENT register"));
    };
    if !is_register(&words, start) {
        return Err(Mistake::new(words.spot(start), format!("{name} is no special register of Db2")));
    }
    let mut value = start + 1;
    while words.get(value).is_some_and(|token| token.kind == Kind::Word)
        && words.find(value, &["="]).is_some()
    {
        value += 1;
    }
    value += usize::from(words.is(value, &["="]));
    let action = Action::SetRegister { name: name.trim_start_matches("CURRENT_").to_string() };
    match words.get(value) {
        Some(only) if only.kind == Kind::Host && value + 1 == words.len() => {
            Ok(Executable::new(action, Text::default(), vec![only.variable]))
        }
        Some(_) => {
            // A name without quotes stands for itself.
            let named = words.list[value..].iter().all(|token| token.is_name() || token.is_any(&[",", "."]));
            let register = words.is_any(value, &["USER", "CURRENT", "SESSION_USER"]);
            if named && !register {
                let name: String = words.list[value..].iter().map(|token| token.name()).collect();
                let length = words.len();
                words.put(value..length, format!("'{}'", name.replace('\'', "''")));
            }
            words.put(0..value, "SELECT");
            rewrite::expressions(&mut words);
            let (text, inputs) = print(&words);
            Ok(Executable::new(action, text, inputs))
        }
        None => Err(Mistake::new(words.spot(0), "SET without a value")),
    }
}

/// Special registers, by the first word of their names behind CURRENT.
const REGISTERS: [&str; 33] = [
    "ACCELERATOR",
    "APPLICATION",
    "CLIENT_ACCTNG",
    "CLIENT_APPLNAME",
    "CLIENT_CORR_TOKEN",
    "CLIENT_USERID",
    "CLIENT_WRKSTNNAME",
    "CURRENT_PATH",
    "CURRENT_SCHEMA",
    "DEBUG",
    "DECFLOAT",
    "DEFAULT",
    "DEGREE",
    "EXPLAIN",
    "GET_ACCEL_ARCHIVE",
    "ISOLATION",
    "LOCALE",
    "LOCK",
    "MAINTAINED",
    "MEMBER",
    "OPTIMIZATION",
    "PACKAGE",
    "PACKAGESET",
    "PATH",
    "PRECISION",
    "QUERY",
    "REFRESH",
    "ROUTINE",
    "RULES",
    "SCHEMA",
    "SQLID",
    "TEMPORAL",
    "TIMEZONE",
];

/// Returns true if a register's name begins at `at`. ENCRYPTION PASSWORD, SESSION TIME ZONE and TIME ZONE have two words.
fn is_register(words: &Words, at: usize) -> bool {
    words.is_any(at, &REGISTERS)
        || words.is(at, &["ENCRYPTION", "PASSWORD"])
        || words.is(at, &["SESSION", "TIME", "ZONE"])
        || words.is(at, &["TIME", "ZONE"])
}
