//! The words that the language keeps for itself.

use std::collections::HashMap;
use std::sync::LazyLock;

static RESERVED: LazyLock<HashMap<&str, ()>> =
    LazyLock::new(|| include_str!("reserved.txt").lines().map(|word| (word, ())).collect());

/// Whether a word (upper case) is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains_key(word)
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

/// The words with which a statement begins.
pub const VERBS: [&str; 52] = [
    "ACCEPT",
    "ADD",
    "ALLOCATE",
    "ALTER",
    "CALL",
    "CANCEL",
    "CLOSE",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DISPLAY",
    "DIVIDE",
    "ENTRY",
    "EVALUATE",
    "EXEC",
    "EXIT",
    "FREE",
    "GENERATE",
    "GO",
    "GOBACK",
    "IF",
    "INITIALIZE",
    "INSPECT",
    "INVOKE",
    "JSON",
    "MERGE",
    "MOVE",
    "MULTIPLY",
    "NEXT",
    "OPEN",
    "PERFORM",
    "READ",
    "READY",
    "RELEASE",
    "RESET",
    "RETURN",
    "REWRITE",
    "SEARCH",
    "SERVICE",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "SUPPRESS",
    "UNSTRING",
    "USE",
    "WRITE",
    "XML",
    "BASIS",
    "ENTER",
];

/// Words of older compilers that begin a statement where one is expected, and are names elsewhere.
pub const OLD_VERBS: [&str; 6] = ["EXHIBIT", "EXAMINE", "TRANSFORM", "NOTE", "INITIATE", "TERMINATE"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_registers_are_reserved() {
        for word in VERBS.iter().chain(&REGISTERS) {
            assert!(is_reserved(word), "{word}");
        }
        assert!(!is_reserved("CUSTOMER"));
    }
}
