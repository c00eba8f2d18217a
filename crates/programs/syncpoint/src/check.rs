//! `syncpoint check`: it builds everything, reports everything that is wrong, and starts nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use command_line::{event_loop, terminal, terminal::ProgressLine, terminal::counted};
use diagnostics::{Diagnostic, any_error};
use toolchain::{Summary, Toolchain};

use crate::application::{Application, ApplicationFolder, Messages, unwritable};
use crate::cli::Format;
use crate::{check_sql, codes, findings};

/// The address of a database, and the file of its password.
type Database<'a> = (&'a str, Option<&'a Path>);

/// Says that `--native` has no effect any more.
pub(crate) fn note_native() {
    let message = "`--native` has no effect: there is one compiler, and `check` tells what it refuses";
    terminal::tell(&[Diagnostic::warning(codes::WITHOUT_EFFECT, message).help("leave it out")]);
}

/// Builds all programs and maps of an application, and says what is wrong with it; with the address of a database, what
/// that says of its SQL statements.
pub(crate) fn check(
    folder: &ApplicationFolder,
    format: Format,
    sql: Option<Database<'_>>,
) -> Result<(), Messages> {
    if format == Format::Text {
        return for_people(&folder.load()?, sql);
    }
    let begun = Instant::now();
    let found = folder.read(None).and_then(|(application, warnings)| {
        let looked = look(&application, sql)?;
        Ok(Looked { messages: warnings.into_iter().chain(looked.messages).collect(), ..looked })
    });
    let looked = found.unwrap_or_else(|messages| Looked { messages, summary: Summary::default() });
    match format {
        Format::Sarif => println!("{}", findings::sarif(&looked.messages)),
        _ => println!("{}", findings::json(&looked.messages, &looked.summary, begun.elapsed())),
    }
    // What is wrong has been said.
    if looked.is_in_order() { Ok(()) } else { Err(Vec::new()) }
}

fn for_people(application: &Application, sql: Option<Database<'_>>) -> Result<(), Messages> {
    let begun = Instant::now();
    let looked = look(application, sql)?;
    terminal::tell(&looked.messages);
    println!("{}", said(&looked.summary, begun.elapsed()));
    match (looked.summary.failed.is_empty(), looked.is_in_order()) {
        (_, true) => Ok(()),
        (false, _) => Err(vec![failed(&looked.summary)]),
        (true, false) if looked.messages.iter().any(|message| message.code == codes::OBJECTION) => {
            Err(vec![Diagnostic::error(codes::OBJECTION, "SQL statements are not in order")])
        }
        (true, false) => Err(vec![Diagnostic::error(codes::NOT_DEFINED, "the definitions are not in order")]),
    }
}

/// The result of a look at an application.
struct Looked {
    messages: Messages,
    summary: Summary,
}

impl Looked {
    fn is_in_order(&self) -> bool {
        self.summary.failed.is_empty() && !any_error(&self.messages)
    }
}

fn look(application: &Application, sql: Option<Database<'_>>) -> Result<Looked, Messages> {
    let toolchain = application.toolchain()?;
    let summary = {
        let line = ProgressLine::default();
        toolchain.all(|step| line.show(step.done, step.total, step.member.name()))
    };
    let mut messages = toolchain.doubts().to_vec();
    messages.extend(toolchain.doubled());
    messages.extend(summary.messages.iter().cloned());
    messages.extend(definitions(application, &toolchain)?);
    messages.extend(doubts(application, &toolchain)?);
    messages.extend(check_sql::by_scripts(application, &toolchain));
    if let Some((address, password)) = sql {
        messages.extend(check_sql::objections(&toolchain, address, password)?);
    }
    let messages = region::lints::levelled(messages, &application.config);
    Ok(Looked { messages, summary })
}

/// Messages about everything that programs ask for in vain.
fn doubts(application: &Application, toolchain: &Toolchain) -> Result<Messages, Messages> {
    let scratch = tempfile::tempdir().map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
    let (root, config) = (&application.root, &application.config);
    event_loop::run(async { Ok(region::lints::of_programs(root, config, toolchain, scratch.path()).await) })
}

/// Messages about definitions, data and users.
fn definitions(application: &Application, toolchain: &Toolchain) -> Result<Messages, Messages> {
    let scratch = tempfile::tempdir().map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
    let members = toolchain.all_members();
    let (root, config) = (&application.root, &application.config);
    let mut messages = event_loop::run(async {
        Ok(region::check_definitions(root, config, &members, scratch.path()).await)
    })?;
    messages.extend(application.users().err().unwrap_or_default());
    Ok(messages)
}

fn said(summary: &Summary, took: Duration) -> String {
    let Summary { programs, mapsets, built, failed, .. } = summary;
    if programs + mapsets + failed.len() == 0 {
        return "no programs and no maps: is region.toml in the right folder?".to_owned();
    }
    let compiled = match built {
        0 => "nothing had to be compiled".to_owned(),
        _ => format!("{built} compiled now, in {:.1} s", took.as_secs_f64()),
    };
    format!("{}, {} in order; {compiled}", counted(*programs, "program"), counted(*mapsets, "mapset"))
}

/// Names that the last message gives.
const NAMES_MAX: usize = 10;

fn failed(summary: &Summary) -> Diagnostic {
    let names: Vec<&str> = summary.failed.iter().map(toolchain::Member::name).take(NAMES_MAX).collect();
    let verb = if summary.failed.len() == 1 { "does" } else { "do" };
    let more = match summary.failed.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Diagnostic::error(codes::NOT_BUILT, format!("{}{more} {verb} not build", names.join(", ")))
}
