//! `syncpoint idcams`: the utility, on the data sets of an application.

use std::io::Read;
use std::path::Path;

use access::{Reply, Request, ShapeSpec};
use command_line::terminal::CountLine;
use diagnostics::Diagnostic;

use crate::application::{Application, Messages, read};
use crate::{codes, data_files};

/// Codes from here on are failures.
const FAILED: u32 = 8;

/// Carries the commands of a file, or of standard input, out.
pub(crate) fn idcams(
    application: &Application,
    input: Option<&Path>,
    files: &[String],
) -> Result<(), Messages> {
    let (name, text) = match input {
        Some(path) => (path.display().to_string(), read(path)?),
        None => ("standard input".to_owned(), standard_input()?),
    };
    let mut named = Vec::new();
    for file in files {
        let (ddname, rest) = data_files::named(file)?;
        named.push((ddname, data_files::file(rest, ShapeSpec::Lines)?));
    }
    let text = jcl::substitute(&text, &region::tokens(&application.config));
    let recoverable = region::recoverable_data_sets(&application.root, &application.config)?;
    let mut client = data_files::open(application, "syncpoint idcams")?;
    let request = Request::Utility { name, text, files: named, data_sets: Vec::new(), recoverable };
    let reply = {
        let line = CountLine::default();
        client.ask_telling(request, &mut |what, count| line.show(what, count))
    };
    let Reply::Utility(outcome) = reply.map_err(data_files::failed)? else { return Ok(()) };
    print!("{}", outcome.listing);
    println!("IDC0002I IDCAMS ended, greatest condition code {}", outcome.max);
    for (_, message) in &outcome.messages {
        eprintln!("{message}\n");
    }
    if outcome.max < FAILED { Ok(()) } else { Err(Vec::new()) }
}

pub(crate) fn standard_input() -> Result<String, Messages> {
    let mut text = String::new();
    match std::io::stdin().read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => {
            Err(vec![Diagnostic::error(codes::UNREADABLE, format!("standard input cannot be read: {error}"))])
        }
    }
}
