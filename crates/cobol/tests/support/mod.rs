//! Programs for the tests: small COBOL texts as the translator would leave them, compiled when a test wants them.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod made_up;

use std::process::Command;

use cobol::{CompiledModule, Host, Installation, Program, Step};
use tempfile::TempDir;

/// A program's variable parts.
#[derive(Default)]
pub struct Source<'a> {
    pub name: &'a str,
    pub storage: &'a str,
    pub local: &'a str,
    pub linkage: &'a str,
    pub using: &'a str,
    pub code: &'a str,
}

impl Source<'_> {
    /// The whole program, in fixed format, with the call that stands first in every translated program.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |l: &str| {
            text.push_str("       ");
            text.push_str(l);
            text.push('\n');
        };
        line("IDENTIFICATION DIVISION.");
        line(&format!("PROGRAM-ID. {}.", self.name));
        line("DATA DIVISION.");
        line("WORKING-STORAGE SECTION.");
        line("01 DFHEIGO PIC S9(9) COMP-5.");
        line("01 SPEIB USAGE POINTER.");
        self.storage.lines().for_each(&mut line);
        if !self.local.is_empty() {
            line("LOCAL-STORAGE SECTION.");
            self.local.lines().for_each(&mut line);
        }
        line("LINKAGE SECTION.");
        line("01 DFHEIBLK.");
        line("   05 EIBTASKN PIC S9(7) COMP-3.");
        line("01 DFHCOMMAREA.");
        line("   05 CA-BYTE PIC X OCCURS 100.");
        self.linkage.lines().for_each(&mut line);
        line(&format!(
            "PROCEDURE DIVISION USING {}.",
            if self.using.is_empty() { "DFHEIBLK DFHCOMMAREA" } else { self.using }
        ));
        line("MAIN-PARA.");
        line(&format!("    CALL 'DFHEIN' USING '{:8}' SPEIB", self.name));
        line("      RETURNING DFHEIGO.");
        line("    GO TO LABEL-1 LABEL-2 DEPENDING ON DFHEIGO.");
        self.code.lines().map(|l| format!("    {l}")).for_each(|l| line(&l));
        for label in ["LABEL-1", "LABEL-2"] {
            if !self.code.contains(&format!("\n{label}.")) {
                line(&format!("{label}."));
                line("    GOBACK.");
            }
        }
        text
    }
}

/// Options that the product compiles with beside those that it translates for.
pub const PRODUCT: &[&str] =
    &["-O", "-fstack-check", "-fec=EC-DATA-INCOMPATIBLE", "-fec=EC-BOUND-SUBSCRIPT", "-fec=EC-BOUND-REF-MOD"];

/// Compiles programs into a directory of their own.
pub struct Workshop {
    pub directory: TempDir,
}

impl Workshop {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    pub fn compile(&self, source: &Source<'_>) -> CompiledModule {
        self.compile_with(source, &["-O"])
    }

    pub fn compile_with(&self, source: &Source<'_>, options: &[&str]) -> CompiledModule {
        self.compile_text(source.name, &source.text(), options)
    }

    /// Compiles a whole text; the program that is meant has this name.
    pub fn compile_text(&self, name: &str, text: &str, options: &[&str]) -> CompiledModule {
        let directory = self.directory.path();
        let (file, module) = (format!("{name}.cbl"), format!("{name}.so"));
        std::fs::write(directory.join(&file), text).expect("a written program");
        let output = Command::new("cobc")
            .current_dir(directory)
            .args(["-m", "-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC"])
            .args(options)
            .args(["-o", &module, &file])
            .output()
            .expect("cobc");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        CompiledModule { path: directory.join(module), name: name.to_owned() }
    }

    /// A host for this thread, and programs loaded into it.
    pub fn host(&self) -> Host {
        Host::new(&Installation::find().expect("a runtime"), self.directory.path(), &["CEEDAYS", "EZASOKET"])
            .expect("a host")
    }

    pub fn load(&self, host: &Host, source: &Source<'_>) -> Program {
        host.load(&self.compile(source)).expect("a program")
    }
}

/// Runs a program with no EIB and no COMMAREA to its end and tells its last step.
pub fn run(host: &Host, program: &Program) -> String {
    let task = host.task();
    let mut run = task.start(program, 0, 0).expect("a stack");
    loop {
        match run.resume(0) {
            Step::Exec(_) | Step::Service(_) | Step::Display(_) | Step::NeedProgram(_) => {}
            ended => return format!("{ended:?}"),
        }
    }
}

/// Runs a program to its end and gives what it displays.
pub fn lines_of(host: &Host, program: &Program) -> Vec<String> {
    let mut run = host.task().start(program, 0, 0).expect("a stack");
    let mut lines = Vec::new();
    loop {
        match run.resume(0) {
            Step::Display(line) => lines.push(line),
            Step::Exec(_) | Step::Service(_) | Step::NeedProgram(_) => {}
            Step::Returned(_) => return lines,
            other => panic!("{other:?} after {lines:?}"),
        }
    }
}
