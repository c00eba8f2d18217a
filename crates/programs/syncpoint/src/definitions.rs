//! `syncpoint csd`: the texts of an application's definitions, changed and listed, whether its region runs or not.

use std::path::PathBuf;

use access::{Operation, Reply};
use clap::Args;
use diagnostics::{Diagnostic, Source};
use repository::utility;

use crate::application::{Application, Messages, read};
use crate::region_command::{RegionPlace, ask};
use crate::{codes, idcams};

/// Codes from here on are failures.
const FAILED: u32 = 8;
/// Characters of a user's name.
const USER_LENGTH: usize = 8;

#[derive(Args)]
pub(crate) struct Csd {
    #[command(flatten)]
    place: RegionPlace,
    /// A file with commands; standard input if this and the command are left out
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    input: Option<PathBuf>,
    /// The user who changes, for locks; the one of this shell if it is left out
    #[arg(long, value_name = "USERID")]
    user: Option<String>,
    /// A command, as in 'DEFINE PROGRAM(ACCT01) GROUP(BANK)' or 'INSTALL GROUP(BANK)'
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Carries a command or a deck out.
pub(crate) fn csd(arguments: &Csd) -> Result<(), Messages> {
    let application = arguments.place.load()?;
    let (name, text) = match (&arguments.input, arguments.command.join(" ")) {
        (Some(path), _) => (path.display().to_string(), read(path)?),
        (None, command) if !command.trim().is_empty() => ("command".to_owned(), command),
        (None, _) => ("standard input".to_owned(), idcams::standard_input()?),
    };
    if let Ok(request) = csd::request(&text, csd::Given::Anywhere)
        && request.verb == csd::Verb::Install
    {
        return install(&application, &text);
    }
    let user = arguments.user.clone().or_else(|| std::env::var("USER").ok()).unwrap_or_default();
    let user: String = user.to_ascii_uppercase().chars().take(USER_LENGTH).collect();
    let repository = region::repository(&application.root, &application.config);
    let ended = utility::run(&repository, &Source::new(name, text), &user);
    print!("{}", ended.listing);
    if ended.code < FAILED { Ok(()) } else { Err(ended.messages) }
}

/// INSTALL is for the region.
fn install(application: &Application, text: &str) -> Result<(), Messages> {
    let command = format!("CEDA {}", text.lines().collect::<Vec<_>>().join(" "));
    let reply = ask(application, "syncpoint csd", Operation::Cemt { command }, None)?;
    let Reply::Operated { text, errors } = reply else { return Ok(()) };
    print!("{text}");
    match errors {
        0 => Ok(()),
        _ => Err(vec![Diagnostic::error(codes::NOT_INSTALLED, "not everything is installed")]),
    }
}
