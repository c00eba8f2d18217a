//! Scripts of Db2's statements, as applications ship them: each is run once in a database.

use std::path::Path;

use db2::package::{Action, Spot, Text};
use db2::{DynamicKind, Letters, Mistake};
use sql::{Address, Answer, CannotConnect, Failure, Session, Settings};
use thiserror::Error;

use crate::settings::{self, Script, quoted};

/// Reasons why a script does not run. Nothing of it is left then.
#[derive(Debug, Error)]
pub(crate) enum CannotRun {
    #[error(transparent)]
    Connect(#[from] CannotConnect),
    #[error("the script {name} cannot be read: {error}")]
    Unreadable { name: String, error: std::io::Error },
    #[error("the script {name}, line {line}: {why}")]
    Refused { name: String, line: u32, why: String },
    #[error("the database does not remember scripts: {0}")]
    Marks(Failure),
}

/// Settings of sessions that look after a database.
pub(crate) fn settings(of: &settings::Settings) -> Settings {
    Settings { encoding: "UTF8".to_owned(), search_path: of.search_path(), ..Settings::default() }
}

/// Runs those that have not run in the database.
///
/// # Errors
/// See [`CannotRun`].
pub(crate) async fn run(address: &Address, of: &settings::Settings) -> Result<(), CannotRun> {
    if of.scripts.is_empty() && of.schemas.is_empty() {
        return Ok(());
    }
    let mut session = Session::connect(address, &settings(of)).await?;
    let ran = match schemas(&mut session, &of.schemas).await {
        Ok(()) => run_all(&mut session, &of.scripts).await,
        Err(failure) => Err(CannotRun::Marks(failure)),
    };
    session.close().await;
    ran
}

/// Makes the schemas that are missing.
async fn schemas(session: &mut Session, schemas: &[String]) -> Result<(), Failure> {
    for schema in schemas {
        session.script(format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(schema))).await?;
    }
    Ok(())
}

async fn run_all(session: &mut Session, scripts: &[Script]) -> Result<(), CannotRun> {
    session.script("SET client_min_messages = warning").await.map_err(CannotRun::Marks)?;
    for script in scripts {
        session.script("BEGIN").await.map_err(CannotRun::Marks)?;
        let ran = run_one(session, script).await;
        let end = if matches!(ran, Ok(true)) { "COMMIT" } else { "ROLLBACK" };
        let ended = session.script(format!("{end}; {UNQUALIFIED}")).await;
        if ran? {
            ended.map_err(CannotRun::Marks)?;
            tracing::info!(target: "DB", "the script {} has run", script.name);
        }
    }
    Ok(())
}

/// Runs one, in a transaction that is open; false if it has run before.
async fn run_one(session: &mut Session, script: &Script) -> Result<bool, CannotRun> {
    let name = script.name.replace('\'', "''");
    let mark = format!("INSERT INTO db2.scripts (name) VALUES ('{name}') ON CONFLICT DO NOTHING RETURNING 1");
    let marked = session.script(mark).await.map_err(CannotRun::Marks)?;
    if marked.rows.row(0).next().is_none() {
        return Ok(false);
    }
    let text =
        read(&script.path).map_err(|error| CannotRun::Unreadable { name: script.name.clone(), error })?;
    let refused = |line, why| CannotRun::Refused { name: script.name.clone(), line, why };
    let mistaken = |at: Spot, mistake: Mistake| refused(at.line.max(mistake.spot.line), mistake.message);
    let pieces = db2::split(&text).map_err(|mistake| mistaken(Spot::default(), mistake))?;
    for piece in pieces {
        let texts = match step(&piece.letters).map_err(|mistake| mistaken(piece.at, mistake))? {
            Step::Query(text) => vec![text],
            Step::Run(texts) => texts,
            // The script commits as a whole.
            Step::Commit | Step::Rollback | Step::Nothing => Vec::new(),
        };
        for text in texts {
            let ran = run_text(session, &text.sql).await;
            ran.map_err(|failure| refused(piece.at.line, failure.to_string()))?;
        }
    }
    Ok(true)
}

/// Runs one text in PostgreSQL's words, dates and times in it as Db2 writes them.
pub(crate) async fn run_text(session: &mut Session, text: &str) -> Result<Answer, Failure> {
    let settled = session.settled(text).await?;
    session.script(settled.as_ref()).await
}

pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    // One of an older machine is in ISO 8859-1.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

/// Registers that say to which schema names without one belong.
const QUALIFIERS: [&str; 3] = ["SQLID", "SCHEMA", "CURRENT_SCHEMA"];

/// SET CURRENT SQLID and SET SCHEMA: names without a schema belong to this one from now on, which is made where it is missing.
/// `value`: `SELECT 'NAME'`; any other expression, such as USER, goes back to what it was at the beginning.
fn qualifier(value: &str) -> Vec<Text> {
    let text = |sql: String| Text { sql, marks: Vec::new() };
    let name = value.trim().strip_prefix("SELECT").map(str::trim);
    let name = name.and_then(|name| name.strip_prefix('\'')?.strip_suffix('\''));
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return vec![text(String::from(UNQUALIFIED))];
    };
    let (schema, rest) = (quoted(&name.replace("''", "'")), Settings::default().search_path);
    vec![
        text(format!("CREATE SCHEMA IF NOT EXISTS {schema}")),
        text(format!("SET search_path = {schema}, {rest}")),
    ]
}

/// Names without a schema belong to where they did when the session began.
const UNQUALIFIED: &str = "RESET search_path";

/// Actions of statements in a script.
pub(crate) enum Step {
    /// A query without effects.
    Query(Text),
    /// These texts, in order.
    Run(Vec<Text>),
    /// COMMIT.
    Commit,
    /// ROLLBACK.
    Rollback,
    /// A statement without an action here: every user who may connect has all rights.
    Nothing,
}

/// A statement of a script, in PostgreSQL's words.
///
/// # Errors
/// It is none that a script can have.
pub(crate) fn step(letters: &Letters) -> Result<Step, Mistake> {
    if let Some(definitions) = db2::definition(letters)? {
        let texts: Vec<Text> = definitions.into_iter().map(|definition| definition.text).collect();
        return Ok(if texts.is_empty() { Step::Nothing } else { Step::Run(texts) });
    }
    let read = db2::dynamic(letters, db2::Arithmetic::default())?;
    Ok(match read.kind {
        DynamicKind::Action { action: Action::Commit, .. } => Step::Commit,
        DynamicKind::Action { action: Action::Rollback, .. } => Step::Rollback,
        DynamicKind::Action { action: Action::SetRegister { name }, .. }
            if QUALIFIERS.contains(&name.as_str()) =>
        {
            Step::Run(qualifier(&read.text.sql))
        }
        DynamicKind::Action {
            action: Action::Connection | Action::Grant | Action::SetRegister { .. },
            ..
        } => Step::Nothing,
        DynamicKind::Query { .. } if !read.has_effects => Step::Query(read.text),
        DynamicKind::Query { .. } | DynamicKind::Action { .. } if !read.text.sql.is_empty() => {
            Step::Run(vec![read.text])
        }
        _ => return Err(Mistake::unsupported(Spot::default(), "this statement is for programs")),
    })
}
