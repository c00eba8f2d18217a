//! DECLARE: cursors, tables, statements, variables.

use super::{Embedded, Executable, cursors};
use crate::ddl;
use crate::mistake::Mistake;
use crate::package::{Action, Table};
use crate::token::Kind;
use crate::words::Words;

/// A table that DECLARE TABLE describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTable {
    /// The package's part of the table.
    pub table: Table,
}

/// Reads a DECLARE.
pub(super) fn read(words: Words) -> Result<Embedded, Mistake> {
    if words.is(1, &["GLOBAL", "TEMPORARY", "TABLE"]) {
        let texts = ddl::define(words).into_iter().map(|definition| definition.text).collect();
        return Ok(Embedded::Executable(Box::new(Executable::plain(Action::Define(texts)))));
    }
    if words.has_kind(1, Kind::Host) && words.find(2, &["VARIABLE"]).is_some() {
        return Ok(Embedded::Nothing);
    }
    if let Some((name, range)) = words.qualified_name(1)
        && words.is(range.end, &["TABLE"])
    {
        return Ok(Embedded::Table(DeclaredTable { table: table(words, name, range.end) }));
    }
    let Some((name, range)) = words.host_name(1) else {
        return Err(Mistake::new(words.spot(1), "DECLARE without a name"));
    };
    let behind = range.end;
    if words.find(behind, &["STATEMENT"]).is_some() && words.find(behind, &["CURSOR"]).is_none() {
        return Ok(Embedded::Nothing);
    }
    if words.find(behind, &["CURSOR"]).is_none() {
        let message = "DECLARE is followed by a name and CURSOR, TABLE, STATEMENT or VARIABLE";
        return Err(Mistake::new(words.spot(0), message));
    }
    cursors::declare(words, name, behind).map(Embedded::Cursor)
}

/// DECLARE T TABLE (columns), as DCLGEN writes it; TABLE stands at `at`.
fn table(mut words: Words, name: String, at: usize) -> Table {
    let spot = words.spot(0).to(words.spot(at));
    let spots = words.spot(0);
    let names = words.list[1..at].to_vec();
    words.cut(0..at + 1);
    let mut list = Vec::with_capacity(words.len() + names.len() + 2);
    for word in ["CREATE", "TABLE"] {
        list.push(crate::token::Token::new(Kind::Word, word, spots, list.is_empty()));
    }
    list.extend(names);
    list.extend(words.list);
    let create = ddl::define(Words::new(list)).into_iter().map(|definition| definition.text).collect();
    Table { name, create, at: spot }
}
