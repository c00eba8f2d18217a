//! The packages whose statements have run at a server, noted there: SYSIBM.SYSPACKAGE shows how each is bound.

use db2::package::Isolation;
use foldhash::HashSet;
use sql::{Address, Session, Settings};

use crate::limits::PACKAGES_MAX;

/// The packages that a server has been told of, by their tokens.
#[derive(Default)]
pub(crate) struct Noted(parking_lot::Mutex<HashSet<u64>>);

impl Noted {
    /// Returns true the first time that it is asked about a package.
    pub(crate) fn is_new(&self, token: u64) -> bool {
        let mut seen = self.0.lock();
        if seen.contains(&token) {
            return false;
        }
        if seen.len() >= PACKAGES_MAX {
            seen.clear();
        }
        seen.insert(token)
    }
}

/// A package as the catalogue has it.
pub(crate) struct Note {
    /// Its program.
    pub(crate) program: String,
    pub(crate) token: u64,
    pub(crate) isolation: Isolation,
}

impl Note {
    /// Writes it. If that fails, the package's statements still run.
    pub(crate) async fn write(&self, address: &Address, sessions: &Settings) {
        let written = match Session::connect(address, sessions).await {
            Ok(mut session) => {
                let written = session.script(self.text()).await;
                session.close().await;
                written.map(drop).map_err(|why| why.to_string())
            }
            Err(why) => Err(why.to_string()),
        };
        if let Err(why) = written {
            tracing::warn!(target: "DB", "SYSIBM.SYSPACKAGE does not show {}: {why}", self.program);
        }
    }

    fn text(&self) -> String {
        let name = self.program.replace('\'', "''");
        let letter = match self.isolation {
            Isolation::RepeatableRead => 'R',
            Isolation::ReadStability => 'T',
            Isolation::CursorStability => 'S',
            Isolation::UncommittedRead => 'U',
        };
        format!(
            "INSERT INTO syncpoint.packages VALUES ('{name}', '{letter}', '\\x{:016x}'::bytea, localtimestamp) \
             ON CONFLICT (name) DO UPDATE SET isolation = excluded.isolation, token = excluded.token, bound = excluded.bound",
            self.token
        )
    }
}
