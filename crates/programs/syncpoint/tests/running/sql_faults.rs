//! Failures of a PostgreSQL that another runs, or of a private one that another release has made: programs get the
//! published codes, operators a message with what to do, and the region goes on.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use crate::elsewhere::Elsewhere;
use crate::house::{FREE_PORT, PATIENCE, Region, application, product};
use crate::with_database::WithDatabase;

/// Counts rows; changes a row; adds many. A code below zero is the abend, behind an S.
fn program(name: &str, statement: &str) -> String {
    format!(
        "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ROWS PIC S9(9) COMP.
       01  WS-ABEND.
           05  FILLER PIC X VALUE 'S'.
           05  WS-CODE PIC 999.
       PROCEDURE DIVISION.
           EXEC SQL {statement} END-EXEC
           IF SQLCODE < 0
              MOVE SQLCODE TO WS-CODE
              EXEC CICS ABEND ABCODE(WS-ABEND) NODUMP END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
"
    )
}

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CNTS) GROUP(FAULTS) PROGRAM(COUNTS) SPURGE(YES)
DEFINE PROGRAM(COUNTS) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(ADDS) GROUP(FAULTS) PROGRAM(ADDS) SPURGE(YES)
DEFINE PROGRAM(ADDS) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(MANY) GROUP(FAULTS) PROGRAM(MANY) SPURGE(YES)
DEFINE PROGRAM(MANY) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(READ) GROUP(FAULTS) PROGRAM(READS) SPURGE(YES)
DEFINE PROGRAM(READS) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(DROP) GROUP(FAULTS) PROGRAM(DROPS) SPURGE(YES)
DEFINE PROGRAM(DROPS) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(FREE) GROUP(FAULTS) PROGRAM(FREE)
DEFINE PROGRAM(FREE) GROUP(FAULTS) CONCURRENCY(THREADSAFE)
DEFINE DB2CONN(MAIN) GROUP(FAULTS) CONNECTERROR(SQLCODE)
";

const FREE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FREE.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";

/// A transaction that ended as it should.
const NORMAL: &str = "has ended normally";
const TABLE: &str = "CREATE TABLE MOVES (NUMBER INTEGER NOT NULL); INSERT INTO MOVES VALUES (1);\n";

/// The application's files, with this section of servers.
fn files(sql: &str) -> Vec<(&'static str, String)> {
    let region = format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n{sql}");
    vec![
        ("region.toml", region),
        ("faults.csd", DEFINITIONS.to_owned()),
        ("tables.sql", TABLE.to_owned()),
        ("programs/COUNTS.cbl", program("COUNTS", "SELECT COUNT(*) INTO :WS-ROWS FROM MOVES")),
        ("programs/ADDS.cbl", program("ADDS", "UPDATE MOVES SET NUMBER = NUMBER + 1")),
        (
            "programs/MANY.cbl",
            program(
                "MANY",
                "INSERT INTO MOVES\n              SELECT A.COLNO FROM SYSIBM.SYSCOLUMNS A,\n              SYSIBM.SYSCOLUMNS B, SYSIBM.SYSCOLUMNS C",
            ),
        ),
        ("programs/READS.cbl", program("READS", "SELECT COUNT(*) INTO :WS-ROWS FROM HIDDEN")),
        ("programs/DROPS.cbl", program("DROPS", "DROP TABLE HIDDEN")),
        ("programs/FREE.cbl", FREE.to_owned()),
    ]
}

fn written(files: &[(&'static str, String)]) -> TempDir {
    let texts: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    application(&texts)
}

/// A region on this folder.
struct Working<'f> {
    folder: &'f TempDir,
    region: Region,
}

impl<'f> Working<'f> {
    fn new(folder: &'f TempDir) -> Self {
        Self { folder, region: Region::start(folder.path()) }
    }

    fn start(&self, transaction: &str) -> Child {
        let mut command = product();
        command.args(["start", ".", transaction]).current_dir(self.folder.path()).env("NO_COLOR", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    /// Runs a transaction and returns the message of its end.
    fn runs(&self, transaction: &str) -> String {
        ended(self.start(transaction))
    }

    #[track_caller]
    fn ends_so(&self, transaction: &str, how: &str) {
        let text = self.runs(transaction);
        assert!(text.contains(how), "{transaction}: {text}\n{}", self.region.log());
    }

    /// Runs a transaction until it ends normally: the connection is made again meanwhile.
    #[track_caller]
    fn recovers(&self, transaction: &str) {
        let begun = Instant::now();
        loop {
            let text = self.runs(transaction);
            if text.contains(NORMAL) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{text}\n{}", self.region.log());
        }
    }

    fn cemt(&self, command: &str) -> String {
        let mut cemt = product();
        let output = cemt.args(["cemt", ".", command]).current_dir(self.folder.path()).output();
        let output = output.expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// The region's log, once it has ended in order.
    fn log_at_the_end(self) -> String {
        self.region.signal("INT");
        let (status, log) = self.region.ended();
        assert!(status.success(), "{log}");
        log
    }
}

fn ended(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_server_that_is_stopped_and_started_again_is_connected_again() {
    let mut server = Elsewhere::start(20);
    let folder = written(&files(&format!("url = \"{}\"\n", server.url())));
    let working = Working::new(&folder);
    working.ends_so("ADDS", NORMAL);
    server.stops();
    let text = working.runs("CNTS");
    assert!(text.contains("S923") || text.contains("S924"), "{text}");
    working.ends_so("ADDS", "S923");
    working.ends_so("FREE", NORMAL);
    server.starts();
    working.recovers("CNTS");
    working.ends_so("ADDS", NORMAL);
    let log = working.log_at_the_end();
    assert!(log.contains("DFHDB2064I") && log.contains("DFHDB2037I"), "{log}");
}

#[test]
fn with_standbymode_connect_a_region_waits_for_its_server_once() {
    let mut server = Elsewhere::start(20);
    let mut files = files(&format!("url = \"{}\"\n", server.url()));
    server.stops();
    for (_, text) in files.iter_mut().filter(|(name, _)| *name == "faults.csd") {
        *text = text.replace("CONNECTERROR", "STANDBYMODE(CONNECT) CONNECTERROR");
    }
    let folder = written(&files);
    let working = Working::new(&folder);
    working.ends_so("ADDS", "S923");
    // It is made as soon as the server is there, …
    server.starts();
    working.region.logs("DFHDB2023I");
    working.ends_so("ADDS", NORMAL);
    // … and not made again when it is lost.
    let failures = || working.region.log().matches("DFHDB2037I").count();
    let before = failures();
    server.stops();
    let begun = Instant::now();
    while failures() == before {
        working.runs("ADDS");
        assert!(begun.elapsed() < PATIENCE, "{}", working.region.log());
    }
    server.starts();
    working.ends_so("ADDS", "S923");
    assert!(working.cemt("SET DB2CONN CONNECTED").contains("NORMAL"));
    working.ends_so("ADDS", NORMAL);
    working.log_at_the_end();
}

/// The message of PostgreSQL where only its owner's sessions are left.
const FULL: &str = "remaining connection slots are reserved";

#[test]
fn a_server_without_a_free_session_is_not_there_for_a_while() {
    let server = Elsewhere::start(8);
    let folder = written(&files(&format!("url = \"{}\"\n", server.url())));
    let working = Working::new(&folder);
    working.region.logs("DFHDB2023I");
    let mut others = Vec::new();
    let why = loop {
        match server.session_of_programs() {
            Ok(session) => others.push(session),
            Err(why) => break why,
        }
    };
    assert!(why.contains(FULL), "{why}");
    working.ends_so("ADDS", "S923");
    working.ends_so("FREE", NORMAL);
    drop(others);
    working.recovers("ADDS");
    assert!(working.log_at_the_end().contains(FULL));
}

#[test]
fn a_table_whose_disk_is_full_fails_the_statement_alone() {
    let server = Elsewhere::start(20);
    let folder = written(&files(&format!("url = \"{}\"\n", server.url())));
    let Some(disk) = Disk::mount(&server) else {
        eprintln!("skipped: no small disk can be mounted here");
        return;
    };
    let working = Working::new(&folder);
    working.region.logs("DFHDB2023I");
    let mut session = server.session().expect("a session");
    server.run(&mut session, &format!("CREATE TABLESPACE small LOCATION '{}'", disk.0.display()));
    server.run(&mut session, "ALTER TABLE moves SET TABLESPACE small");
    working.ends_so("MANY", "S904");
    working.ends_so("CNTS", NORMAL);
    assert_eq!(server.run(&mut session, "SELECT count(*) FROM moves").as_deref(), Some("1"));
    assert!(!working.log_at_the_end().contains("DFHDB2064I"));
}

/// A disk of a few pages for a table.
struct Disk(PathBuf);

impl Disk {
    fn mount(server: &Elsewhere) -> Option<Self> {
        let path = server.path().join("small");
        fs::create_dir(&path).expect("a folder");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&path).output();
        let is_there = mounted.is_ok_and(|output| output.status.success());
        is_there.then(|| {
            server.owns(&path, 0o700);
            Self(path)
        })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It goes when the server has let go of it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_server_over_tls_takes_the_right_password_and_refuses_another() {
    let mut server = Elsewhere::start(20);
    let mut session = server.session().expect("a session");
    server.run(
        &mut session,
        "CREATE ROLE app LOGIN PASSWORD 'secret'; GRANT CONNECT, CREATE ON DATABASE syncpoint TO app; \
         GRANT ALL ON SCHEMA db2, sysibm, syncpoint, public TO app; GRANT ALL ON ALL TABLES IN SCHEMA db2, syncpoint TO app; \
         GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO app; \
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog TO app; CREATE TABLE hidden (number integer)",
    );
    drop(session);
    let (authority, certificate, key) = certificates();
    let authority = server.file("authority.pem", &authority);
    let settings = [
        String::from("listen_addresses=localhost"),
        String::from("ssl=on"),
        format!("ssl_cert_file={}", server.file("server.pem", &certificate).display()),
        format!("ssl_key_file={}", server.file("server.key", &key).display()),
    ];
    let port = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port").port();
    server.listens_on(port);
    server.restarts_with(&settings, "hostssl all app localhost scram-sha-256\n");
    let authority = authority.display();
    let url = format!("postgresql://app@localhost:{port}/syncpoint?sslrootcert={authority}");
    let sql = format!("url = \"{url}\"\npassword-file = \"word\"\n");
    let with_password = |word: &str| {
        let mut files = files(&sql);
        files.push(("word", format!("{word}\n")));
        let folder = written(&files);
        fs::set_permissions(folder.path().join("word"), Permissions::from_mode(0o600)).expect("its owner");
        folder
    };
    let wrong = with_password("another");
    let working = Working::new(&wrong);
    working.ends_so("CNTS", "S923");
    working.ends_so("FREE", NORMAL);
    let log = working.log_at_the_end();
    assert!(log.contains("DFHDB2037I") && log.contains("password authentication failed"), "{log}");
    assert!(!log.contains("another"), "{log}");

    let right = with_password("secret");
    let working = Working::new(&right);
    working.ends_so("CNTS", NORMAL);
    working.ends_so("ADDS", NORMAL);
    // What the role of the region may not do.
    working.ends_so("READ", "S551");
    working.ends_so("DROP", "S552");
    working.log_at_the_end();

    // The same for those who only ask about the programs' statements.
    let check = |folder: &TempDir, with: &[&str]| {
        let checked = product().args(["check", ".", "--sql", &url]).args(with).current_dir(folder).output();
        let checked = checked.expect("it runs");
        String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned()
    };
    let cannot = "the database cannot be asked";
    let said = check(&wrong, &["--password-file", "word"]);
    assert!(said.contains(cannot) && said.contains("password authentication failed"), "{said}");
    assert!(!said.contains("another"), "{said}");
    assert!(check(&right, &[]).contains(cannot));
    let said = check(&right, &["--password-file", "none"]);
    assert!(said.contains(cannot) && said.contains("cannot be read"), "{said}");
    let said = check(&right, &["--password-file", "word"]);
    assert!(!said.contains(cannot), "{said}");
    fs::set_permissions(right.path().join("word"), Permissions::from_mode(0o644)).expect("its owner");
    let said = check(&right, &["--password-file", "word"]);
    assert!(said.contains("others may read the password"), "{said}");
}

/// An authority's certificate, and one of its own with the key, for `localhost`.
fn certificates() -> (String, String, String) {
    let mut params = CertificateParams::new(vec![String::from("an authority")]).expect("a name");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let authority = params.self_signed(&key).expect("signed").pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![String::from("localhost")]).expect("a name");
    let certificate = params.signed_by(&key, &issuer).expect("signed").pem();
    (authority, certificate, key.serialize_pem())
}

#[test]
fn data_of_another_release_is_left_alone() {
    let application = files("");
    let texts: Vec<_> = application[1..].iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = WithDatabase::new(&texts);
    let region = Region::start(folder.path());
    let counts = |how: &str, region: &Region| {
        let mut start = product();
        let output = start.args(["start", ".", "CNTS"]).current_dir(folder.path()).output().expect("it runs");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let text = text.concat();
        assert!(text.contains(how), "{text}\n{}", region.log());
    };
    counts(NORMAL, &region);
    region.signal("INT");
    assert!(region.ended().0.success());
    let release = folder.path().join(".syncpoint/postgresql/data/PG_VERSION");
    let own = fs::read_to_string(&release).expect("its release");
    fs::write(&release, "9\n").expect("written");
    let region = Region::start(folder.path());
    counts("S923", &region);
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("is of PostgreSQL 9, the programs are of"), "{log}");
    assert!(log.contains("pg_dumpall --file=FILE"), "{log}");
    fs::write(&release, own).expect("written");
    let region = Region::start(folder.path());
    counts(NORMAL, &region);
    region.ends_in_order();
}

#[test]
fn a_task_that_waits_for_a_row_is_purged_and_its_statement_is_cancelled() {
    let server = Elsewhere::start(20);
    let folder = written(&files(&format!("url = \"{}\"\n", server.url())));
    let working = Working::new(&folder);
    working.ends_so("ADDS", NORMAL);
    let mut holder = server.session().expect("a session");
    server.run(&mut holder, "BEGIN; UPDATE moves SET number = 100");
    let waits = working.start("ADDS");
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'";
    let mut looks = server.session().expect("a session");
    until(|| server.run(&mut looks, waiting).as_deref() == Some("1"), "nobody waits for the row");
    let tasks = working.cemt("INQUIRE TASK");
    let line = tasks.lines().find(|line| line.contains("Tra(ADDS)")).expect("the task");
    let number: String = line.chars().filter(char::is_ascii_digit).take(5).collect();
    assert!(working.cemt(&format!("SET TASK({number}) PURGE")).contains("NORMAL"));
    let text = ended(waits);
    assert!(text.contains("AKCS"), "{text}");
    // The server waits no longer, though the row is still locked.
    until(|| server.run(&mut looks, waiting).as_deref() == Some("0"), "the statement is not cancelled");
    server.run(&mut holder, "ROLLBACK");
    working.ends_so("ADDS", NORMAL);
    assert_eq!(server.run(&mut looks, "SELECT number FROM moves").as_deref(), Some("3"));
    working.log_at_the_end();
}

#[test]
fn a_region_goes_from_one_server_to_another() {
    let (first, second) = (Elsewhere::start(20), Elsewhere::start(20));
    let sql = format!("url = \"{}\"\n[sql.TWO]\nurl = \"{}\"\n", first.url(), second.url());
    let folder = written(&files(&sql));
    let working = Working::new(&folder);
    working.ends_so("ADDS", NORMAL);
    for (id, times) in [("TWO", 2), ("NONE", 1)] {
        for change in ["NOTCONNECTED", &format!("DB2ID({id})"), "CONNECTED"] {
            let said = working.cemt(&format!("SET DB2CONN {change}"));
            assert!(said.contains("NORMAL"), "{change}: {said}\n{}", working.region.log());
        }
        for _ in 0..times {
            working.ends_so("ADDS", NORMAL);
        }
    }
    let number = |server: &Elsewhere| {
        let mut session = server.session().expect("a session");
        server.run(&mut session, "SELECT number FROM moves")
    };
    // A DB2ID that region.toml does not name is the server of [sql].
    assert_eq!((number(&first).as_deref(), number(&second).as_deref()), (Some("3"), Some("3")));
    working.log_at_the_end();
}

/// Waits until something is so.
#[track_caller]
fn until(mut is_so: impl FnMut() -> bool, or: &str) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{or}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A region whose role may not make schemas says which right is missing; an administrator who has run the script once helps.
#[test]
fn a_role_without_rights_works_where_an_administrator_has_run_the_script() {
    let server = Elsewhere::start(20);
    let mut session = server.session().expect("a session");
    server.run(&mut session, "CREATE ROLE plain LOGIN");
    server.run(&mut session, "CREATE DATABASE managed");
    let mut session = server.session_in("managed").expect("a session");
    let made = "CREATE SCHEMA x AUTHORIZATION plain; CREATE TABLE x.moves (number integer NOT NULL); \
                ALTER TABLE x.moves OWNER TO plain; INSERT INTO x.moves VALUES (1)";
    server.run(&mut session, made);
    let url = server.url().replace("syncpoint@", "plain@").replace("/syncpoint?", "/managed?");
    let mut files = files(&format!("url = \"{url}\"\n"));
    files[0].1 = files[0].1.replace("scripts = \"tables.sql\"\n", "");
    let texts: Vec<_> = files.iter().map(|(name, text)| (*name, text.replace("MOVES", "X.MOVES"))).collect();
    let folder = written(&texts);
    let working = Working::new(&folder);
    working.region.logs("permission denied for database managed");
    working.region.logs("--dba-script");
    let script =
        product().args(["sql", ".", "--dba-script"]).current_dir(folder.path()).output().expect("it runs");
    assert!(script.status.success());
    server.run(&mut session, &String::from_utf8_lossy(&script.stdout));
    working.recovers("ADDS");
    working.ends_so("CNTS", NORMAL);
}
