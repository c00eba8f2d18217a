//! Pages that are tests of an application: the real binary, as a child process.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::Options;
use crate::clock::{median, processor_time_of_children, progress};
use crate::promise::Measured;
use crate::startup::binary;

/// Rounds of which the median is taken.
const ROUNDS: usize = 3;
/// Pages of a round, and those that run at a time.
const PAGES: usize = 100;
const AT_A_TIME: &str = "2";
/// The floor: seconds.
const FLOOR: f64 = 10.0;
/// The page of a new application.
const PAGE: &str = "tests/hello.md";

/// Plays a hundred copies of the first application's page.
pub(crate) fn hundred(options: &Options) -> Result<Measured, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
    let application = folder.path().join("first");
    let (binary, pages) = (binary()?, options.size(PAGES, 2));
    run(&binary, &["new"], &application)?;
    copy(&application, pages).map_err(|error| format!("the pages: {error}"))?;
    let (mut times, mut processor) = (Vec::new(), Vec::new());
    let rounds = options.size(ROUNDS, 1);
    // The first round compiles the program.
    for round in 0..=rounds {
        progress(&format!("test-pages: round {round} of {rounds}"));
        let (begun, before) = (Instant::now(), processor_time_of_children());
        run(&binary, &["test", "--parallel", AT_A_TIME], &application)?;
        if round > 0 {
            times.push(begun.elapsed().as_secs_f64());
            processor.push(processor_time_of_children() - before);
        }
    }
    progress("");
    let note = format!("{pages} pages; {:.1} s of processor time", median(processor));
    Ok(Measured::new(median(times), FLOOR).note(note))
}

fn copy(application: &Path, pages: usize) -> std::io::Result<()> {
    let text = fs::read(application.join(PAGE))?;
    fs::remove_file(application.join(PAGE))?;
    (1..=pages).try_for_each(|page| fs::write(application.join(format!("tests/page{page:03}.md")), &text))
}

fn run(binary: &Path, arguments: &[&str], application: &Path) -> Result<(), String> {
    let output = Command::new(binary).args(arguments).arg(application).output();
    let output = output.map_err(|error| format!("{}: {error}", binary.display()))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            Err(String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr))
        }
    }
}
