//! `docs/compat/interface.md`: the published interface, command by command, from the records of `spec` and of `cobol-syntax`,
//! with the literate tests that are about each command.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use spec::{Command, Status};

use crate::compat::line;

/// The page, below the folder of the project.
pub(crate) const PAGE: &str = "docs/compat/interface.md";

/// The folder of the literate tests.
const TESTS: &str = "tests/literate";

/// The most tests that a row names.
const NAMED_TESTS: usize = 2;

/// The tests that are about a command, those first that are about the fewest commands.
type Tests = BTreeMap<String, Vec<String>>;

/// The page as it should be.
///
/// # Errors
///
/// A literate test that cannot be read.
pub(crate) fn document(root: &Path) -> io::Result<String> {
    let tests = tests(root)?;
    let mut text = "# The published interface, command by command\n\n".to_owned();
    text += "`cargo xtask compat` writes this page from the records of `crates/interface/spec`. A program that uses a command or an \
             option\nthat is not there yet gets a message that names it when it is translated. The tests named are \
             those that are about the\nfewest other commands.\n";
    for (api, title) in [(true, "Application programming"), (false, "System programming")] {
        for (group, commands) in groups(api) {
            text += &section(&format!("{title}: {group}"), &commands, &tests);
        }
    }
    text += &statements();
    text += &functions();
    Ok(text)
}

/// The tests of each command, by the `command:` lines of the literate tests.
fn tests(root: &Path) -> io::Result<Tests> {
    let mut found: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    let mut folders = vec![root.join(TESTS)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path)?;
            let commands: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("command:"))
                .flat_map(|names| names.split(',').map(str::trim))
                .collect();
            let place = path.strip_prefix(root.join(TESTS)).unwrap_or(&path).display().to_string();
            for command in &commands {
                found.entry((*command).to_owned()).or_default().push((commands.len(), place.clone()));
            }
        }
    }
    let in_order = |mut tests: Vec<(usize, String)>| {
        tests.sort();
        tests.into_iter().map(|(_, place)| place).collect()
    };
    Ok(found.into_iter().map(|(command, tests)| (command, in_order(tests))).collect())
}

/// The commands of one interface by their groups.
fn groups(api: bool) -> BTreeMap<&'static str, Vec<&'static Command>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for command in spec::commands().iter().filter(|command| command.api == api) {
        groups.entry(command.group.trim_start_matches("system programming: ")).or_default().push(command);
    }
    groups
}

/// One group: a row for each command that is there, then the names of the others.
fn section(title: &str, commands: &[&Command], tests: &Tests) -> String {
    let mut text = format!("\n## {title}\n\n");
    let (missing, there): (Vec<&&Command>, Vec<&&Command>) =
        commands.iter().partition(|command| command.status == Status::NotYet);
    if !there.is_empty() {
        text += "| command | status | not there yet | tests |\n|---|---|---|---|\n";
    }
    for command in &there {
        let proved = links(tests.get(command.name).map_or(&[][..], Vec::as_slice));
        line(
            &mut text,
            &format!("| {} | {} | {} | {proved} |", command.name, status(command), lacks(command)),
        );
    }
    if !missing.is_empty() {
        let gap = if there.is_empty() { "" } else { "\n" };
        let names: Vec<&str> = missing.iter().map(|command| command.name).collect();
        line(&mut text, &format!("{gap}Not yet: {}.", names.join(", ")));
    }
    text
}

/// Links to the first tests, and the number of the others.
fn links(tests: &[String]) -> String {
    let mut links: Vec<String> = tests
        .iter()
        .take(NAMED_TESTS)
        .map(|place| format!("[{}](../../{TESTS}/{place})", place.trim_end_matches(".md")))
        .collect();
    if tests.len() > NAMED_TESTS {
        links.push(format!("{} more", tests.len() - NAMED_TESTS));
    }
    links.join(", ")
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

/// Statements of COBOL, a row for each record.
fn statements() -> String {
    let mut text = "\n## Statements\n\n".to_owned();
    text += "From the records of `crates/cobol/cobol-syntax/src/statements.tsv`; tests try the example of each.\n\n";
    text += "| statement | here | form | where |\n|---|---|---|---|\n";
    for record in cobol_syntax::statements() {
        let lacks = record.lacks.map_or_else(String::new, |lacks| {
            let colon = if record.state == cobol_syntax::StatementState::Partly { "" } else { ":" };
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
    text += "From the records of `crates/cobol/cobol-syntax/src/functions.tsv`; a test tries the example of each.\n\n";
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
    fn each_command_that_is_there_names_a_test() {
        let tests = tests(&crate::root()).expect("the literate tests");
        for command in spec::commands().iter().filter(|command| command.status != Status::NotYet) {
            assert!(tests.contains_key(command.name), "no literate test is about {}", command.name);
        }
    }

    #[test]
    fn the_page_says_what_the_records_say() {
        let root = crate::root();
        let written = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
        let current = document(&root).expect("the literate tests");
        assert!(written == current, "{PAGE} is stale: run `cargo xtask compat`");
    }
}
