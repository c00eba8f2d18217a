//! Libraries of others: each has a row in ARCHITECTURE.md that says why it is there.

use std::collections::BTreeSet;

use crate::files::File;

/// The page, and the section of it that has the table.
const PAGE: &str = "ARCHITECTURE.md";
const SECTION: &str = "## Libraries\n";

/// Returns the libraries of the workspace that the table lacks.
pub(crate) fn complaints(files: &[File]) -> Vec<String> {
    let text = |name: &str| files.iter().find(|file| file.name == name).map_or("", |file| &file.text);
    let named = named(text(PAGE));
    let lacking = others(text("Cargo.toml")).into_iter().filter(|library| !named.contains(library.as_str()));
    lacking.map(|library| format!("{PAGE}: the table of libraries lacks {library}")).collect()
}

/// The words of the first column of the section's table.
fn named(page: &str) -> BTreeSet<&str> {
    let after = page.split_once(SECTION).map_or("", |(_, after)| after);
    let table = after.split("\n## ").next().unwrap_or_default();
    let cells = table.lines().filter_map(|row| row.strip_prefix('|')?.split('|').next());
    cells.flat_map(|cell| cell.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')).collect()
}

/// The libraries that the workspace names and that are no crates of its own.
fn others(manifest: &str) -> Vec<String> {
    let Ok(manifest) = manifest.parse::<toml::Table>() else { return Vec::new() };
    let table = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let all = table.and_then(toml::Value::as_table).into_iter().flatten();
    all.filter(|(_, value)| value.get("path").is_none()).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_has_a_row() {
        let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
        let page = "# A\n\n## Libraries\n\n| library | for | why |\n|---|---|---|\n| csv, tokio (one thread) | zip | |\n";
        let manifest = "[workspace.dependencies]\nspec = { path = \"crates/spec\" }\ncsv = \"1\"\n\
                        tokio = { version = \"1\" }\nzip = \"9\"\n";
        assert_eq!(
            complaints(&[file(PAGE, page), file("Cargo.toml", manifest)]),
            ["ARCHITECTURE.md: the table of libraries lacks zip"]
        );
    }
}
