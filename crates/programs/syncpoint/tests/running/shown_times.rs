//! HBZT beside the operating system's account of the process, at an independent terminal (s3270).

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::bank::needs;
use crate::house::{FREE_PORT, Region, application};

/// Nanoseconds of processor time that the region is to have between two screens, and of one tick of the account.
const LOAD_NS: u64 = 3_000_000_000;
const TICK_NS: u64 = 10_000_000;

const PROGRAM: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BURNS.
       PROCEDURE DIVISION.
           PERFORM 400000 TIMES
               EXEC CICS ASKTIME END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(BURN) GROUP(T) PROGRAM(BURNS)
DEFINE PROGRAM(BURNS) GROUP(T)
";

/// A terminal of another maker.
struct S3270 {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl S3270 {
    fn connect(region: &Region) -> Self {
        let mut process = Command::new("s3270")
            .args(["-model", "3279-2", &region.address.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("s3270 starts");
        let to = process.stdin.take().expect("a pipe");
        let from = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut terminal = Self { process, to, from };
        terminal.does("Wait(20,InputField)");
        terminal.does("Clear()");
        terminal.does("Wait(20,Unlock)");
        terminal
    }

    /// Returns the lines that an action gives.
    fn does(&mut self, action: &str) -> Vec<String> {
        writeln!(self.to, "{action}").expect("it reads");
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("a line") > 0, "s3270 has ended");
            match line.trim_end() {
                "ok" => return lines,
                "error" => panic!("{action}: {lines:?}"),
                line => lines.extend(line.strip_prefix("data: ").map(str::to_owned)),
            }
        }
    }

    /// Presses a key; returns the screen that has the text.
    fn shows(&mut self, key: &str, text: &str) -> Vec<String> {
        self.does(key);
        self.does("Wait(20,Unlock)");
        let screen = self.does("Ascii()");
        assert!(screen.iter().any(|line| line.contains(text)), "{text}: {screen:#?}");
        screen
    }
}

impl Drop for S3270 {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// User, system and both in nanoseconds, of a line of the screen.
fn figures(screen: &[String], name: &str) -> Vec<u64> {
    let line = screen.iter().find(|line| line.trim_start().starts_with(name)).expect("a line");
    let numbers = line.split_whitespace().filter(|word| word.contains('.'));
    numbers.map(|word| (word.parse::<f64>().expect("a number") * 1e9).round() as u64).collect()
}

/// User and system time of a process, in nanoseconds.
fn of_system(process: u32) -> [u64; 2] {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process lives");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("its name").1.split_whitespace().collect();
    [11, 12].map(|place: usize| fields[place].parse::<u64>().expect("a number") * TICK_NS)
}

fn burn(folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let ended = command.args(["start", ".", "BURN"]).current_dir(folder).status().expect("it starts");
    assert!(ended.success(), "BURN ends");
}

#[test]
fn hbzt_shows_what_the_operating_system_has_counted_as_it_is_and_since_a_baseline() {
    needs(&["s3270"]);
    let rights = "[security]\ndefault-rights = [\"run\", \"inquire\"]\n";
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{rights}")),
        ("t.csd", DEFINITIONS),
        ("programs/BURNS.cbl", PROGRAM),
    ]);
    let region = Region::start(folder.path());
    let mut terminal = S3270::connect(&region);

    terminal.does("String(\"HBZT\")");
    let earlier = of_system(region.process());
    let screen = terminal.shows("Enter()", "ACTUAL");
    let baseline = of_system(region.process());
    let shown = figures(&screen, "REGION");
    for (place, shown) in shown[..2].iter().enumerate() {
        assert!((earlier[place]..=baseline[place]).contains(shown), "{earlier:?} {screen:#?} {baseline:?}");
    }
    assert_eq!(shown[2], shown[0] + shown[1], "{screen:#?}");

    let sum = |of: [u64; 2]| of[0] + of[1];
    while sum(of_system(region.process())) - sum(baseline) < LOAD_NS {
        burn(folder.path());
    }
    let before = of_system(region.process());
    let screen = terminal.shows("Enter()", "SECONDS SINCE THE BASELINE");
    let after = of_system(region.process());
    let grown = figures(&screen, "REGION");
    let (least, most) = (sum(before) - sum(baseline), sum(after) - sum(earlier));
    println!("HBZT {} ns, the system {least} to {most} ns", grown[2]);
    assert!(grown[2] >= least - least / 50 && grown[2] <= most + most / 50, "{grown:?} {least} {most}");
    let tcbs: u64 = screen
        .iter()
        .filter(|line| line.contains(" TCB"))
        .map(|line| figures(&[line.trim().to_owned()], "")[0])
        .sum();
    assert!(tcbs * 10 >= grown[2] * 8, "the TCBs have done most of it: {screen:#?}");
    assert!(figures(&screen, "TOGETHER")[2] >= grown[2] && figures(&screen, "MACHINE, PROCESSES")[2] > 0);

    terminal.shows("PF(1)", "ACTUAL");
    let screen = terminal.shows("Enter()", "DELTA");
    assert!(figures(&screen, "REGION")[2] * 10 < grown[2], "another baseline: {screen:#?}");
    terminal.shows("PF(3)", "HBZT HAS ENDED");
    drop(terminal);
    region.ends_in_order();
}
