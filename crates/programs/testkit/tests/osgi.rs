//! OSGi JVM servers: bundles with Java programs, versions of them side by side, what operators see of them, and JVMs that end.
//!
//! The framework is Equinox, which `scripts/osgi` fetches. Without it the tests say that they show nothing.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bundles::Bundles;
use common::{Run, Site, attach, displayed};
use kernel::catalog;
use kernel::exec::value::Value;
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::registry::{Given, Manager};
use kernel::security::User;
use spec::{OptionId, opt};

const REGION: &str = r#"
```csd
DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(OSGI) THREADLIMIT(4)
DEFINE PROGRAM(JALIAS) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(greet)
DEFINE PROGRAM(JCLASS) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(osgi:work.Greet)
DEFINE PROGRAM(JFIRST) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS('greet;version="[1.0,1.1)"')
DEFINE PROGRAM(JHIDE) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Hidden)
DEFINE PROGRAM(JHOLD) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Holds)
DEFINE TRANSACTION(JHLD) GROUP(T) PROGRAM(JHOLD)
DEFINE PROGRAM(JRUNS) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Runs)
DEFINE TRANSACTION(JOTH) GROUP(T) PROGRAM(JHOLD)
DEFINE TSMODEL(KEEP) GROUP(T) PREFIX(KEEP) RECOVERY(YES)
```

```file app/META-INF/cics.xml
<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="app" bundleMajorVer="1" bundleMinorVer="0" bundleMicroVer="0">
  <import name="JVM1" type="http://www.ibm.com/xmlns/prod/cics/bundle/JVMSERVER" optional="false" warn="false"/>
  <define name="work" type="http://www.ibm.com/xmlns/prod/cics/bundle/OSGIBUNDLE" path="work.osgibundle"/>
</manifest>
```

```file app/work.osgibundle
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<osgibundle symbolicname="t.work" version="[1.0.0,2.0.0)" jvmserver="JVM1"/>
```

```file words/META-INF/cics.xml
<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="words" bundleMajorVer="1" bundleMinorVer="0" bundleMicroVer="0">
  <define name="words" type="http://www.ibm.com/xmlns/prod/cics/bundle/OSGIBUNDLE" path="words.osgibundle"/>
</manifest>
```

```file words/words.osgibundle
<osgibundle symbolicname="t.words" version="1.0.0" jvmserver="JVM1"/>
```

```cobol APPS threadsafe
MOVE 'BUNDLEDIR(app)' TO REC
EXEC CICS CREATE BUNDLE('APP') ATTRIBUTES(REC) ATTRLEN(14) END-EXEC
DISPLAY 'MADE APP'
```

```cobol WRDS threadsafe
MOVE 'BUNDLEDIR(words)' TO REC
EXEC CICS CREATE BUNDLE('WORDS') ATTRIBUTES(REC) ATTRLEN(16) END-EXEC
DISPLAY 'MADE WORDS'
```

```cobol CALL threadsafe
77 CA PIC X(30).
77 PGM PIC X(8).
77 CODE4 PIC X(4).
77 NUMB PIC S9(4) COMP VALUE 0.
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC.
NEXT-ONE.
ADD 1 TO NUMB
IF NUMB = 1 MOVE 'JALIAS' TO PGM.
IF NUMB = 2 MOVE 'JCLASS' TO PGM.
IF NUMB = 3 MOVE 'JFIRST' TO PGM.
IF NUMB = 4 MOVE 'JHIDE' TO PGM.
IF NUMB = 5 DISPLAY 'CALLED ALL' EXEC CICS RETURN END-EXEC.
MOVE SPACES TO CA
EXEC CICS LINK PROGRAM(PGM) COMMAREA(CA) END-EXEC
DISPLAY PGM CA
GO TO NEXT-ONE.
GOT-IT.
EXEC CICS ASSIGN ABCODE(CODE4) END-EXEC
DISPLAY PGM 'ABEND ' CODE4
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC
GO TO NEXT-ONE.
```

```cobol LIST threadsafe
77 BND PIC X(255).
77 VRS PIC X(255).
77 PRT PIC X(255).
77 SRV PIC X(255).
77 BUN PIC X(8).
77 ST PIC S9(8) COMP.
77 SNUM PIC S9(18) COMP.
77 AGT PIC S9(8) COMP.
EXEC CICS INQUIRE OSGIBUNDLE START JVMSERVER('JVM1') END-EXEC.
NEXT-BUNDLE.
EXEC CICS INQUIRE OSGIBUNDLE(BND) NEXT OSGIVERSION(VRS) BUNDLE(BUN)
   BUNDLEPART(PRT) OSGISTATUS(ST) INSTALLAGENT(AGT) NOHANDLE END-EXEC
IF EIBRESP = 0
   DISPLAY 'BUNDLE ' BND(1:8) VRS(1:6) BUN PRT(1:6)
   IF ST = DFHVALUE(ACTIVE) DISPLAY 'IS ACTIVE' END-IF
   IF ST = DFHVALUE(STOPPING) DISPLAY 'IS STOPPING' END-IF
   IF ST = DFHVALUE(INSTALLED) DISPLAY 'IS INSTALLED' END-IF
   GO TO NEXT-BUNDLE.
EXEC CICS INQUIRE OSGIBUNDLE END END-EXEC
EXEC CICS INQUIRE OSGISERVICE START JVMSERVER('JVM1') END-EXEC.
NEXT-SERVICE.
EXEC CICS INQUIRE OSGISERVICE(SNUM) NEXT OSGIBUNDLE(BND) OSGIVERSION(VRS)
   SRVCNAME(SRV) SRVCSTATUS(ST) NOHANDLE END-EXEC
IF EIBRESP = 0
   DISPLAY 'SERVICE ' BND(1:8) VRS(1:6) SRV(1:11)
   IF ST NOT = DFHVALUE(ACTIVE) DISPLAY 'IS INACTIVE' END-IF
   GO TO NEXT-SERVICE.
EXEC CICS INQUIRE OSGISERVICE END END-EXEC
MOVE 't.words' TO BND MOVE '1.0.0' TO VRS
EXEC CICS INQUIRE OSGIBUNDLE(BND) OSGIVERSION(VRS) JVMSERVER('JVM1')
   BUNDLE(BUN) NOHANDLE END-EXEC
DISPLAY 'OF ' EIBRESP ' ' BUN
EXEC CICS INQUIRE OSGIBUNDLE(BND) OSGIVERSION(VRS) JVMSERVER('NONE')
   NOHANDLE END-EXEC
DISPLAY 'NO ' EIBRESP ' ' EIBRESP2
MOVE 99999 TO SNUM
EXEC CICS INQUIRE OSGISERVICE(SNUM) JVMSERVER('JVM1') NOHANDLE END-EXEC
DISPLAY 'NOR ' EIBRESP ' ' EIBRESP2
EXEC CICS INQUIRE OSGISERVICE START JVMSERVER('NONE') NOHANDLE END-EXEC
DISPLAY 'LISTED ' EIBRESP ' ' EIBRESP2
```

```cobol RUNS threadsafe
77 CA PIC X(120).
77 LEN2 PIC S9(4) COMP VALUE 8.
77 ITEM PIC X(8).
MOVE SPACES TO CA
EXEC CICS LINK PROGRAM('JRUNS') COMMAREA(CA) END-EXEC
EXEC CICS READQ TS QUEUE('KEPTX') INTO(ITEM) LENGTH(LEN2) ITEM(1) NOHANDLE END-EXEC
DISPLAY 'KEPT ' EIBRESP
MOVE 8 TO LEN2
EXEC CICS READQ TS QUEUE('KEEPX') INTO(ITEM) LENGTH(LEN2) ITEM(1) NOHANDLE END-EXEC
DISPLAY 'BACKED OUT ' EIBRESP
DISPLAY 'RUNS ' CA
```

```cobol GO threadsafe
EXEC CICS WRITEQ TS QUEUE('GO') FROM('GO') LENGTH(2) MAIN END-EXEC
DISPLAY 'GO ON'
```
"#;

/// The framework; `None` and a line if there is none.
fn framework() -> Option<PathBuf> {
    let named = std::env::var_os("OSGI_FRAMEWORK").map(PathBuf::from);
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/suites/osgi");
    let jars = || {
        fs::read_dir(fetched)
            .ok()?
            .flatten()
            .map(|it| it.path())
            .find(|it| it.extension().is_some_and(|end| end == "jar"))
    };
    let found = named.or_else(jars);
    if found.is_none() {
        eprintln!("skipped: Equinox is not there (scripts/osgi fetches it to target/suites)");
    }
    found
}

/// A region with an OSGi JVM server.
fn site(name: &str) -> Option<Site> {
    let framework = framework()?;
    let profile = format!(
        "```file jvmprofiles/OSGI.jvmprofile\nOSGI_FRAMEWORK={}\n-Xmx64m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n```\n",
        framework.display()
    );
    Some(Site::new(name, &format!("{REGION}\n{profile}")))
}

/// The library's class, and its manifest.
const WORDS: (&str, &str) = (
    "package words; public class Words { public static String hello() { return \"Hello from \"; } }",
    "Bundle-SymbolicName: t.words\nBundle-Version: 1.0.0\nExport-Package: words;version=\"1.0.0\"\n",
);

/// Work for tasks of its own: it inherits transaction and user, names its transaction, fails, names none that there is; and work of a
/// thread without a task.
const RUNS: &str = r#"
Task parent = Task.getTask(); String user = parent.getUSERID(); int number = parent.getTaskNumber();
java.util.concurrent.Future<String> own = CICSExecutorService.runAsCICS(() -> { Task task = Task.getTask();
    TSQ kept = new TSQ(); kept.setName("KEPTX"); kept.setType(TSQType.MAIN); kept.writeString("kept");
    return task.getTransactionName() + " " + task.getUSERID().equals(user) + " " + (task.getTaskNumber() != number); });
class Named implements CICSTransactionCallable<String> { final String name; Named(String name) { this.name = name; }
    public String getTranid() { return name; }
    public String call() { return Task.getTask().getTransactionName(); } }
String text = own.get() + ", " + CICSExecutorService.runAsCICS(new Named("JOTH")).get() + ", ";
java.util.concurrent.Callable<String> bad = () -> { TSQ keep = new TSQ(); keep.setName("KEEPX"); keep.writeString("gone"); throw new IllegalStateException("fails"); };
try { CICSExecutorService.runAsCICS(bad).get(); } catch (java.util.concurrent.ExecutionException e) { text += e.getCause().getMessage() + ", "; }
try { CICSExecutorService.runAsCICS(new Named("NONE")).get(); } catch (java.util.concurrent.ExecutionException e) { text += e.getCause().getClass().getSimpleName() + ", "; }
java.util.concurrent.FutureTask<String> outside = new java.util.concurrent.FutureTask<>(() -> CICSExecutorService.runAsCICS(() -> Task.getTask().getTransactionName()).get());
new Thread(outside).start();
text += outside.get();
System.arraycopy(text.getBytes(), 0, area.getValue(), 0, text.length());
"#;

/// The programs of the application, of a version.
fn work(version: &str) -> [(String, String); 4] {
    let class = |name: &str, body: &str| {
        let text = format!(
            "package work; import com.ibm.cics.server.*; public class {name} {{ public static void main(CommAreaHolder area) throws Exception {{ {body} }} }}"
        );
        (format!("work/{name}.java"), text)
    };
    let says = format!(
        "byte[] text = (words.Words.hello() + \"{version}\").getBytes(); System.arraycopy(text, 0, area.getValue(), 0, text.length);"
    );
    let holds = format!(
        "TSQ told = new TSQ(); told.setName(\"HOLDS\"); told.setType(TSQType.MAIN); told.writeString(\"holds\");
         TSQ go = new TSQ(); go.setName(\"GO\");
         while (true) {{ try {{ go.readItem(1, new ItemHolder()); break; }} catch (InvalidQueueIdException none) {{ Thread.sleep(5); }} }}
         TSQ ends = new TSQ(); ends.setName(\"HELD\"); ends.setType(TSQType.MAIN); ends.writeString(words.Words.hello() + \"{version}\");"
    );
    [class("Greet", &says), class("Hidden", &says), class("Holds", &holds), class("Runs", RUNS)]
}

/// The manifest of the application, of a version.
fn work_manifest(version: &str) -> String {
    format!(
        "Bundle-SymbolicName: t.work\nBundle-Version: {version}\nImport-Package: com.ibm.cics.server;version=\"[1.700.0,3.0.0)\",\n \
         words;version=\"[1.0,2.0)\"\nCICS-MainClass: work.Greet;alias=greet,\n work.Holds, work.Runs\n"
    )
}

/// Runs a program of the JDK.
fn tool(command: &mut Command) {
    let output = command.output().expect("`scripts/install test` installs a JDK");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a jar of sources, with what they are compiled against.
fn jar(path: &Path, sources: &[(String, String)], manifest: &str, against: &[PathBuf]) {
    let scratch = tempfile::tempdir().expect("a folder");
    let classes = scratch.path().join("classes");
    let mut paths = Vec::new();
    for (name, text) in sources {
        let path = scratch.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a source");
        paths.push(path);
    }
    let against = std::env::join_paths(against).expect("paths");
    tool(Command::new("javac").arg("-cp").arg(against).arg("-d").arg(&classes).args(&paths));
    let text = format!("Manifest-Version: 1.0\nBundle-ManifestVersion: 2\n{manifest}");
    fs::write(scratch.path().join("MANIFEST.MF"), text).expect("a manifest");
    let mut command = Command::new("jar");
    command.arg("--create").arg("--file").arg(path).arg("--manifest").arg(scratch.path().join("MANIFEST.MF"));
    tool(command.arg("-C").arg(&classes).arg("."));
}

/// The jars of the test, made against the classes that the region's JVM server has.
struct Jars {
    application: PathBuf,
    classes: PathBuf,
}

impl Jars {
    fn new(run: &Run, state: &Path) -> Self {
        let application = run.house.running.region.options.application_folder.clone();
        let entries = fs::read_dir(state.join("java")).expect("the folder of JVM servers").flatten();
        let own =
            entries.map(|entry| entry.path()).find(|path| path.display().to_string().contains("/classes-"));
        let jars = Self { application, classes: own.expect("classes") };
        // What a run before has left.
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            let _ = fs::remove_file(jars.work(version));
        }
        let sources = [("words/Words.java".to_owned(), WORDS.0.to_owned())];
        jar(&jars.words(), &sources, WORDS.1, &[]);
        jars
    }

    fn words(&self) -> PathBuf {
        self.application.join("words/t.words_1.0.0.jar")
    }

    fn work(&self, version: &str) -> PathBuf {
        self.application.join(format!("app/t.work_{version}.jar"))
    }

    /// Puts the application's jar of a version into the folder of its bundle.
    fn put(&self, version: &str) {
        let against = [self.classes.clone(), self.words()];
        jar(&self.work(version), &work(version), &work_manifest(version), &against);
    }
}

/// The number of the JVM server's process, once it is enabled.
async fn enabled(run: &Run) -> u32 {
    let region = Arc::clone(&run.house.running.region);
    run.until("an enabled JVM server", || server(&region).0 == "ENABLED").await;
    server(&region).1
}

fn server(region: &Region) -> (String, u32) {
    jvm::JvmServers::of(region).status("JVM1").expect("it is defined")
}

/// The status of a bundle.
fn status(region: &Arc<Region>, name: &str) -> Value {
    let by = Manager::new(region, &User::region());
    let table = catalog::kind("BUNDLE").expect("a type").table;
    let values = table.tell(&by, format!("{name:<8}").as_bytes()).expect("it is there");
    values.into_iter().find(|(option, _)| *option == opt::ENABLESTATUS).expect("a status").1
}

/// SET of a resource.
async fn set(region: &Arc<Region>, kind: &str, name: &str, option: OptionId, value: &'static str) -> Outcome {
    let by = Manager::new(region, &User::region());
    let table = catalog::kind(kind).expect("a type").table;
    table.change(&by, format!("{name:<8}").as_bytes(), &[(option, Given::Cvda(value))]).await
}

/// Runs a transaction until it has displayed its last line.
async fn runs(run: &Run, transaction: &str, last: &str) -> Vec<String> {
    use testkit::timeline::{Happening, Timeline};
    Timeline::of_process().clear();
    attach(&run.house.running.region, transaction);
    run.until(last, || displayed(last).is_some()).await;
    let lines = Timeline::of_process().since(0).into_iter().filter_map(|happening| match happening {
        Happening::Display(line) => Some(line.trim_end().to_owned()),
        _ => None,
    });
    lines.collect()
}

/// Makes both bundles, the application's of a version first.
async fn make(run: &Run, jars: &Jars, version: &str) {
    let region = &run.house.running.region;
    jars.put(version);
    runs(run, "APPS", "MADE APP").await;
    runs(run, "WRDS", "MADE WORDS").await;
    run.until("both bundles", || {
        ["APP", "WORDS"].iter().all(|it| status(region, it) == Value::Cvda("ENABLED"))
    })
    .await;
}

/// The programs' answers if the version 1.0.0 is there alone.
const FIRST: [&str; 5] = [
    "JALIAS  Hello from 1.0.0",
    "JCLASS  Hello from 1.0.0",
    "JFIRST  Hello from 1.0.0",
    "JHIDE   ABEND AJ09",
    "CALLED ALL",
];

#[test]
fn programs_of_bundles_are_found_by_alias_class_and_version() {
    let Some(site) = site("osgi") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let jars = Jars::new(run, &state);
        let region = Arc::clone(&run.house.running.region);
        // It waits for the package of a bundle that is not there, and begins with that one.
        jars.put("1.0.0");
        runs(run, "APPS", "MADE APP").await;
        run.until("an answer", || status(&region, "APP") == Value::Cvda("DISABLED")).await;
        let troubles = Bundles::of(&region).get("APP".into()).expect("a bundle").troubles(&region);
        assert!(troubles[0].starts_with("part work: ") && troubles[0].contains("words"), "{troubles:?}");
        runs(run, "WRDS", "MADE WORDS").await;
        run.until("the bundle", || status(&region, "APP") == Value::Cvda("ENABLED")).await;
        assert_eq!(runs(run, "CALL", "CALLED ALL").await, FIRST);
        assert_eq!(
            runs(run, "LIST", "LISTED").await,
            [
                "BUNDLE t.words 1.0.0 WORDS   words",
                "IS ACTIVE",
                "BUNDLE t.work  1.0.0 APP     work",
                "IS ACTIVE",
                "SERVICE t.work  1.0.0 greet",
                "SERVICE t.work  1.0.0 work.Holds",
                "SERVICE t.work  1.0.0 work.Runs",
                "OF 0000000000 WORDS",
                "NO 0000000013 0000000002",
                "NOR 0000000013 0000000001",
                "LISTED 0000000013 0000000002",
            ]
        );
        true
    });
    // They are there again with the region.
    site.run(async |run| {
        enabled(run).await;
        let region = Arc::clone(&run.house.running.region);
        run.until("the bundle", || status(&region, "APP") == Value::Cvda("ENABLED")).await;
        assert_eq!(runs(run, "CALL", "CALLED ALL").await, FIRST);
        true
    });
}

#[test]
fn a_newer_version_is_phased_in_and_the_old_one_ends_with_its_tasks() {
    let Some(site) = site("osgi-phased") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let jars = Jars::new(run, &state);
        let region = Arc::clone(&run.house.running.region);
        make(run, &jars, "1.0.0").await;
        attach(&region, "JHLD");
        run.until("the program holds", || has_item(&region, "HOLDS")).await;
        assert_eq!(set(&region, "BUNDLE", "APP", opt::COPY, "PHASEIN").await, Ok(()), "nothing is newer");
        jars.put("1.1.0");
        assert_eq!(set(&region, "BUNDLE", "APP", opt::COPY, "PHASEIN").await, Ok(()));
        assert_eq!(
            runs(run, "CALL", "CALLED ALL").await,
            [
                "JALIAS  Hello from 1.1.0",
                "JCLASS  Hello from 1.1.0",
                "JFIRST  ABEND AJ09",
                "JHIDE   ABEND AJ09",
                "CALLED ALL",
            ]
        );
        let listed = runs(run, "LIST", "LISTED").await;
        assert_eq!(
            listed[2..6],
            [
                "BUNDLE t.work  1.0.0 APP     work",
                "IS STOPPING",
                "BUNDLE t.work  1.1.0 APP     work",
                "IS ACTIVE"
            ]
        );
        runs(run, "GO", "GO ON").await;
        run.until("the end of the old one", || has_item(&region, "HELD")).await;
        run.until("one version", || bundles_there(&region) == 2).await;
        // A version that cannot be installed leaves the one that is there.
        fs::write(jars.work("1.2.0"), "no jar").expect("a file");
        assert!(set(&region, "BUNDLE", "APP", opt::COPY, "PHASEIN").await.is_err());
        assert_eq!(runs(run, "CALL", "CALLED ALL").await[0], "JALIAS  Hello from 1.1.0");
        true
    });
}

#[test]
fn a_bundle_is_disabled_while_its_tasks_go_on_and_discarded_after_them() {
    let Some(site) = site("osgi-disabled") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let jars = Jars::new(run, &state);
        let region = Arc::clone(&run.house.running.region);
        make(run, &jars, "1.0.0").await;
        attach(&region, "JHLD");
        run.until("the program holds", || has_item(&region, "HOLDS")).await;
        assert_eq!(set(&region, "BUNDLE", "APP", opt::ENABLESTATUS, "DISABLED").await, Ok(()));
        assert_eq!(status(&region, "APP"), Value::Cvda("DISABLING"));
        assert_eq!(runs(run, "CALL", "CALLED ALL").await[0], "JALIAS  ABEND AJ09");
        // Enabled again it is there beside the one that goes on.
        assert_eq!(set(&region, "BUNDLE", "APP", opt::ENABLESTATUS, "ENABLED").await, Ok(()));
        assert_eq!(runs(run, "CALL", "CALLED ALL").await, FIRST);
        assert_eq!(set(&region, "BUNDLE", "APP", opt::ENABLESTATUS, "DISABLED").await, Ok(()));
        runs(run, "GO", "GO ON").await;
        run.until("its end", || status(&region, "APP") == Value::Cvda("DISABLED")).await;
        let defined = catalog::kind("BUNDLE").and_then(|kind| kind.defined).expect("definitions");
        assert_eq!((defined.may_discard)(&region, b"APP     "), Ok(()));
        (defined.remove)(&region, b"APP     ");
        run.until("the library alone", || bundles_there(&region) == 1).await;
        true
    });
}

#[test]
fn work_of_java_threads_has_tasks_of_its_own() {
    let Some(site) = site("osgi-works") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        let jars = Jars::new(run, &state);
        make(run, &jars, "1.0.0").await;
        assert_eq!(
            runs(run, "RUNS", "RUNS").await,
            [
                "KEPT 0000000000",
                "BACKED OUT 0000000044",
                "RUNS RUNS true true, JOTH, fails, RejectedExecutionException, CJSA",
            ]
        );
        true
    });
}

#[test]
fn bundles_go_and_come_with_their_jvm_server() {
    let Some(site) = site("osgi-ends") else { return };
    let state = site.state().to_owned();
    site.run(async |run| {
        let pid = enabled(run).await;
        let jars = Jars::new(run, &state);
        let region = Arc::clone(&run.house.running.region);
        make(run, &jars, "1.0.0").await;
        tool(Command::new("kill").arg("-KILL").arg(pid.to_string()));
        run.until("a disabled JVM server", || server(&region).0 == "DISABLED").await;
        run.until("a disabled bundle", || status(&region, "APP") == Value::Cvda("DISABLED")).await;
        assert_eq!(bundles_there(&region), 0);
        assert!(set(&region, "BUNDLE", "APP", opt::ENABLESTATUS, "ENABLED").await.is_err());
        let troubles = Bundles::of(&region).get("APP".into()).expect("a bundle").troubles(&region);
        assert_eq!(troubles, ["part work: JVMSERVER JVM1 is not enabled"]);
        assert_eq!(set(&region, "JVMSERVER", "JVM1", opt::ENABLESTATUS, "ENABLED").await, Ok(()));
        run.until("the bundle", || status(&region, "APP") == Value::Cvda("ENABLED")).await;
        assert_eq!(runs(run, "CALL", "CALLED ALL").await, FIRST);
        assert_eq!(set(&region, "JVMSERVER", "JVM1", opt::ENABLESTATUS, "DISABLED").await, Ok(()));
        run.until("a disabled JVM server", || server(&region).0 == "DISABLED").await;
        run.until("a disabled bundle", || status(&region, "APP") == Value::Cvda("DISABLED")).await;
        true
    });
}

/// Number of OSGi bundles that INQUIRE shows.
fn bundles_there(region: &Arc<Region>) -> usize {
    let by = Manager::new(region, &User::region());
    catalog::kind("OSGIBUNDLE").expect("a type").table.names(&by).len()
}

/// Returns true if a queue of temporary storage has an item.
fn has_item(region: &Region, queue: &str) -> bool {
    domains::temporary_storage::TemporaryStorage::of(region)
        .list()
        .iter()
        .any(|info| info.name == queue.into())
}
