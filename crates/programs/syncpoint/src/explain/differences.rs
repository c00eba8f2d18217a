//! Differences from the published interface: the sections of the pages below `docs/compat` that are about a word.

/// The pages by their names, with their texts.
const PAGES: &[(&str, &str)] = &[
    ("cobol", include_str!("../../../../../docs/compat/cobol.md")),
    ("commands", include_str!("../../../../../docs/compat/commands.md")),
    ("files", include_str!("../../../../../docs/compat/files.md")),
    ("terminals", include_str!("../../../../../docs/compat/terminals.md")),
    ("sql", include_str!("../../../../../docs/compat/sql.md")),
    ("web", include_str!("../../../../../docs/compat/web.md")),
    ("security", include_str!("../../../../../docs/compat/security.md")),
    ("java", include_str!("../../../../../docs/compat/java.md")),
    ("operations", include_str!("../../../../../docs/compat/operations.md")),
];

/// Returns the lines about the words, or about as many of the first of them as a section names: RESP and RESP2 may stand behind
/// a command's name.
pub(super) fn of(words: &[String]) -> String {
    let words = match words.first().map(String::as_str) {
        Some("STATEMENT" | "FUNCTION") => &words[1..],
        _ => words,
    };
    let mut found = (1..=words.len()).rev().map(|at| lines(&words[..at].join(" ")));
    found.find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// Returns a line for each section whose heading names the word, or whose text has the code of a message: where it stands.
fn lines(word: &str) -> String {
    let mut lines = String::new();
    for (page, text) in PAGES {
        for section in text.split("\n### ").skip(1) {
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            if names(heading, word) || (is_code(word) && names(body, word)) {
                lines += &format!("What differs from z/OS: docs/compat/{page}.md, {heading}\n");
            }
        }
    }
    lines
}

/// Returns true if a text has a word that stands by itself.
fn names(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

/// Returns true if a word has the form of a message's code, such as SPCF021.
fn is_code(word: &str) -> bool {
    word.len() == 7 && word.starts_with("SP") && word[4..].bytes().all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_leads_to_the_sections_that_name_it() {
        assert_eq!(
            lines("LOCKED"),
            "What differs from z/OS: docs/compat/files.md, LOCKED\n",
            "its own section, and no other"
        );
        assert!(lines("SORT").contains("cobol.md, SORT and MERGE of files in a task"));
        assert!(lines("WEB OPEN").contains("web.md, WEB OPEN"));
        assert_eq!(lines("SPCF021"), "What differs from z/OS: docs/compat/cobol.md, What is not built\n");
        assert_eq!(lines("NOSTG"), "", "a word of a text alone is not what a section is about");
        let words = ["STATEMENT", "CANCEL", "4038"].map(str::to_owned);
        assert_eq!(of(&words), "What differs from z/OS: docs/compat/cobol.md, CANCEL\n");
    }

    #[test]
    fn each_page_on_differences_is_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/compat");
        let pages = std::fs::read_dir(folder).expect("the pages");
        let names = pages.map(|page| page.expect("a page").file_name().to_string_lossy().replace(".md", ""));
        let unread: Vec<String> =
            names.filter(|name| name != "interface" && !PAGES.iter().any(|(read, _)| read == name)).collect();
        assert!(unread.is_empty(), "{unread:?}");
    }

    #[test]
    fn each_page_has_sections_with_text() {
        for (page, text) in PAGES {
            let sections: Vec<&str> = text.split("\n### ").skip(1).collect();
            assert!(!sections.is_empty(), "{page}");
            for section in sections {
                assert!(section.lines().count() > 2, "{page}: {section}");
            }
        }
    }
}
