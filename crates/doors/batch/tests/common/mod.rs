//! An application in a folder of its own: programs, data sets, and what running them prints.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod jobs;

use std::path::Path;

use access::{Client, FileBytes, FileSpec, Reply, Request, ShapeSpec};
use batch::{Batch, Dd, Dds, Ended, Execution, Output};
use datasets::{DataSets, File, Shape};
use diagnostics::Source;
use toolchain::Toolchain;

/// The data sets of the tests: a KSDS with an alternate index, an RRDS, an ESDS.
pub const DEFINE: &str = "\
  DEFINE CLUSTER (NAME(A.KSDS) INDEXED KEYS(4 0) RECORDSIZE(10 10) LOG(UNDO))
  DEFINE AIX (NAME(A.AIX) RELATE(A.KSDS) KEYS(6 4) NONUNIQUEKEY)
  DEFINE PATH (NAME(A.PATH) PATHENTRY(A.AIX))
  DEFINE CLUSTER (NAME(A.RRDS) NUMBERED RECORDSIZE(10 10) LOG(UNDO))
  DEFINE CLUSTER (NAME(A.ESDS) NONINDEXED RECORDSIZE(10 10) LOG(UNDO))
";

/// The data sets of a state folder, opened.
pub async fn data_sets(state: &Path) -> DataSets {
    let engine = records::Local::open(&state.join("data"), records::Limits::default()).expect("an engine");
    let vsam = vsam::Vsam::open(engine).await.expect("data sets");
    DataSets::open(vsam, &state.join("sequential")).await.expect("sequential ones")
}

/// An application.
pub struct Application {
    folder: tempfile::TempDir,
    /// PARM.
    pub parm: Option<&'static str>,
}

/// Lines of a run.
#[derive(Default)]
pub struct Said(pub String);

impl Output for Said {
    fn print(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn log(&mut self, text: String) {
        self.print(&format!("[{text}]"));
    }
}

impl Application {
    /// With programs: name, FILE-CONTROL, FILE and WORKING-STORAGE entries, statements.
    pub fn new(programs: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in programs {
            std::fs::write(folder.path().join(format!("{name}.cbl")), text).expect("written");
        }
        Self { folder, parm: None }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn client(&self) -> Client {
        let state = self.path().join("state");
        Client::new(&state, "a test", async { Ok(data_sets(&state).await) }).expect("data sets")
    }

    pub fn toolchain(&self) -> Toolchain {
        let cache = self.path().join("programs");
        let (config, _) = config::region(&Source::new("region.toml", ""));
        Toolchain::new(self.path(), &config.sources, &config.compile, &cache).expect("a tool chain")
    }

    /// Carries IDCAMS commands out.
    pub fn idcams(&self, client: &mut Client, text: &str, lines: &str) -> String {
        let bytes = FileBytes::Given(lines.as_bytes().to_vec());
        let spec =
            FileSpec { bytes, shape: ShapeSpec::Lines, code_page: None, copybook: None, extends: false };
        let request = Request::Utility {
            name: "commands".into(),
            text: text.into(),
            files: vec![("IN".into(), spec)],
            data_sets: Vec::new(),
            recoverable: Vec::new(),
        };
        let Reply::Utility(outcome) = client.ask(request).expect("an outcome") else { panic!("an outcome") };
        assert_eq!(outcome.messages, []);
        outcome.listing
    }

    /// Runs a program with DD statements: `NAME=DATA.SET`, `NAME=*`, `NAME=file` of lines, `NAME=+file` of
    /// records.
    pub fn run(&self, client: &mut Client, program: &str, dds: &[&str], commit_every: u64) -> String {
        let toolchain = self.toolchain();
        let mut batch = Batch::new(&toolchain, None);
        let mut all = Dds::default();
        for dd in dds {
            let (name, meant) = dd.split_once('=').expect("NAME=…");
            all.add(
                name,
                match meant {
                    "*" => Dd::Printed,
                    name if name.contains('.') => Dd::DataSet(name.into()),
                    // Records of varying length.
                    file if file.starts_with('+') => {
                        let path = self.path().join(file.trim_start_matches('+'));
                        Dd::Files(vec![File::plain(path, Shape::Variable)])
                    }
                    file => Dd::Files(vec![File::plain(self.path().join(file), Shape::Lines)]),
                },
            );
        }
        let execution = Execution { program, parm: self.parm, dds: &all, commit_every, time: None };
        let mut said = Said::default();
        let ended = batch.run(&execution, client, &mut said);
        let end = match ended.expect("it starts") {
            Ended::Returned(code) => format!("returned {code}\n"),
            Ended::Abend(code, text) => format!("abend {code}: {text}\n"),
        };
        (said.0 + &end).replace(&self.path().display().to_string(), "FOLDER")
    }
}

/// A program from its parts; a statement of the form `? STATEMENT` is shown with the FILE STATUS that it leaves, and one of
/// the form `| PART` goes on in the next line.
pub fn program(name: &str, control: &str, files: &str, statements: &str) -> String {
    let mut text = String::new();
    let mut area = |indent: usize, line: &str| text.push_str(&format!("{:indent$}{line}\n", ""));
    area(7, "IDENTIFICATION DIVISION.");
    area(7, &format!("PROGRAM-ID. {name}."));
    area(7, "ENVIRONMENT DIVISION.");
    area(7, "INPUT-OUTPUT SECTION.");
    area(7, "FILE-CONTROL.");
    control.lines().for_each(|line| area(11, line.trim_start()));
    area(7, "DATA DIVISION.");
    area(7, "FILE SECTION.");
    files.lines().for_each(|line| area(7, line.trim_start()));
    area(7, "WORKING-STORAGE SECTION.");
    area(7, "01  FS PIC XX.");
    area(7, "01  RN PIC 9(4).");
    area(7, "01  I PIC 9(4).");
    area(7, "PROCEDURE DIVISION.");
    for line in statements.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(part) = line.strip_prefix("| ") {
            area(11, part);
            continue;
        }
        match line.strip_prefix("? ") {
            Some(statement) => {
                area(11, &format!("{statement}."));
                let shown = statement.split(" TO ").next().unwrap_or_default();
                area(11, &format!("DISPLAY FS ' {shown}'."));
            }
            None => area(11, &format!("{line}.")),
        }
    }
    area(11, "GOBACK.");
    text
}
