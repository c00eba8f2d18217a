//! The tables that a column may belong to.

use super::Column;
use super::types::Precision;
use crate::token::{Kind, Token};
use crate::words::Words;

/// One entry of FROM.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The qualifier of its columns.
    name: String,
    is: Is,
}

#[derive(Clone, Debug)]
enum Is {
    /// A table or view, as PostgreSQL looks for it.
    Table(String),
    /// The columns of a query.
    Made(Vec<Column>),
}

impl Relation {
    pub(super) fn table(table: String, alias: Option<String>) -> Self {
        let own = table.rsplit('.').next().unwrap_or_default().trim_matches('"').to_string();
        Self { name: alias.unwrap_or(own), is: Is::Table(table) }
    }

    pub(super) fn made(columns: Vec<Column>, name: String) -> Self {
        Self { name, is: Is::Made(columns) }
    }

    /// All its columns, as far as they are known.
    pub(super) fn columns(&self) -> &[Column] {
        match &self.is {
            Is::Made(columns) => columns,
            Is::Table(_) => &[],
        }
    }
}

/// The tables of a query, and those of the queries around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'o> {
    relations: Vec<Relation>,
    outer: Option<&'o Scope<'o>>,
}

impl<'o> Scope<'o> {
    pub(super) fn new(relations: Vec<Relation>, outer: Option<&'o Self>) -> Self {
        Self { relations, outer }
    }

    pub(super) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The type of a column; `qualifier` is the last word in front of it.
    pub(super) fn column(&self, qualifier: Option<&str>, name: &str) -> Precision {
        let mut tables = Vec::new();
        let mut scope = Some(self);
        while let Some(one) = scope {
            let meant = one.relations.iter().filter(|relation| qualifier.is_none_or(|q| q == relation.name));
            for relation in meant {
                match &relation.is {
                    Is::Table(table) if tables.contains(&table.as_str()) => {}
                    Is::Table(table) => tables.push(table.as_str()),
                    Is::Made(columns) => {
                        if let Some(column) = columns.iter().find(|column| column.name == name) {
                            return column.of.clone();
                        }
                    }
                }
            }
            scope = if qualifier.is_some() && !tables.is_empty() { None } else { one.outer };
        }
        if tables.is_empty() {
            return Precision::Unknown;
        }
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let tables: Vec<String> = tables.into_iter().map(literal).collect();
        Precision::Asked(format!("db2.column_type({}, {})", literal(name), tables.join(", ")))
    }
}

/// A name as PostgreSQL's catalogue has it.
pub(super) fn folded(token: &Token) -> String {
    match token.kind {
        Kind::Delimited if token.text.chars().any(char::is_lowercase) => token.name(),
        _ => token.name().to_lowercase(),
    }
}

/// The table's name at `at` in PostgreSQL's words, and what stands behind it.
pub(super) fn table(words: &Words, at: usize) -> Option<(String, usize)> {
    let (_, range) = words.qualified_name(at)?;
    let parts = words.list[range.clone()].iter().filter(|token| token.is_name());
    let mut names: Vec<String> = parts.map(folded).collect();
    if let [schema, _] = names.as_mut_slice()
        && schema == "session"
    {
        *schema = "pg_temp".into();
    }
    let quoted = |name: &String| {
        let is_plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if is_plain && !name.starts_with(|c: char| c.is_ascii_digit()) {
            name.clone()
        } else {
            format!("\"{}\"", name.replace('"', "\"\""))
        }
    };
    let text: Vec<String> = names.iter().map(quoted).collect();
    Some((text.join("."), range.end))
}

/// Words that stand behind a table and are no alias.
const BEHIND: [&str; 31] = [
    "WHERE",
    "GROUP",
    "HAVING",
    "ORDER",
    "FETCH",
    "FOR",
    "WITH",
    "LIMIT",
    "OFFSET",
    "OPTIMIZE",
    "QUERYNO",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "JOIN",
    "INNER",
    "LEFT",
    "RIGHT",
    "FULL",
    "OUTER",
    "CROSS",
    "ON",
    "USING",
    "SET",
    "WHEN",
    "INCLUDE",
    "SKIP",
    "VALUES",
    "SELECT",
    "NATURAL",
    "PERIOD",
];

/// The alias at `at`, if one stands there, and what stands behind it.
pub(super) fn alias(words: &Words, at: usize, end: usize) -> (Option<String>, usize) {
    let name_at = at + usize::from(words.is(at, &["AS"]));
    match words.get(name_at).filter(|token| name_at < end && token.is_name() && !token.is_any(&BEHIND)) {
        Some(token) => (Some(folded(token)), name_at + 1),
        None => (None, at),
    }
}
