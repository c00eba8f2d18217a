//! The rights of the programs' role in a private server, whatever reaches it: its own tables, and nothing else. What Db2's SQL
//! lets through at all is the business of the crate `db2`.

use std::fs;

use sql::server::{Private, Server, plain};
use sql::{Address, Session, Settings};

use crate::place::{block_on, folder, private, wait_for_end};

/// An empty folder of a test's own.
fn empty(name: &str) -> Private {
    crate::place::address();
    let private = private(&folder(name));
    wait_for_end(&private.folder);
    if private.folder.exists() {
        fs::remove_dir_all(&private.folder).unwrap();
    }
    private
}

async fn program(server: &Server) -> Session {
    Session::connect(&server.address(), &Settings::default()).await.unwrap()
}

/// Returns the result of one text: its first value, or the state that refuses it.
async fn said(session: &mut Session, text: &str) -> String {
    match session.script(text).await {
        Ok(answer) if answer.rows.is_empty() => String::from("done"),
        Ok(answer) => {
            let value = answer.rows.row(0).next().flatten().unwrap_or(b"NULL");
            String::from_utf8_lossy(value).into_owned()
        }
        Err(failure) => failure.to_string(),
    }
}

/// Statements in PostgreSQL's own words: none of them comes from Db2's.
const WAYS: &[&str] = &[
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_stat_file('PG_VERSION')",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_creat(-1)",
    "SELECT lo_import('PG_VERSION')",
    "SELECT lo_export(1, 'x')",
    "SELECT query_to_xml('SELECT 1', true, true, '')",
    "SELECT database_to_xml(true, true, '')",
    "SELECT table_to_xml('syncpoint.ended', true, true, '')",
    "SELECT set_config('session_replication_role', 'replica', false)",
    "SELECT set_config('search_path', 'x', false)",
    "UPDATE pg_settings SET setting = 'x' WHERE name = 'search_path'",
    "SET session_replication_role = replica",
    "SET ROLE syncpoint_owner",
    "SET SESSION AUTHORIZATION syncpoint_owner",
    "ALTER SYSTEM SET work_mem = '1MB'",
    "ALTER DATABASE syncpoint SET work_mem = '1MB'",
    "ALTER ROLE syncpoint SUPERUSER",
    "CREATE ROLE other SUPERUSER",
    "CREATE DATABASE other",
    "CREATE EXTENSION dblink",
    "CREATE EXTENSION file_fdw",
    "CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'pg_backend_pid'",
    "CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'x', 'y'",
    "CREATE LANGUAGE plperlu",
    "CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION f()",
    "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p",
    "CREATE TABLESPACE t LOCATION '/var/lib'",
    "CREATE TABLE db2.t (a int)",
    "CREATE TABLE syncpoint.t (a int)",
    "CREATE TABLE pg_catalog.t (a int)",
    "CREATE FUNCTION db2.length(int[]) RETURNS int LANGUAGE sql RETURN 1",
    "DROP SCHEMA db2 CASCADE",
    "DROP SCHEMA sysibm CASCADE",
    "DROP TABLE db2.scripts",
    "DROP TABLE syncpoint.ended",
    "UPDATE syncpoint.ended SET is_committed = true",
    "DELETE FROM db2.scripts",
    "DELETE FROM pg_class",
    "UPDATE pg_proc SET proacl = NULL",
    "SELECT * FROM pg_class",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_shadow",
    "SELECT * FROM pg_stat_activity",
    "SELECT * FROM pg_prepared_statements",
    "SELECT * FROM information_schema.tables",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_cancel_backend(1)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_lock(1)",
    "SELECT pg_advisory_xact_lock(1)",
    "SELECT pg_sleep(0)",
    "SELECT pg_notify('a', 'b')",
    "SELECT pg_reload_conf()",
    "SELECT pg_switch_wal()",
    "SELECT pg_export_snapshot()",
    "SELECT setseed(0.5)",
    "COPY (SELECT 1) TO '/var/lib/x'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "CHECKPOINT",
    "LOAD 'x'",
    "GRANT EXECUTE ON FUNCTION pg_sleep(double precision) TO syncpoint",
    "GRANT pg_read_server_files TO syncpoint",
    "ALTER SCHEMA db2 OWNER TO syncpoint",
    "DO $$BEGIN PERFORM pg_sleep(0); END$$",
    "SELECT current_setting('data_directory')",
];

#[test]
fn programs_have_their_tables_and_nothing_else() {
    block_on(async {
        let private = tokio::task::spawn_blocking(|| empty("rights")).await.unwrap();
        let server = Server::start(&private).await.unwrap();
        let mut session = program(&server).await;
        let mut wrong = Vec::new();
        for way in WAYS {
            let said = said(&mut session, way).await;
            let is_refused = ["42501", "0A000", "42704", "42P13"].iter().any(|state| said.starts_with(state));
            if !is_refused {
                wrong.push(format!("{way}: {said}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // What applications do goes on working.
        let made = "CREATE SCHEMA bank; SELECT db2.make_varchar(9); CREATE TABLE bank.t (a int PRIMARY KEY, b db2.varchar_9); \
                    CREATE INDEX t_b ON bank.t (b); CREATE VIEW bank.v AS SELECT a FROM bank.t; CREATE SEQUENCE bank.s; \
                    INSERT INTO bank.t VALUES (nextval('bank.s'), 'x'), (2, db2.substr('abc', 2)); \
                    CREATE TEMPORARY TABLE own (a int); LOCK TABLE bank.t; TRUNCATE own";
        assert_eq!(said(&mut session, made).await, "varchar_9".replace("varchar", "db2.varchar"));
        assert_eq!(
            said(&mut session, "SELECT count(*) FROM sysibm.systables WHERE creator = 'BANK'").await,
            "2"
        );
        let other = Address { database: "postgres".to_owned(), ..server.address() };
        assert!(Session::connect(&other, &Settings::default()).await.is_err(), "another database");
        server.stop().await.unwrap();
    });
}

/// Makes of a server what earlier versions made: one role, a superuser, of the programs' name.
async fn make_former(server: &Server) {
    let mut owner = Session::connect(&server.owner(), &plain()).await.unwrap();
    owner
        .script("CREATE ROLE helper SUPERUSER LOGIN; DROP OWNED BY syncpoint CASCADE; DROP ROLE syncpoint")
        .await
        .unwrap();
    owner.close().await;
    let helper = Address { user: "helper".to_owned(), ..server.owner() };
    let mut helper = Session::connect(&helper, &plain()).await.unwrap();
    helper.script("ALTER ROLE syncpoint_owner RENAME TO syncpoint").await.unwrap();
    helper.close().await;
    let mut former = program(server).await;
    let made = "DROP ROLE helper; GRANT ALL ON DATABASE syncpoint TO PUBLIC; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog TO PUBLIC; \
                GRANT ALL ON ALL TABLES IN SCHEMA pg_catalog TO PUBLIC; COMMENT ON FUNCTION db2.cut_numeric(numeric, int) IS 'Syncpoint former'; \
                CREATE SCHEMA IF NOT EXISTS public; CREATE SCHEMA bank; \
                CREATE TABLE bank.t (a int GENERATED ALWAYS AS IDENTITY, b char(3)); INSERT INTO bank.t (b) VALUES ('old'); \
                CREATE SEQUENCE bank.s; CREATE VIEW bank.v AS SELECT b FROM bank.t; CREATE DOMAIN bank.d AS int; \
                CREATE FUNCTION bank.f() RETURNS int LANGUAGE sql RETURN 7";
    former.script(made).await.unwrap();
    former
        .script("BEGIN; INSERT INTO bank.t (b) VALUES ('two'); PREPARE TRANSACTION 'former'")
        .await
        .unwrap();
    former.close().await;
}

#[test]
fn a_server_of_an_earlier_version_gets_the_two_roles() {
    block_on(async {
        let private = tokio::task::spawn_blocking(|| empty("former")).await.unwrap();
        let first = Server::start(&private).await.unwrap();
        make_former(&first).await;
        let server = Server::start(&private).await.unwrap();
        assert!(server.is_adopted());
        let mut session = program(&server).await;
        assert_eq!(said(&mut session, "SELECT current_user").await, "syncpoint");
        for (text, expected) in [
            ("SELECT bank.f()", "7"),
            ("ALTER TABLE bank.t ADD c bank.d", "done"),
            ("SELECT b FROM bank.v", "old"),
            ("INSERT INTO bank.t (b) VALUES ('new')", "done"),
            ("ALTER SEQUENCE bank.s RESTART", "done"),
            ("CREATE TABLE bank.u (a int)", "done"),
            ("CREATE TABLE u (a int)", "done"),
            ("DROP SCHEMA bank CASCADE", "done"),
            ("SELECT pg_sleep(0)", "42501 permission denied for function pg_sleep"),
            ("SELECT * FROM pg_authid", "42501 permission denied for table pg_authid"),
            ("CREATE ROLE x", "42501 permission denied to create role"),
        ] {
            if text.starts_with("ALTER TABLE") {
                // What waits there for its end is the owner's to end.
                let mut owner = Session::connect(&server.owner(), &plain()).await.unwrap();
                assert_eq!(said(&mut owner, "COMMIT PREPARED 'former'").await, "done");
                sql::schema::give_to_programs(&mut owner).await.unwrap();
                owner.close().await;
            }
            assert_eq!(said(&mut session, text).await, expected, "{text}");
        }
        server.stop().await.unwrap();
    });
}

#[test]
fn makers_of_one_server_take_turns() {
    block_on(async {
        let private = tokio::task::spawn_blocking(|| empty("turns")).await.unwrap();
        // What a maker has left that was killed.
        fs::create_dir_all(private.folder.join("data.new.1.0/base")).unwrap();
        let (one, other) = (private.clone(), private.clone());
        let (one, other) = tokio::join!(Server::start(&one), Server::start(&other));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_eq!((one.pid(), one.is_adopted() != other.is_adopted()), (other.pid(), true));
        let left = fs::read_dir(&private.folder).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(!left.iter().any(|name| name.starts_with("data.new")), "{left:?}");
        let turn = one.turn().await.unwrap();
        let waits =
            tokio::time::timeout(std::time::Duration::from_millis(100), Server::start(&private)).await;
        assert!(waits.is_err(), "nobody starts it in another's turn");
        drop(turn);
        let child = if one.is_adopted() { other } else { one };
        child.stop().await.unwrap();
    });
}
