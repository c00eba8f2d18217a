//! The settings of a region's servers.

use std::path::PathBuf;

use db2::package::Isolation;
use ebcdic::CodePage;
use sql::Address;
use sql::server::Private;

use crate::patterns;

/// Settings of servers and statements.
#[derive(Clone)]
pub struct Settings {
    /// The engine behind statements that no rule leads to a further server.
    pub engine: Engine,
    /// Place of the usual server.
    pub place: ServerPlace,
    /// Further servers.
    pub named: Vec<Named>,
    /// Scripts of Db2's statements. Each is run once in a database.
    pub scripts: Vec<Script>,
    /// Schemas of names that have none: the first that has it; what is made goes into the first. Empty: PostgreSQL's `public`.
    pub schemas: Vec<String>,
    /// Milliseconds that a statement waits for what others have locked; 0: without end.
    pub lock_timeout_ms: u32,
    /// True if a missing table is made that a program describes by DECLARE TABLE.
    pub declared_tables: bool,
    /// The isolation of packages: patterns of programs, in order; a later one counts.
    pub isolations: Vec<(String, Isolation)>,
    /// True if the connection is made when the region starts, in any case (DB2CONN=YES).
    pub connects_at_start: bool,
}

/// An engine behind statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL: the usual server.
    #[default]
    PostgreSql,
    /// The region's own tables, in its record engine.
    Region {
        /// The code page in whose order characters are compared.
        order: CodePage,
    },
}

/// One more server, and what goes there.
#[derive(Clone)]
pub struct Named {
    /// The DB2ID under which a DB2CONN names it.
    pub name: String,
    /// Place of the server.
    pub place: ServerPlace,
    /// Whose statements go there, whatever DB2CONN names: patterns of transactions, and of programs.
    pub transactions: Vec<String>,
    /// See `transactions`; these count before them.
    pub programs: Vec<String>,
    /// Its own scripts and schemas; `None`: the same as everywhere.
    pub scripts: Option<Vec<Script>>,
    /// See `scripts`.
    pub schemas: Option<Vec<String>>,
}

impl Named {
    /// Returns true if statements of some transactions or programs go there.
    pub(crate) fn has_statements(&self) -> bool {
        !self.transactions.is_empty() || !self.programs.is_empty()
    }
}

/// A server.
#[derive(Clone)]
pub enum ServerPlace {
    /// The region's own.
    Private(Box<Private>),
    /// A server that the region does not run itself.
    At(Address),
}

/// A script.
#[derive(Clone)]
pub struct Script {
    /// The name by which a database remembers that it has run there.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl Default for Settings {
    /// A region that has been given no servers: for tests of other domains.
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            place: ServerPlace::Private(Box::new(Private::new("sql"))),
            named: Vec::new(),
            scripts: Vec::new(),
            schemas: Vec::new(),
            lock_timeout_ms: 0,
            declared_tables: false,
            isolations: Vec::new(),
            connects_at_start: false,
        }
    }
}

impl Settings {
    /// Settings for the server of a DB2ID: the usual server's if it names none, or an unknown one.
    pub(crate) fn at(&self, id: &str) -> Self {
        let Some(named) = self.named.iter().find(|named| named.name == id) else { return self.clone() };
        Self {
            engine: Engine::PostgreSql,
            place: named.place.clone(),
            scripts: named.scripts.clone().unwrap_or_else(|| self.scripts.clone()),
            schemas: named.schemas.clone().unwrap_or_else(|| self.schemas.clone()),
            ..self.clone()
        }
    }

    /// The role of a region at the server of a DB2ID, if the region does not run that server itself.
    pub fn user_at(&self, id: &str) -> Option<String> {
        match self.at(id).place {
            ServerPlace::At(address) => Some(address.user),
            ServerPlace::Private(_) => None,
        }
    }

    /// Settings for a further server by its number among them, or for the usual one.
    pub(crate) fn of_place(&self, place: Option<usize>) -> Self {
        self.at(place.map_or("", |place| &self.named[place].name))
    }

    /// The further server to which statements of a program go, for a transaction if it is one's: its place among them. A
    /// program's own pattern counts before its transaction's, the one that says more before the other.
    pub(crate) fn further(&self, program: &str, transaction: Option<&str>) -> Option<usize> {
        let of = |patterns: fn(&Named) -> &Vec<String>, name: &str| {
            let all = self.named.iter().enumerate();
            let fitting = all.flat_map(|(place, named)| {
                let fitting = patterns(named).iter().filter(|pattern| patterns::fits(pattern, name));
                fitting.map(move |pattern| (patterns::particularity(pattern), place))
            });
            fitting.max_by_key(|(said, _)| *said).map(|(_, place)| place)
        };
        of(|named| &named.programs, program)
            .or_else(|| transaction.and_then(|name| of(|named| &named.transactions, name)))
    }

    /// Schemas in which names without a schema are looked for.
    pub(crate) fn search_path(&self) -> String {
        let own = self.schemas.iter().map(|schema| quoted(schema) + ", ");
        own.collect::<String>() + &sql::Settings::default().search_path
    }

    /// Settings of sessions.
    pub(crate) fn sessions(&self, applid: &str) -> sql::Settings {
        sql::Settings {
            lock_timeout: self.lock_timeout_ms,
            application: format!("syncpoint {applid}"),
            search_path: self.search_path(),
            ..sql::Settings::default()
        }
    }
}

/// A schema's name as PostgreSQL has it: Db2's names are in upper case, PostgreSQL's in lower.
pub(crate) fn quoted(schema: &str) -> String {
    format!("\"{}\"", schema.to_lowercase().replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_counts_before_its_transaction() {
        let named = |name: &str, transactions: &[&str], programs: &[&str]| Named {
            name: name.to_owned(),
            place: Settings::default().place,
            transactions: transactions.iter().map(|one| (*one).to_owned()).collect(),
            programs: programs.iter().map(|one| (*one).to_owned()).collect(),
            scripts: None,
            schemas: Some(vec![String::from("OWN")]),
        };
        let settings = Settings {
            named: vec![named("ONE", &["P*", "Q+++"], &[]), named("TWO", &["PY*"], &["ARCH*"])],
            ..Settings::default()
        };
        for (program, transaction, place) in [
            ("ANY", Some("XXXX"), None),
            ("ANY", Some("PAYS"), Some(0)),
            ("ANY", Some("PYAA"), Some(1)),
            ("ARCHIVE", Some("QUAY"), Some(1)),
            ("ANY", Some("QUAY"), Some(0)),
            ("ARCHIVE", None, Some(1)),
            ("ANY", None, None),
        ] {
            assert_eq!(settings.further(program, transaction), place, "{program} {transaction:?}");
        }
        assert_eq!(settings.at("TWO").schemas, ["OWN"]);
        assert!(settings.at("").schemas.is_empty() && settings.at("NONE").schemas.is_empty());
    }
}
