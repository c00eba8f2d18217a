//! Special registers that a task has set: they last as long as its thread.
//!
//! CURRENT SCHEMA, or CURRENT SQLID in its place, is where prepared statements look for names without a schema, and
//! CURRENT PATH where they look for functions besides. Static statements have the region's schemas, whatever is set. All
//! the others are only remembered.

use std::rc::Rc;

use sql::{Local, Locals};

/// Registers, by the setting of PostgreSQL that holds each one while a statement runs.
const NAMES: [(&str, &str); 14] = [
    ("SQLID", "db2.sqlid"),
    ("SCHEMA", "db2.schema"),
    ("PATH", "db2.path"),
    ("DEGREE", "db2.degree"),
    ("PACKAGESET", "db2.packageset"),
    ("PACKAGE", "db2.package"),
    ("PRECISION", "db2.precision"),
    ("RULES", "db2.rules"),
    ("OPTIMIZATION", "db2.optimization"),
    ("LOCALE", "db2.locale"),
    ("MEMBER", "db2.member"),
    ("CLIENT_ACCTNG", "db2.client_acctng"),
    ("CLIENT_APPLNAME", "db2.client_applname"),
    ("CLIENT_USERID", "db2.client_userid"),
];

/// The text by which a statement reads a register.
const ASKS: &str = "current_setting('db2.";

/// The registers that a task has set.
#[derive(Default)]
pub(crate) struct Registers {
    values: Vec<(&'static str, String)>,
    /// For prepared statements.
    prepared: Option<Rc<Locals>>,
    /// For static ones that ask for a register.
    asked: Option<Rc<Locals>>,
}

impl Registers {
    /// Sets one. `path` is where names are looked for that belong to no schema. One that is not known has no effect.
    pub(crate) fn set(&mut self, name: &str, value: String, path: &str) {
        let Some((_, setting)) = NAMES.iter().find(|(known, _)| *known == name) else { return };
        match self.values.iter_mut().find(|(known, _)| known == setting) {
            Some((_, old)) => *old = value,
            None => self.values.push((setting, value)),
        }
        let values = || self.values.iter().map(|(name, value)| (*name, Local::Text(value)));
        self.asked = Some(Locals::new(values()));
        let path = self.search_path(path);
        self.prepared = Some(Locals::new(values().chain([("search_path", Local::Words(&path))])));
    }

    /// Returns the settings under which a prepared statement runs.
    pub(crate) fn of_prepared(&self) -> Option<Rc<Locals>> {
        self.prepared.clone()
    }

    /// Returns the settings under which a static statement of this text runs.
    pub(crate) fn of_static(&self, text: &str) -> Option<Rc<Locals>> {
        self.asked.as_ref().filter(|_| text.contains(ASKS)).cloned()
    }

    /// The schema of prepared statements as PostgreSQL has it, in quotation marks.
    pub(crate) fn schema(&self) -> Option<String> {
        self.value("db2.schema").or_else(|| self.value("db2.sqlid")).map(quoted)
    }

    /// CURRENT PRECISION: the rules of decimal numbers in statements that are prepared from now on.
    pub(crate) fn arithmetic(&self) -> db2::Arithmetic {
        self.value("db2.precision").and_then(db2::Arithmetic::read).unwrap_or_default()
    }

    fn value(&self, setting: &str) -> Option<&str> {
        let value = self.values.iter().find(|(known, _)| *known == setting).map(|(_, value)| value.trim());
        value.filter(|value| !value.is_empty())
    }

    /// A table without a schema is looked for in this schema alone, as Db2 does; the schema `db2` is part of the language.
    fn search_path(&self, path: &str) -> String {
        let tables = self.schema().map_or_else(|| path.to_owned(), |schema| schema + ", db2, pg_catalog");
        let functions = self.value("db2.path").unwrap_or_default().split(',');
        let functions = functions.map(|name| name.trim().trim_matches('"')).filter(|name| !name.is_empty());
        functions.fold(tables, |path, name| path + ", " + &quoted(name))
    }
}

/// A schema's name as PostgreSQL has it: Db2's names are in upper case, PostgreSQL's in lower.
fn quoted(schema: &str) -> String {
    format!("\"{}\"", schema.to_lowercase().replace('"', "\"\""))
}

/// The text of `SELECT 'text'`: the value of a register that needs no server to be known.
pub(crate) fn constant(sql: &str) -> Option<String> {
    let text = sql.trim().strip_prefix("SELECT")?.trim_start().strip_prefix('\'')?.strip_suffix('\'')?;
    let is_one = text.replace("''", "").find('\'').is_none();
    is_one.then(|| text.replace("''", "'"))
}
