//! `syncpoint data`: records as people and other programs read them.

mod convert;
mod describe;
mod exchange;
mod records;
mod table;

use std::path::PathBuf;

use access::{KindOfEntry, Listed, Reply, Request};
use clap::{Args, Subcommand};
use diagnostics::Diagnostic;

use crate::application::{Application, ApplicationFolder, Messages};
use crate::{codes, data_files};

/// Width of a kind and of a count in the list.
const KIND: usize = 10;
const COUNT: usize = 10;
/// Records that `show` shows if the command does not say how many.
const SHOWN: u64 = 20;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List all data sets, with the number of their records
    List {
        #[command(flatten)]
        place: DataPlace,
    },
    /// Show records, field by field where a copybook says what they hold
    Show {
        #[command(flatten)]
        of: Of,
        /// Begin at the first record whose key is not less; X'…' for bytes
        #[arg(long, value_name = "KEY")]
        from: Option<String>,
        /// Greatest number of records
        #[arg(long, value_name = "N", default_value_t = SHOWN)]
        count: u64,
    },
    /// Write all records to a file that ends in .csv or .json
    Export {
        #[command(flatten)]
        of: Of,
        /// The file
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
    },
    /// Add records from a file as `export` writes it
    Import {
        #[command(flatten)]
        of: Of,
        /// The file
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// A record of the same key gives way
        #[arg(long)]
        replace: bool,
    },
    /// Rewrite records that programs by GnuCOBOL have written, or write them as those did: all or none
    Convert {
        #[command(flatten)]
        wanted: convert::Wanted,
    },
}

/// The place of the data.
#[derive(Args)]
pub(crate) struct DataPlace {
    /// The folder that holds region.toml
    #[arg(long = "application", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Folder of the data, if not the one that region.toml names
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// A data set and the description of its records.
#[derive(Args)]
pub(crate) struct Of {
    #[command(flatten)]
    place: DataPlace,
    /// The data set, or a path
    #[arg(value_name = "DATASET")]
    data_set: String,
    /// The copybook that describes its records
    #[arg(long, value_name = "FILE")]
    copybook: Option<PathBuf>,
    /// Which record of the copybook, if it describes several
    #[arg(long, value_name = "NAME", requires = "copybook")]
    record: Option<String>,
    /// Which description holds where an area is redefined; may be given several times
    #[arg(long = "redefined", value_name = "FIELD", requires = "copybook")]
    redefined: Vec<String>,
    /// The records are in this code page; without it they are as programs here have them
    #[arg(long, value_name = "PAGE")]
    code_page: Option<String>,
}

impl DataPlace {
    fn application(&self) -> Result<Application, Messages> {
        ApplicationFolder { folder: self.folder.clone(), data: self.data.clone(), settings: Vec::new() }
            .load()
    }
}

/// Carries a command out.
pub(crate) fn data(command: Command) -> Result<(), Messages> {
    match command {
        Command::List { place } => list(&place),
        Command::Show { of, from, count } => exchange::show(&of, from.as_deref(), count),
        Command::Export { of, to } => exchange::export(&of, &to),
        Command::Import { of, from, replace } => exchange::import(&of, &from, replace),
        Command::Convert { wanted } => convert::convert(wanted),
    }
}

fn list(place: &DataPlace) -> Result<(), Messages> {
    let mut client = data_files::open(&place.application()?, "syncpoint data")?;
    let Reply::List(entries) = client.ask(Request::List).map_err(data_files::failed)? else {
        return Ok(());
    };
    println!("{:<KIND$} {:>COUNT$}  DATA SET", "KIND", "RECORDS");
    for entry in entries {
        println!("{}", line(&entry));
    }
    Ok(())
}

fn line(entry: &Listed) -> String {
    let kind = match entry.kind {
        KindOfEntry::Ksds => "KSDS",
        KindOfEntry::Esds => "ESDS",
        KindOfEntry::Rrds => "RRDS",
        KindOfEntry::Index => "AIX",
        KindOfEntry::Path => "PATH",
        KindOfEntry::Sequential => "SEQUENTIAL",
        KindOfEntry::Library => "LIBRARY",
        KindOfEntry::Group => "GDG BASE",
        KindOfEntry::Alias => "ALIAS",
    };
    let count = entry.records.map_or(String::new(), |records| records.to_string());
    let of = entry.of.as_ref().map_or(String::new(), |of| format!(" of {of}"));
    let longest = entry.longest.map_or(String::new(), |bytes| format!(", up to {bytes} bytes"));
    format!("{kind:<KIND$} {count:>COUNT$}  {}{of}{longest}", entry.name)
}

/// Something is wrong with a copybook or a record.
fn wrong(text: impl Into<String>) -> Messages {
    vec![Diagnostic::error(codes::NO_LAYOUT, text)]
}
