//! SQL statements of programs, checked: by the scripts of the region's own tables, and by `syncpoint check --sql` on a database, which
//! prepares each. Objections are shown at the user's own line. Nothing is executed.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use command_line::event_loop;
use db2::check::Question;
use diagnostics::{Diagnostic, Source, TextPlace};
use exec_sql::Objection;
use sql::{Address, Failure, ServerFault, Session, Settings};
use toolchain::{Member, Toolchain};

use crate::application::{Application, Messages};
use crate::codes;

/// Objections to all programs that build by the scripts of the region's own tables, if statements do not go to a server. Without
/// scripts it is not known what tables there are.
pub(crate) fn by_scripts(application: &Application, toolchain: &Toolchain) -> Messages {
    let (root, state, config) = (&application.root, &application.state, &application.config);
    // Settings that are wrong have their messages elsewhere.
    let Ok(settings) = region::sql_settings(root, state, config) else { return Vec::new() };
    let Some((known, doubtful)) = exec_sql::known(&settings) else { return Vec::new() };
    let mut messages = Vec::new();
    for script in &doubtful {
        let path = script.path.strip_prefix(root).unwrap_or(&script.path);
        let source = Source::new(path.display().to_string(), script.text.clone());
        let at = |objection| {
            objected(objection).at(TextPlace::new(&source, objection.spot.line.max(1) as usize, 1, 1))
        };
        messages.extend(script.objections.iter().map(at));
    }
    if settings.scripts.is_empty() {
        return messages;
    }
    for member in toolchain.members() {
        let Member::Program(name) = member else { continue };
        let Ok(program) = toolchain.program(&name) else { continue };
        for package in &program.packages {
            for objection in known.objections(package) {
                let spot = objection.spot;
                let source =
                    package.sources.get(usize::from(spot.source)).and_then(|source| toolchain.source(source));
                let message = objected(&objection);
                messages.push(match source {
                    Some(source) => message.at(TextPlace::new(
                        &source,
                        spot.line as usize,
                        spot.column.into(),
                        spot.width.into(),
                    )),
                    None => message,
                });
            }
        }
    }
    messages
}

/// An objection: an error, or a warning of what a script need not say: tables that are made otherwise, and what is not built.
fn objected(objection: &Objection) -> Diagnostic {
    let text = format!("SQLCODE {}: {}", objection.code, objection.message);
    match objection.code {
        NO_TABLE => Diagnostic::warning(codes::OBJECTION, text).help("no script of [sql] makes it"),
        NOT_BUILT => Diagnostic::warning(codes::OBJECTION, text),
        _ => Diagnostic::error(codes::OBJECTION, text),
    }
}

const NO_TABLE: i32 = -204;
const NOT_BUILT: i32 = -199;

/// Returns the objections of the database at an address to all programs that build.
pub(crate) fn objections(
    toolchain: &Toolchain,
    address: &str,
    password: Option<&Path>,
) -> Result<Messages, Messages> {
    let cannot = |why: String| {
        let message = Diagnostic::error(codes::NO_DATABASE, format!("the database cannot be asked: {why}"));
        vec![
            message.help("write --sql postgresql://USER@HOST:PORT/DATABASE; a socket's folder behind ?host="),
        ]
    };
    let mut address = Address::parse(address).map_err(|error| cannot(error.to_string()))?;
    if let Some(file) = password {
        address.password = Some(read_password(file).map_err(cannot)?);
    }
    let settings = Settings { encoding: "UTF8".into(), is_read_only: true, ..Settings::default() };
    event_loop::run(async {
        let connected = Session::connect(&address, &settings).await;
        let mut session = connected.map_err(|error| cannot(error.to_string()))?;
        let mut messages = Vec::new();
        for member in toolchain.members() {
            let Member::Program(name) = member else { continue };
            // Why a program does not build was told before.
            let Ok(program) = toolchain.program(&name) else { continue };
            for question in program.packages.iter().flat_map(|package| package.questions()) {
                match session.script(question.script()).await {
                    Ok(_) => {}
                    Err(Failure::Refused(fault)) => messages.push(message(toolchain, &question, &fault)),
                    Err(failure) => return Err(cannot(failure.to_string())),
                }
            }
        }
        session.close().await;
        Ok(messages)
    })
}

/// A password in a file that only its owner may read.
fn read_password(file: &Path) -> Result<String, String> {
    let unreadable =
        |error: std::io::Error| format!("the password in {} cannot be read: {error}", file.display());
    let about = std::fs::metadata(file).map_err(unreadable)?;
    if about.permissions().mode() & OTHERS != 0 {
        return Err(format!("others may read the password in {}: chmod 600 {0}", file.display()));
    }
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// The rights of others than a file's owner.
const OTHERS: u32 = 0o077;

fn message(toolchain: &Toolchain, question: &Question<'_>, fault: &ServerFault) -> Diagnostic {
    let (source, spot) = question.place(fault.position);
    let message = Diagnostic::error(codes::OBJECTION, fault.message.clone());
    let message = message.label(format!("PostgreSQL says so (SQLSTATE {})", fault.state()));
    match toolchain.source(source) {
        Some(source) => {
            message.at(TextPlace::new(&source, spot.line as usize, spot.column.into(), spot.width.into()))
        }
        None => message,
    }
}
