//! `syncpoint data convert`: records of programs by GnuCOBOL become those of programs of today, or the other way round. Those of a data
//! set also while a region runs, those of a queue while none does.

use std::path::PathBuf;

use access::{Conversion, Reply, Request};
use clap::{Args, ValueEnum};
use command_line::{event_loop, terminal::CountLine};
use copybook::{Form, Recast, Wishes};
use diagnostics::Source;
use domains::temporary_storage::TemporaryStorage;
use domains::transient_data::TransientData;
use kernel::name::{Name16, QueueName};

use super::{DataPlace, wrong};
use crate::application::{Messages, read};
use crate::data_files;

/// Characters of the name of a queue of temporary storage, and of transient data.
const TS_NAME_MAX: usize = 16;
const TD_NAME_MAX: usize = 4;

/// Whose records they are to become.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Those of programs, as on z/OS
    Native,
    /// Those of programs by GnuCOBOL
    Gnucobol,
}

/// A kind of queue.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueueKind {
    /// Temporary storage
    Ts,
    /// Intrapartition transient data
    Td,
}

/// A data set and how its records are converted.
#[derive(Args)]
pub(crate) struct Wanted {
    #[command(flatten)]
    place: DataPlace,
    /// The data set, or the queue
    #[arg(value_name = "DATASET")]
    data_set: String,
    /// It is a queue of a region that has ended
    #[arg(long, value_enum, value_name = "KIND", conflicts_with = "into")]
    queue: Option<QueueKind>,
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

/// Converts a data set or a queue: all of its records, or none.
pub(crate) fn convert(wanted: Wanted) -> Result<(), Messages> {
    let (read, changed) = match wanted.queue {
        Some(kind) => queue(&wanted, kind)?,
        None => data_set(&wanted)?,
    };
    let whose = match wanted.to {
        To::Native => "programs",
        To::Gnucobol => "programs by GnuCOBOL",
    };
    let become_others = if wanted.dry_run { "would become" } else { "have become" };
    let name = if wanted.queue.is_some() { wanted.data_set } else { wanted.data_set.to_ascii_uppercase() };
    println!("{changed} of {read} records of {name} {become_others} those of {whose}");
    Ok(())
}

/// The numbers of records, and of those that become others.
fn data_set(wanted: &Wanted) -> Result<(u64, u64), Messages> {
    let conversion = Conversion {
        copybook: (wanted.copybook.display().to_string(), read(&wanted.copybook)?),
        record: wanted.record.clone(),
        redefined: wanted.redefined.clone(),
        native: wanted.to == To::Native,
        null_addresses: wanted.null_addresses,
        into: wanted.into.as_ref().map(|into| into.to_ascii_uppercase()),
    };
    let mut client = data_files::open(&wanted.place.application()?, "syncpoint data")?;
    let name = wanted.data_set.to_ascii_uppercase();
    let request = Request::Convert { name: name.clone(), conversion, keep: !wanted.dry_run };
    let line = CountLine::default();
    let reply = client.ask_telling(request, &mut |what, count| line.show(what, count));
    drop(line);
    let Reply::Converted { read, changed } = reply.map_err(data_files::failed)? else {
        return Err(wrong(format!("{name} cannot be converted")));
    };
    Ok((read, changed))
}

/// The same of a queue. No region has its data open meanwhile.
fn queue(wanted: &Wanted, kind: QueueKind) -> Result<(u64, u64), Messages> {
    let source = Source::new(wanted.copybook.display().to_string(), read(&wanted.copybook)?);
    let wishes = Wishes {
        record: wanted.record.clone(),
        redefined: wanted.redefined.clone(),
        to: if wanted.to == To::Native { Form::Zos } else { Form::Gnucobol },
        null_addresses: wanted.null_addresses,
    };
    let recast = Recast::new(&source, &wishes)?;
    if !recast.has_effect() {
        let name = source.name.clone();
        return Err(wrong(format!("records of {name} are the same for programs by both compilers")));
    }
    let application = wanted.place.application()?;
    let name = wanted.data_set.as_bytes();
    let longest = match kind {
        QueueKind::Ts => TS_NAME_MAX,
        QueueKind::Td => TD_NAME_MAX,
    };
    if !(1..=longest).contains(&name.len()) {
        return Err(wrong(format!("a queue of this kind has a name of 1 to {longest} characters")));
    }
    let rewrite = &mut |item: &[u8]| recast.record(item).map_err(|error| error.to_string());
    let rewritten = event_loop::run(async {
        let site = region::open_site(&application.root, &application.state, &application.config).await?;
        let (engine, keep) = (site.vsam.engine(), !wanted.dry_run);
        let rewritten = match kind {
            QueueKind::Ts => {
                TemporaryStorage::rewrite_stored(&**engine, Name16::new(name), keep, rewrite).await
            }
            QueueKind::Td => {
                TransientData::rewrite_stored(&**engine, QueueName::new(name), keep, rewrite).await
            }
        };
        rewritten.map_err(|error| wrong(format!("{}: {error}", wanted.data_set)))
    })?;
    Ok((rewritten.read, rewritten.changed))
}
