//! The commands of a text with the lines on which they stand, for those who change the text.

use std::sync::Arc;

use diagnostics::Source;
use jcl::{Tokens, inputs};

use crate::ResourceType;
use crate::parse::{Parser, UTILITY, starts_command, without_ceda};
use crate::words::{Word, words};

/// A command as it is written.
pub(crate) struct Statement {
    pub words: Vec<Word>,
}

/// The commands of a text.
pub(crate) struct Statements {
    pub all: Vec<Statement>,
    /// The words before the first command of each input: they are no command.
    pub stray: Vec<Statement>,
    /// The line before which a further command may stand; `None` for a job without definitions.
    pub end: Option<usize>,
}

/// A definition's type, name and group.
pub(crate) type Key = (ResourceType, String, String);

impl Statement {
    /// Its lines: the first, and the one behind its last.
    pub fn lines(&self) -> (usize, usize) {
        let first = self.words.first().map_or(1, |word| word.place.line);
        (first, self.words.last().map_or(first, |word| word.end.0) + 1)
    }

    /// Returns true if its first word is a start of this verb, three letters at least.
    pub fn is(&self, verb: &str) -> bool {
        let word = self.words.first().map_or("", |word| word.keyword.as_str());
        word.len() >= verb.len().min(3) && verb.starts_with(&word.to_ascii_uppercase())
    }

    /// The definition that it makes.
    pub fn defines(&self) -> Option<Key> {
        if !self.is("DEFINE") && !self.is("USERDEFINE") {
            return None;
        }
        let (resource, name) = Parser::default().resource(self.words.get(1)?)?;
        Some((resource, name, self.value("GROUP")?))
    }

    /// The word of an operand that is GROUP, LIST or the like: any start of it counts.
    pub fn operand(&self, name: &str) -> Option<&Word> {
        let is = |word: &&Word| name.starts_with(&word.keyword.to_ascii_uppercase()) && word.value.is_some();
        self.words.iter().skip(1).find(is)
    }

    /// The value of an operand, in upper case.
    pub fn value(&self, name: &str) -> Option<String> {
        Some(self.operand(name)?.value.as_ref()?.text.to_ascii_uppercase())
    }
}

/// The commands of a text; places are those of the text itself: its tokens stay.
pub(crate) fn statements(source: &Arc<Source>, tokens: &Tokens) -> Statements {
    let (mut all, mut stray) = (Vec::new(), Vec::new());
    let mut end = None;
    for input in inputs(source, UTILITY, tokens) {
        let words = without_ceda(words(&input, &mut Vec::new()));
        let starts: Vec<usize> = (0..words.len()).filter(|&at| starts_command(&words, at)).collect();
        let before = &words[..starts.first().copied().unwrap_or(words.len())];
        if !before.is_empty() {
            stray.push(Statement { words: before.to_vec() });
        }
        let ends = starts.iter().skip(1).copied().chain([words.len()]);
        all.extend(starts.iter().zip(ends).map(|(&from, to)| Statement { words: words[from..to].to_vec() }));
        end = Some(input.lines.end);
    }
    Statements { all, stray, end }
}
