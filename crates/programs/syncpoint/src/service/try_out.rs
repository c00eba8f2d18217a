//! `syncpoint service try`: a service called without HTTP, over the region's private socket.

use std::io::Write;

use access::{Operation, Reply};
use clap::Args;
use diagnostics::Diagnostic;

use crate::application::Messages;
use crate::codes;
use crate::idcams::standard_input;
use crate::region_command::{RegionPlace, ask};

/// Statuses from here on are faults.
const FAULT: u16 = 400;

/// The arguments of `syncpoint service try`.
#[derive(Args)]
pub(crate) struct Try {
    #[command(flatten)]
    place: RegionPlace,
    /// The service: a name of [services] in region.toml, or a WEBSERVICE
    #[arg(value_name = "NAME")]
    name: String,
    /// The message, such as '{"item":"A1"}'; standard input if it is left out
    #[arg(value_name = "JSON")]
    message: Option<String>,
    /// On whose behalf it runs; the region's default user if it is left out
    #[arg(long, value_name = "USERID")]
    user: Option<String>,
}

/// Prints the reply, and fails where that is a fault.
pub(super) fn try_out(arguments: &Try) -> Result<(), Messages> {
    let application = arguments.place.load()?;
    let body = match &arguments.message {
        Some(message) => message.clone(),
        None => standard_input()?,
    };
    let operation = Operation::Service {
        name: arguments.name.clone(),
        user: arguments.user.clone(),
        media: None,
        body: body.into_bytes(),
    };
    let Reply::Served { status, mut body, .. } = ask(&application, "syncpoint service", operation, None)?
    else {
        return Ok(());
    };
    if !body.is_empty() {
        body.push(b'\n');
    }
    // A closed standard output is no error.
    let _ = std::io::stdout().write_all(&body);
    if status < FAULT {
        return Ok(());
    }
    let text = format!("service {} has answered with status {status}", arguments.name);
    Err(vec![Diagnostic::error(codes::NO_SERVICE, text).help("the region's log says more")])
}
