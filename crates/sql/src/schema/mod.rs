//! The schemas `db2` and `sysibm`: what a database needs so that Db2's statements find what they name.

use crate::failure::Failure;
use crate::session::Session;

const DB2: &str = include_str!("db2.sql");
const FUNCTIONS: &str = include_str!("functions.sql");
const DURATIONS: &str = include_str!("durations.sql");
const SYSIBM: &str = include_str!("sysibm.sql");
const CUTS: &str = include_str!("cuts.sql");

/// Makes both, or brings them up to date: what is there already with the same text is left alone. The role must be a
/// superuser, since some functions are PostgreSQL's own under another name.
///
/// # Errors
/// The server refuses.
pub async fn install(session: &mut Session) -> Result<(), Failure> {
    let noted = "obj_description(to_regnamespace('db2'), 'pg_namespace')";
    run(session, noted, "SCHEMA db2", &[DB2, FUNCTIONS, DURATIONS, SYSIBM]).await
}

/// The same for a database that is the region's alone, in which numbers are cut where they are stored, not rounded. The
/// cuts have a mark of their own: another region that comes to this database by its address finds the schemas made.
///
/// # Errors
/// The server refuses.
pub async fn install_private(session: &mut Session) -> Result<(), Failure> {
    install(session).await?;
    let noted = "obj_description(to_regprocedure('db2.cut_numeric(numeric, int)'), 'pg_proc')";
    run(session, noted, "FUNCTION db2.cut_numeric(numeric, int)", &[CUTS]).await
}

/// Runs texts, unless their mark is `noted` as the comment on this object of theirs.
async fn run(session: &mut Session, noted: &str, object: &str, texts: &[&str]) -> Result<(), Failure> {
    let mark = mark(texts);
    let noted = session.script(format!("SELECT {noted}")).await?;
    if noted.rows.row(0).next().flatten() == Some(mark.as_bytes()) {
        return Ok(());
    }
    // One transaction: all of it or nothing. Of two regions that come at once, the second waits for the first.
    let text = format!(
        "BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL search_path = pg_catalog; \
         SELECT pg_advisory_xact_lock(7291); {}\nCOMMENT ON {object} IS '{mark}'; COMMIT",
        texts.join("\n")
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
fn mark(texts: &[&str]) -> String {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
    texts.iter().for_each(|text| hasher.write(text.as_bytes()));
    format!("Syncpoint {:016x}", hasher.finish())
}
