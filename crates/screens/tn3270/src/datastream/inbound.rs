//! Reading of a terminal's records.

use super::address::Address;
use super::aid::Aid;
use super::order::code;

/// The reason why a record from a terminal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRecord {
    /// No byte at all.
    #[error("the record is empty")]
    Empty,
    /// Not an AID.
    #[error("X'{0:02X}' is not an AID")]
    UnknownAid(u8),
    /// The record ends within the cursor's address, an order or a structured field.
    #[error("the record is cut short at offset {0}")]
    CutShort(usize),
    /// A length that reaches beyond the record, or is below its own size.
    #[error("the structured field at offset {0} has a bad length")]
    BadStructuredField(usize),
}

/// The data of one field as it came: EBCDIC, nulls suppressed by the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The address of its first character: the one after its attribute.
    pub address: Address,
    /// Its characters.
    pub data: Vec<u8>,
}

/// The data sent with the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Nothing, not even the cursor: CLEAR and the PA keys.
    None,
    /// Fields, from a screen that has some.
    Fields {
        /// The cursor's position.
        cursor: Address,
        /// The modified fields in the order sent; empty if no field was modified.
        fields: Vec<Field>,
    },
    /// The characters of a screen without fields.
    Unformatted {
        /// The cursor's position.
        cursor: Address,
        /// All characters but nulls.
        data: Vec<u8>,
    },
    /// Structured fields: each an identifier and its data.
    Structured(Vec<Vec<u8>>),
}

/// One record from a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbound {
    /// The key.
    pub aid: Aid,
    /// The data sent with it.
    pub input: Input,
}

impl Inbound {
    /// Reads a record, AID first.
    pub fn read(record: &[u8]) -> Result<Inbound, BadRecord> {
        let (&first, rest) = record.split_first().ok_or(BadRecord::Empty)?;
        let aid = Aid::of(first).ok_or(BadRecord::UnknownAid(first))?;
        let input = match (aid, rest) {
            (Aid::StructuredField, _) => Input::Structured(structured_fields(record)?),
            // A terminal may send the cursor even with these; it is not wanted.
            (aid, _) if aid.is_short() => Input::None,
            (_, []) => Input::None,
            (_, &[high, low, ref data @ ..]) => {
                let cursor = Address::decode([high, low]);
                match data.first() {
                    None | Some(&code::SBA) => Input::Fields { cursor, fields: fields(record)? },
                    Some(_) => Input::Unformatted { cursor, data: characters(data, DATA_OFFSET)? },
                }
            }
            (_, [_]) => return Err(BadRecord::CutShort(1)),
        };
        Ok(Inbound { aid, input })
    }

    /// The cursor's position, if the terminal sent it.
    pub fn cursor(&self) -> Option<Address> {
        match self.input {
            Input::Fields { cursor, .. } | Input::Unformatted { cursor, .. } => Some(cursor),
            Input::None | Input::Structured(_) => None,
        }
    }
}

/// Data start after AID and cursor.
const DATA_OFFSET: usize = 3;

fn fields(record: &[u8]) -> Result<Vec<Field>, BadRecord> {
    let mut fields = Vec::new();
    let mut at = DATA_OFFSET;
    while at < record.len() {
        let &[high, low] =
            record.get(at + 1..at + 3).and_then(<[u8]>::first_chunk).ok_or(BadRecord::CutShort(at))?;
        let start = at + 3;
        at = next_address(record, start);
        fields.push(Field {
            address: Address::decode([high, low]),
            data: characters(&record[start..at], start)?,
        });
    }
    Ok(fields)
}

/// The offset of the next SBA; the byte X'11' after a Set Attribute or a Graphic Escape is not one.
fn next_address(record: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = record.get(at) {
        at += match byte {
            code::SBA => return at,
            code::SA => 3,
            code::GE => 2,
            _ => 1,
        };
    }
    record.len()
}

/// The characters alone: attributes of characters are left out, and of a graphic escape the character stays.
fn characters(data: &[u8], offset: usize) -> Result<Vec<u8>, BadRecord> {
    let mut characters = Vec::with_capacity(data.len());
    let mut at = 0;
    while let Some(&byte) = data.get(at) {
        let cut_short = BadRecord::CutShort(offset + at);
        match byte {
            code::SA => {
                data.get(at + 2).ok_or(cut_short)?;
                at += 3;
            }
            code::GE => {
                characters.push(*data.get(at + 1).ok_or(cut_short)?);
                at += 2;
            }
            _ => {
                characters.push(byte);
                at += 1;
            }
        }
    }
    Ok(characters)
}

/// Two bytes of length, which count themselves, then the field. A length of 0 is the rest of the record.
fn structured_fields(record: &[u8]) -> Result<Vec<Vec<u8>>, BadRecord> {
    let mut fields = Vec::new();
    let mut at = 1;
    while at < record.len() {
        let bad = BadRecord::BadStructuredField(at);
        let &[high, low] = record[at..].first_chunk().ok_or(BadRecord::CutShort(at))?;
        let len = match usize::from(u16::from_be_bytes([high, low])) {
            0 => record.len() - at,
            len => len,
        };
        let end = at + len;
        fields.push(record.get(at + 2..end).filter(|field| !field.is_empty()).ok_or(bad)?.to_vec());
        at = end;
    }
    Ok(fields)
}
