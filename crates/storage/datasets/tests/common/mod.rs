//! Data sets in a folder, and files beside them.
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::path::PathBuf;

use datasets::{DataSets, File, Outcome, Run, Shape};
use diagnostics::Source;
use expect_test::Expect;
use vsam::Vsam;

/// Three records, for ddname IN.
pub const FILE: &[u8] = b"0001first\n0002second\n0003third\n";
/// The same, not in the order of their keys, for ddname BACK.
pub const UNORDERED: &[u8] = b"0003third \n0002second\n0001first \n";
/// One more, for ddname MORE.
const MORE: &[u8] = b"0004fourth\n";
/// Two records of different lengths with their length words, for ddname VARIABLE.
const VARIABLE: &[u8] = b"\0\x07\0\x0001a\0\x0a\0\x0002bcde";

/// Five hundred of 76 bytes, for ddname MANY.
fn many() -> Vec<u8> {
    (0..500).flat_map(|number| format!("{number:04}{number:072}\n").into_bytes()).collect()
}

/// Data sets of their own.
pub struct Site {
    pub sets: DataSets,
    folder: tempfile::TempDir,
}

impl Site {
    pub async fn new() -> Self {
        Self::in_folder(tempfile::tempdir().expect("a folder")).await
    }

    /// Opens the data that an earlier one has left in its folder.
    pub async fn in_folder(folder: tempfile::TempDir) -> Self {
        let records = records::Local::open(&folder.path().join("data"), records::Limits::default());
        let vsam = Vsam::open(records.expect("an engine")).await.expect("data sets");
        let sets = DataSets::open(vsam, &folder.path().join("sequential")).await.expect("sequential ones");
        let variable = folder.path().join("VARIABLE");
        std::fs::write(variable, VARIABLE).expect("written");
        Self { sets, folder }
    }

    fn path(&self, ddname: &str) -> PathBuf {
        self.folder.path().join(ddname)
    }

    /// Ends the work, with everything at rest.
    pub fn close(self) -> tempfile::TempDir {
        self.sets.vsam.engine().checkpoint().expect("a checkpoint");
        self.folder
    }

    /// Returns true if the file of a ddname exists.
    pub fn exists(&self, ddname: &str) -> bool {
        self.path(ddname).exists()
    }

    /// Returns the contents of the file of a ddname.
    pub fn written(&self, ddname: &str) -> Vec<u8> {
        std::fs::read(self.path(ddname)).expect("a file")
    }

    /// Carries commands out as one job.
    pub async fn run(&self, commands: &str) -> Outcome {
        let parsed = idcams::parse(&Source::new("input", commands), &jcl::Tokens::default());
        assert!(parsed.messages.is_empty(), "{:?}", parsed.messages);
        let file = |ddname, shape| File::plain(self.path(ddname), shape);
        let run = Run::new(&self.sets, &|_| false)
            .with_file("IN", File::lines(FILE.to_vec()))
            .with_file("BACK", File::lines(UNORDERED.to_vec()))
            .with_file("MANY", File::lines(many()))
            .with_file("MORE", File::lines(MORE.to_vec()))
            .with_file("VARIABLE", file("VARIABLE", Shape::Variable))
            .with_file("OUT", file("OUT", Shape::Lines))
            .with_file("COPY", file("COPY", Shape::Variable));
        run.statements(&parsed.steps[0].statements).await
    }

    /// Carries commands out and compares the listing, the messages and the codes.
    pub async fn check(&self, commands: &str, expected: Expect) {
        let outcome = self.run(commands).await;
        let messages: String = outcome.messages.iter().map(|message| format!("{message}\n")).collect();
        let codes = format!("LASTCC {} MAXCC {}\n", outcome.last, outcome.max);
        expected.assert_eq(&format!("{}{messages}{codes}", outcome.listing));
    }
}
