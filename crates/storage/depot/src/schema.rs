//! The tables: made where they are missing, and known by their format.

use sql::{Failure, Session};

use crate::CannotOpen;

/// The name of the format, which a change of the tables or of what stands in them changes.
pub(crate) const FORMAT: &str = "Syncpoint records in a database, format 1";
/// The longest name of a schema.
const NAME_MAX: usize = 63;
/// PostgreSQL's words for a right that is missing, for what is not there, and for what another server has made just now.
const NO_RIGHT: &[u8; 5] = b"42501";
const NO_TABLE: &[u8; 5] = b"42P01";
const NO_SCHEMA: &[u8; 5] = b"3F000";
const ARE_THERE: [&[u8; 5]; 3] = [b"42P07", b"42P06", b"23505"];

/// The tables. Pieces of the log are not compressed: they are rarely read, and may be encrypted.
pub(crate) const TABLES: &str = "
    CREATE TABLE format (line text NOT NULL);
    CREATE TABLE lease (one integer PRIMARY KEY, term bigint NOT NULL, holder text NOT NULL, place text NOT NULL,
        until timestamptz NOT NULL, note0 bytea, note1 bytea);
    CREATE TABLE files (name text PRIMARY KEY, number bigint NOT NULL UNIQUE, bytes bigint NOT NULL);
    CREATE TABLE pieces (file bigint NOT NULL, place bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (file, place));
    ALTER TABLE pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
    CREATE TABLE records (space bigint NOT NULL, key bytea NOT NULL, record bytea NOT NULL, PRIMARY KEY (space, key));
    INSERT INTO lease VALUES (1, 0, '', '', '-infinity', NULL, NULL);";

/// The name of a schema as it stands in statements: it may be a word of SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Refuses a name in which something would have to be quoted.
pub(crate) fn check_name(name: &str) -> Result<(), CannotOpen> {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let is_good = name.len() <= NAME_MAX
        && name.bytes().next().is_some_and(letter)
        && name.bytes().all(|byte| letter(byte) || byte.is_ascii_digit());
    if is_good { Ok(()) } else { Err(CannotOpen::Name(name.to_owned())) }
}

/// Makes the tables of a format in the schema, if they are not there, and the schema too. Nothing is asked of PostgreSQL's own tables, which not
/// everybody may read.
pub(crate) async fn make(
    session: &mut Session,
    schema: &str,
    (format, tables): (&str, &str),
) -> Result<(), CannotOpen> {
    let refused = |why: String| CannotOpen::Schema { schema: schema.to_owned(), why };
    let mut line = find_format(session, schema).await?;
    if line.is_none() {
        let mut made = make_tables(session, (format, tables)).await;
        if let Err(failure) = &made
            && failure.is(NO_SCHEMA)
        {
            make_schema(session, schema).await?;
            made = make_tables(session, (format, tables)).await;
        }
        // Another one may have made them just now.
        match made {
            Err(Failure::Refused(fault)) if !ARE_THERE.contains(&&fault.state) => {
                return Err(refused(format!("its tables cannot be made: {fault}")));
            }
            Err(Failure::Refused(_)) | Ok(()) => {}
            Err(failure) => return Err(failure.into()),
        }
        line = find_format(session, schema).await?;
    }
    match line {
        Some(line) if line == format => Ok(()),
        Some(format) => Err(CannotOpen::Format { schema: schema.to_owned(), format }),
        None => Err(refused("its tables are not there".to_owned())),
    }
}

/// The name of the format; `None` if there are no tables.
async fn find_format(session: &mut Session, schema: &str) -> Result<Option<String>, CannotOpen> {
    match session.script(format!("SELECT line FROM {}.format", quoted(schema))).await {
        Ok(answer) => {
            let line = answer.rows.row(0).next().flatten();
            Ok(Some(line.map_or_else(String::new, |line| String::from_utf8_lossy(line).into_owned())))
        }
        Err(failure) if failure.is(NO_TABLE) || failure.is(NO_SCHEMA) => Ok(None),
        Err(Failure::Refused(fault)) => {
            Err(CannotOpen::Schema { schema: schema.to_owned(), why: fault.to_string() })
        }
        Err(failure) => Err(failure.into()),
    }
}

async fn make_tables(session: &mut Session, (format, tables): (&str, &str)) -> Result<(), Failure> {
    // Without BEGIN, a text is a transaction.
    session.script(format!("{tables} INSERT INTO format VALUES ('{format}')")).await.map(drop)
}

async fn make_schema(session: &mut Session, schema: &str) -> Result<(), CannotOpen> {
    match session.script(format!("CREATE SCHEMA {}", quoted(schema))).await {
        Err(failure) if failure.is(NO_RIGHT) => Err(CannotOpen::Schema {
            schema: schema.to_owned(),
            why: format!(
                "it is not there, and the user may not make it; a user with that right makes it by CREATE SCHEMA {} AUTHORIZATION the user",
                quoted(schema)
            ),
        }),
        Err(failure) if ARE_THERE.iter().any(|state| failure.is(state)) => Ok(()),
        made => Ok(made.map(drop)?),
    }
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_plain() {
        for good in ["records", "_r1", "syncpoint_records", "user"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "1r", "Records", "a b", "a\"; DROP TABLE x", "é", &"r".repeat(64)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
