//! The schemas `db2` and `sysibm`: what a database needs so that Db2's statements find what they name; and what programs may do
//! in a private server.

mod former;

use crate::failure::Failure;
use crate::session::Session;

const DB2: &str = include_str!("db2.sql");
const FUNCTIONS: &str = include_str!("functions.sql");
const DURATIONS: &str = include_str!("durations.sql");
const DECIMAL: &str = include_str!("decimal.sql");
const SYSIBM: &str = include_str!("sysibm.sql");
const INTERNAL: &str = include_str!("internal.sql");
const CUTS: &str = include_str!("cuts.sql");
const ROLES: &str = include_str!("roles.sql");
const OWNERS: &str = include_str!("owners.sql");

/// All texts that make functions.
#[cfg(test)]
const TEXTS: &[&str] = &[DB2, FUNCTIONS, DURATIONS, DECIMAL, SYSIBM, INTERNAL, CUTS];

/// The part that any database needs.
const SHARED: Part = Part {
    noted: "to_regnamespace('db2')",
    class: "pg_namespace",
    object: "SCHEMA db2",
    texts: &[DB2, FUNCTIONS, DURATIONS, DECIMAL, SYSIBM],
};
/// The part that only a private server's database has: quicker functions, casts that cut, and the rights of programs. Its mark is
/// made of all texts, since those of [`SHARED`] would put slower functions in the place of these.
const PRIVATE: Part = Part {
    noted: "to_regprocedure('db2.cut_numeric(numeric, int)')",
    class: "pg_proc",
    object: "FUNCTION db2.cut_numeric(numeric, int)",
    texts: &[INTERNAL, CUTS, ROLES],
};

/// Texts that belong together, and where a mark of them is kept: as the comment on an object of theirs.
struct Part {
    /// The object's number.
    noted: &'static str,
    /// The catalogue that has it.
    class: &'static str,
    /// As COMMENT ON names it.
    object: &'static str,
    texts: &'static [&'static str],
}

/// Makes both, or brings them up to date: what is there already with the same text is left alone. The role needs the right to
/// make schemas in the database, and no other; where it has not, a user who has that right runs [`script`] once.
///
/// # Errors
/// The server refuses.
pub async fn install(session: &mut Session) -> Result<(), Failure> {
    run(session, &SHARED, &mark(SHARED.texts)).await
}

/// The same for a database that is the region's alone, by the owner of its server: numbers are cut where they are stored, not
/// rounded, and programs have no rights but to their own tables.
///
/// # Errors
/// The server refuses.
pub async fn install_private(owner: &mut Session) -> Result<(), Failure> {
    install(owner).await?;
    let all: Vec<&str> = SHARED.texts.iter().chain(PRIVATE.texts).copied().collect();
    run(owner, &PRIVATE, &mark(&all)).await?;
    give_to_programs(owner).await
}

/// Gives what the server's owner has made in earlier versions to the programs, unless a user has locked it. Over a session of
/// the owner.
///
/// # Errors
/// The server refuses.
pub async fn give_to_programs(owner: &mut Session) -> Result<(), Failure> {
    owner.script(OWNERS).await.map(drop)
}

/// Returns the text that [`install`] would run, for a user who has the right to run it, with the rights that the region's role needs.
pub fn script(user: &str) -> String {
    let user = format!("\"{}\"", user.replace('"', "\"\""));
    let grants = format!(
        "GRANT USAGE ON SCHEMA db2, sysibm, syncpoint TO {user};\n\
         GRANT SELECT, INSERT ON db2.scripts TO {user};\n\
         GRANT SELECT, INSERT, DELETE ON syncpoint.ended TO {user};\n\
         GRANT SELECT, INSERT, UPDATE ON syncpoint.packages TO {user};"
    );
    let text = transaction(&SHARED, &mark(SHARED.texts), &grants);
    format!(
        "-- What Syncpoint needs in a database. Run it as a role that may make schemas there: psql --file=FILE DATABASE\n{text};\n"
    )
}

/// Runs texts, unless their mark is noted.
async fn run(session: &mut Session, part: &Part, mark: &str) -> Result<(), Failure> {
    let Part { noted, class, .. } = part;
    let text = format!(
        "SELECT description FROM pg_description WHERE objoid = {noted} AND classoid = '{class}'::regclass AND objsubid = 0"
    );
    let noted = session.script(text).await?;
    if !noted.rows.is_empty() && noted.rows.row(0).next().flatten() == Some(mark.as_bytes()) {
        return Ok(());
    }
    match session.script(transaction(part, mark, "")).await {
        Ok(_) => Ok(()),
        Err(failure) => {
            // What failed stays the message.
            let _ = session.script("ROLLBACK").await;
            Err(failure)
        }
    }
}

/// One transaction: all of it or nothing. Of two regions that come at once, the second waits for the first.
fn transaction(Part { object, texts, .. }: &Part, mark: &str, more: &str) -> String {
    format!(
        "BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL search_path = pg_catalog; \
         SELECT pg_advisory_xact_lock(7291); {}\n{more}\nCOMMENT ON {object} IS '{mark}'; COMMIT",
        former::replacing(texts)
    )
}

/// A mark of these texts.
fn mark(texts: &[&str]) -> String {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
    texts.iter().for_each(|text| hasher.write(text.as_bytes()));
    format!("Syncpoint {:016x}", hasher.finish())
}
