//! Fate of units of work whose session is gone: by the transaction's number, or by the name of a prepared one.

use crate::failure::Failure;
use crate::session::Session;
use crate::statement::quoted;

/// Fate of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its changes stay.
    Committed,
    /// They are undone.
    BackedOut,
    /// Its session has not ended yet.
    InProgress,
    /// It is so long ago that the server has forgotten.
    Forgotten,
}

/// Asks what became of a transaction, by its number.
///
/// # Errors
/// See [`Failure`].
pub async fn resolve(session: &mut Session, xid: u64) -> Result<Fate, Failure> {
    let text = format!("SELECT pg_xact_status('{xid}'::xid8)");
    let answer = match session.script(text).await {
        // It has not reached that number: it died before anything of the transaction was written.
        Err(failure) if failure.is(b"22023") => return Ok(Fate::BackedOut),
        answer => answer?,
    };
    Ok(match answer.rows.row(0).next().flatten() {
        Some(b"committed") => Fate::Committed,
        Some(b"aborted") => Fate::BackedOut,
        Some(b"in progress") => Fate::InProgress,
        _ => Fate::Forgotten,
    })
}

/// Ends a unit of work that was prepared under a name. One that is not there has ended already: `false`.
///
/// # Errors
/// See [`Failure`].
pub async fn end_prepared(session: &mut Session, name: &str, commit: bool) -> Result<bool, Failure> {
    let verb = if commit { "COMMIT PREPARED" } else { "ROLLBACK PREPARED" };
    match session.script(format!("{verb} {}", quoted(name))).await {
        Ok(_) => Ok(true),
        Err(failure) if failure.is(b"42704") => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// The names of units of work that wait for their second phase in this database, if they begin so.
///
/// # Errors
/// See [`Failure`].
pub async fn prepared(session: &mut Session, prefix: &str) -> Result<Vec<String>, Failure> {
    let text = format!(
        "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() AND starts_with(gid, {})",
        quoted(prefix)
    );
    let answer = session.script(text).await?;
    let name =
        |row| answer.rows.row(row).next().flatten().map(|name| String::from_utf8_lossy(name).into_owned());
    Ok((0..answer.rows.len()).filter_map(name).collect())
}
