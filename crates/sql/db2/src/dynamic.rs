//! Statements that a program makes at run time, and those of scripts: `?` instead of host variables.

use crate::arithmetic::Arithmetic;
use crate::ddl::{self, Definition};
use crate::embedded::{self, Embedded};
use crate::guard;
use crate::letters::Letters;
use crate::lexer::lex;
use crate::mistake::Mistake;
use crate::package::{Action, Isolation, Text};
use crate::print::print;
use crate::rewrite;
use crate::token::Kind;
use crate::words::Words;

/// A dynamic statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// Kind of the statement.
    pub kind: DynamicKind,
    /// In PostgreSQL's words; empty where `kind` says it all.
    pub text: Text,
    /// A query without FOR UPDATE whose rows could be changed: its text for a cursor through which they are.
    pub changing: Option<Text>,
    /// Number of markers: `$1` to this.
    pub markers: usize,
    /// WITH RS and its like.
    pub isolation: Option<Isolation>,
    /// See [`crate::package::Statement::has_effects`].
    pub has_effects: bool,
    /// An UPDATE or DELETE without WHERE: SQLWARN4.
    pub without_where: bool,
}

/// Kinds of dynamic statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DynamicKind {
    /// A query: for a cursor. It cannot be executed (−518).
    Query {
        /// FOR UPDATE.
        for_update: bool,
        /// FOR FETCH ONLY, ORDER BY and the like.
        read_only: bool,
    },
    /// Anything that can be executed. Cursors are those of this name.
    Action {
        /// Action of the statement; the number of its cursor is 0.
        action: Action,
        /// The cursor of WHERE CURRENT OF, in upper case.
        cursor: Option<String>,
    },
}

/// Reads and rewrites a statement for PREPARE, EXECUTE IMMEDIATE, or from a script, whose decimal numbers follow these rules.
///
/// # Errors
/// It is no statement that can be prepared (−104, −84).
pub fn dynamic(letters: &Letters, arithmetic: Arithmetic) -> Result<Dynamic, Mistake> {
    let mut words = Words { list: lex(letters)?, arithmetic };
    if words.list.last().is_some_and(|last| last.is(";")) {
        words.list.pop();
    }
    if let Some(host) = words.list.iter().find(|token| token.kind == Kind::Host) {
        return Err(Mistake::new(host.spot, "a prepared statement has ? instead of host variables"));
    }
    if words.is_any(0, &["SELECT", "WITH", "VALUES", "("]) {
        guard::check(&words)?;
        return Ok(query(words));
    }
    const STATIC: [&str; 10] =
        ["DECLARE", "OPEN", "FETCH", "CLOSE", "PREPARE", "EXECUTE", "DESCRIBE", "WHENEVER", "INCLUDE", "GET"];
    if words.is_any(0, &STATIC) && !words.is(0, &["DECLARE", "GLOBAL"]) {
        let message = format!("{} cannot be prepared", words.list[0].text.to_uppercase());
        return Err(Mistake::unpreparable(words.spot(0), message));
    }
    let without_where = words.is_any(0, &["UPDATE", "DELETE"]) && words.find(0, &["WHERE"]).is_none();
    let Embedded::Executable(executable) = embedded::read(letters, arithmetic, &mut |_, _| Vec::new())?
    else {
        return Err(Mistake::unpreparable(words.spot(0), "this cannot be prepared"));
    };
    let markers = words.list.iter().filter(|token| token.kind == Kind::Marker).count();
    let embedded::Executable { action, cursor, text, isolation, has_effects, .. } = *executable;
    // A script is connected: there it has no effect, wherever it stands.
    let action = if action == Action::Connect { Action::Connection } else { action };
    let kind = DynamicKind::Action { action, cursor: cursor.map(|(name, _)| name) };
    Ok(Dynamic { kind, text, changing: None, markers, isolation, has_effects, without_where })
}

fn query(mut words: Words) -> Dynamic {
    let fixed = embedded::is_read_only(&words);
    let traces = embedded::leaves_traces(&words);
    if words.is(0, &["VALUES"]) && !words.is(1, &["("]) {
        words.put(0..1, "SELECT");
    }
    let tail = rewrite::statement(&mut words);
    let for_update = tail.for_update || tail.locks;
    let mut changing = words.clone();
    embedded::add_place(&mut changing);
    if for_update && !fixed {
        words = changing.clone();
    } else {
        changing.insert(changing.len(), "FOR UPDATE");
    }
    let changing = (!for_update && !fixed && !tail.read_only).then(|| print(&changing).0);
    let (text, markers) = print(&words);
    let strict = matches!(tail.isolation, Some(Isolation::ReadStability | Isolation::RepeatableRead));
    Dynamic {
        kind: DynamicKind::Query { for_update, read_only: !for_update && (tail.read_only || fixed) },
        text,
        changing,
        markers: markers.len(),
        isolation: tail.isolation,
        has_effects: for_update || strict || traces,
        without_where: false,
    }
}

/// The statements that do in PostgreSQL what a definition of a script does; `None` if it is no definition.
///
/// # Errors
/// A quote or a comment is not closed, or it names what Db2 does not have.
pub fn definition(letters: &Letters) -> Result<Option<Vec<Definition>>, Mistake> {
    let mut words = Words::new(lex(letters)?);
    if words.list.last().is_some_and(|last| last.is(";")) {
        words.list.pop();
    }
    if !ddl::is_definition(&words) {
        return Ok(None);
    }
    guard::check(&words)?;
    Ok(Some(ddl::define(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connect_has_no_effect_in_a_script() {
        let read = dynamic(&Letters::plain("CONNECT TO BANKDB"), Arithmetic::default()).expect("a statement");
        assert_eq!(read.kind, DynamicKind::Action { action: Action::Connection, cursor: None });
    }
}
