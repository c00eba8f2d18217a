//! Reads TOML tables key by key and reports everything that is wrong in one pass.
//!
//! A [`Table`] remembers which keys were asked for; [`Table::finish`] reports the others, so that the code that reads a
//! section is at once the list of its keys.

use std::cell::{Cell, RefCell};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use diagnostics::{Diagnostic, Severity, Source, TextPlace, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Located, at, codes};

/// The prefix of the names of variables that set keys.
pub(crate) const VARIABLE: &str = "SYNCPOINT_";

/// One text being read, and what was found wrong with it so far.
pub(crate) struct Reader<'a> {
    source: &'a Arc<Source>,
    /// Settings from outside the text: where the places of each begin, and its own text.
    settings: Vec<(usize, Arc<Source>)>,
    messages: RefCell<Vec<Diagnostic>>,
    /// The tables below the root that were asked for.
    sections: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Arc<Source>) -> Self {
        Self { source, settings: Vec::new(), messages: RefCell::default(), sections: RefCell::default() }
    }

    /// Takes the text of a setting, and where its places begin.
    pub(crate) fn add(&mut self, base: usize, setting: &Arc<Source>) {
        self.settings.push((base, Arc::clone(setting)));
    }

    /// The text that a byte is in, and where that text begins.
    fn source_at(&self, byte: usize) -> (usize, &Arc<Source>) {
        let setting = self.settings.iter().rev().find(|(base, _)| *base <= byte);
        setting.map_or((0, self.source), |(base, source)| (*base, source))
    }

    /// The text of a value that a setting gives; `None` for one of the file.
    fn set_text(&self, span: Range<usize>) -> Option<&str> {
        let (base, source) = self.source_at(span.start);
        (base > 0).then(|| source.text.get(span.start - base..span.end - base)).flatten()
    }

    /// The sections that were asked for.
    pub(crate) fn sections(&self) -> Vec<&'static str> {
        self.sections.borrow().clone()
    }

    /// The text's tables as far as they can be read; every error of syntax is reported.
    pub(crate) fn parse(&self) -> Spanned<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(&self.source.text);
        for error in errors {
            let place = self.place(error.span().unwrap_or(0..0));
            let message = Diagnostic::error(codes::SYNTAX, format!("this is not TOML: {}", error.message()));
            let unquoted = error.message().contains("must be quoted");
            let help = if unquoted { "texts stand in quotation marks: key = \"text\"" } else { "" };
            self.report(message.at(place).help(help));
        }
        table
    }

    pub(crate) fn report(&self, message: Diagnostic) {
        self.messages.borrow_mut().push(message);
    }

    pub(crate) fn into_messages(self) -> Vec<Diagnostic> {
        self.messages.into_inner()
    }

    /// A range of bytes as a place of lines and columns.
    pub(crate) fn place(&self, span: Range<usize>) -> TextPlace {
        let (base, source) = self.source_at(span.start);
        let span = span.start - base..span.end.saturating_sub(base);
        let text = &source.text;
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let end = text.floor_char_boundary(span.end.clamp(start, text.len()));
        let length = text[start..end].lines().next().unwrap_or("").chars().count();
        TextPlace::new(source, line, column, length.max(1))
    }
}

/// One table of the text.
pub(crate) struct Table<'a> {
    reader: &'a Reader<'a>,
    /// As a message calls it: `[listen]`, or nothing for the keys before the first header.
    name: String,
    header: Range<usize>,
    entries: &'a DeTable<'a>,
    asked: RefCell<Vec<&'static str>>,
    /// True if the user chooses the names of tables in it.
    names_tables: Cell<bool>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Table<'a> {
    pub(crate) fn root(reader: &'a Reader<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            reader,
            name: String::new(),
            header: 0..0,
            entries: table.get_ref(),
            asked: RefCell::default(),
            names_tables: Cell::default(),
        }
    }

    /// The place of the table's header.
    pub(crate) fn place(&self) -> TextPlace {
        self.reader.place(self.header.clone())
    }

    pub(crate) fn report(&self, message: Diagnostic) {
        self.reader.report(message);
    }

    fn get(&self, key: &'static str) -> Option<&'a Value<'a>> {
        self.asked.borrow_mut().push(key);
        self.entries.get(key)
    }

    /// The place of a key's value; `None` if the key is absent.
    pub(crate) fn place_of(&self, key: &'static str) -> Option<TextPlace> {
        self.get(key).map(|value| self.reader.place(value.span()))
    }

    fn located<T>(&self, value: T, at: &Value<'_>) -> Located<T> {
        Located { value, place: Some(self.reader.place(at.span())) }
    }

    fn wrong_type(&self, key: &str, value: &Value<'_>, wanted: &str) {
        self.report(
            Diagnostic::error(codes::TYPE, format!("`{key}` takes {wanted}"))
                .at(self.reader.place(value.span()))
                .label(format!("this is {}", kind(value.get_ref()))),
        );
    }

    /// A string.
    pub(crate) fn string(&self, key: &'static str) -> Option<Located<String>> {
        let value = self.get(key)?;
        self.string_of(key, value)
    }

    /// A string that must be there.
    pub(crate) fn required_string(&self, key: &'static str, example: &str) -> Option<Located<String>> {
        if !self.entries.contains_key(key) {
            self.asked.borrow_mut().push(key);
            self.report(
                Diagnostic::error(codes::MISSING, format!("{} needs `{key}`", self.name))
                    .at(self.place())
                    .help(format!("add a line such as: {key} = \"{example}\"")),
            );
            return None;
        }
        self.string(key)
    }

    /// A value as a string.
    pub(crate) fn string_of(&self, key: &str, value: &Value<'_>) -> Option<Located<String>> {
        match value.get_ref() {
            DeValue::String(text) => Some(self.located(text.to_string(), value)),
            DeValue::Array(_) | DeValue::Table(_) => {
                self.wrong_type(key, value, "a text in quotation marks");
                None
            }
            // On a command line, a text that looks like a number is a text.
            _ => {
                let text = self.reader.set_text(value.span()).map(str::to_owned);
                if text.is_none() {
                    self.wrong_type(key, value, "a text in quotation marks");
                }
                text.map(|text| self.located(text, value))
            }
        }
    }

    /// A list of strings; a single string is a list of one. `None` where the key is absent.
    pub(crate) fn strings(&self, key: &'static str) -> Option<Vec<Located<String>>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Array(items) => {
                Some(items.iter().filter_map(|item| self.string_of(key, item)).collect())
            }
            DeValue::String(_) => self.string_of(key, value).map(|text| vec![text]),
            _ if self.reader.set_text(value.span()).is_some() => {
                self.string_of(key, value).map(|text| vec![text])
            }
            _ => {
                self.wrong_type(key, value, "a text, or a list of texts");
                None
            }
        }
    }

    /// The same, where a whole number counts as its digits: users forget to put a port into quotation marks.
    pub(crate) fn strings_or_numbers(&self, key: &'static str) -> Option<Vec<Located<String>>> {
        let value = self.get(key)?;
        let one = |value: &Value<'_>| match value.get_ref() {
            DeValue::Integer(digits) => Some(self.located(digits.as_str().to_owned(), value)),
            _ => self.string_of(key, value),
        };
        match value.get_ref() {
            DeValue::Array(items) => Some(items.iter().filter_map(one).collect()),
            DeValue::Integer(_) => Some(one(value).into_iter().collect()),
            _ => self.strings(key),
        }
    }

    /// `true` or `false`, or a list of numbers within bounds.
    pub(crate) fn flag_or_numbers(
        &self,
        key: &'static str,
        bounds: RangeInclusive<u32>,
    ) -> Option<Result<bool, Vec<u32>>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(Ok(*flag)),
            DeValue::Array(items) => {
                let numbers = items.iter().filter_map(|item| self.number_of(key, item, bounds.clone()));
                Some(Err(numbers.collect()))
            }
            _ => {
                self.wrong_type(key, value, "true, false, or a list of numbers");
                None
            }
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, key: &'static str) -> Option<bool> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => {
                self.wrong_type(key, value, "true or false");
                None
            }
        }
    }

    /// A number within bounds.
    pub(crate) fn number(&self, key: &'static str, bounds: RangeInclusive<u32>) -> Option<u32> {
        let value = self.get(key)?;
        self.number_of(key, value, bounds)
    }

    /// A value as a number within bounds.
    pub(crate) fn number_of(&self, key: &str, value: &Value<'_>, bounds: RangeInclusive<u32>) -> Option<u32> {
        let wanted = format!("a number from {} to {}", bounds.start(), bounds.end());
        let DeValue::Integer(digits) = value.get_ref() else {
            self.wrong_type(key, value, &wanted);
            return None;
        };
        let number = u32::from_str_radix(digits.as_str(), digits.radix()).ok();
        let number = number.filter(|number| bounds.contains(number));
        if number.is_none() {
            self.report(
                Diagnostic::error(codes::VALUE, format!("`{key}` takes {wanted}"))
                    .at(self.reader.place(value.span()))
                    .label("out of bounds"),
            );
        }
        number
    }

    /// A part of a whole, from 0 to 1.
    pub(crate) fn part(&self, key: &'static str) -> Option<f64> {
        let value = self.get(key)?;
        let part = match value.get_ref() {
            DeValue::Integer(digits) => digits.as_str().parse::<f64>().ok(),
            DeValue::Float(digits) => digits.as_str().parse::<f64>().ok(),
            _ => {
                self.wrong_type(key, value, "a part from 0 to 1");
                return None;
            }
        };
        let part = part.filter(|part| (0.0..=1.0).contains(part));
        if part.is_none() {
            let message = Diagnostic::error(codes::VALUE, format!("`{key}` takes a part from 0 to 1"));
            self.report(message.at(self.reader.place(value.span())).label("out of bounds"));
        }
        part
    }

    /// One of a set of words, in any case.
    pub(crate) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let word = self.string(key)?;
        self.choice_of(key, &word, choices)
    }

    /// A text as one of a set of words, in any case.
    pub(crate) fn choice_of<T: Copy>(
        &self,
        key: &str,
        word: &Located<String>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(&word.value));
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.report(refused(key, word, &format!("one of {}", names.join(", ")), names));
        }
        found.map(|(_, value)| *value)
    }

    /// A table below this one: `[name]`.
    pub(crate) fn table(&self, key: &'static str) -> Option<Table<'a>> {
        self.reader.sections.borrow_mut().push(key);
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Table(entries) => Some(self.below(format!("[{key}]"), value, entries)),
            _ => {
                self.wrong_type(key, value, &format!("a table: a line [{key}] and its keys below"));
                None
            }
        }
    }

    /// The tables of a list: each `[[name]]`.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let wanted = format!("tables: a line [[{key}]] and its keys below, for each");
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(key, value, &wanted);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::Table(entries) => tables.push(self.below(format!("[[{key}]]"), item, entries)),
                _ => self.wrong_type(key, item, &wanted),
            }
        }
        tables
    }

    fn below(&self, name: String, value: &Value<'_>, entries: &'a DeTable<'a>) -> Table<'a> {
        let (asked, names_tables) = Default::default();
        Table { reader: self.reader, name, header: value.span(), entries, asked, names_tables }
    }

    /// The tables below this one, whose names the user chooses, in the order of the text.
    pub(crate) fn named_tables(&self) -> Vec<(Located<String>, Table<'a>)> {
        self.names_tables.set(true);
        let tables = self.entries().into_iter().filter_map(|(key, value)| match value.get_ref() {
            DeValue::Table(entries) => {
                let name = format!("{}.{}]", self.name.trim_end_matches(']'), key.value);
                Some((key, self.below(name, value, entries)))
            }
            _ => None,
        });
        tables.collect()
    }

    /// Every key of a table whose keys the user chooses, in the order of the text.
    pub(crate) fn entries(&self) -> Vec<(Located<String>, &'a Value<'a>)> {
        let mut entries: Vec<_> = self
            .entries
            .iter()
            .map(|(key, value)| {
                let place = self.reader.place(key.span());
                (key.span().start, Located { value: key.get_ref().to_string(), place: Some(place) }, value)
            })
            .collect();
        entries.sort_by_key(|(start, ..)| *start);
        entries.into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    /// Every key of a table whose keys the user chooses and whose values are strings.
    pub(crate) fn string_entries(&self) -> Vec<(Located<String>, Located<String>)> {
        let entries = self.entries().into_iter();
        entries
            .filter_map(|(key, value)| {
                let value = self.string_of(&key.value, value)?;
                Some((key, value))
            })
            .collect()
    }

    /// Reports the keys that no reader has used.
    pub(crate) fn finish(self) {
        let asked = self.asked.borrow();
        for (key, value) in self.entries() {
            let is_named_table = self.names_tables.get() && matches!(value.get_ref(), DeValue::Table(_));
            if is_named_table || asked.contains(&key.value.as_str()) {
                continue;
            }
            let within = if self.name.is_empty() { String::new() } else { format!(" in {}", self.name) };
            let help = match nearest(&key.value, asked.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the keys{within} are: {}", asked.join(", ")),
            };
            let text = format!("`{}` is not a key{within}", key.value);
            // Who sets variables may have meant them for something else.
            let variable = key.place.as_ref().is_some_and(|place| place.source.name.starts_with(VARIABLE));
            let severity = if variable { Severity::Warning } else { Severity::Error };
            let message = Diagnostic::new(severity, codes::UNKNOWN_KEY, text);
            self.report(at(message, &key).help(help));
        }
    }
}

/// A value that is none of those allowed.
pub(crate) fn refused<'c>(
    key: &str,
    value: &Located<String>,
    wanted: &str,
    names: impl IntoIterator<Item = &'c str>,
) -> Diagnostic {
    let message = at(Diagnostic::error(codes::VALUE, format!("`{key}` takes {wanted}")), value);
    match nearest(&value.value, names) {
        Some(meant) => message.help(format!("did you mean \"{meant}\"?")),
        None => message.label("this is not understood"),
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
