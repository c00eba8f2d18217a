//! The records of a program, with the place of each item in them.

use std::ops::Range;

use copybook::{Field, Layout, Usage, parse_as};
use db2::package::{Form, Sign};
use diagnostics::Source;
use ebcdic::decimal::ZonedSign;

use crate::token::{Kind, Token, is_level};

/// All items of a program.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) items: Vec<Item>,
}

/// An item.
#[derive(Debug)]
pub(crate) struct Item {
    /// In upper case; `None` for FILLER.
    pub(crate) name: Option<String>,
    pub(crate) parent: Option<usize>,
    pub(crate) parts: Vec<usize>,
    pub(crate) level: u8,
    /// In its record, of the first occurrence.
    pub(crate) offset: usize,
    /// Of one occurrence.
    pub(crate) length: usize,
    pub(crate) occurs: Option<usize>,
    pub(crate) redefines: bool,
    usage: Option<Usage>,
    national: bool,
    /// PICTURE U: whether BYTE-LENGTH stands there.
    utf8: Option<bool>,
}

/// Characters that a line for the reader of data descriptions takes.
const LINE: usize = 60;

impl Records {
    /// Reads the data division among some tokens.
    pub(crate) fn read(tokens: &[Token], division: Range<usize>) -> Self {
        let (text, lines) = sentences(tokens, division);
        let source = Source::new("DATA DIVISION", text);
        let parsed = parse_as(&source, copybook::Form::Zos);
        let mut records = Self::default();
        for Layout { root, .. } in &parsed.layouts {
            records.add(root, None, tokens, &lines);
        }
        records
    }

    fn add(&mut self, field: &Field, parent: Option<usize>, tokens: &[Token], lines: &[usize]) -> usize {
        let number = self.items.len();
        let at = lines.get(field.place.line.wrapping_sub(1)).copied();
        let usage = match &field.kind {
            copybook::Kind::Elementary(usage) => Some(*usage),
            copybook::Kind::Group(_) => None,
        };
        self.items.push(Item {
            name: field.name.clone(),
            parent,
            parts: Vec::new(),
            level: field.level,
            offset: field.offset,
            length: field.length,
            occurs: field.occurs.as_ref().map(|occurs| occurs.max),
            redefines: field.redefines.is_some(),
            usage,
            national: at.is_some_and(|at| is_national(tokens, at)),
            utf8: at.and_then(|at| utf8(tokens, at)),
        });
        for part in field.parts() {
            let part = self.add(part, Some(number), tokens, lines);
            self.items[number].parts.push(part);
        }
        number
    }

    /// The item and the groups above it.
    pub(crate) fn above(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(item), |at| self.items[*at].parent)
    }

    /// The item as COBOL names it, with every group above it.
    pub(crate) fn reference(&self, item: usize) -> Option<String> {
        self.items[item].name.as_ref()?;
        let names: Vec<&str> = self.above(item).filter_map(|at| self.items[at].name.as_deref()).collect();
        Some(names.join(" OF "))
    }

    /// The item that a reference of [`Self::reference`] names.
    pub(crate) fn referred(&self, reference: &str) -> Option<usize> {
        (0..self.items.len()).find(|item| self.reference(*item).as_deref() == Some(reference))
    }

    /// The name of an item, and those of the groups around it from the inside out.
    pub(crate) fn names(&self, item: usize) -> Vec<String> {
        self.above(item).filter_map(|at| self.items[at].name.clone()).collect()
    }

    /// How a host variable's value is stored; `None`: it is a structure, or nothing that SQL knows.
    pub(crate) fn form(&self, item: usize) -> Option<Form> {
        let own = &self.items[item];
        let number = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        let scale = |n: i32| i8::try_from(n).unwrap_or_default();
        Some(match own.usage {
            None => return self.varying(item),
            Some(_) if own.national => Form::Graphic { length: own.length as u32 },
            Some(_) if own.utf8.is_some() => {
                let length = own.length as u32;
                Form::Utf8 { length, characters: if own.utf8 == Some(true) { 0 } else { length / UTF_8_MAX } }
            }
            Some(Usage::Text) => Form::Char { length: own.length as u32 },
            Some(Usage::Zoned { digits, scale: s, sign }) => {
                Form::Zoned { digits: number(digits), scale: scale(s), sign: self::sign(sign) }
            }
            Some(Usage::Packed { digits, scale: s, signed }) => {
                Form::Packed { digits: number(digits), scale: scale(s), signed }
            }
            // COMP-X of one byte, of three …: SQL has no such numbers.
            Some(Usage::Binary { .. }) if !own.length.is_power_of_two() || own.length == 1 => return None,
            Some(Usage::Binary { digits, scale: s, signed, .. }) => Form::Binary {
                bytes: number(own.length),
                digits: number(digits),
                scale: scale(s),
                signed,
                native: false,
            },
            Some(Usage::Float) => Form::Float { bytes: number(own.length), native: false },
            Some(Usage::Address | Usage::Index | Usage::Opaque) => return None,
        })
    }

    /// A length and characters of level 49: VARCHAR, or CLOB where the length has four bytes.
    fn varying(&self, group: usize) -> Option<Form> {
        let parts = &self.items[group].parts;
        let (length, data) = parts.split_first()?;
        let first = data.first()?;
        let is_varying = parts.iter().all(|part| self.items[*part].level == 49);
        let Some(Usage::Binary { .. }) = self.items[*length].usage.filter(|_| is_varying) else {
            return None;
        };
        let native = false;
        let characters: usize = data.iter().map(|part| self.items[*part].length).sum();
        let size = characters as u32;
        let text = matches!(self.items[*first].usage, Some(Usage::Text | Usage::Opaque))
            && data.iter().all(|part| self.items[*part].utf8.is_none());
        match self.items[*length].length {
            2 if self.items[*first].national => Some(Form::Vargraphic { length: size, native }),
            2 if text => Some(Form::Varchar { length: size, native }),
            4 if text => Some(Form::Lob { length: size, native, binary: false }),
            _ => None,
        }
    }
}

fn sign(sign: ZonedSign) -> Sign {
    match sign {
        ZonedSign::None => Sign::None,
        ZonedSign::Leading => Sign::Leading,
        ZonedSign::Trailing => Sign::Trailing,
        ZonedSign::LeadingSeparate => Sign::SeparateLeading,
        ZonedSign::TrailingSeparate => Sign::SeparateTrailing,
    }
}

/// The entries of a data division in fixed format, and for each line the token that its entry begins with. No line goes on with a
/// number: it would look like the level of another entry.
fn sentences(tokens: &[Token], division: Range<usize>) -> (String, Vec<usize>) {
    let (mut text, mut lines) = (String::new(), Vec::new());
    let mut start = division.start;
    while start < division.end {
        let length = tokens[start..division.end].iter().position(Token::is_period);
        let end = length.map_or(division.end, |length| start + length);
        if is_level(&tokens[start]) {
            for line in entry_lines(&tokens[start..end]) {
                text += &format!("       {line}\n");
                lines.push(start);
            }
        }
        start = end + 1;
    }
    (text, lines)
}

/// The lines of one entry, with its full stop.
fn entry_lines(tokens: &[Token]) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut at = 0;
    while at < tokens.len() {
        // A picture has several tokens.
        let glued = tokens[at + 1..].iter().take_while(|token| token.is_glued()).count();
        let word: String = tokens[at..=at + glued].iter().map(|token| &*token.text).collect();
        let word = if word.len() > LINE || tokens[at].kind == Kind::Literal { "'X'" } else { word.as_str() };
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        match lines.last_mut() {
            Some(line) if is_number || line.len() + word.len() < LINE => *line += &format!("{word} "),
            _ => lines.push(format!("{word} ")),
        }
        at += glued + 1;
    }
    lines.push(".".to_owned());
    lines
}

/// Whether an entry at a token has a picture of N or G.
fn is_national(tokens: &[Token], at: usize) -> bool {
    let entry = entry(tokens, at);
    picture(&entry).is_some_and(|token| token.text.starts_with(['N', 'n', 'G', 'g']))
}

/// Bytes of a character of UTF-8, at most: as many as a picture counts for each.
const UTF_8_MAX: u32 = 4;

/// Of an entry with a picture of U whether it has BYTE-LENGTH.
fn utf8(tokens: &[Token], at: usize) -> Option<bool> {
    let entry = entry(tokens, at);
    picture(&entry).filter(|token| token.text.starts_with(['U', 'u']))?;
    Some(entry.iter().any(|token| token.is("BYTE-LENGTH")))
}

fn entry(tokens: &[Token], at: usize) -> Vec<&Token> {
    tokens[at..].iter().take_while(|token| !token.is_period()).collect()
}

fn picture<'t>(entry: &[&'t Token]) -> Option<&'t Token> {
    let picture = entry.iter().position(|token| token.is_any(&["PIC", "PICTURE"]))?;
    entry[picture + 1..].iter().find(|token| !token.is("IS")).copied()
}
