//! Definitions that are changed while a region runs: by CEDA at a terminal of s3270, from a shell, by a job, by an editor.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::bank::needs;
use crate::house::{FREE_PORT, Region, application};

const HELLO: &str = "       ID DIVISION.\n       PROGRAM-ID. HELLO.\n       PROCEDURE DIVISION.\n           EXEC CICS SEND TEXT \
     FROM('HELLO FROM HERE') ERASE END-EXEC\n           EXEC CICS RETURN END-EXEC.\n";

const TEXT: &str = "* The greeting\nDEFINE PROGRAM(HELLO) GROUP(FIRST)\nDEFINE TRANSACTION(HELO) GROUP(FIRST) PROGRAM(HELLO)\n";

fn first() -> TempDir {
    let settings = "[security]\ndefault-rights = [\"run\", \"inquire\", \"operate\"]\n";
    application(&[
        ("region.toml", &format!("csd = [\"first.csd\"]\n{FREE_PORT}\n{settings}")),
        ("first.csd", TEXT),
        ("HELLO.cbl", HELLO),
    ])
}

/// Runs `syncpoint` in a folder: what it prints, and if it went well.
fn syncpoint(folder: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout) + &text(&output.stderr), output.status.success())
}

/// A terminal of s3270.
struct S3270 {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl S3270 {
    fn connect(address: SocketAddr) -> Self {
        let mut command = Command::new("s3270");
        command.args(["-model", "3278-2-E", &address.to_string()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("s3270");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut terminal = Self { child, input, output };
        terminal.does("Wait(10,InputField)");
        terminal
    }

    /// Has an action done, and returns its lines.
    fn does(&mut self, action: &str) -> String {
        writeln!(self.input, "{action}").expect("s3270 listens");
        let mut lines = String::new();
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).expect("s3270 answers") > 0,
                "{action}: s3270 has ended"
            );
            match line.trim_end() {
                "ok" => return lines,
                "error" => panic!("{action}: {lines}"),
                data => lines += &format!("{}\n", data.strip_prefix("data: ").unwrap_or_default()),
            }
        }
    }

    /// Types a command on an empty screen.
    fn starts(&mut self, text: &str, wanted: &str) -> String {
        self.does("Clear()");
        self.types(text, wanted)
    }

    /// Types at the cursor, presses ENTER, and waits for a text.
    fn types(&mut self, text: &str, wanted: &str) -> String {
        self.does(&format!("String(\"{text}\")"));
        self.does("EraseEOF()");
        self.does("Enter()");
        self.sees(wanted)
    }

    fn sees(&mut self, wanted: &str) -> String {
        for _ in 0..50 {
            let screen = self.does("Ascii()");
            if screen.contains(wanted) {
                return screen;
            }
            let _ = writeln!(self.input, "Wait(1,Output)");
            let mut line = String::new();
            while !matches!(line.trim_end(), "ok" | "error") {
                line.clear();
                self.output.read_line(&mut line).expect("s3270 answers");
            }
        }
        panic!("no {wanted} on\n{}", self.does("Ascii()"))
    }
}

impl Drop for S3270 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn ceda_at_a_real_terminal_defines_and_installs_for_good() {
    needs(&["s3270"]);
    let folder = first();
    let region = Region::start(folder.path());
    let mut terminal = S3270::connect(region.address);
    let screen =
        terminal.starts("CEDA DEFINE TRANSACTION(NEWT) GROUP(SECOND) PROGRAM(HELLO)", "DEFINE SUCCESSFUL");
    assert!(screen.contains("PROGram") && screen.contains("MESSAGES: 1"), "{screen}");
    terminal.does("PF(9)");
    terminal.sees("New group SECOND created.");
    terminal.does("PF(3)");
    terminal.sees("SESSION ENDED");
    terminal.starts("CEDA INSTALL TRANSACTION(NEWT) GROUP(SECOND)", "INSTALL SUCCESSFUL");
    terminal.does("PF(3)");
    terminal.sees("SESSION ENDED");
    terminal.starts("NEWT", "HELLO FROM HERE");
    terminal.starts("CEDA DISPLAY TRANSACTION(NEWT) GROUP(SECOND)", "RESULTS: 1 TO 1 OF 1");
    terminal.does("PF(3)");
    terminal.starts("CEDA DISPLAY TRANSACTION(NONE) GROUP(SECOND)", "DISPLAY UNSUCCESSFUL");
    terminal.does("PF(3)");
    terminal.starts("CEDA INSTALL GROUP(NOWHERE)", "USE P9 FOR S MSGS");
    terminal.does("PF(3)");
    drop(terminal);
    let text = fs::read_to_string(folder.path().join("first.csd")).expect("there");
    assert_eq!(text, format!("{TEXT}DEFINE TRANSACTION(NEWT) GROUP(SECOND)\n       PROGRAM(HELLO)\n"));
    region.ends_in_order();
    let region = Region::start(folder.path());
    S3270::connect(region.address).starts("NEWT", "HELLO FROM HERE");
}

#[test]
fn a_shell_and_a_job_change_the_same_texts_and_a_running_region_installs() {
    let folder = first();
    let job = "//DEFS JOB\n//S EXEC PGM=DFHCSDUP\n//SYSIN DD *\n DEFINE TRANSACTION(JOBT) GROUP(SECOND)\n   PROGRAM(HELLO)\n LIST \
               GROUP(SECOND)\n/*\n";
    fs::write(folder.path().join("defs.jcl"), job).expect("written");
    let region = Region::start(folder.path());
    let (said, well) =
        syncpoint(folder.path(), &["csd", ".", "DEFINE TRANS(SHEL) GROUP(SECOND) PROG(HELLO)"]);
    assert!(well && said.contains("DFH5101 I DEFINE COMMAND EXECUTED SUCCESSFULLY IN first.csd"), "{said}");
    let (said, well) = syncpoint(folder.path(), &["batch", "--jcl", "defs.jcl"]);
    assert!(well && said.contains("TRANSACTION JOBT"), "{said}");
    let text = fs::read_to_string(folder.path().join("first.csd")).expect("there");
    let behind = |name: &str| format!("DEFINE TRANSACTION({name}) GROUP(SECOND)\n       PROGRAM(HELLO)\n");
    assert_eq!(text, format!("{TEXT}{}{}", behind("SHEL"), behind("JOBT")));
    let (said, well) = syncpoint(folder.path(), &["csd", ".", "INSTALL GROUP(SECOND)"]);
    assert!(well && said.contains("INSTALL SUCCESSFUL"), "{said}");
    region.terminal().until("JOBT", "HELLO FROM HERE");
    let (said, well) = syncpoint(folder.path(), &["csd", ".", "UPGRADE"]);
    assert!(!well && said.contains("UPGRADE is not carried out here"), "{said}");
    let (said, well) = syncpoint(folder.path(), &["csd", ".", "VIEW TRANS(JOBT) GROUP(SECOND)"]);
    assert!(well && said.contains("*      PRIORITY(1)"), "{said}");
    region.ends_in_order();
    let (said, well) = syncpoint(folder.path(), &["csd", ".", "INSTALL GROUP(SECOND)"]);
    assert!(!well && said.contains("no region runs"), "{said}");
}

#[test]
fn a_saved_text_is_installed_and_what_cannot_be_is_refused_at_its_line() {
    let folder = first();
    let region = Region::watch(folder.path());
    let path = folder.path().join("first.csd");
    fs::write(&path, format!("{TEXT}DEFINE TRANSACTION(SAVD) GROUP(FIRST) PROGRAM(HELLO)\n")).expect("saved");
    region.logs("first.csd has changed: what is new in it is installed");
    let mut terminal = region.terminal();
    terminal.until("SAVD", "HELLO FROM HERE");
    let wrong = "DEFINE TRANSACTION(NEVR) GROUP(FIRST) PROGRAM(HELLO)\nDEFINE TRANSACTION(WRNG) GROUP(FIRST) PRIORITY(1000)\n";
    fs::write(&path, format!("{TEXT}{wrong}")).expect("saved");
    region.logs("PRIORITY cannot be 1000");
    terminal.until("NEVR", "DFHAC2001");
    fs::write(&path, format!("{TEXT}{}", wrong.replace("1000", "10"))).expect("saved");
    region.logs("TRANSACTION WRNG needs PROGRAM");
    terminal.until("NEVR", "HELLO FROM HERE");
    assert!(region.log().contains("first.csd:5"), "{}", region.log());
    // What was refused is tried again with the next text.
    let more = "DEFINE TRANSACTION(NEXT) GROUP(FIRST) PROGRAM(HELLO)\n";
    fs::write(&path, format!("{TEXT}{}{more}", wrong.replace("1000", "10"))).expect("saved");
    terminal.until("NEXT", "HELLO FROM HERE");
    assert_eq!(region.log().matches("TRANSACTION WRNG needs PROGRAM").count(), 2, "{}", region.log());
    assert!(region.log().contains("TRANSACTION SAVD is in no text any more"), "{}", region.log());
    region.end(terminal);
}

/// A seeded crowd: three of each kind of writers define in one group, and an editor adds notes to the same text.
#[test]
fn ceda_a_shell_jobs_and_an_editor_change_one_group_at_the_same_time() {
    const EACH: usize = 6;
    let folder = first();
    let root = folder.path();
    let region = Region::start(root);
    let text = |kind: char, number: usize| format!("DEFINE PROGRAM({kind}{number:03}) GROUP(CROWD)");
    let path = root.join("first.csd");
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut terminal = region.terminal();
            for number in 0..EACH {
                terminal.start(&format!("CEDA {}", text('C', number)));
                terminal.sees("DEFINE SUCCESSFUL");
                terminal.press(tn3270::datastream::Aid::Pf(3));
                terminal.sees("SESSION ENDED");
            }
        });
        for kind in ['S', 'T'] {
            scope.spawn(move || {
                for number in 0..EACH {
                    let (said, well) = syncpoint(root, &["csd", ".", &text(kind, number)]);
                    assert!(well, "{said}");
                }
            });
        }
        scope.spawn(|| {
            for number in 0..EACH {
                let name = format!("j{number}.jcl");
                let job =
                    format!("//J JOB\n//S EXEC PGM=DFHCSDUP\n//SYSIN DD *\n {}\n/*\n", text('J', number));
                fs::write(root.join(&name), job).expect("written");
                let (said, well) = syncpoint(root, &["batch", "--jcl", &name]);
                assert!(well, "{said}");
            }
        });
        scope.spawn(|| (0..EACH).for_each(|number| note(&path, number)));
    });
    let text = fs::read_to_string(&path).expect("there");
    for number in 0..EACH {
        for kind in ['C', 'S', 'T', 'J'] {
            assert_eq!(
                text.matches(&format!("PROGRAM({kind}{number:03}) GROUP(CROWD)")).count(),
                1,
                "{text}"
            );
        }
        assert!(text.contains(&format!("* note {number}\n")), "{text}");
    }
    let (said, well) = syncpoint(root, &["check", "."]);
    assert!(well, "{said}");
}

/// An editor that looks, as it saves, whether the file is still the one that it has read.
fn note(path: &Path, number: usize) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let mine = path.with_extension("swp");
    loop {
        let read = fs::read_to_string(path).expect("there");
        fs::write(&mine, format!("* note {number}\n{read}")).expect("written");
        renameat_with(CWD, &mine, CWD, path, RenameFlags::EXCHANGE).expect("saved");
        if fs::read_to_string(&mine).expect("there") == read {
            return;
        }
        renameat_with(CWD, &mine, CWD, path, RenameFlags::EXCHANGE).expect("taken back");
    }
}
