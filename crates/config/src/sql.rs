//! `[sql]` and `[sql.NAME]`: PostgreSQL for programs with EXEC SQL.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::names::{SHORT_NAME, resource_name};
use crate::reader::Table;
use crate::secret::{Keys, Secret, secret};
use crate::{Located, codes};

/// Seconds that a statement may be told to wait for what others have locked; 0: without end.
const LOCK_TIMEOUT_S: RangeInclusive<u32> = 0..=3_600;
const DEFAULT_LOCK_TIMEOUT_S: u32 = 30;

/// `[sql]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlConfig {
    /// The server of a region whose DB2CONN names none; `None`: a private one in the region's state.
    pub server: Option<Server>,
    /// Servers by the DB2ID under which a DB2CONN names them.
    pub named: Vec<(String, Server)>,
    /// Scripts of Db2's statements, each run once in a database.
    pub scripts: Vec<Located<String>>,
    /// Schemas in which names without one are looked for, in this order, and in the first of which they are made.
    pub schemas: Vec<String>,
    /// The folder of PostgreSQL's programs, for a private server; `None`: they are looked for.
    pub path: Option<Located<String>>,
    /// As whom a private server runs where the region is root.
    pub user: Option<String>,
    /// Seconds that a statement waits for what others have locked; 0: without end.
    pub lock_timeout_s: u32,
    /// Whether a private server ends with this process however that may end. No key: for tests.
    pub is_tied: bool,
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            server: None,
            named: Vec::new(),
            scripts: Vec::new(),
            schemas: Vec::new(),
            path: None,
            user: None,
            lock_timeout_s: DEFAULT_LOCK_TIMEOUT_S,
            is_tied: false,
        }
    }
}

/// A server that somebody else runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Where it is: `postgresql://USER@HOST:PORT/DATABASE`.
    pub url: Located<String>,
    /// The password of its user.
    pub password: Option<Secret>,
}

impl SqlConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let default = Self::default();
        let named = table.named_tables().into_iter().filter_map(|(name, table)| {
            let name = resource_name(&table, "a DB2ID", &name, SHORT_NAME);
            table.required_string("url", "postgresql://USER@HOST:5432/DATABASE");
            let server = Server::read(&table);
            table.finish();
            Some((name, server?))
        });
        let config = Self {
            server: Server::read(&table),
            named: named.collect(),
            scripts: table.strings("scripts").unwrap_or_default(),
            schemas: schemas(&table),
            path: table.string("path"),
            user: table.string("user").map(|user| user.value),
            lock_timeout_s: table.number("lock-timeout", LOCK_TIMEOUT_S).unwrap_or(default.lock_timeout_s),
            is_tied: false,
        };
        table.finish();
        config
    }
}

/// Names of schemas, in upper case as Db2 has them.
fn schemas(table: &Table<'_>) -> Vec<String> {
    let written = table.strings("schemas").unwrap_or_default();
    let named = |name: Located<String>| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "@#$_".contains(c);
        let upper = name.value.to_ascii_uppercase();
        if upper.is_empty() || upper.len() > SCHEMA_MAX || !upper.chars().all(is_name) {
            let message = format!("`{}` is no name of a schema", name.value);
            let message = Diagnostic::error(codes::NAME, message);
            let help = "write letters, digits, @ # $ _: the qualifier of the programs' packages";
            table.report(crate::at(message.help(help), &name));
            return None;
        }
        Some(upper)
    };
    written.into_iter().filter_map(named).collect()
}

/// Longest name of a schema.
const SCHEMA_MAX: usize = 63;

impl Server {
    fn read(table: &Table<'_>) -> Option<Self> {
        let keys = Keys {
            clear: "password",
            file: "password-file",
            variable: "password-env",
            credential: "password-credential",
        };
        let (url, password) = (table.string("url"), secret(table, &keys));
        let url = url?;
        if has_password(&url.value) {
            let help = "take it out, put it into a file of mode 0600 and write password-file = \"…\" (or password-env, password-credential)";
            // Its line is not shown: whoever reads the message would have the password.
            let line = url.place.as_ref().map_or(0, |place| place.line);
            let message = format!("line {line}: the `url` of a server has a password in clear");
            let message = Diagnostic::error(codes::SECRET, message);
            table.report(message.help(help));
        }
        Some(Self { url, password })
    }
}

/// Whether an address says more than the user's name before its `@`.
fn has_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    authority.rsplit_once('@').is_some_and(|(who, _)| who.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::has_password;

    #[test]
    fn a_password_in_an_address_is_seen() {
        for (url, has) in [
            ("postgresql://app@db.example:5432/bank", false),
            ("postgresql://app:secret@db.example/bank", true),
            ("postgresql://app@:5432/bank?host=/run/pg", false),
        ] {
            assert_eq!(has_password(url), has, "{url}");
        }
    }
}
