//! Compares two recordings of an application (`[debug] record`): by the hosted compiler, and natively.
//!
//! `cargo run -p testkit --example recordings -- APPLICATION HOSTED NATIVE`

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use debugger::recording::Recording;
use testkit::beside::{Compared, Kind, Known, compare_recordings};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [application, hosted, native] = &arguments[..] else {
        eprintln!("usage: recordings APPLICATION HOSTED NATIVE");
        return ExitCode::FAILURE;
    };
    match compared(application, Path::new(hosted), Path::new(native)) {
        Ok(compared) => {
            let Compared { tasks, commands, differences, known } = compared;
            differences.iter().for_each(|kind| println!("  {kind}"));
            let times = |of: &[Kind]| of.iter().map(|kind| kind.times).sum::<usize>();
            let (known, kinds) = (known.values().sum::<usize>(), differences.len());
            println!(
                "{application}: {tasks} tasks, {commands} commands and CALLs, {} unknown differences of {kinds} kinds, {known} by the table",
                times(&differences)
            );
            if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn compared(application: &str, hosted: &Path, native: &Path) -> Result<Compared, String> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/beside.tsv");
    let table = fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
    let known = Known::read(&table, application)?;
    let read = |path: &Path| Recording::read(path).map_err(|error| error.to_string());
    Ok(compare_recordings(&read(hosted)?, &read(native)?, &known))
}
