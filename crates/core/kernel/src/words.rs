//! Words of messages: texts of others as the log may have them, and numbers of things.

use std::borrow::Cow;

/// A foreign text, as a line of the log may have it: a character that could end the line, or move on the reader's
/// screen, is shown by its number.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|character| match character {
        _ if character.is_control() => format!("\\x{:02X}", u32::from(character)),
        _ => character.to_string(),
    });
    Cow::Owned(shown.collect())
}

/// So many of a thing: `1 task`, `2 tasks`.
pub fn counted(number: impl TryInto<u64>, thing: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "task")), ["0 tasks", "1 task", "2 tasks"]);
    }

    #[test]
    fn what_others_have_written_is_one_line() {
        assert_eq!(escaped("ANNA"), "ANNA");
        assert_eq!(escaped("ANNA\r\n2026 ERROR \x1b[2J"), "ANNA\\x0D\\x0A2026 ERROR \\x1B[2J");
    }
}
