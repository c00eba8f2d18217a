//! Jobs that are run on an application of their own, and what they say.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::PathBuf;
use std::time::Duration;

use access::Client;
use batch::{Job, JobError, Output, StepEnd};
use diagnostics::Source;
use expect_test::Expect;

use super::{Application, Said, program};

/// The output of jobs, with the end of each step.
#[derive(Default)]
pub struct Log(pub Said);

impl Output for Log {
    fn print(&mut self, line: &str) {
        self.0.print(line.trim_end());
    }

    fn log(&mut self, text: String) {
        self.0.log(text.trim_end().to_owned());
    }

    fn step(&mut self, _: &str, step: &str, end: &StepEnd) {
        let end = match end {
            StepEnd::Code(code) => format!("{code}"),
            StepEnd::Abend(code, _) => format!("abend {code}"),
            StepEnd::Bypassed => "bypassed".into(),
            StepEnd::Failed => "failed".into(),
        };
        self.print(&format!("-- {step}: {end}"));
    }
}

/// Makes an application whose programs show their parameter and end with its number as the return code.
pub fn application() -> Application {
    let shows = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOW.
       DATA DIVISION.
       LINKAGE SECTION.
       01  P.
           05  L PIC S9(4) COMP.
           05  T PIC X(100).
       PROCEDURE DIVISION USING P.
           DISPLAY 'PARM ' L ' <' T(1:L) '>'.
           IF T(1:2) = 'RC' MOVE FUNCTION NUMVAL(T(3:2)) TO RETURN-CODE.
           IF T(1:5) = 'ABEND' CALL 'NOBODY'.
           GOBACK.
";
    let report = program(
        "REPORT1",
        "SELECT F ASSIGN TO PRT FILE STATUS FS.",
        "FD  F.\n01  R PIC X(8).",
        "OPEN OUTPUT F\nMOVE 'HEAD' TO R\nWRITE R AFTER PAGE\nMOVE 'LINE' TO R\nWRITE R AFTER 2\nWRITE R\nCLOSE F",
    );
    let longer = program(
        "LONGER",
        "SELECT F ASSIGN TO OUT FILE STATUS FS.",
        "FD  F.\n01  R PIC X(12).",
        "OPEN OUTPUT F\nMOVE 'TWELVE BYTES' TO R\nWRITE R\nMOVE 'AGAIN' TO R\nWRITE R\nCLOSE F",
    );
    let endless = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENDLESS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  N PIC 9(9) COMP VALUE 0.
       PROCEDURE DIVISION.
           PERFORM UNTIL N > 999999999 ADD 1 TO N
               IF N > 900000 MOVE 0 TO N END-IF END-PERFORM.
           GOBACK.
";
    Application::new(&[
        ("SHOW", shows.to_owned()),
        ("REPORT1", report),
        ("LONGER", longer),
        ("ENDLESS", endless.to_owned()),
    ])
}

/// Runs jobs, and returns their output, or the messages with which they are refused.
pub fn run_with(
    application: &Application,
    client: &mut Client,
    text: &str,
    libraries: &[(&str, PathBuf)],
) -> String {
    let toolchain = application.toolchain();
    let job = Job {
        definitions: None,
        source: Source::new("job.jcl", text),
        step: None,
        recoverable: Vec::new(),
        commit_every: 1,
        libraries: libraries.iter().map(|(name, folder)| ((*name).to_owned(), folder.clone())).collect(),
        folders: vec![application.path().join("members")],
        tokens: jcl::Tokens::default(),
        symbols: jcl::stream::Symbols::default(),
        patience: Duration::from_millis(300),
        regions: None,
        user: None,
    };
    let mut log = Log::default();
    let ended = job.run(&toolchain, None, client, &mut log);
    let mut out = log.0.0;
    match ended {
        Ok(jobs) if jobs.len() > 1 => {
            for job in jobs {
                out += &format!("job {}: {:?}\n", job.name, job.code);
            }
        }
        Ok(_) => {}
        Err(JobError::Refused(messages)) => {
            for message in messages {
                let place = message.place.map_or(String::new(), |place| {
                    format!("{}:{}:{} ", place.source.name, place.line, place.column)
                });
                out += &format!("{place}{} {} ({})\n", message.code, message.message, message.help);
            }
        }
        Err(error) => out += &format!("{error}\n"),
    }
    out.replace(&application.path().display().to_string(), "FOLDER")
}

pub fn run(application: &Application, client: &mut Client, text: &str) -> String {
    run_with(application, client, text, &[])
}

#[track_caller]
pub fn check(text: &str, expected: Expect) {
    let application = application();
    let mut client = application.client();
    expected.assert_eq(&run(&application, &mut client, text));
}

/// Makes a step that writes lines to a data set.
pub fn put(step: &str, dd: &str, lines: &str) -> String {
    let lines = lines.replace('|', "\n");
    format!("//{step} EXEC PGM=IEBGENER\n//SYSPRINT DD DUMMY\n//SYSUT1 DD *\n{lines}\n/*\n//SYSUT2 DD {dd}\n")
}

/// Makes a step that shows a data set.
pub fn show(step: &str, dd: &str) -> String {
    format!("//{step} EXEC PGM=IEBGENER\n//SYSUT1 DD {dd}\n//SYSUT2 DD SYSOUT=*\n")
}

/// Makes a job of steps.
pub fn job(steps: &[String]) -> String {
    format!("//J JOB\n{}", steps.concat())
}
