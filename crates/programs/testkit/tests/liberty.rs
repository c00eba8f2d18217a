//! Liberty JVM servers: requests of servlets as tasks of a region, with its queues, files and programs; what is backed out, and JVMs
//! that end.
//!
//! The Liberty is Open Liberty, which `scripts/liberty` fetches. Without it the tests say that they show nothing.

mod common;
#[path = "liberty/servlet.rs"]
mod servlet;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bundles::Bundles;
use common::{Run, Site, attach, displayed};
use kernel::dispatcher::Dispatcher;
use kernel::exec::value::Value;
use kernel::region::Region;
use kernel::registry::{Given, Manager};
use kernel::security::User;
use spec::opt;
use testkit::timeline::Timeline;
use tokio::task::{JoinHandle, spawn_blocking};

const REGION: &str = r#"
```idcams
 DEFINE CLUSTER(NAME(T.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(16 16))
```

```csd
DEFINE FILE(LEDGER) GROUP(T) DSNAME(T.LEDGER) ADD(YES) READ(YES) UPDATE(YES) DELETE(YES) RECOVERY(BACKOUTONLY)
DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(WLP) THREADLIMIT(4)
DEFINE TRANSACTION(WTRN) GROUP(T) PROGRAM(DFHSJTHP)
DEFINE URIMAP(WORK) GROUP(T) USAGE(JVMSERVER) HOST(*) PATH(/app/work?mine*) TRANSACTION(WTRN)
DEFINE URIMAP(SHUT) GROUP(T) USAGE(JVMSERVER) HOST(*) PATH(/app/work?shut*) STATUS(DISABLED)
DEFINE URIMAP(SAFE) GROUP(T) USAGE(JVMSERVER) HOST(*) SCHEME(HTTPS) PATH(/app/work?safe*) TRANSACTION(WTRN)
DEFINE TSMODEL(KEEP) GROUP(T) PREFIX(KEEP) RECOVERY(YES)
```

```file shop/META-INF/cics.xml
<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="shop" bundleMajorVer="1" bundleMinorVer="0" bundleMicroVer="0">
  <import name="JVM1" type="http://www.ibm.com/xmlns/prod/cics/bundle/JVMSERVER" optional="false" warn="false"/>
  <define name="shop" type="http://www.ibm.com/xmlns/prod/cics/bundle/WARBUNDLE" path="shop.warbundle"/>
</manifest>
```

```file shop/shop.warbundle
<warbundle symbolicname="shop" jvmserver="JVM1"/>
```

```cobol SHOP threadsafe
MOVE 'BUNDLEDIR(shop)' TO REC
EXEC CICS CREATE BUNDLE('SHOP') ATTRIBUTES(REC) ATTRLEN(15) END-EXEC
DISPLAY 'MADE'
```

```cobol ADDS threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(8).
INSPECT DFHCOMMAREA CONVERTING 'abc' TO 'ABC'
```

```cobol KEPT threadsafe
77 ITEM PIC X(16).
77 LEN2 PIC S9(4) COMP VALUE 16.
EXEC CICS READQ TS QUEUE('KEEPH') INTO(ITEM) LENGTH(LEN2) ITEM(1) NOHANDLE END-EXEC
DISPLAY 'KEPT ' EIBRESP
```

```cobol GO threadsafe
EXEC CICS WRITEQ TS QUEUE('GO') FROM('GO') LENGTH(2) MAIN END-EXEC
DISPLAY 'GO ON'
```
"#;

/// The installation; `None` and a line if there is none.
fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("WLP_INSTALL_DIR").map(PathBuf::from);
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/suites/liberty");
    let whole = || {
        let versions = fs::read_dir(fetched).ok()?.flatten();
        versions.map(|it| it.path().join("wlp")).find(|it| it.join(".whole").is_file())
    };
    let found = named.or_else(whole);
    if found.is_none() {
        eprintln!("skipped: Open Liberty is not there (scripts/liberty fetches it to target/suites)");
    }
    found
}

/// A region with a Liberty JVM server, and the installation.
fn site(name: &str) -> Option<(Site, PathBuf)> {
    let installed = installed()?;
    let profile = format!(
        "```file jvmprofiles/WLP.jvmprofile\nWLP_INSTALL_DIR={}\n-Dcom.ibm.cics.jvmserver.wlp.autoconfigure=true\n\
         -Dcom.ibm.cics.jvmserver.wlp.server.http.port=0\n-Xmx200m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n```\n",
        installed.display()
    );
    Some((Site::new(name, &format!("{REGION}\n{profile}")), installed))
}

fn server(region: &Region) -> (String, u32) {
    jvm::JvmServers::of(region).status("JVM1").expect("it is defined")
}

/// The number of the JVM server's process, once it is enabled.
async fn enabled(run: &Run) -> u32 {
    let region = Arc::clone(&run.house.running.region);
    run.until("an enabled JVM server", || server(&region).0 != "ENABLING").await;
    assert_eq!(server(&region).0, "ENABLED");
    server(&region).1
}

/// SET of a resource.
async fn set(run: &Run, kind: &str, name: &str, value: &'static str) {
    let by = Manager::new(&run.house.running.region, &User::region());
    let table = kernel::catalog::kind(kind).expect("a type").table;
    let name = format!("{name:<8}");
    let done = table.change(&by, name.as_bytes(), &[(opt::ENABLESTATUS, Given::Cvda(value))]).await;
    assert_eq!(done, Ok(()), "{value}");
}

/// The status of the bundle.
fn bundle(region: &Arc<Region>) -> Value {
    let by = Manager::new(region, &User::region());
    let table = kernel::catalog::kind("BUNDLE").expect("a type").table;
    let values = table.tell(&by, b"SHOP    ").expect("it is there");
    values.into_iter().find(|(option, _)| *option == opt::ENABLESTATUS).expect("a status").1
}

fn tool(command: &mut Command) {
    let output = command.output().expect("`scripts/install test` installs a JDK");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The servers' folder that the region has made.
fn own(state: &Path, part: &str) -> PathBuf {
    state.join("java/JVM1.liberty").join(part)
}

/// Makes the web application.
fn war(state: &Path, installed: &Path, war: &Path) {
    let scratch = tempfile::tempdir().expect("a folder");
    let source = scratch.path().join("Work.java");
    fs::write(&source, servlet::WORK).expect("a source");
    let starting = |folder: &Path, begin: &str| {
        let entries = fs::read_dir(folder).expect("a folder").flatten().map(|it| it.path());
        let is_it =
            |path: &PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(begin));
        entries.into_iter().find(is_it).unwrap_or_else(|| panic!("{begin}…"))
    };
    let against = [
        starting(&state.join("java"), "liberty-"),
        starting(&installed.join("dev/api/spec"), "io.openliberty.jakarta.servlet.6.0_"),
    ];
    let classes = scratch.path().join("WEB-INF/classes");
    let against = std::env::join_paths(against).expect("paths");
    tool(Command::new("javac").arg("-cp").arg(against).arg("-d").arg(&classes).arg(&source));
    fs::create_dir_all(war.parent().expect("a folder")).expect("a folder");
    let mut command = Command::new("jar");
    command.arg("--create").arg("--file").arg(war).arg("-C").arg(scratch.path()).arg("WEB-INF");
    tool(&mut command);
}

/// The port that Liberty listens at, by its log.
fn port(state: &Path) -> Option<u16> {
    let servers = fs::read_dir(own(state, "output")).ok()?.flatten();
    let log = servers.map(|it| it.path().join("logs/messages.log")).find(|it| it.is_file())?;
    let log = fs::read_to_string(log).ok()?;
    let line = log.lines().rfind(|line| line.contains("CWWKO0219I"))?;
    line.trim_end_matches('.').rsplit(' ').next()?.parse().ok()
}

/// Asks the servlet, or another path, as a client that claims to have come over TLS to a proxy; the status and the answer, or 0 and nothing if there is none.
fn asked(port: u16, what: &str) -> (u16, String) {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let path = if what.starts_with('/') { what.to_owned() } else { format!("/app/work?{what}") };
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n$WSSC: https\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().unwrap_or_default();
    let status = answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.trim().to_owned()).unwrap_or_default();
    (status, body)
}

/// Asks while the region goes on.
fn asking(port: u16, what: &str) -> JoinHandle<(u16, String)> {
    let what = what.to_owned();
    spawn_blocking(move || asked(port, &what))
}

async fn answer(port: u16, what: &str) -> (u16, String) {
    asking(port, what).await.expect("a thread")
}

/// Has the application deployed, and waits until it answers.
async fn ready(run: &Run, state: &Path, installed: &Path) -> u16 {
    enabled(run).await;
    war(state, installed, &own(state, "usr/servers/defaultServer/dropins/app.war"));
    answers(run, state).await
}

async fn answers(run: &Run, state: &Path) -> u16 {
    for _ in 0..600 {
        if let Some(port) = port(state)
            && answer(port, "nothing").await.0 == 200
        {
            return port;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    run.until("an answer of the application", || false).await;
    0
}

async fn runs(run: &Run, transaction: &str, last: &str) -> String {
    Timeline::of_process().clear();
    attach(&run.house.running.region, transaction);
    run.until(last, || displayed(last).is_some()).await;
    displayed(last).unwrap_or_default()
}

fn held(region: &Region) -> usize {
    region.records.locks().list().len()
}

/// The region's tasks that have the transaction of requests.
fn requests(region: &Region) -> usize {
    Dispatcher::of(region).tasks().iter().filter(|task| task.transaction.name == "CJSA".into()).count()
}

#[test]
fn requests_of_servlets_are_tasks_that_commit_or_are_backed_out() {
    let Some((site, installed)) = site("liberty") else { return };
    let state = site.state().to_owned();
    let mut pid = 0;
    site.run(async |run| {
        let port = ready(run, &state, &installed).await;
        let region = Arc::clone(&run.house.running.region);
        // A queue, a file, a program in COBOL.
        let (status, page) = answer(port, "page").await;
        assert_eq!((status, page.as_str()), (200, "CJSA CICSUSER U item=one record=KEY1 linked=ABCdefgh"));
        // What is written stays if all goes well, and goes with an exception, an abend, a condition.
        for (what, status) in [("keep", 200), ("throw", 500), ("abend", 500), ("condition", 500)] {
            assert_eq!(answer(port, what).await.0, status, "{what}");
        }
        assert_eq!(answer(port, "look").await.1, "keep=KEEP throw=none abend=none condition=none");
        run.until("no lock", || held(&region) == 0).await;
        // An asynchronous request goes on in a task of its own.
        let (_, numbers) = answer(port, "async").await;
        let numbers: Vec<&str> = numbers.split(' ').collect();
        assert!(numbers.len() == 2 && numbers[0] != numbers[1], "{numbers:?}");
        // A task that is purged leaves no lock, and its thread serves others.
        let purged = asking(port, "hold=P");
        run.until("a request that holds", || requests(&region) == 1 && held(&region) > 0).await;
        let task =
            Dispatcher::of(&region).tasks().into_iter().find(|it| it.transaction.name == "CJSA".into());
        task.expect("it runs").purge();
        run.until("no lock", || held(&region) == 0).await;
        assert_eq!(purged.await.expect("a thread").0, 500);
        for _ in 0..8 {
            assert_eq!(answer(port, "nothing").await.0, 200);
        }
        // A URIMAP says its transaction; one that is disabled or asks for HTTPS refuses it.
        assert_eq!(answer(port, "mine").await, (200, "WTRN".to_owned()));
        assert_eq!(answer(port, "shut").await.0, 503);
        assert_eq!(answer(port, "safe").await.0, 503);
        // A thread of the application's own has no task.
        assert_eq!(answer(port, "thread").await.1, "no task, CJSA by CICSExecutorService");
        run.until("the tasks' end", || requests(&region) == 0).await;
        pid = server(&region).1;
        // The region crashes.
        false
    });
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "the JVM goes on without its region");
}

#[test]
fn requests_at_once_have_tasks_of_their_own_and_a_killed_jvm_leaves_no_lock() {
    let Some((site, installed)) = site("liberty-kills") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        let port = ready(run, &state, &installed).await;
        let region = Arc::clone(&run.house.running.region);
        // Two more than THREADLIMIT: they wait, as tasks or for a thread of Liberty's, and come when others have ended.
        let all: Vec<_> =
            ["A", "B", "C", "D", "E", "F"].map(|one| asking(port, &format!("hold={one}"))).into();
        run.until("four requests that hold", || requests(&region) >= 4 && held(&region) >= 8).await;
        runs(run, "GO", "GO ON").await;
        let mut tasks = BTreeSet::new();
        for one in all {
            let (status, said) = one.await.expect("a thread");
            assert!(status == 200 && said.starts_with("held "), "{status} {said}");
            tasks.insert(said);
        }
        assert_eq!(tasks.len(), 6, "each has a task of its own: {tasks:?}");
        run.until("the tasks' end", || requests(&region) == 0).await;
        assert_eq!(answer(port, "again").await.0, 200);
        let held_by = asking(port, "hold=H");
        run.until("a request that holds", || requests(&region) == 1 && held(&region) > 0).await;
        let (_, pid) = server(&region);
        tool(Command::new("kill").arg("-9").arg(pid.to_string()));
        run.until("no lock", || held(&region) == 0).await;
        run.until("a disabled JVM server", || server(&region).0 == "DISABLED").await;
        assert_eq!(held_by.await.expect("a thread").0, 0, "its client has no answer");
        assert_eq!(runs(run, "KEPT", "KEPT ").await, "0000000044");
        // It is there again, with its application, and ends in order.
        set(run, "JVMSERVER", "JVM1", "ENABLED").await;
        enabled(run).await;
        let port = answers(run, &state).await;
        assert_eq!(answer(port, "page").await.0, 200);
        set(run, "JVMSERVER", "JVM1", "DISABLED").await;
        run.until("a disabled JVM server", || server(&region).0 == "DISABLED").await;
        assert_eq!(answer(port, "page").await.0, 0);
        let log = fs::read_to_string(own(&state, "output/defaultServer/logs/messages.log")).expect("a log");
        assert!(log.contains("CWWKE0036I"), "it has not stopped in order");
        true
    });
}

#[test]
fn web_applications_come_and_go_with_bundles() {
    let Some((site, installed)) = site("liberty-bundles") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let region = Arc::clone(&run.house.running.region);
        let application = region.options.application_folder.join("shop/shop.war");
        war(&state, &installed, &application);
        runs(run, "SHOP", "MADE").await;
        run.until("the bundle", || bundle(&region) == Value::Cvda("ENABLED")).await;
        let port = port(&state).expect("a port");
        assert_eq!(answer(port, "/shop/work?page").await.0, 200);
        set(run, "BUNDLE", "SHOP", "DISABLED").await;
        run.until("no bundle", || bundle(&region) == Value::Cvda("DISABLED")).await;
        assert_eq!(answer(port, "/shop/work?nothing").await.0, 404);
        set(run, "BUNDLE", "SHOP", "ENABLED").await;
        assert_eq!(bundle(&region), Value::Cvda("ENABLED"));
        assert_eq!(answer(port, "/shop/work?nothing").await.0, 200);
        // What is no application is not there, and the log says so.
        set(run, "BUNDLE", "SHOP", "DISABLED").await;
        run.until("no bundle", || bundle(&region) == Value::Cvda("DISABLED")).await;
        fs::remove_file(&application).expect("it was there");
        let troubles = || Bundles::of(&region).get("SHOP".into()).expect("a bundle").troubles(&region);
        let by = Manager::new(&region, &User::region());
        let table = kernel::catalog::kind("BUNDLE").expect("a type").table;
        let done = table.change(&by, b"SHOP    ", &[(opt::ENABLESTATUS, Given::Cvda("ENABLED"))]).await;
        assert!(done.is_err());
        assert_eq!(troubles(), ["part shop: there is no shop.war beside it"]);
        true
    });
}

/// A server of the user's: its configuration has the feature alone, which brings that of servlets along.
const OWN: &str = r#"
```file wlp/servers/shop/server.xml
<server>
  <featureManager><feature>cicsts:core-1.0</feature></featureManager>
  <httpEndpoint id="defaultHttpEndpoint" httpPort="0" httpsPort="-1"/>
</server>
```

```csd
DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(OWN)
```
"#;

#[test]
fn a_server_of_the_users_own_may_be_without_tasks() {
    let Some(installed) = installed() else { return };
    let profile = format!(
        "```file jvmprofiles/OWN.jvmprofile\nWLP_INSTALL_DIR={}\nWLP_USER_DIR=wlp\nWLP_SERVER_NAME=shop\n\
         CICS_WLP_MODE=STANDARD\n-Xmx200m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n```\n",
        installed.display()
    );
    let site = Site::new("liberty-own", &format!("{OWN}\n{profile}"));
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let folder = run.house.running.region.options.application_folder.join("wlp/servers/shop");
        war(&state, &installed, &folder.join("dropins/app.war"));
        let port = answers(run, &state).await;
        assert_eq!(answer(port, "nothing").await, (200, "no task".to_owned()));
        assert_eq!(answer(port, "thread").await.1, "no task, CJSA by CICSExecutorService");
        true
    });
}
