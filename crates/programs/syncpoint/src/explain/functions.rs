//! The text of `syncpoint explain` about an intrinsic function, from its record.

use cobol_syntax::{FunctionRecord, Texts};

/// The text about a function.
pub(super) fn explained(record: &FunctionRecord) -> String {
    let FunctionRecord { name, arguments, value, texts, example, shown, meaning } = record;
    let takes = match texts {
        Texts::None => String::new(),
        texts => format!("; of characters: {}", texts.words()),
    };
    format!(
        "FUNCTION {name}: {meaning}\nTakes {}{takes}. Its value: {}.\nDISPLAY {example} shows {shown}\n",
        arguments.words(),
        value.words()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_explained_by_its_record() {
        let text = explained(cobol_syntax::function("UPPER-CASE").expect("a function of the language"));
        assert_eq!(
            text,
            "FUNCTION UPPER-CASE: the characters in capitals\n\
             Takes 1 argument; of characters: characters of one byte, national, UTF-8: the value is of that kind. Its value: characters.\n\
             DISPLAY FUNCTION UPPER-CASE('Hello') shows HELLO\n"
        );
    }
}
