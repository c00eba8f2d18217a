//! Scripts of Db2's statements, as applications ship them: each is run once in a database.

use std::path::Path;

use db2::package::{Action, Spot, Text};
use db2::{DynamicKind, Letters, Mistake};
use sql::{Address, CannotConnect, Failure, Session, Settings};
use thiserror::Error;

use crate::settings::Script;

/// Why a script does not run. Nothing of it is left then.
#[derive(Debug, Error)]
pub(crate) enum CannotRun {
    #[error(transparent)]
    Connect(#[from] CannotConnect),
    #[error("the script {name} cannot be read: {error}")]
    Unreadable { name: String, error: std::io::Error },
    #[error("the script {name}, line {line}: {why}")]
    Refused { name: String, line: u32, why: String },
    #[error("the database does not remember scripts: {0}")]
    Marks(Failure),
}

/// Where a database remembers which scripts have run in it.
const MARKS: &str =
    "CREATE TABLE IF NOT EXISTS db2.scripts (name text PRIMARY KEY, at timestamp NOT NULL DEFAULT now())";

/// Settings of sessions that look after a database.
pub(crate) fn settings() -> Settings {
    Settings { encoding: "UTF8".to_owned(), ..Settings::default() }
}

/// Runs those that have not run in the database.
///
/// # Errors
/// See [`CannotRun`].
pub(crate) async fn run(address: &Address, scripts: &[Script]) -> Result<(), CannotRun> {
    if scripts.is_empty() {
        return Ok(());
    }
    let mut session = Session::connect(address, &settings()).await?;
    let ran = run_all(&mut session, scripts).await;
    session.close().await;
    ran
}

async fn run_all(session: &mut Session, scripts: &[Script]) -> Result<(), CannotRun> {
    session.script(format!("SET client_min_messages = warning; {MARKS}")).await.map_err(CannotRun::Marks)?;
    for script in scripts {
        session.script("BEGIN").await.map_err(CannotRun::Marks)?;
        let ran = run_one(session, script).await;
        let end = if matches!(ran, Ok(true)) { "COMMIT" } else { "ROLLBACK" };
        let ended = session.script(end).await;
        if ran? {
            ended.map_err(CannotRun::Marks)?;
            tracing::info!(target: "DB", "the script {} has run", script.name);
        }
    }
    Ok(())
}

/// Runs one, in a transaction that is open; false if it has run before.
async fn run_one(session: &mut Session, script: &Script) -> Result<bool, CannotRun> {
    let name = script.name.replace('\'', "''");
    let mark = format!("INSERT INTO db2.scripts (name) VALUES ('{name}') ON CONFLICT DO NOTHING RETURNING 1");
    let marked = session.script(mark).await.map_err(CannotRun::Marks)?;
    if marked.rows.row(0).next().is_none() {
        return Ok(false);
    }
    let text =
        read(&script.path).map_err(|error| CannotRun::Unreadable { name: script.name.clone(), error })?;
    let refused = |line, why| CannotRun::Refused { name: script.name.clone(), line, why };
    let mistaken = |at: Spot, mistake: Mistake| refused(at.line.max(mistake.spot.line), mistake.message);
    let pieces = db2::split(&text).map_err(|mistake| mistaken(Spot::default(), mistake))?;
    for piece in pieces {
        for statement in statements(&piece.letters).map_err(|mistake| mistaken(piece.at, mistake))? {
            let ran = session.script(&statement.sql).await;
            ran.map_err(|failure| refused(piece.at.line, failure.to_string()))?;
        }
    }
    Ok(true)
}

fn read(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    // One of an older machine is in ISO 8859-1.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

/// A statement of a script in PostgreSQL's words; nothing where there is nothing to be done.
fn statements(letters: &Letters) -> Result<Vec<Text>, Mistake> {
    if let Some(definitions) = db2::definition(letters)? {
        return Ok(definitions.into_iter().map(|definition| definition.text).collect());
    }
    let read = db2::dynamic(letters)?;
    Ok(match read.kind {
        // The script commits as a whole; everybody who may connect has all rights.
        DynamicKind::Action {
            action:
                Action::Commit
                | Action::Rollback
                | Action::Connection
                | Action::Grant
                | Action::SetRegister { .. },
            ..
        } => Vec::new(),
        DynamicKind::Query { .. } | DynamicKind::Action { .. } => vec![read.text],
    })
}
