//! Tables that programs describe by DECLARE TABLE, as DCLGEN writes it: one that is missing is made.

use db2::package::{Package, Table};
use foldhash::HashSet;
use sql::{Address, Failure, Session, Settings};
use tokio::sync::Mutex as Turns;

use crate::limits::PACKAGES_MAX;
use crate::scripts;
use crate::settings::quoted;

/// Tables that have been looked for at a server.
#[derive(Default)]
pub(crate) struct Declared {
    /// Packages whose tables are there, or cannot be made.
    seen: parking_lot::Mutex<HashSet<u64>>,
    /// One looks at a time: two would make the same table.
    turn: Turns<()>,
}

impl Declared {
    /// Returns true if a package's tables have been looked for.
    pub(crate) fn has_seen(&self, token: u64) -> bool {
        self.seen.lock().contains(&token)
    }

    /// Makes the missing tables of a package. A failure is logged once; the program's statements find out.
    pub(crate) async fn make(&self, address: &Address, sessions: &Settings, token: u64, package: &Package) {
        let _turn = self.turn.lock().await;
        if self.has_seen(token) {
            return;
        }
        let settings = Settings { encoding: "UTF8".to_owned(), ..sessions.clone() };
        // Without a session the next statement tries again.
        let Ok(mut session) = Session::connect(address, &settings).await else { return };
        let mut is_lost = false;
        for table in &package.tables {
            match make_one(&mut session, table).await {
                Ok(false) => {}
                Ok(true) => {
                    tracing::info!(target: "DB", "table {} is made as {} declares it", table.name, package.program)
                }
                Err(Failure::Lost(_)) => is_lost = true,
                Err(why) => tracing::warn!(
                    target: "DB",
                    "table {}, which {} declares, is missing and cannot be made: {why}", table.name, package.program
                ),
            }
        }
        session.close().await;
        if !is_lost {
            let mut seen = self.seen.lock();
            if seen.len() >= PACKAGES_MAX {
                seen.clear();
            }
            seen.insert(token);
        }
    }
}

/// Makes a table if it is missing: whether it was.
async fn make_one(session: &mut Session, table: &Table) -> Result<bool, Failure> {
    let parts: Vec<String> = table.name.split('.').map(quoted).collect();
    let name = parts.join(".").replace('\'', "''");
    let found = session.script(format!("SELECT 1 WHERE to_regclass('{name}') IS NOT NULL")).await?;
    if !found.rows.is_empty() {
        return Ok(false);
    }
    if let [schema, _] = parts.as_slice() {
        session.script(format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await?;
    }
    session.script("BEGIN").await?;
    for text in &table.create {
        if let Err(why) = scripts::run_text(session, &text.sql).await {
            let _ = session.script("ROLLBACK").await;
            return Err(why);
        }
    }
    session.script("COMMIT").await?;
    Ok(true)
}
