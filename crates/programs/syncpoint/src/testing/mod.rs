//! `syncpoint test`: pages that are tests of an application, each in a process with a region and a state of its own.

mod alone;
mod crew;
mod found;
mod outcome;
mod recorded;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use command_line::{stderr, terminal, terminal::ProgressLine};
use diagnostics::Diagnostic;
use pages::coverage::Coverage;
use toolchain::Toolchain;

use crate::application::{Application, ApplicationFolder, Messages, unwritable, write};
use crate::codes;
use outcome::Outcome;

/// The exit status where pages cannot be read.
const UNREADABLE: u8 = 2;

#[derive(Args)]
#[command(after_help = ENDS)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) application: ApplicationFolder,
    /// Pages to run, by their paths below the folder of pages, without .md, or folders of them; all if none is named
    #[arg(value_name = "PAGE")]
    pages: Vec<String>,
    /// The folder of pages, below DIR
    #[arg(long = "folder", value_name = "FOLDER", default_value = "tests")]
    tests: PathBuf,
    /// Run only pages whose path contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Write what is there into the pages, in the place of what they expect, and show what has changed
    #[arg(long)]
    update: bool,
    /// Write the outcomes to this file, as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Pages that run at the same time; as many as there are processors if it is left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    parallel: Option<u16>,
    /// Count the statements of programs that pages reach, and write lcov.info and index.html into this folder; programs run slower
    #[arg(long, value_name = "FOLDER")]
    coverage: Option<PathBuf>,
    /// Write what happens at terminals into this new page, until Ctrl-C
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["pages", "only", "update", "junit", "coverage", "parallel"])]
    record: Option<String>,
    /// The port of this machine at which terminals are recorded
    #[arg(long, value_name = "N", default_value_t = 3270, requires = "record")]
    port: u16,
    /// Run the one page that is named here, with this folder for its state and its report
    #[arg(long, hide = true, value_name = "FOLDER")]
    alone: Option<PathBuf>,
    /// End when the process of this number ends, which has started this one
    #[arg(long, hide = true, value_name = "PROCESS")]
    child_of: Option<u32>,
}

const ENDS: &str = "\
docs/testing.md teaches the form of pages.

Exit status: 0 if every page is as it says, 1 if one is not, 2 if a page cannot be read or the command line is not
understood.";

/// Runs pages.
pub(crate) fn test(arguments: &Arguments) -> ExitCode {
    let outcome = match (&arguments.alone, &arguments.record) {
        (Some(folder), _) => alone::run(arguments, folder),
        (None, Some(page)) => recorded::record(arguments, page),
        (None, None) => run(arguments),
    };
    let code = match outcome {
        Ok(code) => code,
        Err(messages) => {
            terminal::tell(&messages);
            ExitCode::FAILURE
        }
    };
    stderr::end();
    code
}

fn run(arguments: &Arguments) -> Result<ExitCode, Messages> {
    let application = arguments.application.load()?;
    let pages = match found::find(
        &application.root.join(&arguments.tests),
        &arguments.pages,
        arguments.only.as_deref(),
    ) {
        Ok(pages) => pages,
        Err(messages) => {
            terminal::tell(&messages);
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    let toolchain = build(arguments.toolchain(&application)?);
    let begun = Instant::now();
    let outcomes = crew::run(arguments, &pages)?;
    for (found, outcome) in pages.iter().zip(&outcomes) {
        if !outcome.changes.is_empty() {
            write(&found.path, &found.page.document.with(&outcome.changes))?;
        }
    }
    let cases: Vec<_> = pages.iter().zip(&outcomes).map(|(found, outcome)| outcome.case(found)).collect();
    if let Some(file) = &arguments.junit {
        write(file, &pages::junit::xml(&application.config.applid, &cases, begun.elapsed()))?;
    }
    if let Some(folder) = &arguments.coverage {
        cover(&application, &toolchain, &outcomes, folder)?;
    }
    println!("{}", outcome::summary(&outcomes, begun.elapsed()));
    let is_passed = outcomes.iter().all(|outcome| outcome.failures.is_empty());
    Ok(if is_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes what the pages have reached of the programs.
fn cover(
    application: &Application,
    toolchain: &Toolchain,
    outcomes: &[Outcome],
    folder: &Path,
) -> Result<(), Messages> {
    let mut coverage = Coverage::of(toolchain);
    outcomes.iter().for_each(|outcome| coverage.reach(&outcome.hits));
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let text = |name: &str| {
        let bytes = fs::read(application.root.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    write(
        &folder.join("lcov.info"),
        &coverage.lcov(|name| application.root.join(name).display().to_string()),
    )?;
    write(&folder.join("index.html"), &coverage.html(&application.config.applid, text))?;
    let ((statements, of), (paragraphs, of_paragraphs)) = (coverage.statements(), coverage.paragraphs());
    println!(
        "reached: {statements} of {of} statements, {paragraphs} of {of_paragraphs} paragraphs; {}",
        folder.join("index.html").display()
    );
    Ok(())
}

impl Arguments {
    /// The tool chain of an application, whose programs count their statements if that is asked for.
    fn toolchain(&self, application: &Application) -> Result<Toolchain, Messages> {
        let toolchain = application.toolchain()?;
        Ok(if self.coverage.is_some() { toolchain.counting() } else { toolchain })
    }
}

/// Builds all programs and maps: each page then finds them. One that does not build is named, and fails the pages that need it.
fn build(toolchain: Toolchain) -> Toolchain {
    let summary = {
        let line = ProgressLine::default();
        toolchain.all(|step| line.show(step.done, step.total, step.member.name()))
    };
    if !summary.failed.is_empty() {
        let names: Vec<&str> = summary.failed.iter().map(toolchain::Member::name).collect();
        let text = format!("these do not build: {}", names.join(", "));
        terminal::tell(&[Diagnostic::warning(codes::NOT_DEFINED, text).help("syncpoint check says why")]);
    }
    toolchain
}
