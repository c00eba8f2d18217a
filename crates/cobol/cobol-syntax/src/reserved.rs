//! The words that the language keeps for itself: those of `reserved.txt`, and those with which statements begin and end.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::statements;

static RESERVED: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("reserved.txt").lines().collect());

/// Returns true if a word in capitals is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(word) || statements::reserves(word)
}

/// Registers: items that every program has without describing them.
pub const REGISTERS: [&str; 31] = [
    "DEBUG-ITEM",
    "DEBUG-LINE",
    "DEBUG-NAME",
    "DEBUG-SUB-1",
    "DEBUG-SUB-2",
    "DEBUG-SUB-3",
    "DEBUG-CONTENTS",
    "JNIENVPTR",
    "JSON-CODE",
    "JSON-STATUS",
    "LINAGE-COUNTER",
    "RETURN-CODE",
    "SHIFT-IN",
    "SHIFT-OUT",
    "SORT-CONTROL",
    "SORT-CORE-SIZE",
    "SORT-FILE-SIZE",
    "SORT-MESSAGE",
    "SORT-MODE-SIZE",
    "SORT-RETURN",
    "TALLY",
    "WHEN-COMPILED",
    "XML-CODE",
    "XML-EVENT",
    "XML-INFORMATION",
    "XML-NAMESPACE",
    "XML-NNAMESPACE",
    "XML-NAMESPACE-PREFIX",
    "XML-NNAMESPACE-PREFIX",
    "XML-NTEXT",
    "XML-TEXT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_words_of_statements_are_reserved() {
        for word in REGISTERS.iter().chain(&["ADD", "EXEC", "END-ADD", "WHEN", "EJECT", "COPY"]) {
            assert!(is_reserved(word), "{word}");
        }
        for word in ["CUSTOMER", "EXHIBIT", "END-DISPLAY", "TITLE"] {
            assert!(!is_reserved(word), "{word}");
        }
    }

    #[test]
    fn a_word_stands_in_one_list() {
        for word in RESERVED.iter() {
            assert!(!statements::reserves(word), "{word}");
        }
    }
}
