//! docs/operators-hour.md and docs/cics-persons-hour.md: everything in their blocks is done here, in their order, with the real
//! binary in a shell, on regions and at a terminal, and what they say comes of it is compared.
//!
//! | block | here |
//! |---|---|
//! | `sh` | run by a shell, and it goes well; one that starts a region goes on beside those behind it |
//! | `text` | the lines of the block before it show, in this order; `…` is anything, also lines |
//! | `keys` | typed at a terminal of the region that was started last |
//! | `log` | texts in that region's log |
//! | others | for the reader alone |

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{PATIENCE, Region};
use crate::terminal::Terminal;

/// Commands that start a region.
const STARTS: [&str; 2] = ["syncpoint run ", "syncpoint demo harbour"];
/// The command that ends one.
const ENDS: &str = "PERFORM SHUTDOWN";
/// The address of the pages: here another one, whose port is free.
const ADDRESS: &str = "127.0.0.1:3270";
/// That of the console.
const CONSOLE: &str = "127.0.0.1:9480";
/// The task of the pages that is purged: the one that carries out a command of CECI.
const TASK: &str = "TASK(25)";
const SHOWN: &str = "Tas(00025)";
/// Commands that change nothing.
const LOOKS: [&str; 4] = ["'INQUIRE ", "syncpoint report ", "syncpoint data list ", "syncpoint status "];
/// Stands for all that is left out of a text.
const ANYTHING: &str = "…";

/// A block of a page.
struct Block {
    kind: String,
    text: String,
    line: usize,
}

/// The blocks of a page, in its order.
fn blocks(page: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(page);
    let text = fs::read_to_string(path).expect("the page");
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (line, row) in (1..).zip(text.lines()) {
        match row.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(kind) => {
                is_open = true;
                found.push(Block { kind: kind.to_owned(), text: String::new(), line });
            }
            None => {
                if let Some(block) = found.last_mut().filter(|_| is_open) {
                    block.text += &format!("{row}\n");
                }
            }
        }
    }
    found
}

/// Returns true if a script changes nothing. What it looks for may come a moment later.
fn only_looks(script: &str) -> bool {
    script.lines().all(|line| LOOKS.iter().any(|look| line.contains(look)))
}

/// A reader of a page, with all that was done so far.
struct Reader {
    folder: TempDir,
    address: String,
    console: String,
    /// Regions that run, each with the command that has started it; the latest last.
    regions: Vec<(String, Region)>,
    terminal: Option<Terminal>,
    /// The last command, as the page has it.
    script: String,
    /// Its output.
    said: String,
}

impl Reader {
    fn new() -> Self {
        let free = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let [address, console] = free.map(|listener| listener.local_addr().expect("its own").to_string());
        let folder = tempfile::tempdir().expect("a folder");
        Self {
            folder,
            address,
            console,
            regions: Vec::new(),
            terminal: None,
            script: String::new(),
            said: String::new(),
        }
    }

    fn does(&mut self, block: &Block) {
        match block.kind.as_str() {
            "sh" => self.runs(&block.text),
            "text" => self.has_said(&block.text),
            "keys" => self.types(&block.text),
            "log" => block.text.lines().for_each(|text| self.region().logs(text)),
            _ => {}
        }
    }

    /// A text of the page as it is here.
    fn here(&self, text: &str) -> String {
        text.replace(ADDRESS, &self.address).replace(CONSOLE, &self.console)
    }

    /// Compares what the last command has said. One that only looks, looks again until it is so: a task that has begun or that is
    /// purged takes a moment.
    fn has_said(&mut self, expected: &str) {
        let expected = self.here(expected).replace(SHOWN, "Tas(…)");
        let lines: Vec<&str> = expected.lines().collect();
        let begun = Instant::now();
        while !are_like(&self.said.trim_end().lines().collect::<Vec<_>>(), &lines) {
            let may_look = only_looks(&self.script) && begun.elapsed() < PATIENCE;
            assert!(may_look, "expected\n{expected}\nbut\n{}", self.said);
            thread::sleep(Duration::from_millis(100));
            self.runs(&self.script.clone());
        }
    }

    fn region(&self) -> &Region {
        &self.regions.last().expect("a region runs").1
    }

    fn runs(&mut self, script: &str) {
        self.script = script.to_owned();
        let script = self.here(script);
        let script = match number_at_terminal(&self.said) {
            Some(number) => script.replace(TASK, &format!("TASK({number})")),
            None => script,
        };
        if STARTS.iter().any(|start| script.starts_with(start)) {
            return self.starts(script.trim());
        }
        let begun = Instant::now();
        while !self.goes_well(&script) {
            let may_look = only_looks(&script) && begun.elapsed() < PATIENCE;
            assert!(may_look, "{script}\n{}", self.said);
            thread::sleep(Duration::from_millis(100));
        }
        if script.contains(ENDS) {
            self.ended(&script);
        }
    }

    /// Runs a script to its end. Returns true if its status is 0.
    fn goes_well(&mut self, script: &str) -> bool {
        let output = self.shell(&format!("exec 2>&1\n{script}")).output().expect("a shell");
        self.said = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success()
    }

    /// A shell that knows the product, in the page's folder. Its error output goes where the other one goes.
    fn shell(&self, script: &str) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_syncpoint"));
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", script]).current_dir(self.folder.path()).env("NO_COLOR", "1");
        shell.env("PATH", format!("{}:{path}", binary.parent().expect("a folder").display()));
        shell
    }

    fn starts(&mut self, script: &str) {
        let is_free = !script.contains("--listen");
        let listen = if is_free { format!(" --listen {}", self.address) } else { String::new() };
        self.terminal = None;
        let region = Region::greeted(self.shell(&format!("exec {script}{listen}")));
        let region = region.unwrap_or_else(|said| panic!("{script}\n{said}"));
        self.said = region.greeting.clone();
        self.regions.push((script.to_owned(), region));
    }

    /// Waits for the end of the region that a command has ended.
    fn ended(&mut self, script: &str) {
        let state = |command: &str| {
            let words: Vec<&str> = command.split_whitespace().collect();
            words.iter().position(|word| *word == "--data").map(|at| words[at + 1].to_owned())
        };
        let ends = script.lines().find(|line| line.contains(ENDS)).unwrap_or_default();
        let at = self.regions.iter().position(|(started, _)| state(started) == state(ends)).expect("it runs");
        self.terminal = None;
        let (status, log) = self.regions.remove(at).1.ended();
        assert!(status.success(), "{log}");
    }

    fn types(&mut self, keys: &str) {
        let mut terminal = self.terminal.take().unwrap_or_else(|| self.region().terminal());
        let mut words = words(keys).into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "start" => terminal.start_and_go(&words.next().expect("a transaction")),
                "wait" => terminal.sees(&words.next().expect("a text")),
                "TAB" => terminal.press_tab(),
                key => match aid(key) {
                    Some(aid) => terminal.press_and_go(aid),
                    None => terminal.type_text(key),
                },
            }
        }
        self.terminal = Some(terminal);
        if keys.contains(ENDS) {
            self.ended(keys);
        }
    }
}

fn aid(key: &str) -> Option<Aid> {
    match key {
        "ENTER" => Some(Aid::Enter),
        "CLEAR" => Some(Aid::Clear),
        key => key.strip_prefix("PF").and_then(|number| number.parse().ok()).map(Aid::Pf),
    }
}

/// The words of a block of keys: a text in quotation marks is one.
fn words(keys: &str) -> Vec<String> {
    let parts = keys.split('"').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The number of the task of CECI, in the answer to INQUIRE TASK.
fn number_at_terminal(said: &str) -> Option<&str> {
    let own = said.lines().find(|line| line.contains("Tra(CECI)"))?;
    own.strip_prefix("Tas(")?.split(')').next()
}

/// Returns true if lines are as they are expected: `…` is anything, alone in its line any lines.
fn are_like(said: &[&str], expected: &[&str]) -> bool {
    match expected {
        [] => said.is_empty(),
        [ANYTHING, rest @ ..] => (0..=said.len()).any(|skipped| are_like(&said[skipped..], rest)),
        [line, rest @ ..] => {
            said.split_first().is_some_and(|(first, said)| is_like(first, line) && are_like(said, rest))
        }
    }
}

fn is_like(said: &str, expected: &str) -> bool {
    let mut parts = expected.split(ANYTHING);
    let Some(mut rest) = said.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        is_open = part.is_empty();
    }
    is_open || rest.trim().is_empty()
}

fn goes_as_it_is_written(page: &str) {
    let mut reader = Reader::new();
    for block in blocks(page) {
        println!("{page}:{}", block.line);
        reader.does(&block);
    }
    assert!(reader.regions.is_empty(), "the page ends with a region that runs");
}

#[test]
fn the_operators_hour_goes_as_it_is_written() {
    goes_as_it_is_written("operators-hour.md");
}

#[test]
fn the_cics_persons_hour_goes_as_it_is_written() {
    goes_as_it_is_written("cics-persons-hour.md");
}

#[test]
fn what_is_left_out_may_be_anything() {
    let fits = |expected: &[&str]| are_like(&["one", "two 2", "three"], expected);
    assert!(
        fits(&["one", "two …", "three"])
            && fits(&["…", "three"])
            && fits(&["one", "…"])
            && fits(&["…ne", "…", "thr…"])
    );
    assert!(
        !fits(&["one", "three"])
            && !fits(&["…", "two"])
            && !fits(&["one", "two", "…"])
            && !fits(&["one", "two 2"])
    );
}
