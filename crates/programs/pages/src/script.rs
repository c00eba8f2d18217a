//! A `keys` block: what a user does at a terminal.
//!
//! Words are obeyed one after the other: `"text"` is typed where the cursor stands, `"text"@5,10` at row 5, column 10;
//! `fill "text"@5,10` takes the place of what stands in the field from there on;
//! `TAB BACKTAB HOME NEWLINE ERASEEOF DELETE RESET` are the terminal's own keys; `ENTER CLEAR PA1 PF3 …` call the
//! region. `start "PAY 12"` clears the screen, types and presses ENTER. `wait "text"` waits until the text is on the
//! screen, `idle` until no task runs or each waits for something, `disconnect` breaks the connection.

use tn3270::datastream::Aid;

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Typing.
    Type(String),
    /// Typing into a field that is emptied before, from the cursor on.
    Fill(String),
    /// The cursor goes to a row and a column, from 1.
    Cursor(u16, u16),
    /// A key of the terminal itself.
    Local(Local),
    /// A key that calls the region.
    Press(Aid),
    /// Waiting for a text on the screen.
    Wait(String),
    /// Waiting until nothing moves.
    Idle,
    /// Waiting until nothing has been heard for a while, though statements or programs outside still run.
    Silence,
    /// The connection breaks.
    Disconnect,
}

/// Keys that the region does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// To the next field.
    Tab,
    /// To the field before.
    BackTab,
    /// To the first field.
    Home,
    /// To the first field of the next lines.
    NewLine,
    /// Empties the field from the cursor on.
    EraseEof,
    /// Takes a character away.
    Delete,
    /// Frees a keyboard that the user's own error has locked.
    Reset,
}

/// Reads a block.
///
/// # Errors
/// The word that means nothing.
pub fn parse(lines: &[String]) -> Result<Vec<Act>, String> {
    let mut acts = Vec::new();
    for line in lines {
        let mut rest = line.trim();
        while let Some((word, text, place, behind)) = next(rest)? {
            rest = behind;
            acts.extend(place.map(|(row, column)| Act::Cursor(row, column)));
            acts.extend(match (word, text) {
                ("", Some(text)) => vec![Act::Type(text)],
                ("fill", Some(text)) => vec![Act::Fill(text)],
                ("wait", Some(text)) => vec![Act::Wait(text)],
                ("start", Some(text)) => {
                    vec![Act::Press(Aid::Clear), Act::Type(text), Act::Press(Aid::Enter)]
                }
                (word, None) => vec![act(word).ok_or_else(|| format!("what is {word}?"))?],
                (word, Some(text)) => return Err(format!("what is {word} \"{text}\"?")),
            });
        }
    }
    Ok(acts)
}

fn act(word: &str) -> Option<Act> {
    let local = match word {
        "idle" => return Some(Act::Idle),
        "silence" => return Some(Act::Silence),
        "disconnect" => return Some(Act::Disconnect),
        "TAB" => Local::Tab,
        "BACKTAB" => Local::BackTab,
        "HOME" => Local::Home,
        "NEWLINE" => Local::NewLine,
        "ERASEEOF" => Local::EraseEof,
        "DELETE" => Local::Delete,
        "RESET" => Local::Reset,
        _ => return kernel::terminals::aid::by_name(word).map(Act::Press),
    };
    Some(Act::Local(local))
}

type Next<'a> = (&'a str, Option<String>, Option<(u16, u16)>, &'a str);

/// The next word with the text behind it, if any, the place of a text, and the rest of the line.
fn next(line: &str) -> Result<Option<Next<'_>>, String> {
    if line.is_empty() {
        return Ok(None);
    }
    let end = line.find([' ', '"']).unwrap_or(line.len());
    let (word, rest) = (&line[..end], line[end..].trim_start());
    let takes_text = matches!(word, "" | "fill" | "wait" | "start");
    let Some(text) = rest.strip_prefix('"').filter(|_| takes_text) else {
        return Ok(Some((word, None, None, rest)));
    };
    let (text, rest) = quoted(text).ok_or_else(|| format!("\"{text} is not closed"))?;
    let (place, rest) = match rest.strip_prefix('@') {
        None => (None, rest),
        Some(place) => {
            let (place, rest) = place.split_once(' ').unwrap_or((place, ""));
            let numbers = place.split_once(',').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
            (Some(numbers.ok_or_else(|| format!("@{place} is no row and column"))?), rest)
        }
    };
    Ok(Some((word, Some(text), place, rest.trim_start())))
}

/// The text up to the quotation mark that closes it, and what is behind that; `\"` is a quotation mark within.
fn quoted(line: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, &line[at + 1..])),
            '\\' if line[at + 1..].starts_with('"') => {
                letters.next();
                text.push('"');
            }
            other => text.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(line: &str) -> Result<Vec<Act>, String> {
        parse(&[line.to_owned()])
    }

    #[test]
    fn words_become_acts() {
        let typed = |text: &str| Act::Type(text.to_owned());
        assert_eq!(
            acts(r#"start "ACCT" TAB "12"@5,10 PF3"#),
            Ok(vec![
                Act::Press(Aid::Clear),
                typed("ACCT"),
                Act::Press(Aid::Enter),
                Act::Local(Local::Tab),
                Act::Cursor(5, 10),
                typed("12"),
                Act::Press(Aid::Pf(3)),
            ])
        );
        assert_eq!(acts(r#"wait "READY""#), Ok(vec![Act::Wait("READY".to_owned())]));
        let filled = vec![Act::Cursor(2, 3), Act::Fill("x".to_owned())];
        assert_eq!(acts(r#"fill "x"@2,3"#), Ok(filled));
        assert_eq!(acts("PF99"), Err("what is PF99?".to_owned()));
        assert!(acts("\"open").is_err());
        assert_eq!(acts(r#""a\"b" "c\d""#), Ok(vec![typed("a\"b"), typed("c\\d")]));
    }
}
