//! A program that runs: its frame, its places, its calls of the host.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut, Range};

use cobol_runtime::floating::Hex;
use cobol_runtime::moments::{Moment, moment};
use cobol_types::Numeric;
use smallvec::SmallVec;

use super::abend::ProgramFault;
use super::decimal::Decimal;
use super::fields;
use super::fit::fit;
use super::parsers::Parsers;
use super::shared::{Record, Records, ZEROS};
use super::storage::{Activation, RESERVED, Task};
use cobol_ir::program::{
    Argument, Bounds, BytePlace, Leave, Linear, Number, Program, Segment, Service, Slot,
};

/// Requests of a program to the caller that runs it.
pub trait Host {
    /// DISPLAY; without `advancing` the line goes on.
    fn display(&mut self, text: &[u8], advancing: bool);

    /// CALL and EXEC.
    ///
    /// # Errors
    /// The task ends.
    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault>;

    /// Returns true if the program has to stop.
    fn must_stop(&mut self) -> bool {
        false
    }
}

/// A call of the host.
#[derive(Debug)]
pub struct Call<'c> {
    /// Service that is called.
    pub service: &'c Service,
    /// The name of the program, where a CALL has it in an item.
    pub name: Vec<u8>,
    /// The arguments.
    pub arguments: Vec<Passed>,
    /// Destination of RETURNING: address and length.
    pub returning: Option<(u32, u32)>,
    /// The storage of the task.
    pub task: &'c mut Task,
}

impl Call<'_> {
    /// Gives what ACCEPT FROM DATE and its like, or CURRENT-DATE, ask for; false if it asks for something else.
    pub fn give_moment(&mut self, at: Moment) -> bool {
        let Service::Accept(words) = self.service else { return false };
        let (Some(text), Some((to, length))) = (moment(words, at), self.returning) else { return false };
        let mut bytes = vec![0; length as usize];
        fit(&text, &mut bytes, false);
        self.task.write(to, &bytes)
    }
}

/// Bytes of an argument that is a copy: names, and most numbers, ask for no memory.
pub type Copied = SmallVec<[u8; 16]>;

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// An area of the task's storage: address and length.
    Area(u32, u32),
    /// A copy.
    Copy(Copied),
    /// A label.
    Label(u32),
    /// A numeric item: address, length, and how a number lies there.
    Field(u32, u32, Numeric),
    /// A pointer: its address.
    Pointer(u32),
    /// The address of a record of the linkage section, which the host may change in the frame.
    Address(u32),
    /// A whole number.
    Number(i64),
    /// Nothing.
    None,
}

/// Results of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// On behind it.
    Continue,
    /// On at a label that HANDLE named.
    Label(u32),
    /// There is no such program.
    NoProgram,
}

/// Way in which a program was left.
pub type Left = Leave;

/// Place of the frame's number that tells at which entry a program begins.
const ENTRY: Slot = Slot(0);

/// The beginning of a place in its segment, and its length in bytes.
pub type Found = (i64, i64);

/// A program that runs.
#[derive(Debug)]
pub struct Machine<'m> {
    pub(super) program: &'m Program,
    pub(super) task: &'m mut Task,
    pub(super) frame: Held<'m>,
}

/// The frame of a program that runs: its runner's, or its own.
#[derive(Debug)]
pub(super) enum Held<'m> {
    Lent(&'m mut Frame),
    Own(Box<Frame>),
}

/// State of a program that does not run: the places of its segments, and the numbers of its frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Places of its segments.
    pub activation: Activation,
    slots: Vec<i64>,
    /// As decimals and as floating point: each is used in the form it was held in.
    pub(super) held: Vec<(Decimal, Hex)>,
    pub(super) parsers: Parsers,
    /// The places of linkage records for its code.
    records: Records,
}

impl Deref for Held<'_> {
    type Target = Frame;

    #[inline(always)]
    fn deref(&self) -> &Frame {
        match self {
            Self::Lent(frame) => frame,
            Self::Own(frame) => frame,
        }
    }
}

impl DerefMut for Held<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Frame {
        match self {
            Self::Lent(frame) => frame,
            Self::Own(frame) => frame,
        }
    }
}

/// Bytes of the task by their addresses, also those that it shares; or of literals; or zeros.
#[derive(Clone, Debug)]
pub(super) enum Span {
    Task(Range<usize>),
    Constant(Range<usize>),
    Zeros(Range<usize>),
}

impl Span {
    #[inline]
    pub(super) fn len(&self) -> usize {
        let (Self::Task(range) | Self::Constant(range) | Self::Zeros(range)) = self;
        range.len()
    }

    /// The first bytes of it.
    pub(super) fn up_to(self, length: usize) -> Self {
        match self {
            Self::Task(range) => Self::Task(range.start..range.end.min(range.start + length)),
            Self::Constant(range) => Self::Constant(range.start..range.end.min(range.start + length)),
            Self::Zeros(range) => Self::Zeros(range.start..range.end.min(range.start + length)),
        }
    }
}

/// A host that is never asked: initial values are moves.
pub(super) struct Silent;

impl Host for Silent {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

impl Frame {
    /// That of a program at its beginning.
    pub fn new(program: &Program, activation: Activation) -> Self {
        let slots = vec![0; program.slots as usize];
        let held = vec![(Decimal::default(), Hex::ZERO); program.held as usize];
        let records = Records::none(activation.linkage.len());
        Self { activation, slots, held, parsers: Parsers::default(), records }
    }

    /// The same at one of its entries, by its place in [`Program::entries`], with its arguments.
    pub fn begin_at_entry(&mut self, program: &Program, entry: usize, arguments: &[u32]) {
        if let Some(own) = program.entries.get(entry) {
            self.activation.pass(&own.parameters, arguments);
            self.slots[ENTRY.0 as usize] = entry as i64 + 1;
        }
    }

    /// Its whole numbers.
    #[inline]
    pub fn slots_mut(&mut self) -> &mut [i64] {
        &mut self.slots
    }

    /// A whole number of the frame.
    pub fn slot(&self, slot: Slot) -> i64 {
        self.slots.get(slot.0 as usize).copied().unwrap_or(0)
    }

    /// The program begins again, with these addresses of its linkage records.
    #[inline]
    pub fn begin(&mut self, linkage: &[u32]) {
        self.activation.linkage.clear();
        self.activation.linkage.extend_from_slice(linkage);
        self.begin_numbers();
    }

    /// The same without addresses.
    pub fn begin_without_addresses(&mut self) {
        self.activation.linkage.fill(0);
        self.begin_numbers();
    }

    #[inline]
    fn begin_numbers(&mut self) {
        self.slots.fill(0);
        // Few programs have either.
        if !self.held.is_empty() || !self.parsers.is_empty() {
            self.held.fill((Decimal::default(), Hex::ZERO));
            self.parsers = Parsers::default();
        }
    }

    /// The places of its program's linkage records for code, as their addresses and the storage of the task are now; behind
    /// them the COMMAREA, to be looked at: zeros if it was not passed. To be asked again when the storage has moved, or an address is
    /// another one.
    #[inline]
    pub fn records(&mut self, program: &Program, task: &Task) -> &[Record] {
        self.records.fill(&self.activation.linkage, || program.commarea(), &task.reach())
    }

    /// Returns true if [`Self::records`] would say what it has said before, of a storage that has not moved since.
    #[inline(always)]
    pub fn records_stand(&self) -> bool {
        self.records.stand()
    }

    /// The addresses of linkage records, to be changed: [`Self::records`] looks at all of them the next time.
    #[inline]
    pub fn linkage_mut(&mut self) -> &mut [u32] {
        self.records.are_stale();
        &mut self.activation.linkage
    }
}

impl<'m> Machine<'m> {
    /// A program at its beginning.
    pub fn new(program: &'m Program, task: &'m mut Task, activation: Activation) -> Self {
        Self { program, task, frame: Held::Own(Box::new(Frame::new(program, activation))) }
    }

    /// The same at one of its entries, by its place in [`Program::entries`], with its arguments.
    pub fn at_entry(mut self, entry: usize, arguments: &[u32]) -> Self {
        self.frame.begin_at_entry(self.program, entry, arguments);
        self
    }

    /// A program that goes on with its frame.
    #[inline]
    pub fn resumed(program: &'m Program, task: &'m mut Task, frame: &'m mut Frame) -> Self {
        Self { program, task, frame: Held::Lent(frame) }
    }

    /// The program.
    pub fn program(&self) -> &'m Program {
        self.program
    }

    /// The storage of its task, and its frame.
    pub fn parts(&mut self) -> (&mut Task, &mut Frame) {
        (self.task, &mut self.frame)
    }

    /// Places of its segments, when it has run.
    pub fn into_activation(self) -> Activation {
        match self.frame {
            Held::Lent(frame) => frame.activation.clone(),
            Held::Own(frame) => frame.activation,
        }
    }

    // The frame.

    pub(super) fn slot(&self, slot: Slot) -> i64 {
        self.frame.slots[slot.0 as usize]
    }

    pub(super) fn set_slot(&mut self, slot: Slot, value: i64) {
        self.frame.slots[slot.0 as usize] = value;
    }

    // Places.

    /// The bytes of a place to be read, checked.
    pub(super) fn span(&mut self, place: &BytePlace) -> Result<Span, ProgramFault> {
        let found = self.found(place)?;
        self.span_at(place, found)
    }

    /// The same of a place that is found.
    #[inline]
    pub(super) fn span_at(&mut self, place: &BytePlace, (at, length): Found) -> Result<Span, ProgramFault> {
        if let Segment::Linkage(_) = place.segment
            && self.frame.activation.base(place.segment).is_none()
            && self.program.has_zeros_without_address(place.segment)
        {
            return Ok(Span::Zeros(checked(at, length, 0, ZEROS.len())?));
        }
        self.own_span_at(place, (at, length))
    }

    /// The beginning of a place in its segment, and its length.
    fn found(&mut self, place: &BytePlace) -> Result<Found, ProgramFault> {
        Ok((self.linear(&place.at)?, self.linear(&place.length)?))
    }

    /// The bytes of a place that has an address, checked.
    #[inline(always)]
    fn own_span_at(&mut self, place: &BytePlace, (at, length): Found) -> Result<Span, ProgramFault> {
        if let Bounds::Item { from, to } = place.bounds {
            let end = at.saturating_add(length);
            if at < i64::from(from) || end > i64::from(to) || length < 1 {
                return Err(ProgramFault::Range);
            }
        }
        if length < 0 {
            return Err(ProgramFault::Range);
        }
        if place.segment == Segment::Constant {
            let range = checked(at, length, 0, self.program.constants.len())?;
            return Ok(Span::Constant(range));
        }
        let base = self.frame.activation.base(place.segment).ok_or(ProgramFault::Protection)?;
        if let Segment::Linkage(_) = place.segment {
            let range = checked(at, length, 0, self.task.record(base).limit as usize)?;
            return Ok(Span::Task(range.start + base as usize..range.end + base as usize));
        }
        let at = i64::from(base).saturating_add(at);
        Ok(Span::Task(checked(at, length, RESERVED, self.task.memory().len())?))
    }

    /// The bytes of a place in the task's storage, or in what it shares: nothing else is stored to.
    pub(super) fn stored_span(&mut self, place: &BytePlace) -> Result<Range<usize>, ProgramFault> {
        let found = self.found(place)?;
        self.stored_span_at(place, found)
    }

    /// The same of a place that is found.
    #[inline]
    pub(super) fn stored_span_at(
        &mut self,
        place: &BytePlace,
        found: Found,
    ) -> Result<Range<usize>, ProgramFault> {
        match self.own_span_at(place, found)? {
            Span::Task(range) => Ok(range),
            Span::Constant(_) | Span::Zeros(_) => Err(ProgramFault::Protection),
        }
    }

    #[inline]
    pub(super) fn read(&self, span: &Span) -> Cow<'_, [u8]> {
        match span {
            Span::Task(range) => self.task.look(range.clone()),
            Span::Constant(range) => Cow::Borrowed(&self.program.constants[range.clone()]),
            Span::Zeros(range) => Cow::Borrowed(&ZEROS[range.clone()]),
        }
    }

    pub(super) fn linear(&mut self, linear: &Linear) -> Result<i64, ProgramFault> {
        let mut sum = linear.constant;
        for (factor, number) in &linear.terms {
            let value = self.integer(number)?;
            sum = sum.saturating_add(factor.saturating_mul(value));
        }
        Ok(sum)
    }

    // The host.

    /// A call of the host.
    ///
    /// # Errors
    /// An argument is not there, or the task ends.
    pub fn host_call(&mut self, site: u32, host: &mut dyn Host) -> Result<Answer, ProgramFault> {
        let mut arguments = Vec::new();
        self.pass_all(site, &mut arguments)?;
        let site = &self.program.sites[site as usize];
        let name = match &site.service {
            Service::CallNamed(place) | Service::CancelNamed(place) => {
                let span = self.span(place)?;
                self.read(&span).to_vec()
            }
            _ => Vec::new(),
        };
        let returning = match &site.returning {
            Some(place) => Some(area(&self.stored_span(place)?)),
            None => None,
        };
        let mut call = Call { service: &site.service, name, arguments, returning, task: &mut *self.task };
        host.call(&mut call)
    }

    /// Places of the arguments of a call of the host, all of which are references; zero for one that has no address.
    ///
    /// # Errors
    /// An argument is not there, or is no reference.
    pub fn references(&mut self, site: u32, mut each: impl FnMut(u32)) -> Result<(), ProgramFault> {
        let program = self.program;
        for argument in &program.sites[site as usize].arguments {
            let Argument::Reference(place) = argument else { return Err(ProgramFault::Host) };
            each(self.area_of(place)?.map_or(0, |(at, _)| at));
        }
        Ok(())
    }

    /// The arguments of a call of the host, instead of those that `into` has held.
    ///
    /// # Errors
    /// One is not there.
    pub fn pass_all(&mut self, site: u32, into: &mut Vec<Passed>) -> Result<(), ProgramFault> {
        let program = self.program;
        let arguments = &program.sites[site as usize].arguments;
        into.clear();
        into.reserve_exact(arguments.len());
        for argument in arguments {
            into.push(self.pass(argument)?);
        }
        Ok(())
    }

    /// One argument of a call of the host.
    ///
    /// # Errors
    /// It is not there.
    pub fn pass_one(&mut self, site: u32, argument: u32) -> Result<Passed, ProgramFault> {
        let site = self.program.sites.get(site as usize).ok_or(ProgramFault::Host)?;
        self.pass(site.arguments.get(argument as usize).ok_or(ProgramFault::Host)?)
    }

    fn pass(&mut self, argument: &Argument) -> Result<Passed, ProgramFault> {
        Ok(match argument {
            Argument::Reference(place) => match self.area_of(place)? {
                Some((at, length)) => Passed::Area(at, length),
                None => Passed::None,
            },
            Argument::Field(place, numeric) => match self.area_of(place)? {
                Some((at, length)) => Passed::Field(at, length, *numeric),
                None => Passed::None,
            },
            Argument::Pointer(place) => {
                self.area_of(place)?.map_or(Passed::None, |(at, _)| Passed::Pointer(at))
            }
            Argument::Address(index) => Passed::Address(*index),
            Argument::Number(number) => Passed::Number(self.integer(number)?),
            Argument::Content(place) => {
                let span = self.span(place)?;
                Passed::Copy(Copied::from_slice(&self.read(&span)))
            }
            Argument::Value(number, numeric) => Passed::Copy(self.stored(number, *numeric)?),
            Argument::Label(label) => Passed::Label(*label),
            Argument::None => Passed::None,
        })
    }

    /// Place of an item that is known before the program runs, as most are; `None` if it has to be looked at.
    #[inline]
    fn fixed_area(&self, place: &BytePlace) -> Option<(u32, u32)> {
        let base = self.frame.activation.base(place.segment)?;
        if !place.at.terms.is_empty() || !place.length.terms.is_empty() {
            return None;
        }
        let (at, length) = (place.at.constant, place.length.constant);
        let is_within = match place.bounds {
            Bounds::Item { from, to } => {
                at >= from.into() && at.saturating_add(length) <= to.into() && length > 0
            }
            _ => length >= 0,
        };
        let room = self.task.record(base);
        let there = room.limit.checked_sub(u64::try_from(at).ok()?)?;
        // A record that is declared longer than its area is passed from its first byte on: each access says which bytes it needs.
        let begins_there = matches!(place.segment, Segment::Linkage(_)) && there > 0;
        // Bytes that are there have addresses of 32 bits.
        (is_within && room.base != 0 && (begins_there || length as u64 <= there))
            .then(|| (base + at as u32, length as u32))
    }

    /// Place of an argument. An item without an address is passed as nothing.
    fn area_of(&mut self, place: &BytePlace) -> Result<Option<(u32, u32)>, ProgramFault> {
        if let Some(area) = self.fixed_area(place) {
            return Ok(Some(area));
        }
        let is_nowhere = matches!(place.segment, Segment::Linkage(_))
            && self.frame.activation.base(place.segment).is_none();
        if is_nowhere { Ok(None) } else { Ok(Some(area(&self.stored_span(place)?))) }
    }

    /// The address of a place.
    pub(super) fn address(&mut self, place: &BytePlace) -> Result<i64, ProgramFault> {
        if let Segment::Linkage(_) = place.segment
            && self.frame.activation.base(place.segment).is_none()
        {
            return Ok(0);
        }
        let (at, _) = area(&self.stored_span(place)?);
        Ok(at.into())
    }

    /// The integer part of a number.
    pub(super) fn integer(&mut self, number: &Number) -> Result<i64, ProgramFault> {
        match number {
            Number::Slot(slot) => Ok(self.slot(*slot)),
            Number::Literal { value, scale: 0 } if i64::try_from(*value).is_ok() => Ok(*value as i64),
            Number::Field(place, numeric) => {
                let span = self.span(place)?;
                if let Span::Task(range) = &span {
                    let mut bytes = [0; NUMBER_MAX];
                    if let Some(bytes) = bytes.get_mut(..range.len()) {
                        self.task.fill(range.start, bytes);
                        return fields::number_in(bytes, *numeric);
                    }
                }
                fields::number_in(&self.read(&span), *numeric)
            }
            Number::Address(place) => self.address(place),
            number => Ok(self.number(number)?.integer()),
        }
    }
}

/// Bytes of a number that is looked at without asking for memory, at most.
const NUMBER_MAX: usize = 16;

/// The first byte and the length of a range that lies in the storage of a task.
fn area(range: &Range<usize>) -> (u32, u32) {
    (range.start as u32, range.len() as u32)
}

/// A range that lies within others; one of no bytes lies anywhere.
#[inline]
fn checked(at: i64, length: i64, from: usize, to: usize) -> Result<Range<usize>, ProgramFault> {
    let room = to.checked_sub(from).ok_or(ProgramFault::Protection)? as u64;
    // What is below zero is greater than any room.
    let (behind, length) = (at.wrapping_sub(from as i64) as u64, length as u64);
    if length > room || behind > room - length {
        return Err(ProgramFault::Protection);
    }
    let at = at as usize;
    Ok(at..at + length as usize)
}
