//! `syncpoint audit`: whether a line of the audit is missing or was changed, and its records as JSON.

use std::io;
use std::path::{Path, PathBuf};

use ::audit::{AuditFault, Noted, export, verify};
use clap::Subcommand;
use diagnostics::Diagnostic;

use crate::application::{ApplicationFolder, Messages};
use crate::codes;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Follow the chain of hashes through all files, and say where it is broken
    Verify {
        #[command(flatten)]
        application: ApplicationFolder,
        /// An end that was noted before, as the region's log and verify tell it: it must be in the audit
        #[arg(long, value_name = "NUMBER:HASH")]
        noted: Option<Noted>,
    },
    /// Print all records, a JSON object a line
    Export {
        #[command(flatten)]
        application: ApplicationFolder,
    },
}

/// Runs one of the commands.
pub(crate) fn audit(command: &Command) -> Result<(), Messages> {
    match command {
        Command::Verify { application, noted } => verified(&folder(application)?, noted.as_ref()),
        Command::Export { application } => {
            let exported = export(&folder(application)?, &mut io::stdout().lock());
            exported.or_else(|fault| match fault {
                // A reader that has seen enough closes the pipe.
                AuditFault::Unreadable { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                fault => Err(told(&fault)),
            })
        }
    }
}

/// The folder of an application's audit.
fn folder(application: &ApplicationFolder) -> Result<PathBuf, Messages> {
    Ok(application.load()?.state.join(region::AUDIT))
}

fn verified(folder: &Path, noted: Option<&Noted>) -> Result<(), Messages> {
    let verified = verify(folder, noted).map_err(|fault| told(&fault))?;
    let older = if verified.first > 1 { ", older ones were removed in order" } else { "" };
    println!("{} records are in order{older}; the end is {}", verified.records, verified.head);
    Ok(())
}

fn told(fault: &AuditFault) -> Messages {
    let message = Diagnostic::error(codes::AUDIT, fault.to_string());
    let help = match fault {
        AuditFault::None(_) => "the region writes one in its state unless [security] says audit = \"no\"",
        AuditFault::Unreadable { .. } => "only the region's own user may read it",
        _ => "the files of the audit have been changed: compare them with a backup",
    };
    vec![message.help(help)]
}
