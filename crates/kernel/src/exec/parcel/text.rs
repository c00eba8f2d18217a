//! A command as a person types it: `READQ TS QUEUE(ABC) ITEM(1)`.
//!
//! Words and options are those of the records. A value needs no quotes; in quotes it may have any character, `X'C1'` is
//! bytes. An area that the command fills may be left out where the record asks for one, and an INQUIRE without its
//! options asks for all.

use ebcdic::Characters;
use spec::syntax::{Word, find};
use spec::{Direction, Kind, OptionId, OptionSpec, Status};

use super::{Content, Parcel};

/// Bytes of an area that a command fills: what a halfword can count.
const ROOM: usize = crate::limits::HALFWORD_LENGTH_MAX;

/// A word and what stands in its parentheses.
struct Item {
    /// In upper case.
    name: String,
    value: Option<Written>,
}

/// Texts in parentheses.
enum Written {
    /// Without quotes.
    Plain(String),
    /// In quotes, or in hexadecimal digits.
    Bytes(Vec<u8>),
}

impl Parcel {
    /// The command of a text, if it is one that can be executed.
    ///
    /// # Errors
    /// What is wrong, a sentence each.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        let items = items(text).map_err(|mistake| vec![mistake])?;
        let Some((verb, rest)) = items.split_first() else { return Err(vec!["Type a command.".to_owned()]) };
        let words: Vec<Word<'_>> =
            rest.iter().map(|item| Word { name: &item.name, has_value: item.value.is_some() }).collect();
        let Some(command) = find(&verb.name, &words) else {
            let second = words.first().map_or(String::new(), |word| format!(" {}", word.name));
            return Err(vec![format!("There is no command {}{second}.", verb.name)]);
        };
        if command.status == Status::NotYet {
            return Err(vec![format!("{} is not built.", command.name)]);
        }
        let mut parcel = Self::new(command.id);
        let mut mistakes = Vec::new();
        for (item, word) in rest.iter().zip(&words) {
            if command.is_named_by(*word, &words) {
                continue;
            }
            let added = match command.takes(&item.name) {
                None => Err(format!("{} has no option {}.", command.name, item.name)),
                Some(option) => parcel.add(option, item.value.as_ref()),
            };
            mistakes.extend(added.err());
        }
        if mistakes.is_empty() {
            parcel.receive();
            mistakes = parcel.sets();
        }
        if mistakes.is_empty() { Ok(parcel) } else { Err(mistakes) }
    }

    fn add(&mut self, option: &OptionSpec, value: Option<&Written>) -> Result<(), String> {
        let name = option.name;
        if option.not_yet {
            return Err(format!("{name} of {} is not built.", self.command().name));
        }
        if option.external {
            return Err(format!("{name} of {} is for programs outside of a region.", self.command().name));
        }
        let added = match value {
            None if option.kind == Kind::Keyword || option.value_optional => self.keyword(option.id),
            Some(_) if option.direction == Direction::Out => self.room(option.id, ROOM),
            Some(Written::Plain(text)) if text.is_empty() && option.direction == Direction::InOut => {
                self.room(option.id, ROOM)
            }
            None => return Err(format!("{name} needs a value: {name}(...).")),
            Some(value) => self.give(option.id, content(option, value)?),
        };
        added.map_err(|unfit| format!("{name}: {unfit}."))
    }

    /// Adds the areas that the command must have and fills; of an INQUIRE, all that it tells.
    fn receive(&mut self) {
        let command = self.command();
        let is_given = |option: &&OptionSpec| option.direction == Direction::Out && option.is_for_regions();
        let missing: Vec<OptionId> = command
            .missing(|id| self.has(id))
            .filter_map(|set| command.options.iter().filter(is_given).find(|option| set.contains(&option.id)))
            .map(|option| option.id)
            .collect();
        let tells_all = command.name.starts_with("INQUIRE ")
            && !command.options.iter().any(|option| {
                let is_told = option.direction == Direction::Out || ["START", "END"].contains(&option.name);
                is_told && self.has(option.id)
            });
        let told = command.options.iter().filter(is_given).filter(|option| option.kind != Kind::Pointer);
        let all = told.map(|option| option.id).filter(|_| tells_all);
        for option in missing.into_iter().chain(all) {
            let clashes = command
                .exclusive
                .iter()
                .any(|set| set.contains(&option) && set.iter().any(|id| self.has(*id)));
            if !clashes {
                // It is an option of the record that is not there.
                let _ = self.room(option, ROOM);
            }
        }
    }

    /// Mistakes of the options together.
    fn sets(&self) -> Vec<String> {
        let command = self.command();
        let list = |set: &[OptionId], and: &str| set.iter().map(|id| id.name()).collect::<Vec<_>>().join(and);
        let missing = command.missing(|id| self.has(id));
        let missing = missing.map(|set| format!("{} needs {}.", command.name, list(set, " or ")));
        let clashing = command.clashing(|id| self.has(id));
        let clashing =
            clashing.map(|there| format!("{} takes only one of {}.", command.name, list(&there, " and ")));
        missing.chain(clashing).collect()
    }
}

/// Meaning of a value for its option.
fn content(option: &OptionSpec, value: &Written) -> Result<Content, String> {
    let name = option.name;
    match (option.kind, value) {
        (Kind::Keyword, _) => Err(format!("{name} takes no value.")),
        (Kind::Pointer, _) => Err(format!("{name} takes an address, which only a program has.")),
        (Kind::Label, _) => Err(format!("{name} takes a paragraph, which only a program has.")),
        (_, Written::Bytes(bytes)) => Ok(Content::Bytes(bytes.clone())),
        (_, Written::Plain(text)) if text.is_empty() => Err(format!("{name} needs a value: {name}(...).")),
        (Kind::Cvda, Written::Plain(text)) => {
            let number = spec::cvda(&text.to_ascii_uppercase()).map(i64::from).or_else(|| text.parse().ok());
            number.map(Content::Number).ok_or_else(|| format!("{name} has no value {text}."))
        }
        (Kind::Value | Kind::Hhmmss, Written::Plain(text)) if text.starts_with(['-', '+']) => Ok(text
            .parse()
            .map_or_else(|_| Content::Bytes(Characters::default().bytes(text)), Content::Number)),
        (_, Written::Plain(text)) => Ok(Content::Bytes(Characters::default().bytes(text))),
    }
}

/// The words of a text, without EXEC CICS and END-EXEC around them.
fn items(text: &str) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches(is_gap);
    while !rest.is_empty() {
        let end = rest.find(|c| is_gap(c) || c == '(').unwrap_or(rest.len());
        if end == 0 {
            return Err("A word is missing before a parenthesis.".to_owned());
        }
        let name = rest[..end].to_ascii_uppercase();
        rest = rest[end..].trim_start_matches(is_gap);
        let value = match rest.strip_prefix('(') {
            None => None,
            Some(inside) => {
                let end = closing(inside).ok_or_else(|| format!("{name} has no closing parenthesis."))?;
                rest = &inside[end + 1..];
                Some(written(&name, inside[..end].trim())?)
            }
        };
        items.push(Item { name, value });
        rest = rest.trim_start_matches(is_gap);
    }
    let is = |item: Option<&Item>, name| item.is_some_and(|item| item.name == name && item.value.is_none());
    if is(items.first(), "EXEC") && is(items.get(1), "CICS") {
        items.drain(..2);
    }
    if is(items.last(), "END-EXEC") {
        items.pop();
    }
    Ok(items)
}

fn is_gap(character: char) -> bool {
    character.is_whitespace() || character == ','
}

/// Place of the parenthesis that closes one opened before a text.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(at),
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

/// Text in the parentheses of an option.
fn written(name: &str, text: &str) -> Result<Written, String> {
    let quoted = |text: &str| {
        let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
        let inside = text[1..].strip_suffix(quote)?;
        Some(inside.replace(&format!("{quote}{quote}"), &quote.to_string()))
    };
    if let Some(text) = quoted(text) {
        return Ok(Written::Bytes(Characters::default().bytes(&text)));
    }
    let Some(digits) = text.strip_prefix(['X', 'x']).and_then(quoted) else {
        return Ok(Written::Plain(text.to_owned()));
    };
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> =
        digits.as_bytes().chunks(2).map(|pair| byte(pair).filter(|_| pair.len() == 2)).collect();
    bytes.map(Written::Bytes).ok_or_else(|| format!("{name}: X'...' takes pairs of hexadecimal digits."))
}

#[cfg(test)]
mod tests {
    use spec::{cmd, opt};

    use super::*;

    #[test]
    fn a_command_is_read_by_its_record() {
        let parcel =
            Parcel::read("exec cics writeq ts queue(ABC), from('It''s (this)') main end-exec").expect("one");
        assert_eq!(parcel.command().id, cmd::WRITEQ_TS);
        assert_eq!(parcel.content(opt::QUEUE), Some(Content::text("ABC")));
        assert_eq!(parcel.content(opt::FROM), Some(Content::text("It's (this)")));
        assert_eq!(parcel.keywords().collect::<Vec<_>>(), [opt::MAIN]);
        let parcel = Parcel::read("WRITE FILE(A) RIDFLD(X'00c1') FROM(A B)").expect("one");
        assert_eq!(parcel.content(opt::RIDFLD), Some(Content::Bytes(vec![0, 0xc1])));
        assert_eq!(parcel.content(opt::FROM), Some(Content::text("A B")));
        let parcel = Parcel::read("SET FILE(A) OPENSTATUS(CLOSED)").expect("one");
        assert_eq!(
            parcel.content(opt::OPENSTATUS),
            Some(Content::Number(spec::cvda("CLOSED").unwrap_or(0).into()))
        );
    }

    #[test]
    fn what_a_command_fills_may_be_left_out() {
        let parcel = Parcel::read("READQ TS QUEUE(ABC) LENGTH()").expect("one");
        let results: Vec<_> = parcel.results().map(|(option, _)| option).collect();
        assert_eq!(results, [opt::LENGTH, opt::INTO]);
        let parcel = Parcel::read("READQ TS QUEUE(ABC) SET()").expect("one");
        assert!(!parcel.has(opt::INTO));
        let told = Parcel::read("INQUIRE FILE(ABC)").expect("one").results().count();
        assert!(told > 10, "{told}");
        assert!(Parcel::read("INQUIRE FILE START").expect("one").results().next().is_none());
    }

    #[test]
    fn mistakes_are_told_in_sentences() {
        for (text, told) in [
            ("", "Type a command."),
            ("FLY HOME", "There is no command FLY HOME."),
            ("READQ TS QUEUE(A", "QUEUE has no closing parenthesis."),
            ("(A)", "A word is missing before a parenthesis."),
            ("READQ TS (A)", "READQ TS has no option TS."),
            ("READQ TS", "READQ TS needs QUEUE or QNAME."),
            ("READQ TS QUEUE", "QUEUE needs a value: QUEUE(...)."),
            ("READQ TS QUEUE()", "QUEUE needs a value: QUEUE(...)."),
            ("READQ TS QUEUE(A) QUEUE(B)", "QUEUE: the option is there already."),
            ("READQ TS QUEUE(A) NEXT ITEM(1)", "READQ TS takes only one of NEXT and ITEM."),
            ("READQ TS QUEUE(A) NEXT(1)", "NEXT takes no value."),
            ("READQ TS QUEUE(A) COLOUR(1)", "READQ TS has no option COLOUR."),
            ("SEND TEXT FROM(A) LDC(B)", "LDC of SEND TEXT is not built."),
            ("READQ TS QUEUE(X'0G')", "QUEUE: X'...' takes pairs of hexadecimal digits."),
            ("WAIT EVENT ECADDR(1)", "ECADDR takes an address, which only a program has."),
            ("HANDLE CONDITION ERROR(A)", "ERROR takes a paragraph, which only a program has."),
            ("SET FILE(A) OPENSTATUS(AJAR)", "OPENSTATUS has no value AJAR."),
        ] {
            let mistakes = Parcel::read(text).expect_err(text);
            assert!(mistakes[0].starts_with(told), "{text}: {mistakes:?}");
        }
    }
}
