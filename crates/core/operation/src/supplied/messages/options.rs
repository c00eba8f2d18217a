//! CMSG's options, which may come in several inputs: `'GOOD MORNING',R=(T001,/ANNA),T=0900,S`.
//!
//! Each word but CANCEL may be cut short to its first letter. Text after a blank outside of quotes is not read.

/// Characters of a message.
const MESSAGE_MAX: usize = 2_000;

/// A destination of ROUTE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    All,
    Terminal(String),
    /// Wherever a user is signed on, or at one terminal if it is there.
    User {
        id: String,
        at: Option<String>,
    },
}

/// The time of delivery, as 0hhmmss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum When {
    #[default]
    Now,
    At(i64),
    After(i64),
}

/// The end of an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Send,
    More,
    Cancelled,
}

/// The options so far.
#[derive(Default)]
pub(super) struct Options {
    text: Vec<String>,
    pub route: Vec<Destination>,
    /// Terminals that were taken out.
    pub except: Vec<String>,
    pub when: When,
    heading: bool,
}

/// Options that are published and not built.
const NOT_BUILT: [&str; 6] = ["OPCLASS", "DATE", "FULLDATE", "ERRTERM", "ID", "PROTECT"];

impl Options {
    /// Reads an input.
    ///
    /// # Errors
    /// A sentence about what is not understood; the options before it count.
    pub fn read(&mut self, input: &str) -> Result<Read, String> {
        for word in words(input)? {
            let (name, value) = match &word {
                Word::Text(text) => {
                    self.add_text(text)?;
                    continue;
                }
                Word::Option(name, value) => (name.as_str(), value.as_deref()),
            };
            let is = |option: &str| !name.is_empty() && option.starts_with(name);
            match value {
                None if is("SEND") => return Ok(Read::Send),
                None if is("HEADING") => self.heading = true,
                Some(value) if is("HEADING") => self.heading = "YES".starts_with(value),
                Some(value) if is("MSG") => self.add_text(unquoted(value))?,
                Some(value) if is("ROUTE") => self.add_route(value)?,
                Some(value) if is("TIME") => self.when = time(value)?,
                _ => {
                    let known = NOT_BUILT.iter().find(|option| is(option) && value.is_some());
                    return Err(match known {
                        Some(option) => format!("{option} IS NOT BUILT HERE"),
                        None => format!("{name} IS NO OPTION OF CMSG"),
                    });
                }
            }
        }
        Ok(Read::More)
    }

    /// Names the part that a message must have and this one lacks.
    pub fn missing(&self) -> Option<&'static str> {
        match () {
            () if self.text.is_empty() => Some("THE MESSAGE IS MISSING: 'TEXT'"),
            () if self.route.is_empty() => Some("ITS DESTINATION IS MISSING: ROUTE=TERMINAL"),
            () => None,
        }
    }

    /// The message as it is shown: it says who has sent it.
    pub fn message(&self, sender: &str) -> String {
        let text = self.text.join(" ");
        if self.heading { format!("MESSAGE FROM {sender}:\n{text}") } else { format!("{text} ({sender})") }
    }

    fn add_text(&mut self, text: &str) -> Result<(), String> {
        let long: usize = self.text.iter().map(String::len).sum();
        if long + text.len() > MESSAGE_MAX {
            return Err(format!("A MESSAGE HAS {MESSAGE_MAX} CHARACTERS AT MOST"));
        }
        self.text.push(text.to_owned());
        Ok(())
    }

    fn add_route(&mut self, value: &str) -> Result<(), String> {
        let list = value.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(value);
        for one in list.split([',', ' ']).filter(|one| !one.is_empty()) {
            if one.starts_with('.') {
                return Err(format!("{one}: THERE ARE NO LISTS OF TERMINALS"));
            }
            if let Some(gone) = one.strip_prefix('-') {
                self.except.push(gone.to_owned());
                continue;
            }
            let one = one.strip_prefix('+').unwrap_or(one);
            self.route.push(match one.split_once('/') {
                None if one == "ALL" => Destination::All,
                None => Destination::Terminal(one.to_owned()),
                Some((at, id)) => Destination::User {
                    id: id.to_owned(),
                    at: Some(at.to_owned()).filter(|at| !at.is_empty()),
                },
            });
        }
        Ok(())
    }
}

/// A time of day as hhmm, or as so many hours and minutes from now: +hhmm, +mm.
fn time(value: &str) -> Result<When, String> {
    let wrong = || format!("{value} IS NO TIME: HHMM, +HHMM OR +MM");
    let (digits, from_now) = value.strip_prefix('+').map_or((value, false), |digits| (digits, true));
    let number: i64 = digits.parse().ok().filter(|_| digits.len() <= 4).ok_or_else(wrong)?;
    let (hours, minutes) = (number / 100, number % 100);
    if !(0..24).contains(&hours) || !(0..60).contains(&minutes) || !from_now && digits.len() != 4 {
        return Err(wrong());
    }
    Ok(if from_now { When::After(number * 100) } else { When::At(number * 100) })
}

enum Word {
    /// In quotes.
    Text(String),
    /// In upper case, with what is behind its equals sign.
    Option(String, Option<String>),
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text)
}

/// The words of an input up to the first blank outside of quotes and parentheses.
fn words(input: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = input.trim_start_matches([',', ' ']);
    while !rest.is_empty() && !rest.starts_with(' ') {
        if rest.starts_with('\'') {
            let end = quoted_end(rest).ok_or("A QUOTE IS MISSING AT THE END OF THE MESSAGE")?;
            words.push(Word::Text(rest[1..end].replace("''", "'")));
            rest = &rest[end + 1..];
        } else {
            let end = word_end(rest)?;
            let (name, value) = match rest[..end].split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (&rest[..end], None),
            };
            // A message keeps its small letters.
            let value = value.map(|value| match value.starts_with('\'') {
                true => value.replace("''", "'"),
                false => value.to_ascii_uppercase(),
            });
            words.push(Word::Option(name.to_ascii_uppercase(), value));
            rest = &rest[end..];
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Ok(words)
}

/// The place of the quote that ends a text which begins with one.
fn quoted_end(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find('\'')?;
        if !text[at + 1..].starts_with('\'') {
            return Some(at);
        }
        at += 2;
    }
}

/// The end of a word: a comma or a blank outside of its parentheses and quotes.
fn word_end(text: &str) -> Result<usize, String> {
    if let Some(equals) = text.find('=').filter(|at| text[at + 1..].starts_with('\'')) {
        let end = quoted_end(&text[equals + 1..]).ok_or("A QUOTE IS MISSING AT THE END OF THE MESSAGE")?;
        if !text[..equals].contains([',', ' ']) {
            return Ok(equals + end + 2);
        }
    }
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ' ' if depth == 0 => return Ok(at),
            _ => {}
        }
    }
    if depth > 0 { Err("A PARENTHESIS IS MISSING".to_owned()) } else { Ok(text.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> (Options, Result<Read, String>) {
        let mut options = Options::default();
        let read = options.read(input);
        (options, read)
    }

    fn terminal(name: &str) -> Destination {
        Destination::Terminal(name.to_owned())
    }

    #[test]
    fn options_in_any_order_and_cut_short() {
        let (options, read) = read("R=(T001,t002),T=1500,'It''s 1500 hours, friends',H,S and nothing else");
        assert_eq!(read, Ok(Read::Send));
        assert_eq!(options.route, [terminal("T001"), terminal("T002")]);
        assert_eq!(options.when, When::At(150_000));
        assert_eq!(options.message("ANNA AT T003"), "MESSAGE FROM ANNA AT T003:\nIt's 1500 hours, friends");
        assert_eq!(options.missing(), None);
    }

    #[test]
    fn several_inputs_make_one_message() {
        let mut options = Options::default();
        assert_eq!(options.read("MSG='SUPERVISORS'"), Ok(Read::More));
        assert_eq!(options.missing(), Some("ITS DESTINATION IS MISSING: ROUTE=TERMINAL"));
        assert_eq!(options.read("'MEETING NOW',ROUTE=(ALL,-T002,/ANNA,T004/BOB),SEND"), Ok(Read::Send));
        assert_eq!(options.message("X AT T001"), "SUPERVISORS MEETING NOW (X AT T001)");
        assert_eq!(options.except, ["T002"]);
        let user =
            |id: &str, at: Option<&str>| Destination::User { id: id.to_owned(), at: at.map(str::to_owned) };
        assert_eq!(options.route, [Destination::All, user("ANNA", None), user("BOB", Some("T004"))]);
    }

    #[test]
    fn what_is_not_understood_is_told() {
        let table = [
            ("'NO END", "A QUOTE IS MISSING AT THE END OF THE MESSAGE"),
            ("MSG='NO END", "A QUOTE IS MISSING AT THE END OF THE MESSAGE"),
            ("R=(T001", "A PARENTHESIS IS MISSING"),
            ("R=.G1", ".G1: THERE ARE NO LISTS OF TERMINALS"),
            ("O=4", "OPCLASS IS NOT BUILT HERE"),
            ("DATE=01/31", "DATE IS NOT BUILT HERE"),
            ("T=2460", "2460 IS NO TIME: HHMM, +HHMM OR +MM"),
            ("T=900", "900 IS NO TIME: HHMM, +HHMM OR +MM"),
            ("T=+", "+ IS NO TIME: HHMM, +HHMM OR +MM"),
            ("T=+-1", "+-1 IS NO TIME: HHMM, +HHMM OR +MM"),
            ("COLOUR=RED", "COLOUR IS NO OPTION OF CMSG"),
            ("=X", " IS NO OPTION OF CMSG"),
        ];
        for (input, told) in table {
            assert_eq!(read(input).1, Err(told.to_owned()), "{input}");
        }
        assert_eq!(read("T=+30").0.when, When::After(3_000));
        assert_eq!(read("T=+0130").0.when, When::After(13_000));
        let long = format!("'{}'", "X".repeat(MESSAGE_MAX + 1));
        assert!(read(&long).1.is_err());
    }
}
