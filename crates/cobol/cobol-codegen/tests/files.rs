//! Files of code: what comes out of one is what went in, and no other file is taken.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_run::{Machine, Task};
use native::{KeptProgram, Loaded, Mapped, NotTaken, Unit};
use support::generator::Generated;
use support::{KeptHost as Shown, lowered, program};

const KEY: &str = "this compiler";

/// A folder with a file of code.
struct Folder(tempfile::TempDir);

impl Folder {
    fn of(programs: Vec<Program>) -> Self {
        let compiler = Compiler::new().expect("this machine has a compiler");
        let unit = compiler.unit("T.cbl".to_owned(), programs).unwrap_or_else(|error| panic!("{error}"));
        let bytes = unit.to_file(KEY, b"more".to_vec()).expect("a form in bytes");
        let folder = Self(tempfile::tempdir().expect("a folder"));
        folder.write(&bytes);
        folder
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("T.native")
    }

    fn write(&self, bytes: &[u8]) {
        fs::write(self.path(), bytes).expect("written");
        self.allow(0o600);
    }

    fn allow(&self, mode: u32) {
        fs::set_permissions(self.path(), fs::Permissions::from_mode(mode)).expect("allowed");
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).expect("read")
    }

    fn open(&self) -> Result<Mapped, NotTaken> {
        Mapped::open(&self.path(), KEY)
    }

    fn refused(&self) -> NotTaken {
        self.open().expect_err("it is not taken")
    }
}

fn shown(code: &Loaded<KeptProgram>) -> String {
    let mut task = Task::new(1 << 20);
    let activation = task.enter(code.program(), &[]).expect("there is room");
    let mut machine = Machine::new(code.program(), &mut task, activation);
    let mut host = Shown::default();
    code.run(&mut machine, &mut host, &AtomicU32::new(0)).expect("it ends in order");
    host.shown
}

fn simple() -> Vec<Program> {
    lowered(&program("01 A PIC 9(5) VALUE 12.", "ADD 30 TO A DISPLAY 'A IS ' A.")).expect("it is in order")
}

#[test]
fn a_program_runs_from_its_file() {
    let mapped = Folder::of(simple()).open().expect("it is taken");
    assert_eq!((mapped.unit.source(), mapped.more.as_slice()), ("T.cbl", b"more".as_slice()));
    assert_eq!(shown(mapped.unit.program(0).expect("a program")), "A IS 00042\n");
}

/// All that a program consists of comes back: programs of all statements that are generated, and files of several programs.
#[test]
fn a_program_comes_back_as_it_was() {
    for seed in 1..=10 {
        for generate in [Generated::new, support::characters::generated] {
            let programs = lowered(&generate(seed, 100).text()).expect("it is in order");
            let mapped = Folder::of(programs.clone()).open().expect("it is taken");
            assert!(*mapped.unit.program(0).expect("a program").program() == programs[0], "seed {seed}");
        }
        let flows = [support::flows::Flow::new(seed), support::flows::Flow::new(seed + 1)];
        let programs = lowered(&support::flows::around(&flows)).expect("it is in order");
        let folder = Folder::of(programs.clone());
        let mapped = folder.open().expect("it is taken");
        for (at, program) in programs.iter().enumerate() {
            assert!(mapped.unit.program(at).expect("a program").program() == program, "seed {seed}");
        }
        let again = mapped.unit.to_file(KEY, b"more".to_vec()).expect("a form in bytes");
        assert!(again == folder.bytes(), "a file that is written again is the same");
    }
}

#[test]
fn a_file_without_programs_is_one() {
    let folder = Folder::of(simple());
    let bytes = Unit::empty("T.cbl".to_owned()).to_file(KEY, b"why".to_vec()).expect("a form in bytes");
    folder.write(&bytes);
    let mapped = folder.open().expect("it is taken");
    assert_eq!((mapped.unit.source(), mapped.more.as_slice()), ("T.cbl", b"why".as_slice()));
    assert!(mapped.unit.program(0).is_none());
}

#[test]
fn every_changed_byte_is_noticed() {
    let folder = Folder::of(simple());
    let whole = folder.bytes();
    let step = whole.len() / 300 + 1;
    for at in (0..64).chain((64..whole.len()).step_by(step)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        folder.write(&bytes);
        assert!(matches!(folder.refused(), NotTaken::Damaged | NotTaken::Other), "byte {at}");
    }
    folder.write(&whole);
    assert!(folder.open().is_ok());
}

#[test]
fn a_file_of_another_length_is_none() {
    let folder = Folder::of(simple());
    let whole = folder.bytes();
    for length in [0, 7, 31, 32, 100, whole.len() / 2, whole.len() - 1] {
        folder.write(&whole[..length]);
        assert_eq!(folder.refused(), NotTaken::Damaged, "{length} bytes");
    }
    folder.write(&[whole.as_slice(), b"x"].concat());
    assert_eq!(folder.refused(), NotTaken::Damaged);
}

#[test]
fn a_file_of_another_compiler_or_of_others_is_none() {
    let folder = Folder::of(simple());
    assert_eq!(Mapped::open(&folder.path(), "another compiler").err(), Some(NotTaken::Other));
    for mode in [0o620, 0o602, 0o666] {
        folder.allow(mode);
        assert_eq!(folder.refused(), NotTaken::NotOurs, "{mode:o}");
    }
    folder.allow(0o644);
    assert!(folder.open().is_ok());
    fs::remove_file(folder.path()).expect("removed");
    assert_eq!(folder.refused(), NotTaken::Absent);
    fs::create_dir(folder.path()).expect("made");
    assert_eq!(folder.refused(), NotTaken::NotOurs);
}

/// A file that is renamed over one in use leaves what is mapped as it was.
#[test]
fn another_file_in_its_place_changes_nothing_that_runs() {
    let folder = Folder::of(simple());
    let mapped = folder.open().expect("it is taken");
    let other = folder.0.path().join("other");
    fs::write(&other, vec![0xCC; folder.bytes().len()]).expect("written");
    fs::rename(&other, folder.path()).expect("renamed");
    assert_eq!(shown(mapped.unit.program(0).expect("a program")), "A IS 00042\n");
}
