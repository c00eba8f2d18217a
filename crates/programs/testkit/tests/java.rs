//! Java programs of a region's tasks, run by plain JVM servers: LINK both ways with COMMAREA and channel, conditions and abends across
//! the languages, units of work; and JVMs that are killed.

#[path = "java/browses.rs"]
mod browses;
mod common;
#[path = "java/kills.rs"]
mod kills;
#[path = "java/operators.rs"]
mod operators;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::{Run, Site, attach, displayed};
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use testkit::timeline::{Happening, Timeline};

/// The region's programs in COBOL, and its definitions.
const REGION: &str = r#"
```csd
DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(PLAIN) THREADLIMIT(4)
DEFINE PROGRAM(JAREA) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Area)
DEFINE PROGRAM(JCHAN) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work/Containers)
DEFINE PROGRAM(JCOND) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Conditions)
DEFINE PROGRAM(JABEND) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Abends)
DEFINE PROGRAM(JUOW) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Units)
DEFINE PROGRAM(JINTR) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Interrupted)
DEFINE PROGRAM(JHOLD) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Holds)
DEFINE PROGRAM(JNONE) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Nowhere)
DEFINE PROGRAM(JLOST) GROUP(T) JVM(YES) JVMSERVER(JVM9) JVMCLASS(work.Area)
DEFINE TRANSACTION(JTRN) GROUP(T) PROGRAM(JFIRST)
DEFINE PROGRAM(JFIRST) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.First)
DEFINE TRANSACTION(JHLD) GROUP(T) PROGRAM(JHOLD)
DEFINE TSMODEL(KEEP) GROUP(T) PREFIX(KEEP) RECOVERY(YES)
```

```cobol AREA threadsafe
77 CA PIC X(12).
77 ITEM PIC X(20).
77 LEN2 PIC S9(4) COMP.
MOVE 'ABCDEFGH' TO CA
EXEC CICS LINK PROGRAM('JAREA') COMMAREA(CA) END-EXEC
DISPLAY 'AREA ' CA
MOVE SPACES TO ITEM
MOVE 20 TO LEN2
EXEC CICS READQ TS QUEUE('JAVAQ') INTO(ITEM) LENGTH(LEN2) ITEM(1) END-EXEC
DISPLAY 'ITEM ' ITEM
```

```cobol BACK threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(4).
MOVE 'BACK' TO DFHCOMMAREA
```

```cobol CHAN threadsafe
77 TXT PIC X(40).
77 FL PIC S9(8) COMP.
EXEC CICS PUT CONTAINER('IN') CHANNEL('C') FROM('text') FLENGTH(4) CHAR END-EXEC
EXEC CICS LINK PROGRAM('JCHAN') CHANNEL('C') END-EXEC
MOVE SPACES TO TXT
MOVE 40 TO FL
EXEC CICS GET CONTAINER('OUT') CHANNEL('C') INTO(TXT) FLENGTH(FL) END-EXEC
DISPLAY 'CHAN ' TXT
MOVE SPACES TO TXT
MOVE 40 TO FL
EXEC CICS GET CONTAINER('BITS') CHANNEL('C') INTO(TXT) FLENGTH(FL) END-EXEC
DISPLAY 'BITS ' FUNCTION HEX-OF(TXT(1:2)) ' ' FL
```

```cobol COND threadsafe
77 CA PIC X(60).
MOVE 'CATCH' TO CA
EXEC CICS LINK PROGRAM('JCOND') COMMAREA(CA) END-EXEC
DISPLAY 'COND ' CA
```

```cobol ENDS threadsafe
77 CA PIC X(8).
77 CODE4 PIC X(4).
77 NUMB PIC S9(4) COMP VALUE 0.
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC.
NEXT-ONE.
ADD 1 TO NUMB
IF NUMB = 1 MOVE 'LEAVE' TO CA EXEC CICS LINK PROGRAM('JCOND') COMMAREA(CA) END-EXEC.
IF NUMB = 2 MOVE 'ABEND' TO CA EXEC CICS LINK PROGRAM('JABEND') COMMAREA(CA) END-EXEC.
IF NUMB = 3 MOVE 'THROW' TO CA EXEC CICS LINK PROGRAM('JABEND') COMMAREA(CA) END-EXEC.
IF NUMB = 4 MOVE 'LONG' TO CA EXEC CICS LINK PROGRAM('JABEND') COMMAREA(CA) END-EXEC.
IF NUMB = 5 EXEC CICS LINK PROGRAM('JNONE') END-EXEC.
IF NUMB = 6 EXEC CICS LINK PROGRAM('JLOST') END-EXEC.
IF NUMB = 7 MOVE 'CAUGHT' TO CA EXEC CICS LINK PROGRAM('JABEND') COMMAREA(CA) END-EXEC
   DISPLAY 'END7 ' CA.
DISPLAY 'ENDED'.
EXEC CICS RETURN END-EXEC.
GOT-IT.
EXEC CICS ASSIGN ABCODE(CODE4) END-EXEC
IF NUMB = 1 DISPLAY 'END1 ' CODE4.
IF NUMB = 2 DISPLAY 'END2 ' CODE4.
IF NUMB = 3 DISPLAY 'END3 ' CODE4.
IF NUMB = 4 DISPLAY 'END4 ' CODE4.
IF NUMB = 5 DISPLAY 'END5 ' CODE4.
IF NUMB = 6 DISPLAY 'END6 ' CODE4.
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC
GO TO NEXT-ONE.
```

```cobol INTR threadsafe
77 CA PIC X(8).
EXEC CICS LINK PROGRAM('JINTR') COMMAREA(CA) END-EXEC
DISPLAY 'INTR ' CA
```

```cobol BREAKS threadsafe
EXEC CICS ABEND ABCODE('BRKS') END-EXEC
```

```cobol UOWS threadsafe
77 ITEM PIC X(8).
77 LEN2 PIC S9(4) COMP.
77 NI PIC S9(4) COMP.
EXEC CICS LINK PROGRAM('JUOW') END-EXEC
MOVE 8 TO LEN2
EXEC CICS READQ TS QUEUE('KEEPU') INTO(ITEM) LENGTH(LEN2) ITEM(1) NUMITEMS(NI) END-EXEC
DISPLAY 'UOWS ' ITEM(1:4) ' ' NI
```

```cobol FREE threadsafe
77 LEN2 PIC S9(4) COMP.
77 ITEM PIC X(8).
EXEC CICS ENQ RESOURCE('HELD') LENGTH(4) NOSUSPEND NOHANDLE END-EXEC
IF EIBRESP = 0 DISPLAY 'FREED' ELSE DISPLAY 'LOCKED'.
MOVE 8 TO LEN2
EXEC CICS READQ TS QUEUE('KEEPH') INTO(ITEM) LENGTH(LEN2) ITEM(1) NOHANDLE END-EXEC
IF EIBRESP = 44 DISPLAY 'BACKED' ELSE DISPLAY 'KEPT ' EIBRESP.
```

```cobol OPER threadsafe
EXEC CICS SET JVMSERVER('JVM1') ENABLED END-EXEC
```

```cobol QUIE threadsafe
EXEC CICS SET JVMSERVER('JVM1') DISABLED END-EXEC
```

```cobol ONLY threadsafe
EXEC CICS SET JVMSERVER('JVM1') THREADLIMIT(1) END-EXEC
DISPLAY 'ONLY ONE'
```
"#;

/// The Java programs.
const SOURCES: &[(&str, &str)] = &[
    (
        "Area",
        "TSQ queue = new TSQ(); queue.setName(\"JAVAQ\"); queue.setType(TSQType.MAIN);
         byte[] area = holder.getValue();
         queue.writeString(new String(area, 0, 8) + \" of \" + Task.getTask().getTransactionName());
         byte[] four = new byte[4]; Program back = new Program(); back.setName(\"BACK\"); back.link(four);
         System.arraycopy(four, 0, area, 8, 4);
         for (int i = 0; i < 4; i++) { byte b = area[i]; area[i] = area[7 - i]; area[7 - i] = b; }",
    ),
    (
        "Containers",
        "Channel channel = Task.getTask().getCurrentChannel();
         if (channel.getContainer(\"NONE\") != null) throw new IllegalStateException();
         String in = channel.getContainer(\"IN\").getString();
         channel.createContainer(\"OUT\").putString(in.toUpperCase() + \" \" + channel.getName() + \" \" + channel.getContainerCount());
         byte[] large = new byte[100000]; large[0] = 1; large[99999] = 2;
         channel.createContainer(\"LARGE\").put(large);
         byte[] again = channel.getContainer(\"LARGE\").get();
         channel.createContainer(\"BITS\").put(new byte[] {(byte) again.length, again[99999]});",
    ),
    (
        "Conditions",
        "TSQ queue = new TSQ(); queue.setName(\"MISSING\");
         if (new String(holder.getValue()).startsWith(\"LEAVE\")) { queue.delete(); }
         try { queue.delete(); } catch (InvalidQueueIdException e) {
         byte[] text = (\"caught \" + e.getRESP() + \" \" + e.getRESP2()).getBytes(); System.arraycopy(text, 0, holder.getValue(), 0, text.length); }",
    ),
    (
        "Abends",
        "switch (new String(holder.getValue()).trim()) {
         case \"ABEND\" -> Task.getTask().abend(\"JABC\");
         case \"LONG\" -> Task.getTask().abend(\"TOOLONG\");
         case \"CAUGHT\" -> { Program breaks = new Program(); breaks.setName(\"BREAKS\");
            try { breaks.link(); } catch (AbendException e) { holder.setValue((e.getABCODE() + \"    \").getBytes()); } }
         default -> throw new IllegalStateException(\"thrown\"); }",
    ),
    (
        "Interrupted",
        "Thread.currentThread().interrupt();
         java.util.concurrent.Future<String> work = CICSExecutorService.runAsCICS(() -> \"worked\");
         Thread.interrupted(); holder.setValue((work.get() + \"  \").getBytes()); Thread.currentThread().interrupt();",
    ),
    (
        "Units",
        "TSQ queue = new TSQ(); queue.setName(\"KEEPU\"); queue.writeString(\"kept\"); Task.getTask().commit();
         queue.writeString(\"gone\"); Task.getTask().rollback();",
    ),
    (
        "Holds",
        "NameResource name = new NameResource(); name.setName(\"HELD\"); name.enqueue();
         TSQ queue = new TSQ(); queue.setName(\"KEEPH\"); queue.writeString(\"lost\");
         TSQ told = new TSQ(); told.setName(\"HOLDS\"); told.setType(TSQType.MAIN); told.writeString(\"holds\");
         try { Thread.sleep(600000); } catch (InterruptedException e) { told.writeString(\"never\"); }",
    ),
    (
        "Loops",
        "TSQ told = new TSQ(); told.setName(\"LOOPS\"); told.setType(TSQType.MAIN); told.writeString(\"loops\");
         while (System.nanoTime() != 0) { Thread.onSpinWait(); }",
    ),
    (
        "Posts",
        "KSDS ledger = new KSDS(); ledger.setName(\"LEDGER\"); RecordHolder total = new RecordHolder();
         ledger.readForUpdate(\"TOTAL   \".getBytes(), SearchType.EQUAL, total, new KeyHolder());
         int number = Integer.parseInt(new String(total.getValue(), 8, 8)) + 1;
         byte[] task = holder.getValue();
         ledger.rewrite((\"TOTAL   \" + String.format(\"%08d\", number)).getBytes());
         ledger.write(task, (new String(task) + \"ENTRY   \").getBytes());
         if ((task[7] & 1) == 1) { Task.getTask().commit(); }",
    ),
    (
        "First",
        "Task task = Task.getTask(); TSQ queue = new TSQ(); queue.setName(\"FIRST\"); queue.setType(TSQType.MAIN);
         queue.writeString(task.getTransactionName() + \" \" + task.getSTARTCODE() + \" \" + Region.getAPPLID() + \" \" + task.getProgramName() + \" \" + task.getInvokingProgramName());",
    ),
];

/// Programs without a COMMAREA.
const PLAIN: [&str; 5] = ["Containers", "Units", "Holds", "First", "Loops"];

/// Programs in files of their own.
const FILES: &[(&str, &str)] = &[("Browses", include_str!("java/Browses.java"))];

/// A region with a profile that leads to the test's classes, with more blocks, and the folder of the classes.
fn site(name: &str, more: &str) -> (Site, PathBuf) {
    site_with(name, more, "")
}

/// The same, with more lines of its profile.
fn site_with(name: &str, more: &str, lines: &str) -> (Site, PathBuf) {
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-classes"));
    // A folder that is not there when a JVM starts is not looked for later.
    fs::create_dir_all(&classes).expect("a folder");
    let profile = format!(
        "```file jvmprofiles/PLAIN.jvmprofile\nCLASSPATH_SUFFIX={}\n-Xmx64m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n{lines}```\n",
        classes.display()
    );
    (Site::new(name, &format!("{REGION}\n{profile}\n{more}")), classes)
}

/// Compiles the Java programs against the classes that the region's JVM server has.
fn compile(state: &Path, classes: &Path) {
    let java = state.join("java");
    let entries = fs::read_dir(&java).expect("the folder of JVM servers").flatten();
    let own = entries.map(|entry| entry.path()).find(|path| path.display().to_string().contains("classes-"));
    let sources = classes.with_extension("sources");
    fs::create_dir_all(sources.join("work")).expect("a folder");
    let mut paths = Vec::new();
    for (name, body) in SOURCES {
        let parameter = if PLAIN.contains(name) { "String[] none" } else { "CommAreaHolder holder" };
        let text = format!(
            "package work; import com.ibm.cics.server.*; public class {name} {{ public static void main({parameter}) throws Exception {{ {body} }} }}"
        );
        let path = sources.join("work").join(format!("{name}.java"));
        fs::write(&path, text).expect("a source");
        paths.push(path);
    }
    for (name, text) in FILES {
        let path = sources.join("work").join(format!("{name}.java"));
        fs::write(&path, text).expect("a source");
        paths.push(path);
    }
    let mut command = Command::new("javac");
    command.arg("-cp").arg(own.expect("classes")).arg("-d").arg(classes).args(&paths);
    let output = command.output().expect("`scripts/install test` installs a JDK");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The process of the region's JVM server, once it is enabled.
async fn enabled(run: &Run) -> u32 {
    let region = Arc::clone(&run.house.running.region);
    run.until("an enabled JVM server", || status(&region).0 == "ENABLED").await;
    status(&region).1
}

/// The status of the JVM server, and the number of its process.
fn status(region: &Region) -> (String, u32) {
    jvm::JvmServers::of(region).status("JVM1").expect("it is defined")
}

/// Runs a transaction, and waits for what it displays with a word.
async fn told(run: &Run, transaction: &str, word: &str) -> String {
    attach(&run.house.running.region, transaction);
    let word = format!("{word} ");
    run.until(&word, || displayed(&word).is_some()).await;
    displayed(&word).unwrap_or_default()
}

#[test]
fn programs_in_java_and_cobol_call_each_other() {
    let (site, classes) = site("java", "");
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        compile(&state, &classes);
        assert_eq!(told(run, "AREA", "AREA").await, "HGFEDCBABACK");
        run.until("the item", || displayed("ITEM ").is_some()).await;
        assert_eq!(displayed("ITEM ").as_deref(), Some("ABCDEFGH of AREA"));
        assert_eq!(told(run, "CHAN", "CHAN").await, "TEXT C 1");
        run.until("the bytes", || displayed("BITS ").is_some()).await;
        assert_eq!(displayed("BITS ").as_deref(), Some("A002 0000000002"));
        assert_eq!(told(run, "COND", "COND").await, "caught 44 0");
        assert_eq!(told(run, "UOWS", "UOWS").await, "kept 00001");
        attach(&run.house.running.region, "ENDS");
        run.until("the last end", || displayed("ENDED").is_some()).await;
        for (word, code) in [
            ("END1 ", "AEYH"),
            ("END2 ", "JABC"),
            ("END3 ", "AJ04"),
            ("END4 ", "AJ99"),
            ("END5 ", "AJ09"),
            ("END6 ", "ASJ1"),
            ("END7 ", "BRKS"),
        ] {
            assert_eq!(displayed(word).as_deref(), Some(code), "{word}");
        }
        true
    });
}

#[test]
fn a_program_that_leaves_its_thread_interrupted_harms_no_other() {
    let (site, classes) = site("java-interrupted", "");
    let state = site.state().to_owned();
    site.run(async |run| {
        let pid = enabled(run).await;
        compile(&state, &classes);
        assert_eq!(told_each(run, "INTR", "INTR ", 2).await, ["worked"; 2]);
        assert_eq!(told_each(run, "AREA", "AREA ", 1).await, ["HGFEDCBABACK"]);
        assert_eq!(status(&run.house.running.region), ("ENABLED".to_owned(), pid));
        true
    });
}

#[test]
fn a_jvm_that_is_killed_leaves_no_lock_and_no_change() {
    let (site, classes) = site("java-killed", "");
    let state = site.state().to_owned();
    site.run(async |run| {
        let pid = enabled(run).await;
        compile(&state, &classes);
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "JHLD");
        run.until("the program holds", || has_item(&region, "HOLDS")).await;
        kill(pid);
        run.until("a disabled JVM server", || status(&region).0 == "DISABLED").await;
        attach(&region, "FREE");
        run.until("an answer", || displayed("FREED").is_some() || displayed("LOCKED").is_some()).await;
        assert_eq!(displayed("FREED").as_deref(), Some(""));
        run.until("an answer", || displayed("BACKED").is_some() || displayed("KEPT").is_some()).await;
        assert_eq!(displayed("BACKED").as_deref(), Some(""));
        // An operator enables it again, and it runs programs.
        attach(&region, "OPER");
        assert_ne!(enabled(run).await, pid);
        assert_eq!(told(run, "AREA", "AREA").await, "HGFEDCBABACK");
        true
    });
}

#[test]
fn a_purged_task_ends_at_once_and_its_thread_when_it_can() {
    let (site, classes) = site("java-purged", "");
    let state = site.state().to_owned();
    site.run(async |run| {
        let pid = enabled(run).await;
        compile(&state, &classes);
        let region = Arc::clone(&run.house.running.region);
        assert_eq!(told(run, "ONLY", "ONLY").await, "ONE");
        let task = attach(&region, "JHLD");
        run.until("the program holds", || has_item(&region, "HOLDS")).await;
        let next = attach(&region, "AREA");
        let waits = |number| {
            let kind = Dispatcher::of(&region).task(number).and_then(|task| task.waits_for());
            kind.map_or("", |kind| kind.row().resource_type)
        };
        run.until("another one waits for the thread", || waits(next) == "JVMTHRD").await;
        assert_eq!(waits(task), "JAVA");
        Dispatcher::of(&region).task(task).expect("it runs").purge();
        run.until("the thread", || displayed("AREA ").is_some()).await;
        run.until("its end", || Dispatcher::of(&region).task(task).is_none()).await;
        attach(&region, "FREE");
        run.until("an answer", || displayed("FREED").is_some() || displayed("LOCKED").is_some()).await;
        assert_eq!(displayed("FREED").as_deref(), Some(""));
        assert_eq!(status(&region), ("ENABLED".to_owned(), pid), "the JVM goes on");
        // Disabled in order it ends its JVM, and another one runs programs.
        attach(&region, "QUIE");
        run.until("a disabled JVM server", || status(&region).0 == "DISABLED").await;
        attach(&region, "OPER");
        assert_ne!(enabled(run).await, pid);
        assert_eq!(told_each(run, "AREA", "AREA ", 1).await, ["HGFEDCBABACK"]);
        true
    });
}

/// Returns true if a queue of temporary storage has an item.
fn has_item(region: &Region, queue: &str) -> bool {
    domains::temporary_storage::TemporaryStorage::of(region)
        .list()
        .iter()
        .any(|info| info.name == queue.into())
}

/// Kills a process.
fn kill(pid: u32) {
    let killed = Command::new("kill").arg("-KILL").arg(pid.to_string()).status();
    assert!(killed.is_ok_and(|status| status.success()));
}

/// A region whose JVM server is no JVM: a program that misbehaves.
const PEER: &str = r#"
```csd
DEFINE JVMSERVER(JVM1) GROUP(T) JVMPROFILE(PEER) THREADLIMIT(64)
DEFINE PROGRAM(JPEER) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(none)
DEFINE TSMODEL(KEEP) GROUP(T) PREFIX(KEEP) RECOVERY(YES)
```

```cobol PEER threadsafe
77 CODE4 PIC X(4).
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC
EXEC CICS LINK PROGRAM('JPEER') END-EXEC
DISPLAY 'PEER RETURNED'
EXEC CICS RETURN END-EXEC.
GOT-IT.
EXEC CICS ASSIGN ABCODE(CODE4) END-EXEC
EXEC CICS SYNCPOINT ROLLBACK END-EXEC
DISPLAY 'PEER ' CODE4.
```

```cobol FREE threadsafe
77 LEN2 PIC S9(4) COMP.
77 ITEM PIC X(8).
EXEC CICS ENQ RESOURCE('HELD') LENGTH(4) NOSUSPEND END-EXEC
MOVE 8 TO LEN2
EXEC CICS READQ TS QUEUE('KEEPH') INTO(ITEM) LENGTH(LEN2) ITEM(1) NOHANDLE END-EXEC
DISPLAY 'FREE ' EIBRESP.
```

```cobol OPER threadsafe
EXEC CICS SET JVMSERVER('JVM1') ENABLED NOHANDLE END-EXEC
DISPLAY 'OPER ' EIBRESP.
```
"#;

/// The region of such a partner; the file that says before which frame it dies.
fn peers(name: &str) -> (Site, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-peer"));
    let program = |path: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(path);
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        fs::write(&path, text).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("rights");
    };
    program("peer.py", include_str!("java/peer.py"));
    program("bin/javac", "#!/bin/sh\necho javac 17.0.0-peer\n");
    program("bin/java", &format!("#!/bin/sh\nexec python3 {}\n", folder.join("peer.py").display()));
    let (home, dies) = (folder.display(), folder.join("dies"));
    let profile = format!(
        "```file jvmprofiles/PEER.jvmprofile\nJAVA_HOME={home}\nCLASSPATH_SUFFIX=none\nPEER={}\n```\n",
        dies.display()
    );
    (Site::new(name, &format!("{PEER}\n{profile}")), dies)
}

/// The lines that programs have displayed with a word.
fn said(word: &str) -> Vec<String> {
    let happenings = Timeline::of_process().since(0).into_iter();
    let lines = happenings.filter_map(|happening| match happening {
        Happening::Display(line) => Some(line),
        _ => None,
    });
    lines.filter_map(|line| line.strip_prefix(word).map(|rest| rest.trim().to_owned())).collect()
}

/// Runs a transaction so often, and returns what it has displayed with a word, each time.
async fn told_each(run: &Run, transaction: &str, word: &str, times: usize) -> Vec<String> {
    let before = said(word).len();
    for done in 1..=times {
        attach(&run.house.running.region, transaction);
        run.until(word, || said(word).len() >= before + done).await;
    }
    said(word).split_off(before)
}

/// Number of the ways in which it misbehaves.
const WAYS: usize = 20;

#[test]
fn a_partner_that_misbehaves_is_refused_and_the_region_goes_on() {
    let (site, dies) = peers("java-hostile");
    fs::write(dies, "-1").expect("a number");
    site.run(async |run| {
        let pid = enabled(run).await;
        let ends = told_each(run, "PEER", "PEER ", WAYS).await;
        assert_eq!(ends, vec!["AJ05"; WAYS]);
        assert_eq!(told_each(run, "FREE", "FREE ", 1).await, ["0000000044"], "no lock and no item is left");
        assert_eq!(status(&run.house.running.region), ("ENABLED".to_owned(), pid));
        true
    });
}

/// Frames of a program's way: Hello of both connections, three messages of the program.
const FRAMES: usize = 5;

#[test]
fn a_jvm_that_dies_before_any_of_its_frames_leaves_nothing() {
    let (site, dies) = peers("java-dies");
    fs::write(&dies, "0").expect("a number");
    site.run(async |run| {
        for frame in 0..FRAMES {
            fs::write(&dies, frame.to_string()).expect("a number");
            if frame > 0 {
                assert_eq!(told_each(run, "OPER", "OPER ", 1).await, ["0000000000"]);
            }
            let ends = told_each(run, "PEER", "PEER ", 1).await;
            let lost = if frame < 2 { "ASJ1" } else { "AJ05" };
            assert_eq!(ends, [lost], "dead before frame {frame}");
            assert_eq!(told_each(run, "FREE", "FREE ", 1).await, ["0000000044"], "dead before frame {frame}");
            let region = Arc::clone(&run.house.running.region);
            run.until("a disabled JVM server", || status(&region).0 == "DISABLED").await;
        }
        true
    });
}
