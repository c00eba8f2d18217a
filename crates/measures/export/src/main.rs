//! `syncpoint-export`: what monitoring and statistics have recorded, as files of Parquet or CSV.
//!
//! In scope: tables of records, one file each, and what was wrong with the files of records. Out of scope: sums for people
//! (`syncpoint report`), and how a record is read (`instruments`). It is a program of its own, so that a region's binary
//! has nothing of Parquet in it.

mod gathering;
mod places;
mod rows;
mod shape;
mod tables;
mod waits;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use diagnostics::Diagnostic;

/// Messages about what is wrong.
type Messages = Vec<Diagnostic>;

const ENDS: &str = "\
One file for each class of monitoring and each type of statistics that has a record, with the published names of fields as
columns; waits, the waits by day and transaction; sources, the files that were read and what was wrong with them. FOLDER is
there as a whole or not at all; its files are in clear, and their owner's alone. docs/queries.md has queries.

Exit status: 0 if everything was read, 1 if a file was damaged or could not be read (what is whole is in FOLDER, and sources
says where the rest is), 2 if the command line is not understood.";

/// Writes everything that monitoring and statistics have recorded as files of Parquet or CSV.
#[derive(Parser)]
#[command(name = "syncpoint-export", version, after_help = ENDS)]
struct Arguments {
    /// The folder that holds region.toml
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// The folder that is made: it is not there yet, or empty
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Format of the files
    #[arg(long, value_enum, default_value_t = Format::Parquet)]
    format: Format,
    /// The state is here instead of in the folder that region.toml names
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A file of records, instead of those of the application; may be given several times
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The format of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Apache Parquet, compressed with Snappy
    Parquet,
    /// Comma-separated values with a line of headings
    Csv,
}

fn main() -> ExitCode {
    match export(&Arguments::parse()) {
        Ok(whole) => ExitCode::from(u8::from(!whole)),
        Err(messages) => {
            tell(&messages);
            ExitCode::FAILURE
        }
    }
}

/// Exports. Returns true if everything could be read.
fn export(arguments: &Arguments) -> Result<bool, Messages> {
    let files = places::files(arguments)?;
    let gathered = gathering::gather(&files, &arguments.to, arguments.format)?;
    let mut out = io::stdout().lock();
    for (table, rows) in &gathered.tables {
        // A reader that has seen enough closes the pipe.
        let _ = writeln!(out, "{rows:>10}  {table}");
    }
    tell(&gathered.told);
    Ok(gathered.whole)
}

fn tell(messages: &[Diagnostic]) {
    for message in messages {
        // A closed standard error is no error.
        let _ = writeln!(io::stderr(), "{}\n", message.render(false));
    }
}
