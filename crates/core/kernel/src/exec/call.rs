//! One command: its options, their arguments in, results out, for every caller.
//!
//! Every access copies, and every access to a program's storage is guarded: an argument at a bad address is ASRA in the
//! task, not a fault of the region. Nothing borrowed from the caller outlives the access, so a handler may wait between
//! any two of them.

use areas::AccessError;
use spec::call::Descriptor;
use spec::{CommandId, Condition, OptionId, cond, opt};

use super::argument::Argument;
pub use super::bytes::Bytes;
use super::parcel::Parcel;
use super::placed::Placed;
use super::program_call::ProgramCall;
use crate::name::Name;
use crate::places::ProgramPlace;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::storage::{StorageAddress, Window};

/// A command as its handler sees it.
#[derive(Clone, Copy)]
pub struct Call<'r> {
    caller: Caller<'r>,
    descriptor: Descriptor<'r>,
}

/// Caller of a command, with its arguments.
#[derive(Clone, Copy)]
enum Caller<'r> {
    /// A program.
    Own(&'r ProgramCall<'r>),
    /// Anybody else.
    Parcel(&'r Parcel),
}

impl<'r> Call<'r> {
    /// The command of a program.
    #[inline]
    pub(crate) fn of_program(own: &'r ProgramCall<'r>) -> Option<Self> {
        own.descriptor().map(|descriptor| Self { caller: Caller::Own(own), descriptor })
    }

    /// The command of a cell.
    #[inline(always)]
    pub(crate) fn known(own: &'r ProgramCall<'r>, placed: &'r Placed) -> Self {
        Self { caller: Caller::Own(own), descriptor: placed.descriptor() }
    }

    /// The command of a parcel, which gets what the command gives.
    pub fn over(parcel: &'r Parcel) -> Option<Self> {
        parcel.descriptor().map(|descriptor| Self { caller: Caller::Parcel(parcel), descriptor })
    }

    /// Returns true if the command and all its options are built.
    pub(super) fn is_built(&self) -> bool {
        self.descriptor.is_built()
    }

    /// The command.
    #[inline]
    pub fn command(&self) -> CommandId {
        self.descriptor.command()
    }

    /// The statement's number in the program.
    pub fn statement(&self) -> u16 {
        self.descriptor.statement()
    }

    /// The place at which the program asks for it; `None` if no program's text does.
    #[cold]
    pub fn place(&self) -> Option<ProgramPlace> {
        match self.caller {
            Caller::Own(own) => Some(own.place()),
            Caller::Parcel(_) => None,
        }
    }

    /// Does something with the window of the task, which the command has; `None` if no program asks.
    pub(crate) fn with_window<T>(&self, what: impl FnOnce(Option<&mut Window>) -> T) -> T {
        match self.caller {
            Caller::Own(own) => own.with_window(what),
            Caller::Parcel(_) => what(None),
        }
    }

    /// Returns true if the option has an argument here.
    #[inline]
    pub fn has(&self, option: OptionId) -> bool {
        self.descriptor.argument(option).is_some()
    }

    /// Returns true if the keyword is here.
    #[inline]
    pub fn keyword(&self, option: OptionId) -> bool {
        self.descriptor.keyword(option)
    }

    /// Returns true if the option is here, with an argument or without.
    #[inline]
    pub fn given(&self, option: OptionId) -> bool {
        self.has(option) || self.keyword(option)
    }

    /// Returns true if neither RESP nor RESP2 is here.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        self.descriptor.is_silent()
    }

    /// Returns true if the command takes its conditions itself.
    pub(crate) fn takes_conditions(&self) -> bool {
        self.descriptor.takes_conditions()
    }

    /// Fills RESP and RESP2.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub(crate) fn report(&self, condition: Condition, resp2: i32) -> Outcome {
        let numbers =
            [(self.descriptor.resp(), condition.resp().into()), (self.descriptor.resp2(), resp2.into())];
        for (place, number) in numbers {
            if let Some(place) = place {
                let argument = self.caller.argument(place).ok_or(AccessError::Missing)?;
                argument.write_number(number)?;
            }
        }
        Ok(())
    }

    /// Fills RESP and RESP2 of a program's command that has raised nothing, where they are what the compiler makes of them mostly.
    /// Returns true if it has.
    #[inline(always)]
    pub(super) fn reports_nothing_raised(&self) -> bool {
        let Caller::Own(own) = self.caller else { return false };
        let is_zero = |place: Option<usize>| place.is_none_or(|place| own.write_zero(place));
        is_zero(self.descriptor.resp()) && is_zero(self.descriptor.resp2())
    }

    /// The options with an argument and their fields, in the order of the statement.
    #[inline(always)]
    pub fn fields(&self) -> impl Iterator<Item = (OptionId, Field<'_>)> {
        self.descriptor.arguments().enumerate().map(|(place, option)| (option, Field { call: self, place }))
    }

    /// The options with an argument, in the order of the statement.
    pub fn arguments(&self) -> impl Iterator<Item = OptionId> + 'r {
        self.descriptor.arguments()
    }

    /// The keywords.
    pub fn keywords(&self) -> impl Iterator<Item = OptionId> + 'r {
        self.descriptor.keywords()
    }

    #[inline(always)]
    fn arg(&self, option: OptionId) -> Option<Argument<'r>> {
        self.descriptor.argument(option).and_then(|place| self.caller.argument(place))
    }

    /// Number of bytes in the argument's field; 0 if the option is not here.
    #[inline]
    pub fn size(&self, option: OptionId) -> usize {
        self.arg(option).map_or(0, |arg| arg.size())
    }

    /// The argument's address, for commands that hand the area itself on (COMMAREA). `None` if the option is not here,
    /// or its argument is no storage of the task.
    pub fn address(&self, option: OptionId) -> Option<StorageAddress> {
        self.arg(option).and_then(Argument::address)
    }

    /// A name: blanks behind it, nothing beyond `N`.
    ///
    /// # Errors
    /// ASRA on a bad address.
    #[inline]
    pub fn name<const N: usize>(&self, option: OptionId) -> Outcome<Option<Name<N>>> {
        let mut bytes = [b' '; N];
        let Some(place) = self.descriptor.argument(option) else { return Ok(None) };
        if let Caller::Own(own) = self.caller
            && own.name_near(place, &mut bytes)
        {
            return Ok(Some(Name::new(bytes)));
        }
        let Some(arg) = self.caller.argument(place) else { return Ok(None) };
        let given = arg.name(&mut bytes)?;
        Ok(given.then(|| Name::new(bytes)))
    }

    /// A name that the compiler has seen to be there.
    ///
    /// # Errors
    /// INVREQ where it is not; ASRA on a bad address.
    pub fn need_name<const N: usize>(&self, option: OptionId) -> Outcome<Name<N>> {
        self.name(option)?.ok_or_else(|| cond::INVREQ.raise(0))
    }

    /// A whole number, whatever its USAGE.
    ///
    /// # Errors
    /// ASRA on a bad address or digits that are none.
    #[inline]
    pub fn number(&self, option: OptionId) -> Outcome<Option<i64>> {
        // Most options that a command could have are not there.
        let Some(place) = self.descriptor.argument(option) else { return Ok(None) };
        if let Caller::Own(own) = self.caller
            && let Some(number) = own.number_near(place)
        {
            return Ok(Some(number));
        }
        match self.caller.argument(place) {
            None => Ok(None),
            Some(arg) => Ok(arg.number()?),
        }
    }

    /// The whole field.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn bytes(&self, option: OptionId) -> Outcome<Option<Bytes>> {
        self.bytes_of(option, self.size(option))
    }

    /// `length` bytes from the field's first on, also beyond its end: the program's LENGTH is what counts.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn bytes_of(&self, option: OptionId, length: usize) -> Outcome<Option<Bytes>> {
        self.arg(option).map(|arg| arg.first_bytes(length)).transpose().map_err(Raise::from)
    }

    /// Copies bytes from the field's first on, also beyond its end: as many as `into` takes. False if the option is not
    /// here.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn copy_to(&self, option: OptionId, into: &mut [u8]) -> Outcome<bool> {
        let Some(place) = self.descriptor.argument(option) else { return Ok(false) };
        if let Caller::Own(own) = self.caller
            && own.fill_near(place, into)
        {
            return Ok(true);
        }
        let Some(arg) = self.caller.argument(place) else { return Ok(false) };
        arg.read_first(into)?;
        Ok(true)
    }

    /// The bytes that a command sends: FROM with LENGTH or FLENGTH, else the whole field.
    ///
    /// # Errors
    /// LENGERR for a length below zero or above `longest`.
    pub fn outgoing(&self, from: OptionId, length: OptionId, longest: usize) -> Outcome<Option<Bytes>> {
        self.bytes_of(from, self.outgoing_length(from, length, longest)?)
    }

    /// The number of bytes that a command sends.
    ///
    /// # Errors
    /// As [`Self::outgoing`].
    pub fn outgoing_length(&self, from: OptionId, length: OptionId, longest: usize) -> Outcome<usize> {
        let length = match self.number(length)? {
            None => self.size(from),
            Some(n) => usize::try_from(n).map_err(|_| cond::LENGERR.raise(1))?,
        };
        if length > longest { Err(cond::LENGERR.raise(1)) } else { Ok(length) }
    }

    /// Writes a field: these bytes, no more than it holds, the rest untouched.
    ///
    /// # Errors
    /// ASRA on a bad address.
    #[inline]
    pub fn put(&self, option: OptionId, bytes: &[u8]) -> Outcome {
        self.arg(option).map_or(Ok(()), |arg| Ok(arg.write_start(bytes)?))
    }

    /// Writes `bytes` at the field's address whatever its size, for areas with an explicit length.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_area(&self, option: OptionId, bytes: &[u8]) -> Outcome {
        let Some(place) = self.descriptor.argument(option) else { return Ok(()) };
        if let Caller::Own(own) = self.caller
            && own.put_near(place, bytes)
        {
            return Ok(());
        }
        self.caller.argument(place).map_or(Ok(()), |arg| Ok(arg.write_first(bytes)?))
    }

    /// Writes what a program that was LINKed to has left in an area that was lent to it ([`Self::address`]). A constant stays as it is.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_lent(&self, option: OptionId, bytes: &[u8]) -> Outcome {
        match self.address(option) {
            Some(address) => Ok(crate::storage::write(address, bytes).map_err(AccessError::Storage)?),
            None => {
                // Nothing can be left in a constant.
                let _ = self.put_area(option, bytes);
                Ok(())
            }
        }
    }

    /// Writes a number in the field's own USAGE. A field that is not there is not written.
    ///
    /// # Errors
    /// ASRA on a bad address.
    #[inline]
    pub fn put_number(&self, option: OptionId, number: i64) -> Outcome {
        let Some(place) = self.descriptor.argument(option) else { return Ok(()) };
        if let Caller::Own(own) = self.caller
            && own.put_number_near(place, number)
        {
            return Ok(());
        }
        self.caller.argument(place).map_or(Ok(()), |arg| Ok(arg.write_number(number)?))
    }

    /// Writes an address into a pointer.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_pointer(&self, option: OptionId, address: StorageAddress) -> Outcome {
        self.arg(option).map_or(Ok(()), |arg| Ok(arg.write_pointer(address)?))
    }

    /// Reads a pointer.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn pointer(&self, option: OptionId) -> Outcome<Option<StorageAddress>> {
        self.arg(option).map(|arg| arg.pointer()).transpose().map_err(Raise::from)
    }

    /// Reads anywhere in the program's storage.
    ///
    /// # Errors
    /// ASRA on a bad address; any is, where no program asks.
    pub fn read_at(&self, address: StorageAddress, bytes: &mut [u8]) -> Outcome {
        match self.caller {
            Caller::Own(own) => Ok(own.read_at(address, bytes)?),
            Caller::Parcel(_) => Err(Raise::abend("ASRA")),
        }
    }

    /// The pointer at a place of a list, as the program holds it.
    ///
    /// # Errors
    /// As [`Self::read_at`].
    pub fn pointer_of(&self, list: StorageAddress, index: usize) -> Outcome<StorageAddress> {
        match self.caller {
            Caller::Own(own) => Ok(own.pointer_of(list, index)?),
            Caller::Parcel(_) => Err(Raise::abend("ASRA")),
        }
    }

    /// Writes anywhere in the program's storage.
    ///
    /// # Errors
    /// As [`Self::read_at`].
    pub fn write_at(&self, address: StorageAddress, bytes: &[u8]) -> Outcome {
        match self.caller {
            Caller::Own(own) => Ok(own.write_at(address, bytes)?),
            Caller::Parcel(_) => Err(Raise::abend("ASRA")),
        }
    }

    /// A time or an interval given as 0hhmmss: hours, minutes, seconds.
    ///
    /// # Errors
    /// INVREQ for what is no time; ASRA on a bad address.
    pub fn hhmmss(&self, option: OptionId) -> Outcome<Option<(u32, u32, u32)>> {
        let Some(number) = self.number(option)? else { return Ok(None) };
        let number = u32::try_from(number).map_err(|_| cond::INVREQ.raise(4))?;
        let (hours, minutes, seconds) = (number / 10_000, number / 100 % 100, number % 100);
        if hours > 99 {
            return Err(cond::INVREQ.raise(4));
        }
        if minutes > 59 {
            return Err(cond::INVREQ.raise(5));
        }
        if seconds > 59 {
            return Err(cond::INVREQ.raise(6));
        }
        Ok(Some((hours, minutes, seconds)))
    }

    /// Gives data to the program: into INTO, cut to LENGTH or to the field, or by SET.
    ///
    /// LENGTH (or `length`) comes back with the data's whole length; what does not fit is cut and raises LENGERR.
    ///
    /// # Errors
    /// LENGERR with `resp2`; what `hold` raises; ASRA on a bad address.
    pub fn deliver(
        &self,
        data: &[u8],
        to: Delivery,
        hold: impl FnOnce(&[u8]) -> Outcome<StorageAddress>,
    ) -> Outcome {
        let by_address = self.has(to.set);
        // Behind SET a length that comes back says nothing before.
        let says_room = !by_address || to.room != to.length;
        let room = match self.number(to.room)?.filter(|_| says_room) {
            Some(n) => usize::try_from(n).map_err(|_| cond::LENGERR.raise(to.resp2))?,
            None if by_address => data.len(),
            None => self.size(to.into),
        };
        let fits = data.len().min(room);
        if by_address {
            let address = hold(&data[..fits])?;
            self.put_pointer(to.set, address)?;
        } else {
            self.put_area(to.into, &data[..fits])?;
        }
        self.put_number(to.length, data.len() as i64)?;
        if fits < data.len() { Err(cond::LENGERR.raise(to.resp2)) } else { Ok(()) }
    }
}

impl<'r> Caller<'r> {
    /// The argument of a place in the descriptor.
    #[inline(always)]
    fn argument(self, place: usize) -> Option<Argument<'r>> {
        match self {
            Self::Own(own) => own.argument(place).map(Argument::Own),
            Self::Parcel(parcel) => parcel.at(place).map(Argument::Held),
        }
    }
}

/// The field of one option.
#[derive(Clone, Copy)]
pub struct Field<'r> {
    call: &'r Call<'r>,
    place: usize,
}

impl Field<'_> {
    /// Writes characters: no more than it holds, the rest untouched.
    ///
    /// # Errors
    /// ASRA on a bad address.
    #[inline(always)]
    pub fn put(self, bytes: &[u8]) -> Outcome {
        match self.call.caller {
            Caller::Own(own) if own.write_home(self.place, bytes) => Ok(()),
            _ => self.put_elsewhere(bytes),
        }
    }

    /// The same for a field that is too short, or lies in other storage than most do.
    #[inline(never)]
    fn put_elsewhere(self, bytes: &[u8]) -> Outcome {
        self.argument().map_or(Ok(()), |arg| Ok(arg.write_start(bytes)?))
    }

    fn argument(&self) -> Option<Argument<'_>> {
        self.call.caller.argument(self.place)
    }

    /// Writes X'FF' for yes, X'00' for no.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_flag(self, yes: bool) -> Outcome {
        self.put(if yes { &[0xff] } else { &[0x00] })
    }

    /// Writes an address into a pointer.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_pointer(self, address: StorageAddress) -> Outcome {
        self.argument().map_or(Ok(()), |arg| Ok(arg.write_pointer(address)?))
    }

    /// Writes a number in its own USAGE.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_number(self, number: i64) -> Outcome {
        self.argument().map_or(Ok(()), |arg| Ok(arg.write_number(number)?))
    }
}

/// The options by which a command gives data to a program.
#[derive(Clone, Copy)]
pub struct Delivery {
    /// The area.
    pub into: OptionId,
    /// The pointer instead of it.
    pub set: OptionId,
    /// Option with the program's limit: LENGTH, MAXLENGTH.
    pub room: OptionId,
    /// Option for the returned length.
    pub length: OptionId,
    /// RESP2 of LENGERR.
    pub resp2: i32,
}

impl Delivery {
    /// INTO or SET, and LENGTH both ways.
    pub const PLAIN: Self =
        Self { into: opt::INTO, set: opt::SET, room: opt::LENGTH, length: opt::LENGTH, resp2: 0 };

    /// INTO or SET, and FLENGTH both ways.
    pub const FULLWORD: Self = Self { room: opt::FLENGTH, length: opt::FLENGTH, ..Self::PLAIN };

    /// The same with another RESP2 for LENGERR.
    #[must_use]
    pub const fn resp2(mut self, resp2: i32) -> Self {
        self.resp2 = resp2;
        self
    }
}

/// An argument that cannot be used is the program's fault, as it would be in the program itself.
impl From<AccessError> for Raise {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Storage(_) | AccessError::NotNumeric => Self::abend("ASRA"),
            AccessError::TooLarge => cond::LENGERR.raise(0),
            AccessError::Missing => cond::INVREQ.raise(0),
        }
    }
}
