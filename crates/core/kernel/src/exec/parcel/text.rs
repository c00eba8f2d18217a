//! A command as a person types it: `READQ TS QUEUE(ABC) ITEM(1)`.
//!
//! Words and options are those of the records, and may be cut short where only one fits. A value needs no quotes; in quotes
//! it may have any character, `X'C1'` is bytes. `&NAME` is a variable of the one who types: its content goes into the command,
//! and what the command gives goes into it. An area that the command fills may be left out where the record asks for one, and
//! an INQUIRE without its options asks for all.

use ebcdic::Characters;
use spec::syntax::{Word, find};
use spec::{Command, Direction, Kind, OptionId, OptionSpec, Status};

use super::{Content, Parcel};

/// Bytes of an area that a command fills: what a halfword can count.
const ROOM: usize = crate::limits::HALFWORD_LENGTH_MAX;

/// Characters of a variable's name, its ampersand among them.
pub const VARIABLE_LETTERS: usize = 10;

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
    /// The name of a variable, with its ampersand.
    Variable(String),
}

/// Finds the present content of a variable by its name, with the ampersand; `None` if it does not exist.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<Content>;

/// An option whose value is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The option.
    pub option: OptionId,
    /// The variable's name, with its ampersand.
    pub variable: String,
}

impl Parcel {
    /// The command of a text, if it is one that can be executed. There are no variables.
    ///
    /// # Errors
    /// The mistakes, a sentence each.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        Self::read_with(text, &|_| None).map(|(parcel, _)| parcel)
    }

    /// The same with variables, and the options that have one for their value.
    ///
    /// # Errors
    /// The mistakes, a sentence each.
    pub fn read_with(text: &str, variables: Variables<'_>) -> Result<(Self, Vec<Bound>), Vec<String>> {
        let items = items(text).map_err(|mistake| vec![mistake])?;
        let (command, rest) = spelled_out(items).map_err(|mistake| vec![mistake])?;
        if command.status == Status::NotYet {
            return Err(vec![format!("{} is not built.", command.name)]);
        }
        let words: Vec<Word<'_>> = words(&rest);
        let mut parcel = Self::new(command.id);
        let (mut bound, mut mistakes) = (Vec::new(), Vec::new());
        for (item, word) in rest.iter().zip(&words) {
            if command.is_named_by(*word, &words) {
                continue;
            }
            let added = option_of(command, &item.name).and_then(|option| {
                if let Some(Written::Variable(variable)) = &item.value {
                    bound.push(Bound { option: option.id, variable: variable.clone() });
                }
                parcel.add(option, item.value.as_ref(), variables)
            });
            mistakes.extend(added.err());
        }
        if mistakes.is_empty() {
            parcel.receive();
            mistakes = parcel.sets();
        }
        if mistakes.is_empty() { Ok((parcel, bound)) } else { Err(mistakes) }
    }

    /// The command that a text names, whatever its options are; `None` if its words name none.
    pub fn command_of(text: &str) -> Option<&'static Command> {
        spelled_out(items(text).ok()?).ok().map(|(command, _)| command)
    }

    fn add(
        &mut self,
        option: &OptionSpec,
        value: Option<&Written>,
        variables: Variables<'_>,
    ) -> Result<(), String> {
        let name = option.name;
        if option.not_yet {
            return Err(format!("{name} of {} is not built.", self.command().name));
        }
        if option.external {
            return Err(format!("{name} of {} is for programs outside of a region.", self.command().name));
        }
        let added = match value {
            None if option.kind == Kind::Keyword || option.value_optional => self.keyword(option.id),
            Some(Written::Variable(variable)) if option.kind != Kind::Keyword => {
                match (variables(variable), option.direction) {
                    (Some(Content::Bytes(bytes)), Direction::Out) => self.room(option.id, bytes.len()),
                    (_, Direction::Out) | (None, Direction::InOut) => self.room(option.id, ROOM),
                    (Some(content), _) => self.give(option.id, content),
                    (None, Direction::In) => return Err(format!("There is no variable {variable}.")),
                }
            }
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

fn words(items: &[Item]) -> Vec<Word<'_>> {
    items.iter().map(|item| Word { name: &item.name, has_value: item.value.is_some() }).collect()
}

/// The command of words of which any may be cut short, and the words behind its verb.
fn spelled_out(mut items: Vec<Item>) -> Result<(&'static Command, Vec<Item>), String> {
    if items.is_empty() {
        return Err("Type a command.".to_owned());
    }
    let typed = items.remove(0).name;
    let verbs = || spec::commands().iter().filter_map(|command| command.name.split(' ').next());
    let verb = the_one(&typed, verbs())?.unwrap_or(&typed);
    if let Some(command) = find(verb, &words(&items)) {
        return Ok((command, items));
    }
    let second = items.first_mut().map(|item| &mut item.name);
    let unknown = |second: &str| format!("There is no command {verb}{second}.");
    let Some(second) = second else { return Err(unknown("")) };
    let of_verb = spec::commands().iter().map(|command| command.name.split(' '));
    let seconds = of_verb.filter_map(|mut words| (words.next() == Some(verb)).then(|| words.next())?);
    match the_one(second, seconds)? {
        Some(word) => word.clone_into(second),
        None => return Err(unknown(&format!(" {second}"))),
    }
    let command = find(verb, &words(&items));
    command.map(|command| (command, items)).ok_or_else(|| unknown(""))
}

/// The option that a word means, which may be cut short where only one fits.
fn option_of(command: &'static Command, word: &str) -> Result<&'static OptionSpec, String> {
    if let Some(option) = command.takes(word) {
        return Ok(option);
    }
    let name = the_one(word, command.options.iter().map(|option| option.name))?;
    name.and_then(|name| command.takes(name)).ok_or_else(|| format!("{} has no option {word}.", command.name))
}

/// The one word of several that is this one, or that begins with it; `None` if none does.
fn the_one<'w>(typed: &str, among: impl Iterator<Item = &'w str>) -> Result<Option<&'w str>, String> {
    let mut fitting: Vec<&str> = among.filter(|word| word.starts_with(typed)).collect();
    fitting.sort_unstable();
    fitting.dedup();
    match fitting.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several if several.contains(&typed) => Ok(several.iter().copied().find(|word| *word == typed)),
        several => Err(format!("{typed} may be {}.", several.join(", "))),
    }
}

/// Returns true if a text is the name of a variable: an ampersand, then letters, digits, @ and #.
pub fn is_variable(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || ['@', '#'].contains(&letter);
    let name = text.strip_prefix('&');
    name.is_some_and(|name| (1..VARIABLE_LETTERS).contains(&name.len()) && name.chars().all(is_letter))
}

/// Meaning of a value for its option.
fn content(option: &OptionSpec, value: &Written) -> Result<Content, String> {
    let name = option.name;
    match (option.kind, value) {
        (Kind::Keyword, _) => Err(format!("{name} takes no value.")),
        (Kind::Pointer, _) => Err(format!("{name} takes an address, which only a program has.")),
        (Kind::Label, _) => Err(format!("{name} takes a paragraph, which only a program has.")),
        // Those that are no keyword have their content already.
        (_, Written::Variable(variable)) => Err(format!("{name} takes no variable {variable}.")),
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
    if is_variable(text) {
        return Ok(Written::Variable(text.to_ascii_uppercase()));
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
    fn words_may_be_cut_short_where_only_one_fits() {
        let parcel = Parcel::read("READQ TS QU(ABC) IT(1)").expect("one");
        assert!(parcel.has(opt::QUEUE) && parcel.has(opt::ITEM));
        let parcel = Parcel::read("INQ FIL(ABC)").expect("one");
        assert_eq!(parcel.command().id, cmd::INQUIRE_FILE);
        assert_eq!(Parcel::read("ASKTIME").expect("one").command().id, cmd::ASKTIME);
    }

    #[test]
    fn a_variable_brings_its_content_and_gets_what_comes() {
        let variables = |name: &str| match name {
            "&Q" => Some(Content::text("ABC")),
            "&N" => Some(Content::Number(2)),
            _ => None,
        };
        let text = "READQ TS QUEUE(&q) ITEM(&N) INTO(&NEW)";
        let (parcel, bound) = Parcel::read_with(text, &variables).expect("one");
        assert_eq!(parcel.content(opt::QUEUE), Some(Content::text("ABC")));
        assert_eq!(parcel.content(opt::ITEM), Some(Content::Number(2)));
        let bound: Vec<_> = bound.iter().map(|bound| (bound.option, bound.variable.as_str())).collect();
        assert_eq!(bound, [(opt::QUEUE, "&Q"), (opt::ITEM, "&N"), (opt::INTO, "&NEW")]);
        let mistakes = Parcel::read_with("READQ TS QUEUE(&NONE)", &variables).expect_err("none");
        assert_eq!(mistakes, ["There is no variable &NONE."]);
        let (parcel, _) = Parcel::read_with("WRITEQ TS QUEUE(A) FROM('&Q')", &variables).expect("one");
        assert_eq!(parcel.content(opt::FROM), Some(Content::text("&Q")), "in quotes it is a text");
        assert!(
            is_variable("&@COMMAND") && !is_variable("&ABCDEFGHIJ") && !is_variable("&") && !is_variable("A")
        );
    }

    #[test]
    fn mistakes_are_told_in_sentences() {
        for (text, told) in [
            ("READQ TS Q(A)", "Q may be QNAME, QUEUE."),
            ("WR", "WR may be WRITE, WRITEQ."),
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
