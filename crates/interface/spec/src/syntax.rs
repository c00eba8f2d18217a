//! The record that the words of a command name, and the options that go together: the same rules for a program that is
//! translated and a command that is typed.
//!
//! Out of scope: the spelling of words. Here they are names already.

use crate::{Command, Direction, Kind, OptionId, OptionSpec, commands, opt};

/// A word of a command, in upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word.
    pub name: &'a str,
    /// True if it is followed by parentheses.
    pub has_value: bool,
}

/// The options that every command takes.
pub static COMMON: [OptionSpec; 4] = [
    common(opt::RESP, "RESP", Kind::Area),
    common(opt::RESP2, "RESP2", Kind::Area),
    common(opt::NOHANDLE, "NOHANDLE", Kind::Keyword),
    common(opt::SYSEIB, "SYSEIB", Kind::Keyword),
];

const fn common(id: OptionId, name: &'static str, kind: Kind) -> OptionSpec {
    OptionSpec {
        id,
        name,
        kind,
        value_optional: false,
        direction: Direction::Out,
        not_yet: false,
        external: false,
    }
}

/// Older names of options: for the records, and for the host, they are the same option.
const SYNONYMS: [(&str, &str); 2] = [("DATASET", "FILE"), ("DSIDERR", "FILENOTFOUND")];

/// Verbs whose second word may be left out.
const DEFAULT_WORDS: [(&str, &str); 3] = [("READQ", "TS"), ("WRITEQ", "TS"), ("DELETEQ", "TS")];

/// The name under which the records know an option.
pub fn canonical(name: &str) -> &str {
    SYNONYMS.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

impl Command {
    /// The words of its name after the verb.
    fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.name.split(' ').skip(1)
    }

    /// Its own options, and those that every command takes.
    pub fn all_options(&self) -> impl Iterator<Item = &'static OptionSpec> + use<> {
        self.options.iter().chain(&COMMON)
    }

    /// The option that a word means here: one of the command's own, by its name or an older one, or one that every command
    /// takes.
    pub fn takes(&self, name: &str) -> Option<&'static OptionSpec> {
        let name = canonical(name);
        self.all_options().find(|option| option.name == name)
    }

    /// Returns true if a word is only a part of the command's name: TS in WRITEQ TS, FILE in INQUIRE FILE START.
    pub fn is_named_by(&self, word: Word<'_>, all: &[Word<'_>]) -> bool {
        if word.has_value || !self.words().any(|part| part == canonical(word.name)) {
            return false;
        }
        let browse = all.iter().any(|other| !other.has_value && ["START", "END"].contains(&other.name));
        let needs_value = self.takes(word.name).is_some_and(|o| o.kind != Kind::Keyword && !o.value_optional);
        !needs_value || browse
    }

    /// The sets of options of which one must be there, and none is.
    pub fn missing(&self, has: impl Fn(OptionId) -> bool) -> impl Iterator<Item = &'static [OptionId]> {
        self.required.iter().copied().filter(move |set| !set.iter().any(|id| has(*id)))
    }

    /// Options that are there together, and exclude each other.
    pub fn clashing(&self, has: impl Fn(OptionId) -> bool) -> impl Iterator<Item = Vec<OptionId>> {
        let there =
            move |set: &&'static [OptionId]| set.iter().copied().filter(|id| has(*id)).collect::<Vec<_>>();
        self.exclusive.iter().map(there).filter(|there| there.len() > 1)
    }
}

/// The record that fits a verb and the words after it. It has all words of its name there; of several, the one that
/// takes the most of the options, then the one with the most words, then the one whose second word comes first.
pub fn find(verb: &str, rest: &[Word<'_>]) -> Option<&'static Command> {
    let place = |part: &str| rest.iter().position(|word| canonical(word.name) == part);
    let candidates = commands().iter().filter(|command| {
        command.name.split(' ').next() == Some(verb) && command.words().all(|part| place(part).is_some())
    });
    let unknown = |command: &Command| {
        let is_part = |word: &Word<'_>| command.words().any(|part| part == canonical(word.name));
        rest.iter().filter(|word| !is_part(word) && command.takes(word.name).is_none()).count()
    };
    let best = candidates.min_by_key(|command| {
        let second = command.words().next().and_then(place).unwrap_or(0);
        (unknown(command), usize::MAX - command.words().count(), second)
    });
    best.or_else(|| {
        let (verb, word) = DEFAULT_WORDS.iter().find(|(name, _)| *name == verb)?;
        crate::find(&format!("{verb} {word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd;

    fn words<'a>(text: &'a [&'a str]) -> Vec<Word<'a>> {
        let word = |text: &'a str| match text.strip_suffix("()") {
            Some(name) => Word { name, has_value: true },
            None => Word { name: text, has_value: false },
        };
        text.iter().copied().map(word).collect()
    }

    #[test]
    fn words_stand_for_the_record_that_fits_best() {
        let found = |verb, rest: &[&str]| find(verb, &words(rest)).map(|command| command.id);
        assert_eq!(found("READ", &["DATASET()", "INTO()"]), Some(cmd::READ));
        assert_eq!(found("READQ", &["QUEUE()", "INTO()"]), Some(cmd::READQ_TS));
        assert_eq!(found("READQ", &["TD", "QUEUE()"]), Some(cmd::READQ_TD));
        assert_eq!(found("INQUIRE", &["FILE", "START"]), Some(cmd::INQUIRE_FILE));
        assert_eq!(found("INQUIRE", &["NOSUCH()"]), None);
        assert_eq!(found("FLY", &[]), None);
    }

    #[test]
    fn a_word_of_the_name_is_no_option() {
        let inquire = crate::command(cmd::INQUIRE_FILE);
        let browse = words(&["FILE", "START"]);
        assert!(inquire.is_named_by(browse[0], &browse));
        let named = words(&["FILE()"]);
        assert!(!inquire.is_named_by(named[0], &named));
        let bare = words(&["FILE"]);
        assert!(!inquire.is_named_by(bare[0], &bare), "it needs its value here");
    }

    #[test]
    fn what_is_missing_and_what_excludes_another() {
        let read = crate::command(cmd::READQ_TS);
        let has = |there: &'static [OptionId]| move |id| there.contains(&id);
        let missing: Vec<_> = read.missing(has(&[opt::QUEUE])).collect();
        assert_eq!(missing, [[opt::INTO, opt::SET]]);
        let clashing: Vec<_> = read.clashing(has(&[opt::QUEUE, opt::INTO, opt::SET])).collect();
        assert_eq!(clashing, [[opt::INTO, opt::SET]]);
    }
}
