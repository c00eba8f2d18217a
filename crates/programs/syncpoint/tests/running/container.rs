//! The root file system of the image, as `packaging/Containerfile` makes it: a region in it as the first process of namespaces of its own,
//! with a root that cannot be written and a user without rights.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::bank::repository;
use crate::house::{FREE_PORT, PATIENCE, Region, product};

/// Makes what a container's own begins with, and becomes its first process: the root, the state, the application, the user.
const BEGIN: &str = r#"
set -e
root=$1 state=$2 application=$3 user=$4; shift 4
mount --bind "$root" "$root"
mount --bind "$state" "$root/var/lib/syncpoint"
mount --bind "$application" "$root/srv/application"
mount -o remount,bind,ro "$root/srv/application"
mount -t proc proc "$root/proc"
mount --bind /dev/null "$root/dev/null"
mount -o remount,bind,ro "$root"
exec chroot ${user:+"--userspec=$user" --groups=} "$root" /usr/bin/syncpoint "$@"
"#;
/// The user of the image.
const USER: &str = "10001:10001";
const NAMESPACES: &[&str] = &["--mount", "--pid", "--fork", "--kill-child"];

/// An image that can be started, and its volumes.
struct Image {
    folder: TempDir,
    is_root: bool,
}

/// Runs a command that must go well.
fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Image {
    /// `None` where this machine has no namespaces, or cannot pack.
    fn new() -> Option<Self> {
        let id = Command::new("id").arg("-u").output().ok()?;
        let is_root = id.stdout.trim_ascii() == b"0";
        let mut apart = Self::apart(is_root);
        let has_namespaces = apart.arg("true").output().is_ok_and(|output| output.status.success());
        let packs = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !has_namespaces || !packs("dpkg-deb") || !packs("python3") {
            eprintln!("skipped: this machine gives no namespaces of its own, or has no dpkg-deb or python3");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let image = Self { folder, is_root };
        let out = image.at("out");
        let mut package = Command::new(repository().join("scripts/package"));
        package.args(["--plain", "--only", "deb", "--binary", env!("CARGO_BIN_EXE_syncpoint"), "--out"]);
        run(package.arg(&out));
        let deb = fs::read_dir(&out).expect("there").flatten().map(|entry| entry.path());
        let deb = deb.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "deb"));
        let mut recipe = Command::new(repository().join("packaging/root-file-system"));
        run(recipe.arg(deb.expect("a package")).arg(image.at("root")));
        fs::remove_dir_all(&out).expect("removed");
        // A container's runtime makes the places of devices.
        fs::write(image.at("root/dev/null"), "").expect("written");
        fs::create_dir(image.at("state")).expect("a folder");
        if is_root {
            run(Command::new("chown").arg(USER).arg(image.at("state")));
        }
        Some(image)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command in namespaces of its own; the caller adds its words.
    fn apart(is_root: bool) -> Command {
        let mut command = Command::new("unshare");
        command.args(if is_root { &[][..] } else { &["--user", "--map-root-user"] }).args(NAMESPACES);
        command
    }

    /// The command that starts syncpoint with these words as the first process of a container.
    fn starts(&self, words: &[&str]) -> Command {
        let mut command = Self::apart(self.is_root);
        command.args(["sh", "-c", BEGIN, "sh"]);
        command.args(["root", "state", "application"].map(|name| self.at(name)));
        command.arg(if self.is_root { USER } else { "" }).args(words);
        command
    }

    /// Starts the region of the application.
    fn region(&self) -> Region {
        let words = ["run", "/srv/application", "--data", "/var/lib/syncpoint"];
        Region::greeted(self.starts(&words))
            .unwrap_or_else(|said| panic!("the region does not start:\n{said}"))
    }
}

/// The processes that a process has started and not waited for.
fn children(process: u32) -> Vec<u32> {
    let of_threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let listed = of_threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    listed
        .flat_map(|text| text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The first process of a container.
fn first(region_of: u32) -> u32 {
    let [first] = children(region_of)[..] else { panic!("unshare has one child") };
    first
}

/// The words behind a name in what the kernel says of a process.
fn status(process: u32, name: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn signal(process: u32, name: &str) {
    run(Command::new("kill").arg(format!("-{name}")).arg(process.to_string()));
}

fn health(at: &str) -> String {
    let mut stream = TcpStream::connect(at).expect("a connection");
    write!(stream, "GET /health HTTP/1.1\r\nHost: {at}\r\n\r\n").expect("it takes the request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// An application that anybody may read.
fn application(folder: &Path) {
    let made = product().arg("new").arg(folder).stdout(Stdio::null()).status().expect("syncpoint starts");
    assert!(made.success());
    let toml = fs::read_to_string(folder.join("region.toml")).expect("there");
    let ports = format!("\n{FREE_PORT}[operate]\nlisten = \"127.0.0.1:0\"\n");
    fs::write(folder.join("region.toml"), toml + &ports).expect("written");
    run(Command::new("chmod").args(["--recursive", "a+rX"]).arg(folder));
}

/// A command in the container of a first process; the caller adds its words.
fn within(image: &Image, first: u32) -> Command {
    let mut command = Command::new("nsenter");
    command.args(["--target", &first.to_string(), "--pid"]);
    if !image.is_root {
        command.args(["--user", "--preserve-credentials"]);
    }
    command
}

/// The health check of the image, as its user.
fn checks(image: &Image, first: u32) {
    let mut command = within(image, first);
    command.args(["--mount", "--root"]);
    if image.is_root {
        command.args(["--setuid=10001", "--setgid=10001"]);
    }
    run(command.args(["/usr/bin/syncpoint", "status", "/srv/application", "--data", "/var/lib/syncpoint"]));
}

#[test]
fn a_region_is_the_first_process_of_a_container_whose_root_cannot_be_written() {
    let Some(image) = Image::new() else { return };
    application(&image.at("application"));
    for visit in 1..=2 {
        let region = image.region();
        let first = first(region.process());
        let [command] = children(first)[..] else { panic!("the region is the first process's only child") };
        assert!(status(first, "NSpid").ends_with(" 1"), "{}", status(first, "NSpid"));
        if image.is_root {
            assert_eq!(status(command, "Uid"), "10001 10001 10001 10001");
            assert_eq!(status(command, "CapEff"), "0000000000000000");
        }
        let mut terminal = region.terminal();
        terminal.start("HELO");
        terminal.sees("What is your name?");
        terminal.type_text("ann");
        terminal.press(Aid::Enter);
        // The volume keeps what the former container has committed.
        terminal.sees(&format!("Hello ANN, this is visit {visit}"));
        let at = region.logged("/metrics and /health are read at http://");
        let answer = health(&at);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"serves\":true"), "{answer}");
        checks(&image, first);
        // A process that an operator has run in the container leaves an orphan.
        run(within(&image, first).args(["sh", "-c", "sleep 1 >/dev/null 2>&1 &"]));
        until("the orphan comes to the first process", || children(first).len() == 2);
        until("the first process waits for it", || children(first) == [command]);
        drop(terminal);
        signal(first, "TERM");
        let (ended, log) = region.ended();
        assert!(ended.success(), "{log}");
        assert!(!log.contains("SPCF002"), "the first process gives the region no setting: {log}");
    }
}

#[test]
fn a_container_ends_as_its_command_does() {
    let Some(image) = Image::new() else { return };
    fs::create_dir(image.at("application")).expect("a folder");
    for words in [&["--version"][..], &["run", "/nowhere"], &["no such command"]] {
        let (own, inside) = (product().args(words).output(), image.starts(words).output());
        let (own, inside) = (own.expect("syncpoint starts"), inside.expect("unshare starts"));
        assert_eq!((inside.status.code(), inside.stdout), (own.status.code(), own.stdout), "{words:?}");
    }
    // A language server asks for no signals, as a region that only begins to start. Its death is the container's, by any hand.
    for (ending, code) in [("TERM", 128 + 15), ("KILL", 128 + 9)] {
        let mut starts = image.starts(&["lsp"]);
        let mut container =
            starts.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("unshare starts");
        // It ends when its standard input is closed.
        let _editor = container.stdin.take();
        // Before that it is the shell that has made the root.
        let is_syncpoint = |process: u32| status(process, "Name") == "syncpoint";
        let begun = || {
            let first = children(container.id()).into_iter().find(|first| is_syncpoint(*first));
            first.is_some_and(|first| !children(first).is_empty())
        };
        until("syncpoint starts", begun);
        let first = first(container.id());
        let command = children(first)[0];
        signal(if ending == "TERM" { first } else { command }, ending);
        assert_eq!(container.wait().expect("it ends").code(), Some(code), "{ending}");
    }
}
