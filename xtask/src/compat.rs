//! COMPAT.md: what is built of the published interface, counted from the records of `spec` and of `cobol-syntax`, below the
//! differences that COMPAT.notes.md explains.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use spec::{Command, Status};

const DOCUMENT: &str = "COMPAT.md";
const NOTES: &str = "COMPAT.notes.md";

/// Writes the document.
pub(crate) fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join(DOCUMENT), document(root)?)
}

/// The document as it should be.
fn document(root: &Path) -> io::Result<String> {
    let notes = fs::read_to_string(root.join(NOTES))?;
    let mut text = format!("{}\n", notes.trim_end());
    text += "\n## Commands\n\n";
    text += "Generated from the records of `crates/spec` by `cargo xtask compat`. A program that uses a command or an \
             option\nthat is not there yet gets a message that names it when it is translated.\n\n";
    text += &counts();
    for (api, title) in [(true, "Application programming"), (false, "System programming")] {
        for (group, commands) in groups(api) {
            text += &section(&format!("{title}: {group}"), &commands);
        }
    }
    text += &statements();
    text += &functions();
    Ok(text)
}

/// Statements of COBOL, a row for each record.
fn statements() -> String {
    let mut text = "\n## Statements\n\n".to_owned();
    text += "Generated from the records of `crates/cobol-syntax/src/statements.tsv`; tests try the example of each.\n\n";
    text += "| statement | here | form | where |\n|---|---|---|---|\n";
    for record in cobol_syntax::statements() {
        let lacks = record.lacks.map_or_else(String::new, |lacks| {
            let colon = if record.state == cobol_syntax::State::Partly { "" } else { ":" };
            format!("{colon} {lacks}")
        });
        let here = format!("{}{lacks}", record.state.words());
        line(
            &mut text,
            &format!(
                "| {} | {here} | {}: {} | {} |",
                record.name, record.form, record.meaning, record.stands
            ),
        );
    }
    text
}

/// Intrinsic functions, a row for each record.
fn functions() -> String {
    let mut text = "\n## Intrinsic functions\n\n".to_owned();
    text += "Generated from the records of `crates/cobol-syntax/src/functions.tsv`; a test tries the example of each.\n\n";
    text += "| function | arguments | value | characters | example |\n|---|---|---|---|---|\n";
    for record in cobol_syntax::functions() {
        let (arguments, value, texts) =
            (record.arguments.words(), record.value.words(), record.texts.words());
        line(
            &mut text,
            &format!(
                "| {} | {arguments} | {value}: {} | {texts} | `{}` shows `{}` |",
                record.name, record.meaning, record.example, record.shown
            ),
        );
    }
    text
}

/// The commands of one interface by their groups.
fn groups(api: bool) -> BTreeMap<&'static str, Vec<&'static Command>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for command in spec::commands().iter().filter(|command| command.api == api) {
        groups.entry(command.group).or_default().push(command);
    }
    groups
}

fn counts() -> String {
    let mut text =
        "| interface | complete | partial | not yet | all |\n|---|---:|---:|---:|---:|\n".to_owned();
    for (api, title) in [(true, "application programming"), (false, "system programming")] {
        let of = |status: Option<Status>| {
            let commands = spec::commands().iter().filter(|command| command.api == api);
            commands.filter(|command| status.is_none_or(|status| command.status == status)).count()
        };
        let [complete, partial, not_yet] =
            [Status::Complete, Status::Partial, Status::NotYet].map(|status| of(Some(status)));
        line(&mut text, &format!("| {title} | {complete} | {partial} | {not_yet} | {} |", of(None)));
    }
    text
}

/// One group: a row for each command that is there, then the names of the others.
fn section(title: &str, commands: &[&Command]) -> String {
    let mut text = format!("\n### {title}\n\n");
    let (missing, there): (Vec<&&Command>, Vec<&&Command>) =
        commands.iter().partition(|command| command.status == Status::NotYet);
    if !there.is_empty() {
        text += "| command | status | not there yet |\n|---|---|---|\n";
    }
    for command in &there {
        line(&mut text, &format!("| {} | {} | {} |", command.name, status(command), lacks(command)));
    }
    if !missing.is_empty() {
        let gap = if there.is_empty() { "" } else { "\n" };
        let names: Vec<&str> = missing.iter().map(|command| command.name).collect();
        line(&mut text, &format!("{gap}Not yet: {}.", names.join(", ")));
    }
    text
}

fn status(command: &Command) -> &'static str {
    match command.status {
        Status::Complete => "complete",
        Status::Partial => "partial",
        Status::NotYet => "not yet",
    }
}

/// The options that a command lacks, and the conditions that no test has seen.
fn lacks(command: &Command) -> String {
    let options = command.options.iter().filter(|option| option.not_yet).map(|option| option.name);
    let mut parts = vec![options.collect::<Vec<_>>().join(", ")];
    if !command.untested.is_empty() {
        parts.push(format!("no test has seen {}", command.untested.join(", ")));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_that_is_not_whole_names_what_is_missing() {
        for command in spec::commands() {
            let names_something = lacks(command) != "–";
            match command.status {
                Status::Partial => assert!(names_something, "{} is partial and names nothing", command.name),
                Status::Complete => {
                    assert!(!names_something, "{} is complete but lacks {}", command.name, lacks(command))
                }
                Status::NotYet => {}
            }
            for condition in command.untested {
                let never = command.never.iter().any(|(name, _)| name == condition);
                assert!(!never, "{} {condition} is awaited and can never come up", command.name);
            }
        }
    }

    #[test]
    fn the_document_says_what_the_records_say() {
        let root = crate::root();
        let written = fs::read_to_string(root.join(DOCUMENT)).unwrap_or_default();
        let current = document(&root).expect("the notes");
        assert!(written == current, "{DOCUMENT} is stale: run `cargo xtask compat`");
    }
}
