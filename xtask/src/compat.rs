//! COMPAT.md: the entry to what is otherwise here than published, with the counts of what is built. The pages on differences
//! below `docs/compat` are written by hand; `interface` writes the one on commands.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use spec::Status;

use crate::interface;

const DOCUMENT: &str = "COMPAT.md";

/// The pages on differences, by their subjects.
const PAGES: [(&str, &str); 9] = [
    ("cobol", "the compiler, characters, numbers, storage, statements, files of COBOL"),
    ("commands", "tasks, STARTs, containers, documents, diagnosis, and values that programs compare"),
    ("files", "data sets, data tables, queues"),
    ("terminals", "3270 data streams, maps, printers, supplied transactions"),
    ("sql", "EXEC SQL and its connection"),
    ("web", "HTTP, TLS, web services, sockets, the direct path"),
    ("security", "users, rights, encryption"),
    ("java", "JVM servers and the classes of Java programs"),
    ("operations", "starts, definitions, links, monitoring, jobs"),
];

/// Writes the entry page and the page on the interface.
pub(crate) fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join(DOCUMENT), document())?;
    fs::write(root.join(interface::PAGE), interface::document(root)?)
}

/// The entry page as it should be.
fn document() -> String {
    let mut text = "# Compatibility\n\nWhat a program finds here that it would not find on z/OS, and why, by subject:\n\n"
        .to_owned();
    for (name, subject) in PAGES {
        line(&mut text, &format!("- [{name}](docs/compat/{name}.md): {subject}"));
    }
    text += "\nWhat is built of the published interface, command by command, with the tests that prove it: \
             [docs/compat/interface.md](docs/compat/interface.md).\n\n";
    text + &counts()
}

/// Commands by their state, a row for each of the two interfaces.
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

/// Adds a line to a page.
pub(crate) fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_page_says_what_the_records_say() {
        let written = fs::read_to_string(crate::root().join(DOCUMENT)).unwrap_or_default();
        assert!(written == document(), "{DOCUMENT} is stale: run `cargo xtask compat`");
    }

    #[test]
    fn each_page_on_differences_is_linked() {
        let folder = crate::root().join("docs/compat");
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".md", ""))
            .filter(|name| name != "interface")
            .collect();
        names.sort();
        let mut linked = PAGES.map(|(name, _)| name.to_owned());
        linked.sort();
        assert_eq!(names, linked);
    }
}
