//! Units of work that a server commits as a last resource. Each leaves its name in a table, in the same transaction
//! as its changes: if a process dies meanwhile, the name proves that the changes are there.
//!
//! The transaction's number would cost less, but says nothing after a crash of the server: a number of which nothing was
//! written yet is given to another transaction then.

use crate::failure::{Failure, Lost};
use crate::session::Session;

/// Writes a name with a commit.
pub(crate) const INSERT: &str = "INSERT INTO syncpoint.ended VALUES ($1, true)";

/// The number that tells one server's data from all others', copies of it aside; only where names can be written.
pub(crate) async fn system_identifier(session: &mut Session) -> Result<Option<u64>, Failure> {
    let text = "SELECT system_identifier FROM pg_control_system() \
                WHERE has_table_privilege('syncpoint.ended', 'INSERT')";
    let answer = session.script(text).await?;
    let number = answer.rows.row(0).next().flatten();
    Ok(number.and_then(|bytes| std::str::from_utf8(bytes).ok()?.parse().ok()))
}

/// Returns true if a unit of work was committed under this name. The answer is final: it waits for one that is at its
/// commit, and one that has not come so far cannot commit any more.
///
/// # Errors
/// See [`Failure`].
pub async fn is_committed(session: &mut Session, name: &[u8]) -> Result<bool, Failure> {
    let name = constant(name);
    let text = format!(
        "BEGIN; SET LOCAL lock_timeout = '20s'; \
         INSERT INTO syncpoint.ended VALUES ({name}, false) ON CONFLICT DO NOTHING; \
         SELECT is_committed FROM syncpoint.ended WHERE unit = {name}; COMMIT"
    );
    match session.script(text).await {
        Ok(answer) => match answer.rows.row(0).next().flatten() {
            Some(b"t") => Ok(true),
            Some(b"f") => Ok(false),
            _ => Err(Failure::Lost(Lost { fault: None, error: String::from("the server has lost a row") })),
        },
        Err(failure) => {
            // What failed stays the message.
            let _ = session.script("ROLLBACK").await;
            Err(failure)
        }
    }
}

/// Forgets names that no session will ask about again.
///
/// # Errors
/// See [`Failure`].
pub(crate) async fn forget(session: &mut Session, names: &[Vec<u8>]) -> Result<(), Failure> {
    let names: Vec<String> = names.iter().map(|name| constant(name)).collect();
    let text = format!("DELETE FROM syncpoint.ended WHERE unit IN ({})", names.join(", "));
    session.script(text).await.map(|_| ())
}

/// Forgets all names that begin so of units of work that were committed. Those of others stay: an order that a dead region
/// has sent may be on its way.
///
/// # Errors
/// See [`Failure`].
pub async fn forget_all(session: &mut Session, prefix: &[u8]) -> Result<(), Failure> {
    let text = format!(
        "DELETE FROM syncpoint.ended WHERE is_committed AND substr(unit, 1, {}) = {}",
        prefix.len(),
        constant(prefix)
    );
    session.script(text).await.map(|_| ())
}

fn constant(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("'\\x{digits}'::bytea")
}
