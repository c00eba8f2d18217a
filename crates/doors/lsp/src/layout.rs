//! Lines of a source as an editor's user sees them: which part is code, and the EXEC … END-EXEC that is open at a place. All of it is
//! found in the text alone, which need not be a program yet.

use cobol_source::reference_format::{AREA_A, MARGIN, looks_free};

use crate::text::is_of_word;

/// The reference format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// True in free format.
    pub free: bool,
}

impl Layout {
    /// The format of a program's text.
    pub fn of(text: &str) -> Self {
        Self { free: looks_free(text) }
    }

    /// Returns true if a line is a comment.
    pub fn is_comment(self, line: &str) -> bool {
        if line.trim_start().starts_with("*>") {
            return true;
        }
        !self.free && matches!(line.chars().nth(AREA_A - 2), Some('*' | '/'))
    }

    /// The code of a line, and the byte at which it begins. A line with tabs is code as a whole.
    pub fn code(self, line: &str) -> (usize, &str) {
        if self.is_comment(line) {
            return (line.len(), "");
        }
        if self.free || line.contains('\t') {
            return (0, line);
        }
        let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        let (start, end) = (byte(AREA_A - 1), byte(MARGIN));
        (start, &line[start..end])
    }
}

/// Languages of EXEC blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// EXEC CICS.
    Cics,
    /// EXEC SQL.
    Sql,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// In capitals.
    pub name: String,
    /// True if parentheses stand behind it.
    pub has_value: bool,
}

/// The EXEC block around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its language.
    pub language: Language,
    /// Its words outside parentheses, up to the place, the unfinished one not among them.
    pub before: Vec<Word>,
    /// Those behind the place.
    pub behind: Vec<Word>,
    /// The option in whose parentheses the place is.
    pub within: Option<String>,
    /// The text from the block's beginning to the place.
    pub text: String,
}

/// Lines that are looked at for the beginning or the end of a block.
const BLOCK_LINES: usize = 200;

/// The EXEC block that is open at a byte of a line (from 0).
pub fn open(lines: &[&str], layout: Layout, line: usize, byte: usize) -> Option<Open> {
    let (start, code) = layout.code(lines.get(line)?);
    let here = code.get(..byte.saturating_sub(start).min(code.len())).unwrap_or(code);
    let after = code.get(here.len()..).unwrap_or("");
    let first = line.saturating_sub(BLOCK_LINES);
    let mut before = String::new();
    for text in &lines[first..line] {
        before.push_str(layout.code(text).1);
        before.push('\n');
    }
    before.push_str(here);
    let upper = before.to_ascii_uppercase();
    let at = upper.rfind("EXEC ").filter(|at| !upper[..*at].ends_with("END-"))?;
    if upper[at..].contains("END-EXEC") {
        return None;
    }
    let rest = upper[at + "EXEC ".len()..].trim_start();
    let skipped = upper.len() - rest.len();
    let language = match rest.get(..4)?.trim_end() {
        "CICS" => Language::Cics,
        "SQL" => Language::Sql,
        _ => return None,
    };
    let length = if language == Language::Cics { 4 } else { 3 };
    let text = before[skipped + length..].to_owned();
    let Scan { words, within, unfinished } = scan(&text);
    let mut words = words;
    if unfinished {
        words.pop();
    }
    let last = (line + BLOCK_LINES).min(lines.len());
    let mut behind = after.to_owned();
    for text in &lines[(line + 1).min(last)..last] {
        behind.push('\n');
        behind.push_str(layout.code(text).1);
    }
    let end = behind.to_ascii_uppercase().find("END-EXEC").unwrap_or(0);
    let mut behind = &behind[..end];
    if within.is_some() {
        behind = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    let behind = scan(behind.trim_start_matches(is_of_word)).words;
    Some(Open { language, before: words, behind, within, text })
}

struct Scan {
    words: Vec<Word>,
    within: Option<String>,
    /// The last word ends where the text ends.
    unfinished: bool,
}

/// The words of a text outside its parentheses.
fn scan(text: &str) -> Scan {
    let mut words: Vec<Word> = Vec::new();
    let (mut depth, mut quote, mut word) = (0_usize, None, String::new());
    let end = |word: &mut String, words: &mut Vec<Word>| {
        if !word.is_empty() {
            words.push(Word { name: std::mem::take(word).to_ascii_uppercase(), has_value: false });
        }
    };
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => {
                end(&mut word, &mut words);
                if depth == 0
                    && let Some(last) = words.last_mut()
                {
                    last.has_value = true;
                }
                depth += 1;
            }
            (None, ')') => depth = depth.saturating_sub(1),
            (None, c) if depth == 0 && is_of_word(c) => word.push(c),
            (None, _) => end(&mut word, &mut words),
        }
    }
    let unfinished = !word.is_empty();
    end(&mut word, &mut words);
    let within = words.last().filter(|_| depth > 0).map(|word| word.name.clone());
    Scan { words, within, unfinished }
}

impl Open {
    /// The words as `spec` reads them.
    pub fn words(&self) -> Vec<spec::syntax::Word<'_>> {
        let all = self.before.iter().chain(&self.behind);
        all.map(|word| spec::syntax::Word { name: &word.name, has_value: word.has_value }).collect()
    }

    /// The record of the command, as far as its words say which.
    pub fn command(&self) -> Option<&'static spec::Command> {
        let words = self.words();
        let (verb, rest) = words.split_first()?;
        spec::syntax::find(verb.name, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<Open> {
        let line = text.lines().position(|line| line.contains('^')).expect("a mark");
        let byte = text.lines().nth(line).and_then(|line| line.find('^')).expect("a mark");
        let text = text.replace('^', "");
        open(&text.lines().collect::<Vec<_>>(), Layout { free: false }, line, byte)
    }

    #[test]
    fn an_open_command_has_its_words_and_the_option_around_the_place() {
        let open = at("           EXEC CICS READ FILE('A(')\n      * a comment (\n                INTO(RE^) RESP(R)\n           END-EXEC.")
            .expect("a command");
        let names = |words: &[Word]| words.iter().map(|word| word.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&open.before), ["READ", "FILE", "INTO"]);
        assert_eq!(names(&open.behind), ["RESP"]);
        assert_eq!(open.within.as_deref(), Some("INTO"));
        assert_eq!(open.command().map(|command| command.name), Some("READ"));
    }

    #[test]
    fn an_unfinished_word_is_none_of_the_command() {
        let open = at("           EXEC CICS SEND MAP('M') ER^\n           END-EXEC").expect("a command");
        assert_eq!(open.before.len(), 2);
        assert_eq!(open.within, None);
    }

    #[test]
    fn behind_its_end_no_command_is_open() {
        assert_eq!(at("           EXEC CICS RETURN END-EXEC ^\n"), None);
        assert_eq!(at("           MOVE A TO ^\n"), None);
        assert_eq!(at("           EXEC SQL SELECT ^\n").map(|open| open.language), Some(Language::Sql));
    }
}
