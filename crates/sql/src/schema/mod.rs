//! The schemas `db2` and `sysibm`: what a database needs so that Db2's statements find what they name.

use crate::failure::Failure;
use crate::session::Session;

const DB2: &str = include_str!("db2.sql");
const DURATIONS: &str = include_str!("durations.sql");
const SYSIBM: &str = include_str!("sysibm.sql");

/// Makes both, or brings them up to date: what is there already with the same text is left alone. The role must be a
/// superuser, since some functions are PostgreSQL's own under another name.
///
/// # Errors
/// The server refuses.
pub async fn install(session: &mut Session) -> Result<(), Failure> {
    let mark = mark();
    let noted = session.script("SELECT obj_description(to_regnamespace('db2'), 'pg_namespace')").await?;
    if noted.rows.row(0).next().flatten() == Some(mark.as_bytes()) {
        return Ok(());
    }
    // One transaction: all of it or nothing. Of two regions that come at once, the second waits for the first.
    let text = format!(
        "BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL search_path = pg_catalog; \
         SELECT pg_advisory_xact_lock(7291); {DB2}\n{DURATIONS}\n{SYSIBM}\nCOMMENT ON SCHEMA db2 IS '{mark}'; COMMIT"
    );
    match session.script(text).await {
        Ok(_) => Ok(()),
        Err(failure) => {
            // What failed stays the message.
            let _ = session.script("ROLLBACK").await;
            Err(failure)
        }
    }
}

/// A mark of these texts.
fn mark() -> String {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
    hasher.write(DB2.as_bytes());
    hasher.write(DURATIONS.as_bytes());
    hasher.write(SYSIBM.as_bytes());
    format!("Syncpoint {:016x}", hasher.finish())
}
