//! `syncpoint records`: a record server, which owns the records that several regions share.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use diagnostics::Diagnostic;
use records::{EncryptionKey, Engine, Limits, Local};
use share::{Door, Server, socket};
use tracing_subscriber::util::SubscriberInitExt;

use crate::application::{Messages, read};
use crate::ends::Ends;
use crate::{codes, event_loop, parent, records_status};

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the records and of the socket; it is made if it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// A file with the key of the records, 64 hexadecimal digits; they are encrypted from their beginning or never
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Show what the server of the folder does for its regions, and end
    #[arg(long, conflicts_with = "key")]
    status: bool,
    /// The same as JSON
    #[arg(long, requires = "status")]
    json: bool,
    /// End in order when the process of this number ends, which has started this one
    #[arg(long, hide = true, value_name = "PROCESS")]
    child_of: Option<u32>,
}

fn failed(folder: &Path, why: &dyn std::fmt::Display) -> Messages {
    let message = format!("the records in {} cannot be served: {why}", folder.display());
    let help = "one record server has a folder, and no region runs on it";
    vec![Diagnostic::error(codes::NOT_SERVED, message).help(help)]
}

fn key(file: &Path) -> Result<EncryptionKey, Messages> {
    EncryptionKey::from_hex(&read(file)?).ok_or_else(|| {
        let message = format!("{} holds no key", file.display());
        vec![Diagnostic::error(codes::NO_KEY, message).help("a key of records is 64 hexadecimal digits")]
    })
}

/// Serves regions until Ctrl-C or SIGTERM; then what they have committed is done, and the engine ends in order.
pub(crate) fn records(arguments: &Arguments) -> Result<(), Messages> {
    if arguments.status {
        return records_status::show(&arguments.folder, arguments.json);
    }
    parent::ends_with(arguments.child_of);
    let lines =
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    // Another subscriber is there already in tests alone.
    let _ = lines.finish().try_init();
    let folder = &arguments.folder;
    let key = arguments.key.as_deref().map(key).transpose()?;
    if folder.join("data").join("base").exists() {
        return Err(failed(folder, &"it is the state of a region, whose records lie in the folder data"));
    }
    let opened = Local::open_with(folder, Limits::default(), key);
    let engine = opened.map_err(|why| failed(folder, &why))?;
    event_loop::run(async {
        let ends = Ends::new()?;
        let failure = engine.failure();
        let server = Server::open(engine.clone(), Rc::new(link::Timer::default())).await;
        let server = server.map_err(|why| failed(folder, &why))?;
        let door = Door::open(folder, server).map_err(|why| {
            let message = format!("the socket {} cannot be made: {why}", socket(folder).display());
            vec![
                Diagnostic::error(codes::NO_SOCKET, message)
                    .help("the folder must be on a disk that takes sockets"),
            ]
        })?;
        println!("The record server of {} is ready.", folder.display());
        // A script may wait for this line; one that does not read it misses nothing else.
        let _ = std::io::stdout().flush();
        let ended = tokio::select! {
            () = ends.asked() => Ok(()),
            why = failure => Err(failed(folder, &why)),
        };
        door.close().await;
        ended
    })
}
