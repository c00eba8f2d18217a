//! The schemas `db2` and `sysibm`: what a database needs so that Db2's statements find what they name.

use crate::failure::Failure;
use crate::session::Session;

/// Makes both as [`db2::SCHEMA`] has them, or brings them up to date: what is there already with the same text is left alone.
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
        "BEGIN; SET LOCAL search_path = pg_catalog; \
         SELECT pg_advisory_xact_lock(7291); {}\nCOMMENT ON SCHEMA db2 IS '{mark}'; COMMIT",
        db2::SCHEMA
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

/// A mark of this text.
fn mark() -> String {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
    hasher.write(db2::SCHEMA.as_bytes());
    format!("Syncpoint {:016x}", hasher.finish())
}
