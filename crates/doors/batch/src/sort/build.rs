//! INREC, OUTREC and OUTFIL: records rebuilt.

use ebcdic::to_upper;

use super::control::Item;
use super::fields::{Field, Format, store};

/// The longest record.
pub(super) const RECORD_MAX: usize = 32_760;

/// The plan by which a record is rebuilt.
#[derive(Clone, Debug)]
pub(super) struct Build {
    parts: Vec<Part>,
    /// OVERLAY: the record stays, and parts of it are written over.
    overlays: bool,
}

#[derive(Clone, Debug)]
enum Part {
    /// The next part goes to this offset.
    Column(usize),
    Text(Vec<u8>),
    Copy {
        at: usize,
        length: usize,
        case: Case,
    },
    /// From an offset to the end of the record.
    Rest(usize),
    /// A number in another form.
    Number {
        from: Field,
        to: Format,
        length: usize,
    },
    /// A number in digits with an editing pattern.
    Edited {
        from: Field,
        pattern: Vec<u8>,
    },
    /// The number of the record.
    Sequence {
        length: usize,
        format: Format,
        start: i128,
        step: i128,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Kept,
    Upper,
    Lower,
}

impl Build {
    /// Reads the items of BUILD=, FIELDS= or OVERLAY=; an error names the one that is not built.
    pub fn read(item: &Item, overlays: bool) -> Result<Self, String> {
        let items = item.list();
        let mut parts = Vec::new();
        let mut at = 0;
        while at < items.len() {
            let (part, taken) = part(&items[at..])?;
            parts.extend(part);
            at += taken;
        }
        Ok(Self { parts, overlays })
    }

    /// Returns the length of the new records, if it is always the same. `length` is that of the records that are rebuilt.
    pub fn length(&self, length: Option<usize>) -> Option<usize> {
        if self.parts.iter().any(|part| matches!(part, Part::Rest(_))) {
            return None;
        }
        let blank = vec![b' '; if self.overlays { length? } else { 0 }];
        Some(self.apply(&blank, 0).len())
    }

    /// Builds a record from another; `number` counts records from 0.
    pub fn apply(&self, record: &[u8], number: i128) -> Vec<u8> {
        let mut out = if self.overlays { record.to_vec() } else { Vec::new() };
        let mut at = 0;
        for part in &self.parts {
            let bytes = match part {
                Part::Column(column) => {
                    at = *column;
                    continue;
                }
                Part::Text(text) => text.clone(),
                Part::Copy { at, length, case } => {
                    let field = Field { at: *at, length: *length, format: Format::Bytes };
                    let there = record.len().saturating_sub(*at).min(*length);
                    let mut bytes = field.bytes(record);
                    bytes[there..].fill(b' ');
                    match case {
                        Case::Kept => {}
                        Case::Upper => to_upper(&mut bytes),
                        Case::Lower => bytes.make_ascii_lowercase(),
                    }
                    bytes
                }
                Part::Rest(from) => record.get(*from..).unwrap_or_default().to_vec(),
                Part::Number { from, to, length } => {
                    let mut bytes = vec![b'0'; *length];
                    if !store(from.number(record).unwrap_or(0), *to, &mut bytes) {
                        bytes.fill(b'*');
                    }
                    bytes
                }
                Part::Edited { from, pattern } => edited(from.number(record).unwrap_or(0), pattern),
                Part::Sequence { length, format, start, step } => {
                    let mut bytes = vec![b'0'; *length];
                    let modulus = 10_i128.checked_pow((*length).min(31) as u32).unwrap_or(i128::MAX);
                    let value = (start + step * number) % modulus;
                    if *format == Format::Zoned {
                        let text = format!("{value:0length$}");
                        bytes.copy_from_slice(text.as_bytes());
                    } else if !store(value, *format, &mut bytes) {
                        bytes.fill(0);
                    }
                    bytes
                }
            };
            let end = (at + bytes.len()).min(RECORD_MAX);
            if out.len() < end {
                out.resize(end, b' ');
            }
            let fitting = end.saturating_sub(at);
            out[at..end].copy_from_slice(&bytes[..fitting]);
            at = end;
        }
        out
    }
}

/// Reads the part that items begin with, and the number of items that it takes.
fn part(items: &[Item]) -> Result<(Option<Part>, usize), String> {
    let word = |at: usize| items.get(at).and_then(Item::word).unwrap_or_default();
    let number = |at: usize| items.get(at).and_then(Item::number).filter(|number| *number <= RECORD_MAX);
    let refuse = |what: &str| Err(format!("{what} is not built"));
    if let Item::Text(text) = &items[0] {
        return Ok((Some(Part::Text(text.clone())), 1));
    }
    let first = word(0);
    if let Some(column) = first.strip_suffix(':') {
        return match column.parse::<usize>().ok().filter(|column| (1..=RECORD_MAX).contains(column)) {
            Some(column) => Ok((Some(Part::Column(column - 1)), 1)),
            None => refuse(first),
        };
    }
    if let Some((times, fill)) = filler(first) {
        return Ok((Some(Part::Text(vec![fill; times])), 1));
    }
    if first == "SEQNUM" {
        return sequence(items);
    }
    let Some(position) = number(0).filter(|position| *position > 0) else {
        return refuse(if first.is_empty() { "a list here" } else { first });
    };
    let Some(length) = number(1).filter(|length| *length > 0) else {
        // A position alone: the rest of the record.
        return Ok((Some(Part::Rest(position - 1)), 1));
    };
    let at = position - 1;
    let copy = |case: Case| Part::Copy { at, length, case };
    match items.get(2) {
        Some(Item::Pair(keyword, value)) if keyword == "TRAN" => match value.word() {
            Some("LTOU") => Ok((Some(copy(Case::Upper)), 3)),
            Some("UTOL") => Ok((Some(copy(Case::Lower)), 3)),
            _ => refuse("TRAN="),
        },
        Some(Item::Word(format) | Item::Implied(format))
            if Format::named(format).is_some() && items.get(3).is_some_and(is_edit) =>
        {
            let from = Field::new(&items[0], &items[1], Format::named(format).unwrap_or(Format::Bytes));
            let from = from.ok_or_else(|| format!("{position},{length},{format} is no field"))?;
            converted(from, &items[3..]).map(|(part, taken)| (Some(part), 3 + taken))
        }
        // The format of a symbol, where nothing is to be edited.
        Some(Item::Implied(_)) => Ok((Some(copy(Case::Kept)), 3)),
        Some(Item::Word(word)) if matches!(word.as_str(), "HEX" | "JUSTIFY" | "SQZ" | "PAR") => refuse(word),
        Some(Item::Pair(keyword, _)) if !matches!(keyword.as_str(), "TO" | "EDIT" | "LENGTH") => {
            refuse(keyword)
        }
        Some(Item::Pair(keyword, _)) => refuse(&format!("{keyword}= without a format")),
        _ => Ok((Some(copy(Case::Kept)), 2)),
    }
}

fn is_edit(item: &Item) -> bool {
    match item {
        Item::Pair(keyword, _) => matches!(keyword.as_str(), "TO" | "EDIT" | "EDXT" | "LENGTH"),
        Item::Word(word) => word.strip_prefix('M').is_some_and(|mask| mask.parse::<u8>().is_ok()),
        _ => false,
    }
}

/// Reads the items behind a field with its format: TO=, LENGTH=, EDIT=, a mask.
fn converted(from: Field, items: &[Item]) -> Result<(Part, usize), String> {
    let mut to = None;
    let mut length = None;
    let mut pattern = None;
    let mut taken = 0;
    for item in items {
        match item {
            Item::Pair(keyword, value) if keyword == "TO" => {
                let named = value.word().and_then(Format::named);
                to = Some(
                    named.ok_or_else(|| format!("TO={} is not built", value.word().unwrap_or_default()))?,
                );
            }
            Item::Pair(keyword, value) if keyword == "LENGTH" => length = value.number(),
            Item::Pair(keyword, value) if keyword == "EDIT" => {
                let text = value.list().first().and_then(Item::word).map(str::to_owned);
                pattern = Some(text.ok_or("EDIT= is not understood")?);
            }
            Item::Word(mask) if is_edit(item) => {
                return Err(format!("the mask {mask} is not built: say EDIT="));
            }
            _ => break,
        }
        taken += 1;
    }
    match (to, pattern) {
        (None, Some(pattern)) => Ok((Part::Edited { from, pattern: pattern.into_bytes() }, taken)),
        (Some(to), None) if !matches!(to, Format::Bytes | Format::Digits | Format::SignedDigits) => {
            let digits = match from.format {
                Format::Packed => from.length * 2 - 1,
                Format::Fixed | Format::Binary => [3, 5, 8, 10, 13, 15, 18, 20][from.length.clamp(1, 8) - 1],
                _ => from.length,
            };
            let own = match to {
                Format::Packed => digits / 2 + 1,
                Format::Fixed | Format::Binary => 4,
                _ => digits,
            };
            Ok((Part::Number { from, to, length: length.unwrap_or(own).clamp(1, 32) }, taken))
        }
        _ => Err("this conversion is not built".into()),
    }
}

/// Reads `SEQNUM,length,format,START=,INCR=`.
fn sequence(items: &[Item]) -> Result<(Option<Part>, usize), String> {
    let length = items.get(1).and_then(Item::number).filter(|length| (1..=16).contains(length));
    let format = items.get(2).and_then(Item::word).and_then(Format::named);
    let (Some(length), Some(format @ (Format::Zoned | Format::Packed | Format::Binary | Format::Fixed))) =
        (length, format)
    else {
        return Err("SEQNUM without a length and ZD, PD, BI or FI is not built".into());
    };
    let (mut start, mut step, mut taken) = (1, 1, 3);
    for item in &items[3..] {
        let Item::Pair(keyword, value) = item else { break };
        let number = value.word().and_then(|word| word.parse().ok());
        match (keyword.as_str(), number) {
            ("START", Some(number)) => start = number,
            ("INCR", Some(number)) => step = number,
            _ => return Err(format!("{keyword}= of SEQNUM is not built")),
        }
        taken += 1;
    }
    Ok((Some(Part::Sequence { length, format, start, step }), taken))
}

/// Reads `X`, `5X`, `3Z`: a number of blanks or zeros.
fn filler(word: &str) -> Option<(usize, u8)> {
    let fill = match word.chars().last()? {
        'X' => b' ',
        'Z' => 0,
        _ => return None,
    };
    let times = &word[..word.len() - 1];
    let times = if times.is_empty() { 1 } else { times.parse().ok().filter(|times| *times <= 4095)? };
    Some((times, fill))
}

/// Edits a number by a pattern: I is a digit that is suppressed if it is a leading zero, T one that is shown; S is a sign.
fn edited(number: i128, pattern: &[u8]) -> Vec<u8> {
    let digits_wanted = pattern.iter().filter(|byte| matches!(byte, b'I' | b'T')).count();
    let text = format!("{:0digits_wanted$}", number.unsigned_abs());
    let mut digits = text.bytes().skip(text.len().saturating_sub(digits_wanted));
    let mut shown = false;
    let mut out: Vec<u8> = Vec::with_capacity(pattern.len());
    for byte in pattern {
        out.push(match byte {
            b'I' | b'T' => {
                let digit = digits.next().unwrap_or(b'0');
                shown |= *byte == b'T' || digit != b'0';
                if shown { digit } else { b' ' }
            }
            b'S' if number < 0 => b'-',
            b'S' => b' ',
            other if shown || *other == b' ' => *other,
            _ => b' ',
        });
    }
    out
}
