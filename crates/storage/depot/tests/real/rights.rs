//! The rights of the database's user, and the messages where something is missing.

use depot::{CannotOpen, Database, Options};
use records::Engine;
use sql::Address;

use crate::place::{LONG, USER, as_user, does, open, options, owner, schema};

async fn refused(options: Options) -> String {
    match Database::open(options).await {
        Ok(_) => panic!("it opens"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn the_owner_of_one_schema_needs_no_other_right() {
    let folder = tempfile::tempdir().unwrap();
    schema("least").await;
    does(format!(
        "REVOKE ALL ON SCHEMA public FROM {USER}; REVOKE CREATE ON DATABASE syncpoint FROM {USER}, PUBLIC"
    ))
    .await;
    let opened = open(folder.path(), "least", LONG).await;
    opened.engine.checkpoint().unwrap();
    drop(opened);
    // Others are not let in by it.
    let others = does(
        "SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = 'least'::regnamespace AND c.relkind = 'r' \
         AND (has_table_privilege('syncpoint', c.oid, 'SELECT') OR c.relowner <> 'keeper'::regrole)",
    )
    .await;
    assert_eq!(others.rows.row(0).next(), Some(Some(&b"0"[..])));
}

#[tokio::test]
async fn a_schema_may_be_named_by_a_word_of_sql() {
    for name in ["user", "select"] {
        let folder = tempfile::tempdir().unwrap();
        does(format!(
            "DROP SCHEMA IF EXISTS \"{name}\" CASCADE; CREATE SCHEMA \"{name}\" AUTHORIZATION {USER}"
        ))
        .await;
        open(folder.path(), name, LONG).await.engine.checkpoint().unwrap();
    }
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    does("DROP SCHEMA IF EXISTS nowhere CASCADE; REVOKE CREATE ON DATABASE syncpoint FROM PUBLIC").await;
    let said = refused(options(folder.path(), "nowhere", LONG)).await;
    assert!(said.contains("CREATE SCHEMA \"nowhere\" AUTHORIZATION"), "{said}");
    let said = refused(options(folder.path(), "no\"where", LONG)).await;
    assert!(said.contains("is no name of a schema"), "{said}");
    does("DROP SCHEMA IF EXISTS foreign_tables CASCADE; CREATE SCHEMA foreign_tables").await;
    let said = refused(options(folder.path(), "foreign_tables", LONG)).await;
    assert!(said.contains("foreign_tables") && said.contains("permission denied"), "{said}");
    schema("later").await;
    drop(open(folder.path(), "later", LONG).await);
    does("UPDATE later.format SET line = 'Syncpoint records in a database, format 9'").await;
    let error = Database::open(options(folder.path(), "later", LONG)).await.err().unwrap();
    assert!(matches!(error, CannotOpen::Format { .. }) && error.to_string().contains("format 9"), "{error}");
    let address =
        Address { user: "nobody_here".to_owned(), password: Some("secret".to_owned()), ..as_user(&owner()) };
    let said = refused(Options { address, ..options(folder.path(), "later", LONG) }).await;
    assert!(said.contains("nobody_here") && !said.contains("secret"), "{said}");
    let short = Options { lease: std::time::Duration::from_secs(1), ..options(folder.path(), "later", LONG) };
    assert!(refused(short).await.contains("seconds"));
}
