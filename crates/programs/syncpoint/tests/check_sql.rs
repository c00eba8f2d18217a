//! `check --sql`: what a database says of a program's SQL statements, at the user's own line. Where no PostgreSQL is
//! installed, the test says so and is skipped.

use std::path::Path;
use std::process::{Command, Output};

use expect_test::expect;
use sql::Session;
use sql::server::{CannotStart, Private, Server};

const PROGRAM: &str = "       ID DIVISION.
       PROGRAM-ID. BANK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  KEY-X   PIC S9(9) COMP.
       01  NAME-X  PIC X(20).
       PROCEDURE DIVISION.
           EXEC SQL SELECT NAME INTO :NAME-X
               FROM CONTACT WHERE ID = :KEY-X WITH UR END-EXEC.
           EXEC SQL UPDATE CONTACT SET NAME = :NAME-X,
               NOSUCH = CURRENT TIMESTAMP
               WHERE ID = :KEY-X END-EXEC.
           GOBACK.
";

#[test]
fn a_database_objects_at_the_users_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    std::fs::create_dir(root.join("programs")).expect("made");
    std::fs::write(root.join("region.toml"), "applid = \"CHECKSQL\"\n").expect("written");
    std::fs::write(root.join("programs/BANK.cbl"), PROGRAM).expect("written");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an event loop");
    let database = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("a short path");
    let private = Private { is_tied: true, ..Private::new(database.path()) };
    let server = match runtime.block_on(Server::start(&private)) {
        Ok(server) => server,
        Err(CannotStart::NoBinaries { .. }) => return eprintln!("skipped: no PostgreSQL here"),
        Err(error) => panic!("{error}"),
    };
    let address = server.address();
    runtime.block_on(async {
        let mut session = Session::connect(&address, &sql::Settings::default()).await.expect("a session");
        session.script("CREATE TABLE contact (id int PRIMARY KEY, name char(20))").await.expect("a table");
        session.close().await;
    });
    let sql::ListenPlace::Socket { folder: socket, port } = &address.place else { panic!("a socket") };
    let url = format!("postgresql://{}@:{port}/{}?host={}", address.user, address.database, socket.display());
    let output = check(root, &["--sql", &url]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", root.display()), "");
    let from = told.find("error[SPCL035]").unwrap_or_else(|| panic!("{told}"));
    let first: String = told[from..].lines().take(5).map(|line| format!("{}\n", line.trim_end())).collect();
    expect![[r#"
        error[SPCL035]: column "nosuch" of relation "contact" does not exist
          --> programs/BANK.cbl:12:16
           |
        12 |                NOSUCH = CURRENT TIMESTAMP
           |                ^^^^^^ PostgreSQL says so (SQLSTATE 42703)
    "#]]
    .assert_eq(&first);
    runtime.block_on(server.stop()).expect("stopped");
}

#[test]
fn the_scripts_of_the_regions_own_tables_object_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    std::fs::create_dir(root.join("programs")).expect("made");
    let settings = "applid = \"CHECKSQL\"\n[sql]\nengine = \"region\"\nscripts = \"tables.sql\"\n";
    std::fs::write(root.join("region.toml"), settings).expect("written");
    std::fs::write(root.join("programs/BANK.cbl"), PROGRAM).expect("written");
    let script = "CREATE TABLE CONTACT (ID INTEGER NOT NULL,\n NAME CHAR(20));\nCREATE VIEW V AS SELECT X FROM CONTACT;\n";
    std::fs::write(root.join("tables.sql"), script).expect("written");
    let output = check(root, &[]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", root.display()), "");
    let lines = told.lines().filter(|line| line.contains("SPCL035") || line.contains("-->"));
    let objections: Vec<_> =
        lines.skip_while(|line| !line.contains("SPCL035")).map(str::trim_end).take(4).collect();
    expect![[r#"
        error[SPCL035]: SQLCODE -206: THE COLUMN IS NOT KNOWN HERE: X
         --> tables.sql:3:1
        error[SPCL035]: SQLCODE -206: THE COLUMN IS NOT KNOWN HERE: NOSUCH
          --> programs/BANK.cbl:11:12"#]]
    .assert_eq(&objections.join("\n"));
}

#[test]
fn a_database_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("region.toml"), "applid = \"CHECKSQL\"\n").expect("written");
    let output = check(folder.path(), &["--sql", "postgresql://nobody@/nothing?host=/no/such/folder"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("SPCL034") && told.contains("/no/such/folder"), "{told}");
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.arg("check").arg(folder).args(arguments).env("NO_COLOR", "1").output().expect("syncpoint runs")
}
