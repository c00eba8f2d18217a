//! A program's command as it is sent to another region, and what comes back of it.
//!
//! It has copies of what the command brings: a record by its given length, an identifier by its field. An address is nothing
//! elsewhere: where the program wants the address of data, the other region fills an area as long as any.

use spec::{Direction, Kind, OptionId, OptionSpec, opt};

use super::Call;
use super::elsewhere::Leads;
use super::parcel::{Content, Parcel};
use crate::limits::HALFWORD_LENGTH_MAX;
use crate::raise::Outcome;
use crate::task::Task;

/// Options that are numbers, though their records call them areas: programs give halfwords and fullwords.
const NUMBERS: [OptionId; 3] = [opt::LENGTH, opt::ITEM, opt::NUMITEMS];
/// Options that are names, though their records call them values.
const NAMES: [OptionId; 1] = [opt::USERID];

/// The longest identifier of a record.
const IDENTIFIER_MAX: usize = 255;
const FULLWORD: usize = 4;
const DOUBLEWORD: usize = 8;

impl Parcel {
    /// The command of a program, for the region to which it leads. SYSID stays here.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn of_shipped(call: &Call<'_>, to: &Leads) -> Outcome<Self> {
        let mut parcel = Self::new(call.command());
        let stays = [opt::RESP, opt::RESP2, opt::SYSID];
        for option in call.arguments().filter(|option| !stays.contains(option)) {
            let Some(record) = parcel.listed(option) else { continue };
            // What the record does not take is not sent; the compiler refuses it.
            let _ = match &to.renamed {
                Some((renamed, name)) if *renamed == option => {
                    parcel.give(option, Content::Bytes(name.clone()))
                }
                _ if record.kind == Kind::Pointer => parcel.room(opt::INTO, HALFWORD_LENGTH_MAX),
                _ if record.direction == Direction::Out => parcel.room(option, room(call, option)?),
                // Behind SET a length that comes back says nothing before.
                _ if option == opt::LENGTH && call.has(opt::SET) => parcel.room(option, FULLWORD),
                _ => parcel.give(option, brought(call, record)?),
            };
        }
        for keyword in call.keywords() {
            let _ = parcel.keyword(keyword);
        }
        Ok(parcel)
    }

    /// Gives a program what another region has put into the parcel of its command: no more than its fields take.
    ///
    /// # Errors
    /// ASRA on a bad address; the abend of a task that has too much storage.
    pub fn hand_over(
        &self,
        task: &mut Task,
        call: &Call<'_>,
        results: impl IntoIterator<Item = (OptionId, Content)>,
    ) -> Outcome {
        for (option, content) in results {
            let Some(size) = self.room_of(option) else { continue };
            if self.listed(option).is_none_or(|record| record.direction == Direction::In) {
                continue;
            }
            match content {
                Content::Bytes(bytes) if option == opt::INTO && call.has(opt::SET) => {
                    let address = task.hold(&bytes[..bytes.len().min(size)])?;
                    call.put_pointer(opt::SET, address)?;
                }
                Content::Bytes(bytes) => call.put_area(option, &bytes[..bytes.len().min(size)])?,
                Content::Number(number) => call.put_number(option, number)?,
                Content::Nothing | Content::Pointer(_) => {}
            }
        }
        Ok(())
    }
}

/// The bytes that a command may fill.
fn room(call: &Call<'_>, option: OptionId) -> Outcome<usize> {
    let given = if option == opt::INTO { call.number(opt::LENGTH)? } else { None };
    let length = given.map_or(call.size(option), |length| usize::try_from(length).unwrap_or(0));
    Ok(length.min(HALFWORD_LENGTH_MAX))
}

/// The content of a field that a command brings.
fn brought(call: &Call<'_>, record: &OptionSpec) -> Outcome<Content> {
    let option = record.id;
    let is_number = match record.kind {
        Kind::Value => !NAMES.contains(&option),
        Kind::Cvda | Kind::Hhmmss => true,
        _ => NUMBERS.contains(&option),
    };
    if is_number {
        return Ok(call.number(option)?.map_or(Content::Nothing, Content::Number));
    }
    let length = match option {
        opt::FROM => length(call, opt::LENGTH)?.unwrap_or(call.size(option)).min(HALFWORD_LENGTH_MAX),
        opt::RIDFLD if call.keyword(opt::XRBA) => DOUBLEWORD,
        opt::RIDFLD if call.keyword(opt::RBA) || call.keyword(opt::RRN) => FULLWORD,
        opt::RIDFLD => {
            let key = length(call, opt::KEYLENGTH)?.unwrap_or_default();
            key.max(call.size(option)).min(IDENTIFIER_MAX)
        }
        _ => call.size(option).min(HALFWORD_LENGTH_MAX),
    };
    let bytes = call.bytes_of(option, length)?;
    Ok(bytes.map_or(Content::Nothing, |bytes| Content::Bytes(bytes.to_vec())))
}

/// A length that is given; one below zero is none, and the other region says so.
fn length(call: &Call<'_>, option: OptionId) -> Outcome<Option<usize>> {
    Ok(call.number(option)?.map(|length| usize::try_from(length).unwrap_or(0)))
}
