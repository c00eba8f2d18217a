//! `[sql]` and `[sql.NAME]`: PostgreSQL for programs with EXEC SQL.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::Table;
use crate::secret::{Keys, Secret, secret};
use crate::{Located, codes};

/// Seconds that a statement may be told to wait for what others have locked; 0: without end.
const LOCK_TIMEOUT_S: RangeInclusive<u32> = 0..=3_600;
const DEFAULT_LOCK_TIMEOUT_S: u32 = 30;

/// `[sql]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlConfig {
    /// The engine behind statements that no rule leads to a further server.
    pub engine: SqlEngine,
    /// The server of a region whose DB2CONN names none; `None`: a private one in the region's state.
    pub server: Option<Server>,
    /// Further servers.
    pub named: Vec<NamedServer>,
    /// Scripts of Db2's statements, each run once in a database.
    pub scripts: Vec<Located<String>>,
    /// Schemas in which names without one are looked for, in this order, and in the first of which they are made.
    pub schemas: Vec<String>,
    /// The folder of PostgreSQL's programs, for a private server; `None`: the region looks for them.
    pub path: Option<Located<String>>,
    /// As whom a private server runs where the region is root.
    pub user: Option<String>,
    /// Seconds that a statement waits for what others have locked; 0: without end.
    pub lock_timeout_s: u32,
    /// True if a missing table is made that a program describes by DECLARE TABLE.
    pub declared_tables: bool,
    /// The measure against a private server, whose files are in clear, where the data have an encryption key.
    pub in_clear: InClear,
    /// Texts with BIND and REBIND of DSN: files or patterns of them.
    pub bind: Vec<Located<String>>,
    /// ISOLATION of packages: names of programs or patterns, and `RR`, `RS`, `CS` or `UR`. They count before `bind`.
    pub packages: Vec<(String, &'static str)>,
    /// True if a private server ends with this process, even if that is killed. No key: for tests.
    pub is_tied: bool,
}

/// An engine behind statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SqlEngine {
    /// PostgreSQL: the region's own server, or one of an administrator.
    #[default]
    PostgreSql,
    /// The region's own tables, beside its records.
    Region,
}

/// A measure against files in clear beside data that are encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InClear {
    /// The region's log says so at each start.
    #[default]
    Warn,
    /// The region does not start.
    Refuse,
    /// Nothing: the disk is encrypted.
    Accept,
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            engine: SqlEngine::default(),
            server: None,
            named: Vec::new(),
            scripts: Vec::new(),
            schemas: Vec::new(),
            path: None,
            user: None,
            lock_timeout_s: DEFAULT_LOCK_TIMEOUT_S,
            declared_tables: false,
            in_clear: InClear::Warn,
            bind: Vec::new(),
            packages: Vec::new(),
            is_tied: false,
        }
    }
}

/// The values of `in-clear`.
const IN_CLEAR: [(&str, InClear); 3] =
    [("warn", InClear::Warn), ("refuse", InClear::Refuse), ("accept", InClear::Accept)];

/// The values of `engine`.
const ENGINES: [(&str, SqlEngine); 2] =
    [("postgresql", SqlEngine::PostgreSql), ("region", SqlEngine::Region)];

/// A server that is not the region's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its address: `postgresql://USER@HOST:PORT/DATABASE`.
    pub url: Located<String>,
    /// The password of its user.
    pub password: Option<Secret>,
}

/// `[sql.NAME]`: one more server. Units of work of some transactions and programs go there, and those of all others where a
/// DB2CONN names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedServer {
    /// The DB2ID under which a DB2CONN names it.
    pub name: String,
    /// Its place; `None`: one more private one in the region's state.
    pub server: Option<Server>,
    /// Transactions whose statements go there: names, `+` for any character, `*` for any end.
    pub transactions: Vec<String>,
    /// Programs whose statements go there, whatever their transaction: the same.
    pub programs: Vec<String>,
    /// Scripts of its own; `None`: those of `[sql]`.
    pub scripts: Option<Vec<Located<String>>>,
    /// Schemas of its own; `None`: those of `[sql]`.
    pub schemas: Option<Vec<String>>,
}

/// The name of the usual server in units of work.
const USUAL: &str = "DB2";
/// Servers of a region beside the usual one.
const NAMED_MAX: usize = 16;

impl SqlConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let default = Self::default();
        let config = Self {
            engine: table.choice("engine", &ENGINES).unwrap_or_default(),
            server: Server::read(&table),
            named: named(&table),
            scripts: table.strings("scripts").unwrap_or_default(),
            schemas: schemas(&table).unwrap_or_default(),
            path: table.string("path"),
            user: table.string("user").map(|user| user.value),
            lock_timeout_s: table.number("lock-timeout", LOCK_TIMEOUT_S).unwrap_or(default.lock_timeout_s),
            declared_tables: table.boolean("declared-tables").unwrap_or(default.declared_tables),
            in_clear: table.choice("in-clear", &IN_CLEAR).unwrap_or_default(),
            bind: table.strings("bind").unwrap_or_default(),
            packages: packages(&table),
            is_tied: false,
        };
        config.refuse_of_server(&table);
        table.finish();
        config
    }

    /// Refuses what only a server has beside the region's own tables.
    fn refuse_of_server(&self, table: &Table<'_>) {
        if self.engine != SqlEngine::Region {
            return;
        }
        let wrong = [
            (self.server.is_some(), "url", "a further server is [sql.NAME]"),
            (self.declared_tables, "declared-tables", "write CREATE TABLE into a file of `scripts`"),
        ];
        for (_, key, help) in wrong.into_iter().filter(|(is_said, ..)| *is_said) {
            let message = format!("`{key}` is not for the region's own tables (engine = \"region\")");
            table.report(Diagnostic::error(codes::VALUE, message).at(table.place()).help(help));
        }
    }
}

/// The further servers. No pattern leads to two of them.
fn named(sql: &Table<'_>) -> Vec<NamedServer> {
    let (mut servers, mut taken) = (Vec::new(), Vec::new());
    for (name, table) in sql.named_tables().into_iter().filter(|(name, _)| name.value != PACKAGES) {
        if servers.len() == NAMED_MAX {
            let message = format!("a region has at most {NAMED_MAX} servers beside that of [sql]");
            table.report(crate::at(Diagnostic::error(codes::VALUE, message), &name));
            break;
        }
        servers.extend(NamedServer::read(&table, &name, &mut taken));
        table.finish();
    }
    servers
}

/// `[sql.packages]`: ISOLATION of programs.
fn packages(sql: &Table<'_>) -> Vec<(String, &'static str)> {
    const LEVELS: [(&str, &str); 4] = [("RR", "RR"), ("RS", "RS"), ("CS", "CS"), ("UR", "UR")];
    let (mut packages, mut taken) = (Vec::new(), Vec::new());
    for (_, table) in sql.named_tables().into_iter().filter(|(name, _)| name.value == PACKAGES) {
        for (program, level) in table.string_entries() {
            let name = pattern(&table, PACKAGES, &program, LONG_NAME, &mut taken);
            let level = table.choice_of(&program.value, &level, &LEVELS);
            packages.extend(name.zip(level));
        }
    }
    packages
}

/// The one table below `[sql]` that is no server.
const PACKAGES: &str = "packages";

impl NamedServer {
    /// `taken`: the patterns of the servers before.
    fn read(
        table: &Table<'_>,
        name: &Located<String>,
        taken: &mut Vec<(&'static str, String)>,
    ) -> Option<Self> {
        let place = name;
        let name = resource_name(table, "a DB2ID", name, SHORT_NAME);
        if name == USUAL {
            let message =
                format!("{USUAL} is what the server of [sql] is called: another server has another name");
            table.report(crate::at(Diagnostic::error(codes::NAME, message), place));
        }
        let (is_private, server) = (table.boolean("private").unwrap_or(false), Server::read(table));
        let complaint = match (is_private, &server) {
            (false, None) => Some(format!("[sql.{name}] needs `url`")),
            (true, Some(_)) => Some(format!("[sql.{name}] has `url` and is private")),
            _ => None,
        };
        if let Some(complaint) = &complaint {
            let help = "url = \"postgresql://USER@HOST:5432/DATABASE\" is a server that the region does not run itself; private = true \
                        is one that the region makes";
            table.report(Diagnostic::error(codes::MISSING, complaint.clone()).at(table.place()).help(help));
        }
        let mut patterns = |key, longest| -> Vec<String> {
            let written = table.strings(key).unwrap_or_default();
            written.iter().filter_map(|one| pattern(table, key, one, longest, taken)).collect()
        };
        let server = Self {
            transactions: patterns("transactions", SHORT_NAME),
            programs: patterns("programs", LONG_NAME),
            scripts: table.strings("scripts"),
            schemas: schemas(table),
            name,
            server,
        };
        complaint.is_none().then_some(server)
    }
}

/// A name, or a pattern of names; reports one that is none, or that is taken.
fn pattern(
    table: &Table<'_>,
    key: &'static str,
    written: &Located<String>,
    longest: usize,
    taken: &mut Vec<(&'static str, String)>,
) -> Option<String> {
    let upper = written.value.to_ascii_uppercase();
    let beginning = upper.strip_suffix('*').unwrap_or(&upper);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "@#$+-".contains(c);
    if upper.is_empty() || upper.len() > longest || !beginning.chars().all(is_name) {
        let message =
            format!("`{}` in `{key}` is no name of 1 to {longest} characters, nor a pattern", written.value);
        let help = "+ stands for any character, * at the end for any more: \"PAY*\"";
        table.report(crate::at(Diagnostic::error(codes::NAME, message).help(help), written));
        return None;
    }
    if taken.contains(&(key, upper.clone())) {
        let message = format!("`{upper}` stands in `{key}` of two servers");
        let help = "write it once: its statements go to one server";
        table.report(crate::at(Diagnostic::error(codes::VALUE, message).help(help), written));
        return None;
    }
    taken.push((key, upper.clone()));
    Some(upper)
}

/// Names of schemas, in upper case as Db2 has them.
fn schemas(table: &Table<'_>) -> Option<Vec<String>> {
    let written = table.strings("schemas")?;
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
    Some(written.into_iter().filter_map(named).collect())
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
            // Its line is not shown: a reader of the message would have the password.
            let line = url.place.as_ref().map_or(0, |place| place.line);
            let message = format!("line {line}: the `url` of a server has a password in clear");
            let message = Diagnostic::error(codes::SECRET, message);
            table.report(message.help(help));
        }
        Some(Self { url, password })
    }
}

/// Returns true if an address has more than the user's name before its `@`.
fn has_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    authority.rsplit_once('@').is_some_and(|(who, _)| who.contains(':'))
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    use super::has_password;

    #[test]
    fn a_server_has_transactions_and_programs() {
        let text =
            "[sql.ARCH]\nprivate = true\ntransactions = [\"py*\"]\nprograms = \"ARCHIVE\"\nscripts = []\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        assert!(messages.is_empty(), "{messages:?}");
        let [server] = config.sql.named.as_slice() else { panic!("one server") };
        assert_eq!((server.name.as_str(), &server.server), ("ARCH", &None));
        assert_eq!(
            (server.transactions.as_slice(), server.programs.as_slice()),
            (["PY*".into()].as_slice(), ["ARCHIVE".into()].as_slice())
        );
        assert_eq!((&server.scripts, &server.schemas), (&Some(Vec::new()), &None));
    }

    #[test]
    fn packages_have_an_isolation() {
        let text = "[sql]\nbind = \"jcl/BIND*\"\n[sql.packages]\npayup = \"RR\"\n\"LIST*\" = \"UR\"\n[sql.ARCH]\nprivate = true\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(config.sql.packages, [("PAYUP".to_owned(), "RR"), ("LIST*".to_owned(), "UR")]);
        assert_eq!((config.sql.bind.len(), config.sql.named.len()), (1, 1));
        let (_, messages) = crate::region(&Source::new("region.toml", "[sql.packages]\nPAYUP = \"XX\"\n"));
        assert_eq!(messages.len(), 1, "{messages:?}");
    }

    #[test]
    fn what_is_wrong_with_a_server_is_said() {
        let two = "[sql.ONE]\nprivate = true\ntransactions = \"A*\"\n[sql.TWO]\nprivate = true\ntransactions = \"a*\"\n";
        for (text, said) in [
            ("[sql.ARCH]\ntransactions = \"A*\"\n", "needs `url`"),
            ("[sql.ARCH]\nprivate = true\nurl = \"postgresql://a@b/c\"\n", "has `url` and is private"),
            ("[sql.ARCH]\nprivate = true\ntransactions = \"PAYS*\"\n", "is no name of 1 to 4 characters"),
            ("[sql.ARCH]\nprivate = true\nprograms = \"P*Y\"\n", "is no name of 1 to 8 characters"),
            (two, "two servers"),
        ] {
            let (_, messages) = crate::region(&Source::new("region.toml", text));
            assert!(messages.iter().any(|message| message.message.contains(said)), "{text}: {messages:?}");
        }
    }

    #[test]
    fn the_region_has_tables_of_its_own_if_it_says_so() {
        let (config, messages) = crate::region(&Source::new("region.toml", "[sql]\nengine = \"region\"\n"));
        assert_eq!((config.sql.engine, messages.len()), (super::SqlEngine::Region, 0));
        let text = "[sql]\nengine = \"region\"\nurl = \"postgresql://a@b/c\"\ndeclared-tables = true\n";
        let (_, messages) = crate::region(&Source::new("region.toml", text));
        assert_eq!(messages.len(), 2, "{messages:?}");
    }

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
