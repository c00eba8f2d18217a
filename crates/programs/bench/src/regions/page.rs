//! The page of documentation that has the tables: the part between two marks of a benchmark is what it has measured last.

use std::path::Path;

/// The sentence of a page whose figures were taken beside other work.
pub(crate) const BUSY: &str = "Compilers and other tests ran on it at the same time: these figures are those of a busy machine, to be measured again.\n";

/// The lines between which a page has the tables of a benchmark.
fn marks(name: &str) -> (String, String) {
    (format!("<!-- bench {name} -->\n"), String::from("<!-- end -->"))
}

/// Puts tables into a page, in place of those that are there.
pub(crate) fn write(page: &Path, name: &str, tables: &str) -> Result<(), String> {
    let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", page.display());
    let text = std::fs::read_to_string(page).map_err(|error| failed(&error))?;
    let text =
        replaced(&text, name, tables).ok_or_else(|| failed(&format!("there is no place for {name}")))?;
    std::fs::write(page, text).map_err(|error| failed(&error))
}

fn replaced(text: &str, name: &str, tables: &str) -> Option<String> {
    let (begin, end) = marks(name);
    let (before, rest) = text.split_once(&begin)?;
    let (_, behind) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{}\n{end}{behind}", tables.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_between_their_marks() {
        let page = "a\n<!-- bench one -->\nNot measured yet.\n<!-- end -->\nb\n<!-- bench two -->\nx\n<!-- end -->\n";
        let written = replaced(page, "one", "1 2\n\n").expect("a place");
        assert_eq!(
            written,
            "a\n<!-- bench one -->\n1 2\n<!-- end -->\nb\n<!-- bench two -->\nx\n<!-- end -->\n"
        );
        assert_eq!(replaced(&written, "one", "1 2").as_deref(), Some(&written[..]), "twice is once");
        assert_eq!(replaced(page, "three", ""), None);
    }
}
