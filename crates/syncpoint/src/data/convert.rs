//! `syncpoint data convert`: records of programs by GnuCOBOL become those of programs of today, or the other way round.

use std::path::PathBuf;

use access::{Conversion, Reply, Request};
use clap::{Args, ValueEnum};

use super::{Place, wrong};
use crate::application::{Messages, read};
use crate::data_files;
use crate::terminal::CountLine;

/// Whose records they are to become.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Those of programs, as on z/OS
    Native,
    /// Those of programs by GnuCOBOL
    Gnucobol,
}

/// A data set and how its records are converted.
#[derive(Args)]
pub(crate) struct Wanted {
    #[command(flatten)]
    place: Place,
    /// The data set
    #[arg(value_name = "DATASET")]
    data_set: String,
    /// Whose records they are to become
    #[arg(long, value_enum, value_name = "COMPILER")]
    to: To,
    /// The copybook that describes its records
    #[arg(long, value_name = "FILE")]
    copybook: PathBuf,
    /// Which record of the copybook, if it describes several
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
    /// Which description holds where an area is redefined; may be given several times
    #[arg(long = "redefined", value_name = "FIELD")]
    redefined: Vec<String>,
    /// Addresses become NULL; without it a record with another one is refused
    #[arg(long)]
    null_addresses: bool,
    /// Put them into this data set, which has no records yet, and leave the others: where records become longer or shorter
    #[arg(long, value_name = "DATASET")]
    into: Option<String>,
    /// Change nothing, and say how many records would become others
    #[arg(long)]
    dry_run: bool,
}

/// Converts a data set: all of its records, or none.
pub(crate) fn convert(wanted: Wanted) -> Result<(), Messages> {
    let conversion = Conversion {
        copybook: (wanted.copybook.display().to_string(), read(&wanted.copybook)?),
        record: wanted.record,
        redefined: wanted.redefined,
        native: wanted.to == To::Native,
        null_addresses: wanted.null_addresses,
        into: wanted.into.map(|into| into.to_ascii_uppercase()),
    };
    let mut client = data_files::open(&wanted.place.application()?, "syncpoint data")?;
    let name = wanted.data_set.to_ascii_uppercase();
    let request = Request::Convert { name: name.clone(), conversion, keep: !wanted.dry_run };
    let line = CountLine::new();
    let reply = client.ask_telling(request, &mut |what, count| line.show(what, count));
    drop(line);
    let Reply::Converted { read, changed } = reply.map_err(data_files::failed)? else {
        return Err(wrong(format!("{name} cannot be converted")));
    };
    let whose = match wanted.to {
        To::Native => "programs",
        To::Gnucobol => "programs by GnuCOBOL",
    };
    let become_others = if wanted.dry_run { "would become" } else { "have become" };
    println!("{changed} of {read} records of {name} {become_others} those of {whose}");
    Ok(())
}
