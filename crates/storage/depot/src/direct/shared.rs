//! The state that the sessions of the thread share: how they connect, and what they know of the directory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use records::{Error, Result};
use sql::{CannotConnect, Failure, Session, Settings};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::calls::Told;
use super::known::{Described, Known};
use super::limits::{PATIENCE, RETRY};
use super::tables::{self, STORES, VERSION};
use crate::Options;
use crate::lane::Row;
use crate::schema;
use crate::thread::{connect, is_passing};

/// Each statement of a text sees what is committed when it begins, whatever the database's own choice is.
const READ_COMMITTED: &str = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// The state that all sessions share.
pub(super) struct Shared {
    pub options: Options,
    pub settings: Settings,
    pub known: Arc<Known>,
    /// Held by the one who reads the directory and watched stores again.
    refreshes: Mutex<()>,
}

/// The error that a refusal of the database is.
pub(super) fn refused(fault: &sql::ServerFault) -> Error {
    match &fault.state {
        b"53100" | b"53200" => Error::NoSpace("the database"),
        b"55P03" => Error::Locked,
        b"40P01" => Error::Deadlock,
        b"57014" => Error::Cancelled,
        b"23505" if fault.table == "stores" => Error::StoreExists(fault.detail.clone()),
        b"23505" if fault.table == "doubts" => Error::NameInUse,
        _ => Error::Lost(format!("the database refuses, and the unit of work is backed out: {fault}")),
    }
}

/// The rows of an answer.
pub(super) fn rows(answer: &sql::Answer) -> Vec<Row> {
    (0..answer.rows.len())
        .map(|row| answer.rows.row(row).map(|value| value.map(<[u8]>::to_vec)).collect())
        .collect()
}

impl Shared {
    pub fn new(options: Options, known: Arc<Known>) -> Self {
        let settings = Settings {
            search_path: schema::quoted(&options.schema),
            application: known.application(&options.schema),
            ..Settings::default()
        };
        Self { options, settings, known, refreshes: Mutex::default() }
    }

    /// A session, as soon as the database is there.
    ///
    /// # Errors
    /// It is not there for too long, or does not want the region.
    pub async fn session(&self) -> Result<Session> {
        let begun = Instant::now();
        loop {
            self.known.check()?;
            match connect(&self.options, &self.settings).await {
                Ok(mut session) => match session.script(READ_COMMITTED).await {
                    Ok(_) => return Ok(session),
                    Err(failure) if begun.elapsed() > PATIENCE => {
                        return Err(Error::Lost(failure.to_string()));
                    }
                    Err(_) => sleep(RETRY).await,
                },
                Err(error) if !is_passing(&error) || begun.elapsed() > PATIENCE => {
                    if matches!(error, CannotConnect::Refused { .. }) && !is_passing(&error) {
                        self.known.ends(error.to_string());
                    }
                    return Err(Error::Lost(format!("the database of the records is not there: {error}")));
                }
                Err(_) => sleep(RETRY).await,
            }
        }
    }

    /// Takes the last row of an answer, which shows whether the directory or watched stores have changed; then they are read before
    /// anybody has the answer.
    pub async fn taken(&self, session: &mut Session, answer: &sql::Answer) -> Told {
        let mut rows = rows(answer);
        let version = rows.pop().ok_or_else(|| Error::Corrupt("the database answers with nothing".into()))?;
        let version = tables::number(&version, 0)?;
        if version > self.known.version.load(Ordering::Acquire) {
            let _one = self.refreshes.lock().await;
            if version > self.known.version.load(Ordering::Acquire) {
                self.refresh(session).await?;
            }
        }
        Ok(rows)
    }

    /// Reads the directory and watched stores.
    pub async fn refresh(&self, session: &mut Session) -> Result<()> {
        let lost = |failure: Failure| Error::Lost(format!("the session with the database: {failure}"));
        // Before what it is the version of.
        let version = rows(&session.script(VERSION).await.map_err(lost)?);
        let version = version.first().map_or(Ok(0), |row| tables::number(row, 0))?;
        let described = |row: &Row| -> Result<Described> {
            let name = String::from_utf8_lossy(tables::value(row, 1)?).into_owned();
            Ok((tables::store(row, 0)?, name, tables::recovery(tables::is(row, 2)?), tables::is(row, 3)?))
        };
        let stores = rows(&session.script(STORES).await.map_err(lost)?);
        self.known.stores_are(stores.iter().map(described).collect::<Result<_>>()?);
        for store in self.known.watched_here() {
            let text = format!("SELECT key, record, sum FROM records WHERE store = {} ORDER BY key", store.0);
            let records = rows(&session.script(text).await.map_err(lost)?);
            let all = records.iter().map(|row| {
                let (key, record) = tables::checked(row, 0)?;
                Ok((key, record.unwrap_or_default()))
            });
            self.known.tell_all(store, &all.collect::<Result<Vec<_>>>()?);
        }
        self.known.version.fetch_max(version, Ordering::AcqRel);
        Ok(())
    }
}

/// A session that rests, if it can be used still.
pub(super) fn quiet(mut session: Session) -> Option<Session> {
    session.is_quiet().then_some(session)
}
