//! The values of a program's items, and the paragraphs that are performed: for dumps and debuggers.
//!
//! Here lives the way from a name to its bytes in a task's storage, without the program running. Nothing here changes
//! storage, and no item, however its program has spoiled it, leads out of it: what cannot be read says so.

use cobol_runtime::floating::Hex;
use cobol_runtime::utf8;
use cobol_types::{Type, Utf8Length};

use super::{Activation, Frame, RESERVED, SHARED, Task, decimal_text, number_in};
use cobol_ir::program::{BlockId, Described, Program, Segment};

/// Occurrences of a table that are shown, at most.
pub const OCCURRENCES_MAX: u32 = 1_000;

/// A program's storage.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    program: &'v Program,
    activation: &'v Activation,
    memory: &'v [u8],
    shared: &'v Seen,
}

/// Copies of the records of the linkage section that lie in storage which tasks share, by their addresses.
#[derive(Clone, Debug, Default)]
pub struct Seen(Vec<(u32, Vec<u8>)>);

impl Seen {
    /// Those of a program, as they are now.
    pub fn of(program: &Program, activation: &Activation, task: &Task) -> Self {
        let records = program.linkage.iter().zip(&activation.linkage).filter(|(_, at)| **at >= SHARED);
        Self(
            records
                .filter_map(|(linkage, at)| {
                    let length = u64::from(linkage.length).min(task.record(*at).limit);
                    let mut bytes = vec![0; usize::try_from(length).ok()?];
                    task.read(*at, &mut bytes).then_some((*at, bytes))
                })
                .collect(),
        )
    }

    /// Bytes of these copies become others.
    pub fn change(&mut self, at: u32, bytes: &[u8]) {
        for (from, own) in &mut self.0 {
            let behind = at.checked_sub(*from).map(|behind| behind as usize);
            let into = behind.and_then(|behind| own.get_mut(behind..behind.saturating_add(bytes.len())));
            if let Some(into) = into {
                into.copy_from_slice(bytes);
            }
        }
    }
}

/// An item, or an occurrence of it; of a table without a subscript, all occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its place in [`cobol_ir::program::Anatomy::items`].
    pub item: u32,
    /// Its subscripts, those of the tables around it in front.
    pub subscripts: Vec<u32>,
    /// True if it is all occurrences of a table.
    pub is_table: bool,
    /// Bytes by which the occurrences that are chosen lie behind the first ones.
    shift: u32,
}

/// The content of a spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'v> {
    /// A group, or all occurrences of a table: its bytes.
    Group(&'v [u8]),
    /// Characters.
    Text(&'v [u8]),
    /// National characters.
    National(String),
    /// UTF-8.
    Utf8(String),
    /// A number, with its decimal point and sign.
    Number(String),
    /// Bytes that are not the number that they should be.
    NotANumber(&'v [u8]),
    /// A pointer: an offset in the task's window, 0 is NULL.
    Pointer(u32),
    /// Bytes without another form.
    Bytes(&'v [u8]),
    /// A record of the linkage section that has no address.
    NotAddressed,
    /// It leads out of the task's storage.
    Unreadable,
}

/// A PERFORM whose end has not been reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// The paragraph or section where the program stands.
    pub procedure: Option<String>,
    /// The statement by which it stands there, by its place in [`Program::lines`]: of the innermost one the statement that
    /// runs, of the others their PERFORM.
    pub line: u32,
}

impl Value<'_> {
    /// It as people read it. Callers say how many bytes they show: `characters` writes text, `hexadecimal` bytes.
    pub fn shown(
        &self,
        characters: impl Fn(&[u8]) -> String,
        hexadecimal: impl Fn(&[u8]) -> String,
    ) -> String {
        match self {
            Self::Text(bytes) => characters(bytes),
            Self::National(text) => format!("N'{text}'"),
            Self::Utf8(text) => format!("U'{text}'"),
            Self::Number(number) => number.clone(),
            Self::NotANumber(bytes) => format!("{}  not a number", hexadecimal(bytes)),
            Self::Group(bytes) | Self::Bytes(bytes) => hexadecimal(bytes),
            Self::Pointer(0) => String::from("NULL"),
            Self::Pointer(at) => format!("X'{at:08X}'"),
            Self::NotAddressed => String::from("not addressed"),
            Self::Unreadable => String::from("not readable"),
        }
    }
}

impl<'v> View<'v> {
    /// The storage of a program that is entered.
    pub fn new(program: &'v Program, activation: &'v Activation, memory: &'v [u8], shared: &'v Seen) -> Self {
        Self { program, activation, memory, shared }
    }

    /// The records and single items of a section of the data division.
    pub fn records(&self, wanted: impl Fn(Segment) -> bool) -> Vec<Spot> {
        let anatomy = &self.program.anatomy;
        let records = anatomy.records().filter(|item| wanted(self.described(*item).segment));
        records.map(|item| self.spot(item, Vec::new(), 0)).collect()
    }

    fn spot(&self, item: u32, subscripts: Vec<u32>, shift: u32) -> Spot {
        Spot { item, subscripts, is_table: self.described(item).table.is_some(), shift }
    }

    /// The item of a spot.
    pub fn item(&self, spot: &Spot) -> &'v Described {
        self.described(spot.item)
    }

    fn described(&self, item: u32) -> &'v Described {
        &self.program.anatomy.items[item as usize]
    }

    /// The parts of a group, or the occurrences of a table; what redefines others stands behind them.
    pub fn parts(&self, spot: &Spot) -> Vec<Spot> {
        let item = self.item(spot);
        if let Some(table) = item.table.filter(|_| spot.is_table) {
            let count = self.occurrences(spot.item).min(OCCURRENCES_MAX);
            return (1..=count)
                .map(|number| Spot {
                    subscripts: spot.subscripts.iter().copied().chain([number]).collect(),
                    is_table: false,
                    shift: spot.shift.saturating_add(table.stride.saturating_mul(number - 1)),
                    ..spot.clone()
                })
                .collect();
        }
        item.parts.iter().map(|part| self.spot(*part, spot.subscripts.clone(), spot.shift)).collect()
    }

    /// The occurrences that a table has now.
    fn occurrences(&self, item: u32) -> u32 {
        let Some(table) = self.described(item).table else { return 1 };
        let Some(depending) = table.depending else { return table.max };
        let count = match self.bytes(&self.spot(depending, Vec::new(), 0)) {
            Ok(bytes) => whole(&self.described(depending).kind, bytes),
            Err(_) => None,
        };
        count.and_then(|count| u32::try_from(count).ok()).map_or(table.max, |count| count.min(table.max))
    }

    /// The spot's name with its subscripts.
    pub fn name(&self, spot: &Spot) -> String {
        let name = self.item(spot).name.as_deref().unwrap_or("FILLER");
        if spot.subscripts.is_empty() || spot.is_table {
            return name.to_owned();
        }
        let subscripts: Vec<String> = spot.subscripts.iter().map(u32::to_string).collect();
        format!("{name}({})", subscripts.join(","))
    }

    /// Place in the task's storage: address and length.
    ///
    /// # Errors
    /// It does not.
    pub fn place(&self, spot: &Spot) -> Result<(u32, usize), Value<'v>> {
        let item = self.item(spot);
        let base = self.activation.base(item.segment).ok_or(Value::NotAddressed)?;
        let slid: i64 = item.slides_behind.iter().map(|table| self.missing_bytes(*table)).sum();
        let at = i64::from(base) + i64::from(item.offset) + i64::from(spot.shift) - slid;
        let length = match item.table.filter(|_| spot.is_table) {
            Some(table) => table.stride as usize * self.occurrences(spot.item) as usize,
            None => item.length as usize,
        };
        let at = u32::try_from(at).ok().filter(|at| *at as usize >= RESERVED).ok_or(Value::Unreadable)?;
        Ok((at, length))
    }

    /// Bytes by which a table is shorter than it may be; one that depends on itself is as long as it may be.
    fn missing_bytes(&self, table: u32) -> i64 {
        let described = self.described(table);
        let Some(occurs) = described.table else { return 0 };
        let slides = occurs.depending.is_some_and(|item| !self.described(item).slides_behind.is_empty());
        if slides {
            return 0;
        }
        i64::from(occurs.max - self.occurrences(table)) * i64::from(occurs.stride)
    }

    fn bytes(&self, spot: &Spot) -> Result<&'v [u8], Value<'v>> {
        let (at, length) = self.place(spot)?;
        if at >= SHARED {
            let found = self.shared.0.iter().find_map(|(from, bytes)| {
                let at = at.checked_sub(*from)? as usize;
                bytes.get(at..at.saturating_add(length))
            });
            return found.ok_or(Value::Unreadable);
        }
        let at = at as usize;
        self.memory.get(at..at.saturating_add(length)).ok_or(Value::Unreadable)
    }

    /// Present value.
    pub fn value(&self, spot: &Spot) -> Value<'v> {
        let bytes = match self.bytes(spot) {
            Ok(bytes) => bytes,
            Err(why) => return why,
        };
        if spot.is_table {
            return Value::Group(bytes);
        }
        match &self.item(spot).kind {
            Type::Group => Value::Group(bytes),
            kind if kind.is_characters() => Value::Text(bytes),
            Type::Numeric(numeric) => match decimal_text(bytes, *numeric) {
                Ok(text) => Value::Number(text),
                Err(_) => Value::NotANumber(bytes),
            },
            Type::FloatShort | Type::FloatLong => Value::Number(Hex::from_bytes(bytes).to_f64().to_string()),
            Type::National | Type::NationalEdited(_) => Value::National(national(bytes)),
            Type::Utf8(length) => {
                let characters = match length {
                    Utf8Length::Characters(characters) => utf8::head(bytes, *characters as usize),
                    Utf8Length::Bytes(_) | Utf8Length::Parts => bytes,
                };
                Value::Utf8(String::from_utf8_lossy(characters).into_owned())
            }
            Type::Index | Type::IndexName | Type::Pointer => match <[u8; 4]>::try_from(bytes) {
                Ok(number) if matches!(self.item(spot).kind, Type::Pointer) => {
                    Value::Pointer(u32::from_be_bytes(number))
                }
                Ok(number) => Value::Number(u32::from_be_bytes(number).to_string()),
                Err(_) => Value::Bytes(bytes),
            },
            _ => Value::Bytes(bytes),
        }
    }

    /// A spot by its name as a program writes it, `NAME`, `NAME(1,2)` or `NAME OF GROUP`; `None` if there is not
    /// exactly one.
    pub fn find(&self, text: &str) -> Option<Spot> {
        let (names, subscripts) = parse(text)?;
        let mut found = None;
        for record in self.records(|_| true) {
            self.search(&record, &names, &subscripts, &mut Vec::new(), &mut found)?;
        }
        found
    }

    /// Looks for a name among the parts; `None` if there is a second one.
    fn search(
        &self,
        spot: &Spot,
        names: &[String],
        subscripts: &[u32],
        groups: &mut Vec<String>,
        found: &mut Option<Spot>,
    ) -> Option<()> {
        let item = self.item(spot);
        let (is_table, used) = (spot.is_table, spot.subscripts.len());
        let mut spot = spot.clone();
        if is_table {
            match subscripts.get(used) {
                Some(wanted) if (1..=self.occurrences(spot.item)).contains(wanted) => {
                    let stride = item.table.map_or(0, |table| table.stride);
                    spot.shift = spot.shift.saturating_add(stride.saturating_mul(wanted - 1));
                    spot.subscripts.push(*wanted);
                    spot.is_table = false;
                }
                Some(_) => return Some(()),
                None => {}
            }
        }
        let name = item.name.as_deref().unwrap_or_default();
        let qualified = || {
            let mut around = groups.iter().rev();
            names[1..].iter().all(|wanted| around.any(|group| group.eq_ignore_ascii_case(wanted)))
        };
        if name.eq_ignore_ascii_case(&names[0]) && qualified() {
            if spot.subscripts.len() == subscripts.len() && found.replace(spot.clone()).is_some() {
                return None;
            }
            return Some(());
        }
        groups.push(name.to_owned());
        for part in &item.parts {
            let part = self.spot(*part, spot.subscripts.clone(), spot.shift);
            self.search(&part, names, subscripts, groups, found)?;
        }
        groups.pop();
        Some(())
    }
}

/// UTF-16, the higher byte first, as it lies.
fn national(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
    char::decode_utf16(units).map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Names, innermost first, and subscripts.
fn parse(text: &str) -> Option<(Vec<String>, Vec<u32>)> {
    let (names, subscripts) = match text.trim().split_once('(') {
        Some((names, rest)) => (names, rest.trim_end().strip_suffix(')')?),
        None => (text, ""),
    };
    let words = names.split_whitespace();
    let is_joint = |word: &&str| word.eq_ignore_ascii_case("OF") || word.eq_ignore_ascii_case("IN");
    let names: Vec<String> = words.filter(|word| !is_joint(word)).map(str::to_owned).collect();
    let subscripts = subscripts.split([',', ' ']).filter(|number| !number.is_empty());
    let subscripts = subscripts.map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>()?;
    (!names.is_empty()).then_some((names, subscripts))
}

fn whole(kind: &Type, bytes: &[u8]) -> Option<i64> {
    match kind {
        Type::Numeric(numeric) => number_in(bytes, *numeric).ok(),
        _ => None,
    }
}

/// Places of a program, innermost first: its statement in its paragraph, and each PERFORM that has led there.
pub fn performed(program: &Program, frame: &Frame, block: BlockId, line: u32) -> Vec<Performed> {
    let anatomy = &program.anatomy;
    let name = |place: Option<usize>| place.map(|place| anatomy.procedures[place].name.clone());
    let mut here = anatomy.procedure_of(block);
    let mut stack = vec![Performed { procedure: name(here), line }];
    let mut waiting: Vec<(usize, usize)> = (anatomy.procedures.iter().enumerate())
        .filter_map(|(place, procedure)| {
            let number = frame.slot(procedure.cell?);
            let which = usize::try_from(number).ok()?.checked_sub(1)?;
            (which < procedure.performs.len()).then_some((place, which))
        })
        .collect();
    // The innermost PERFORM around a procedure is the one of the shortest range that it is in.
    while let Some(inner) = here {
        let ranges = waiting.iter().enumerate().filter_map(|(at, (last, which))| {
            let first = anatomy.procedures[*last].performs[*which].first as usize;
            let around = first <= inner && inner <= *last
                || anatomy.procedures[*last].holds(&anatomy.procedures[inner]);
            around.then_some((at, last - first.min(*last)))
        });
        let Some((at, _)) = ranges.min_by_key(|(_, length)| *length) else { break };
        let (last, which) = waiting.swap_remove(at);
        let perform = anatomy.procedures[last].performs[which];
        here = anatomy.procedure_of(perform.back);
        stack.push(Performed { procedure: name(here), line: perform.line });
    }
    stack
}
