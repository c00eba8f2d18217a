//! SQLDA: a list of fields that a program puts together at run time.
//!
//! A head of 16 bytes (SQLDAID, SQLDABC, SQLN, SQLD), then entries (SQLTYPE, SQLLEN, SQLDATA, SQLIND, SQLNAME). Numbers are
//! COMP. An entry has the published 44 bytes.
//!
//! The program may have put anything into it: each count, type and length is looked at before it is used, and each address is
//! reached through [`Arguments`], which know the program's storage.

mod types;

use db2::package::{Action, Statement, Using};
use db2_values::{Setting, Value};
use sql::codes::Sqlca;
use sql::value::{Field, FieldTarget, take_row, take_values};
use sql::{Column, Values};

pub(crate) use types::Type;

use crate::arguments::{Arguments, Inputs};
use crate::trouble::{Trouble, Unreachable};

const HEAD: usize = 16;
/// Entries of an SQLDA at most, as published.
const ENTRIES_MAX: i16 = 750;
/// Places in the head and in an entry.
const LENGTH: usize = 8;
const ROOM: usize = 12;
const USED: usize = 14;
/// Bytes of an address.
const POINTER: usize = size_of::<u32>();
const DATA: usize = 4;
const INDICATOR: usize = DATA + POINTER;
const NAME: usize = INDICATOR + POINTER;
const NAME_MAX: usize = 30;

/// A program's SQLDA.
pub(crate) struct Sqlda {
    argument: u16,
    /// SQLN: for how many entries there is room.
    room: usize,
    /// SQLD: how many are in use. Nothing is known of it before it is asked for.
    used: i16,
}

/// An entry that names a field.
pub(crate) struct SqldaEntry {
    field: Field,
    data: usize,
    /// None of a type that does not allow NULL.
    indicator: Option<usize>,
}

/// The description of a column or marker by DESCRIBE.
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) is_nullable: bool,
}

/// A field of a program, copied.
struct Copied {
    field: Field,
    bytes: Vec<u8>,
    indicator: Option<i16>,
}

/// The storage of a program that a statement may reach through its SQLDA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The parameter that the SQLDA is.
    pub argument: u16,
    /// The ends of its head and of each of its entries, in bytes.
    pub ends: Vec<usize>,
    /// Addresses and lengths of the fields and indicators that it names.
    pub places: Vec<(usize, usize)>,
}

impl Reach {
    /// Returns the reach of a statement; `None` if it has no SQLDA, or one that reaches nothing.
    pub fn of(statement: &Statement, arguments: &dyn Arguments) -> Option<Self> {
        let (argument, leads_on) = match &statement.action {
            Action::Open { using: Using::Descriptor(area), .. }
            | Action::Fetch { into: Using::Descriptor(area), .. }
            | Action::Execute { using: Using::Descriptor(area), .. } => (*area, true),
            Action::Prepare { into: Some(area), .. } | Action::Describe { into: area, .. } => (*area, false),
            _ => return None,
        };
        let sqlda = Sqlda::read(argument, arguments).ok()?;
        let mut places = Vec::new();
        if leads_on {
            for entry in sqlda.entries(arguments).ok()? {
                places.push((entry.data, entry.field.bytes as usize));
                places.extend(entry.indicator.map(|address| (address, 2)));
            }
        }
        let ends = (0..=sqlda.room).map(|entry| sqlda.entry_at(entry)).collect();
        Some(Self { argument, ends, places })
    }
}

impl Sqlda {
    /// Reads the head.
    pub(crate) fn read(argument: u16, arguments: &dyn Arguments) -> Result<Self, Trouble> {
        let room = word(argument, ROOM, arguments)?;
        let used = word(argument, USED, arguments)?;
        if !(0..=ENTRIES_MAX).contains(&room) {
            return Err(unsuitable("SQLN").into());
        }
        Ok(Self { argument, room: room as usize, used })
    }

    /// Returns the offset of an entry.
    fn entry_at(&self, number: usize) -> usize {
        HEAD + number * (NAME + size_of::<u16>() + NAME_MAX)
    }

    /// The entries in use.
    pub(crate) fn entries(&self, arguments: &dyn Arguments) -> Result<Vec<SqldaEntry>, Trouble> {
        let used = usize::try_from(self.used).ok().filter(|used| *used <= self.room);
        let used = used.ok_or_else(|| unsuitable("SQLD"))?;
        (0..used).map(|number| self.entry(number, arguments)).collect()
    }

    fn entry(&self, number: usize, arguments: &dyn Arguments) -> Result<SqldaEntry, Trouble> {
        let at = self.entry_at(number);
        let kind = word(self.argument, at, arguments)?;
        let field = types::field(kind, word(self.argument, at + 2, arguments)?);
        let field = field.ok_or_else(|| unsuitable("SQLTYPE, SQLLEN").token((number + 1).to_string()))?;
        let field = Field { is_native: false, ..field };
        let address = |place| {
            let mut bytes = [0; POINTER];
            arguments.read(self.argument, at + place, &mut bytes)?;
            Ok::<_, Unreachable>(u32::from_be_bytes(bytes) as usize)
        };
        let indicator = if types::is_nullable(kind) { Some(address(INDICATOR)?) } else { None };
        Ok(SqldaEntry { field, data: address(DATA)?, indicator })
    }

    /// DESCRIBE. Without room for all columns, it says only how many there are.
    pub(crate) fn fill(&self, items: &[Item], arguments: &mut dyn Arguments) -> Result<Sqlca, Trouble> {
        let length = self.entry_at(self.room) as u32;
        arguments.write(self.argument, 0, b"SQLDA   ")?;
        arguments.write(self.argument, LENGTH, &length.to_be_bytes())?;
        arguments.write(self.argument, USED, &(items.len() as u16).to_be_bytes())?;
        if items.len() > self.room {
            let [room, items] = [self.room, items.len()].map(|number| number.to_string());
            return Ok(Sqlca { code: 236, state: *b"01005", tokens: vec![room, items], ..Sqlca::default() });
        }
        for (number, item) in items.iter().enumerate() {
            let at = self.entry_at(number);
            let kind = item.kind.code + i16::from(item.is_nullable);
            arguments.write(self.argument, at, &kind.to_be_bytes())?;
            arguments.write(self.argument, at + 2, &item.kind.length.to_be_bytes())?;
            arguments.write(self.argument, at + NAME, &name(&item.name))?;
        }
        Ok(Sqlca::default())
    }
}

/// Returns a length, and the name with blanks after it.
fn name(name: &str) -> [u8; 2 + NAME_MAX] {
    let mut bytes = [b' '; 2 + NAME_MAX];
    let name = crate::statements::SESSION.bytes(&name.to_uppercase());
    let length = name.len().min(NAME_MAX);
    bytes[..2].copy_from_slice(&(length as u16).to_be_bytes());
    bytes[2..2 + length].copy_from_slice(&name[..length]);
    bytes
}

/// The inputs for markers: the statement's own inputs, or those that an SQLDA names.
pub(crate) fn using(using: Using, inputs: Inputs, arguments: &dyn Arguments) -> Result<Inputs, Trouble> {
    match using {
        Using::Descriptor(area) => {
            let copied = copied(&Sqlda::read(area, arguments)?.entries(arguments)?, arguments)?;
            Ok(Inputs::of(
                copied.into_iter().map(|Copied { field, bytes, indicator }| (field, bytes, indicator)),
            ))
        }
        Using::Variables | Using::Nothing => Ok(inputs),
    }
}

fn copied(entries: &[SqldaEntry], arguments: &dyn Arguments) -> Result<Vec<Copied>, Trouble> {
    let mut fields = Vec::with_capacity(entries.len());
    for (number, SqldaEntry { field, data, indicator }) in entries.iter().enumerate() {
        let mut bytes = vec![0; field.bytes as usize];
        let mut null = [0; 2];
        let mut is_there = arguments.read_at(*data, &mut bytes);
        if let Some(address) = indicator {
            is_there = is_there && arguments.read_at(*address, &mut null);
        }
        if !is_there {
            return Err(nowhere(number).into());
        }
        fields.push(Copied { field: *field, bytes, indicator: indicator.map(|_| i16::from_be_bytes(null)) });
    }
    Ok(fields)
}

/// Puts a row into the fields of an SQLDA.
pub(crate) fn put_row(
    entries: &[SqldaEntry],
    row: Values<'_>,
    columns: &[Column],
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    put(entries, |targets| take_row(row, columns, targets, sql::value::Styles::default()), arguments)
}

/// The same for values, with their types, of the region's own tables.
pub(crate) fn put_values(
    entries: &[SqldaEntry],
    (values, kinds): (&[Value], &[db2_values::Type]),
    setting: &Setting,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    put(entries, |targets| take_values(values, kinds, targets, setting), arguments)
}

fn put(
    entries: &[SqldaEntry],
    take: impl FnOnce(&mut [FieldTarget<'_>]) -> Result<Sqlca, Sqlca>,
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    // What a value leaves of its field stays as it was: it is all written back.
    let mut fields: Vec<_> = copied(entries, arguments)?
        .into_iter()
        .map(|copied| (copied.field, copied.bytes, copied.indicator.map(i16::to_be_bytes)))
        .collect();
    let targets = fields.iter_mut().map(|(field, bytes, indicator)| FieldTarget {
        field: *field,
        bytes,
        indicator: indicator.as_mut(),
    });
    let taken = take(&mut targets.collect::<Vec<_>>());
    for (number, (entry, (_, bytes, indicator))) in entries.iter().zip(&fields).enumerate() {
        let mut is_there = arguments.write_at(entry.data, bytes);
        if let (Some(address), Some(value)) = (entry.indicator, indicator) {
            is_there = is_there && arguments.write_at(address, value);
        }
        if !is_there {
            return Err(nowhere(number).into());
        }
    }
    Ok(taken.unwrap_or_else(|sqlca| sqlca))
}

impl SqldaEntry {
    /// Returns the items of an SQLDA that rows go to.
    pub(crate) fn all(argument: u16, arguments: &dyn Arguments) -> Result<Vec<Self>, Trouble> {
        Sqlda::read(argument, arguments)?.entries(arguments)
    }
}

fn word(argument: u16, offset: usize, arguments: &dyn Arguments) -> Result<i16, Unreachable> {
    let mut bytes = [0; 2];
    arguments.read(argument, offset, &mut bytes)?;
    Ok(i16::from_be_bytes(bytes))
}

/// Makes the SQLCA for an SQLDA that is not valid.
fn unsuitable(what: &str) -> Sqlca {
    Sqlca::error(-804, b"07002").token(what)
}

/// The SQLDA names storage that the program does not have.
fn nowhere(number: usize) -> Sqlca {
    Sqlca::error(-822, b"51004").token((number + 1).to_string())
}
