//! Commands and LINKs of Java programs, beside a bare exchange with a JVM over the same kind of socket and the same work in COBOL.
//! Processor time of this process, which is the region and the other end of the floor, and of both JVMs.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Runtime;

use crate::Options;
use crate::clock::{in_turns, median, processor_time, progress};
use crate::processes;
use crate::promise::Measured;
use crate::site::{Site, Workshop, record};

/// Rounds of which the median is taken; what comes before them warms the JVMs up.
const ROUNDS: usize = 5;
const WARM: usize = 20_000;
/// Commands, LINKs or exchanges of a round; pages of 42 records.
const CALLS: usize = 10_000;
const PAGES: usize = 500;
/// Records of the data set.
const RECORDS: usize = 2_000;
/// The time for a JVM to start.
const PATIENCE: Duration = Duration::from_secs(120);

const FILES: [(&str, &str); 4] = [
    ("JAVAWORK.cbl", include_str!("../programs/java/javawork.cbl")),
    ("javawork.csd", include_str!("../programs/java/javawork.csd")),
    ("sqlwork.idcams", include_str!("../programs/sqlwork.idcams")),
    ("jvmprofiles/BENCH.jvmprofile", include_str!("../programs/java/BENCH.jvmprofile")),
];
const CONFIG: &str = include_str!("../programs/java/javawork.toml");
/// The region's Java programs, and that of the floor.
const PROGRAMS: [(&str, &str); 2] = [
    ("Work.java", include_str!("../programs/java/Work.java")),
    ("Nothing.java", include_str!("../programs/java/Nothing.java")),
];
const BARE: (&str, &str) = ("Bare.java", include_str!("../programs/java/Bare.java"));

/// The reason why a row about Java cannot be measured here; `None` if it can, or is about something else.
pub(crate) fn lacks(id: &str) -> Option<String> {
    let is_there =
        || Command::new("javac").arg("-version").stderr(Stdio::null()).stdout(Stdio::null()).status();
    let lacks = id.starts_with("java-") && !is_there().is_ok_and(|status| status.success());
    lacks.then(|| String::from("there is no JDK: `javac` is not in PATH"))
}

/// A process that ends with its value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn compile(sources: &[PathBuf], class_path: &Path, into: &Path) -> Result<(), String> {
    let output = Command::new("javac").arg("-cp").arg(class_path).arg("-d").arg(into).args(sources).output();
    let output = output.map_err(|error| format!("javac: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// A region with a JVM server, and a bare JVM.
struct Stage {
    region: JavaRegion,
    bare: Bare,
}

/// A region with a JVM server.
struct JavaRegion {
    site: Site,
    servers: Vec<u32>,
    _workshop: Workshop,
}

impl Stage {
    fn new() -> Result<Self, String> {
        let workshop = Workshop::empty()?;
        for folder in ["jvmprofiles", "classes", "sources", "bare"] {
            workshop.scratch(folder)?;
        }
        for (name, text) in FILES {
            workshop.write(name, text)?;
        }
        let records: String = (0..RECORDS).map(|number| format!("{}\n", record(number))).collect();
        workshop.write("records.txt", &records)?;
        let site = workshop.region_of(CONFIG, 1)?;
        let of_region = classes(&workshop.path().join("javawork/java"))?;
        let source = |(name, text): (&str, &str)| {
            let path = format!("sources/{name}");
            workshop.write(&path, text).map(|()| workshop.path().join(path))
        };
        let sources: Vec<PathBuf> = PROGRAMS.into_iter().map(source).collect::<Result<_, _>>()?;
        compile(&sources, &of_region, &workshop.path().join("classes"))?;
        compile(&[source(BARE)?], &of_region, &workshop.path().join("bare"))?;
        site.run("JAVW", Some(b"I00000001"));
        let servers = processes::descendants(std::process::id());
        let bare = Bare::start(&workshop.path().join("bare"))?;
        Ok(Self { region: JavaRegion { site, servers, _workshop: workshop }, bare })
    }
}

impl JavaRegion {
    fn task(&self, work: char, times: usize) {
        self.site.run("JAVW", Some(format!("{work}{times:08}").as_bytes()));
    }

    /// Microseconds of each of so many pieces of work in one task, beyond a task without.
    fn each(&self, work: char, times: usize) -> f64 {
        let spent = |times| {
            let now = || processor_time() + processes::time_of(&self.servers);
            let before = now();
            self.task(work, times);
            now() - before
        };
        (spent(times) - spent(0)) * 1e6 / times as f64
    }
}

/// The folder of the region's own classes, once it is there.
fn classes(folder: &Path) -> Result<PathBuf, String> {
    progress("the region's JVM server starts");
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("classes-"))
        };
        if let Some(found) = entries.into_iter().find(is_it) {
            progress("");
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(format!("{} has no classes: the log says why", folder.display()))
}

/// A JVM at the other end of a socket, and an event loop of one thread at this one.
struct Bare {
    runtime: Runtime,
    stream: UnixStream,
    process: Process,
}

impl Bare {
    fn start(folder: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the bare JVM: {error}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let path = folder.join("bare.sock");
        let (stream, process) = runtime.block_on(async {
            let listener = UnixListener::bind(&path).map_err(failed)?;
            let mut java = Command::new("java");
            java.args(["-Xmx64m", "-XX:+UseSerialGC", "-cp"]).arg(folder).arg("Bare").arg(&path);
            let process = Process(java.spawn().map_err(failed)?);
            let accepted = tokio::time::timeout(PATIENCE, listener.accept()).await;
            let (stream, _) =
                accepted.map_err(|_| "the bare JVM does not start".to_owned())?.map_err(failed)?;
            Ok::<_, String>((stream, process))
        })?;
        Ok(Self { runtime, stream, process })
    }

    /// Microseconds of an exchange that the JVM begins, or that this end does.
    fn each(&mut self, times: usize, jvm_begins: bool) -> f64 {
        let servers = [self.process.0.id()];
        let now = || processor_time() + processes::time_of(&servers);
        let before = now();
        let (stream, runtime) = (&mut self.stream, &self.runtime);
        let exchanged = runtime.block_on(async {
            let count = i32::try_from(times).unwrap_or(i32::MAX);
            stream.write_all(&(if jvm_begins { count } else { -count }).to_be_bytes()).await?;
            let mut bytes = [0; 200];
            for _ in 0..times {
                if jvm_begins {
                    stream.read_exact(&mut bytes[..100]).await?;
                    stream.write_all(&bytes).await?;
                } else {
                    stream.write_all(&bytes[..100]).await?;
                    stream.read_exact(&mut bytes).await?;
                }
            }
            stream.read_exact(&mut bytes[..1]).await
        });
        // A figure of exchanges that fail means nothing.
        exchanged.expect("the bare JVM answers");
        (now() - before) * 1e6 / times as f64
    }
}

/// A JCICS command that a domain answers at once, beside a bare exchange and the command by COBOL.
pub(crate) fn call(options: &Options, id: &str) -> Result<Measured, String> {
    let mut stage = Stage::new()?;
    let (calls, warm) = (options.size(CALLS, 20), options.size(WARM, 20));
    stage.region.task('Q', warm);
    stage.bare.each(warm, true);
    let (mut exchanges, mut commands) = (Vec::new(), Vec::new());
    let Stage { region, bare } = &mut stage;
    let (figure, floor) = in_turns(
        id,
        options.size(ROUNDS, 1),
        || region.each('Q', calls),
        || {
            let (exchange, command) = (bare.each(calls, true), region.each('C', calls));
            exchanges.push(exchange);
            commands.push(command);
            exchange + command
        },
    );
    stage.region.site.end();
    let mut measured = Measured::new(figure, floor);
    let (exchange, command) = (median(exchanges), median(commands));
    measured.notes.push(format!("{exchange:.1} us a bare exchange, {command:.1} us the command by COBOL"));
    Ok(measured)
}

/// LINK from COBOL to a Java program that does nothing, beside a bare exchange that the region begins.
pub(crate) fn link(options: &Options, id: &str) -> Result<Measured, String> {
    let mut stage = Stage::new()?;
    let (calls, warm) = (options.size(CALLS, 20), options.size(WARM, 20));
    stage.region.task('L', warm);
    stage.bare.each(warm, false);
    let Stage { region, bare } = &mut stage;
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns(id, rounds, || region.each('L', calls), || bare.each(calls, false));
    stage.region.site.end();
    Ok(Measured::new(figure, floor))
}

/// A page of 42 records by a browse that reads ahead, beside the same page with a command for each record.
pub(crate) fn browse(options: &Options, id: &str) -> Result<Measured, String> {
    let Stage { region, .. } = Stage::new()?;
    let (pages, warm) = (options.size(PAGES, 2), options.size(WARM / 42, 2));
    region.task('B', warm);
    region.task('O', warm);
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns(id, rounds, || region.each('B', pages), || region.each('O', pages));
    region.site.end();
    Ok(Measured::new(figure, floor))
}
