//! `syncpoint key`: the encryption key of an application's data.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use access::{KeyText, Reply, Request};
use clap::Subcommand;
use command_line::terminal::CountLine;
use diagnostics::Diagnostic;

use crate::application::{Application, ApplicationFolder, Messages};
use crate::{codes, data_files, unsealed};

/// The interval between questions for the progress of the change.
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Encrypt an application's data with the key that region.toml names now, whether its region runs or not
    #[command(after_help = STEPS)]
    Rotate {
        #[command(flatten)]
        application: ApplicationFolder,
    },
    /// Print a file of a state as it was before it was encrypted: a dump, messages, events, a sequential data set
    Show {
        /// A file in the state of a region whose region.toml names the key
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

const STEPS: &str = "\
Steps:
  (umask 077; openssl rand -hex 32 > bank-2.key)
  in region.toml:  encryption-key-file = \"bank-2.key\"
                   former-encryption-key-file = \"bank.key\"
  syncpoint key rotate
  take former-encryption-key-file out again

The new key counts at once. Records are sealed again while the region works; if it ends meanwhile, its next start goes on.
Backups that were made before open with the former key only.";

/// Carries a command out.
pub(crate) fn key(command: &Command) -> Result<(), Messages> {
    match command {
        Command::Rotate { application } => rotate(&application.load()?),
        Command::Show { file } => unsealed::print(file),
    }
}

fn rotate(application: &Application) -> Result<(), Messages> {
    let key = region::key_text(&application.root, &application.config.data)?;
    if application.config.data.former_key.is_none() {
        let text = "region.toml does not name the key that was in force before";
        let help = "a region that is killed meanwhile would not start: [data] former-encryption-key-file (or -env, \
                    -credential); take it out when this has ended";
        return Err(vec![Diagnostic::error(codes::NO_KEY, text).help(help)]);
    }
    let mut client = data_files::open(application, "syncpoint key rotate")?;
    client.ask(Request::RotateKey(KeyText(key))).map_err(data_files::failed)?;
    {
        let line = CountLine::default();
        while let Reply::Resealing(Some(count)) =
            client.ask(Request::Resealing).map_err(data_files::failed)?
        {
            line.show("records encrypted with the new key", count);
            sleep(LOOK_EVERY);
        }
    }
    println!(
        "all data are encrypted with the key that region.toml names: take former-encryption-key-… out of it"
    );
    Ok(())
}
