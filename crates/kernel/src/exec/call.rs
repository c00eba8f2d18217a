//! One command of a program: its options, their arguments in, results out.
//!
//! Every access copies, and every access is guarded: an argument at a bad address is ASRA in the task, not a fault of
//! the region. Nothing borrowed from the program outlives the access, so a handler may wait between any two of them.

use cobol::{ExecCall, Number, Run};
use smallvec::SmallVec;
use spec::{CommandId, OptionId, cond, opt};

use crate::name::Name;
use crate::raise::{Outcome, Raise, RaiseCondition};

/// Bytes copied from a program: records and names fit without an allocation.
pub type Bytes = SmallVec<[u8; 256]>;

/// A command as its handler sees it.
pub struct Call<'r> {
    run: &'r mut Run,
    exec: ExecCall,
}

impl<'r> Call<'r> {
    /// The command that a program has just yielded.
    pub(crate) fn new(run: &'r mut Run, exec: ExecCall) -> Self {
        Self { run, exec }
    }

    /// The command.
    pub fn command(&self) -> CommandId {
        self.exec.descriptor().command()
    }

    /// The statement's number in the program.
    pub fn statement(&self) -> u16 {
        self.exec.descriptor().statement()
    }

    /// Whether the option has an argument here.
    pub fn has(&self, option: OptionId) -> bool {
        self.place(option).is_some()
    }

    /// Whether the keyword is here.
    pub fn keyword(&self, option: OptionId) -> bool {
        self.exec.descriptor().keyword(option)
    }

    /// Whether the option is here, with an argument or without.
    pub fn given(&self, option: OptionId) -> bool {
        self.has(option) || self.keyword(option)
    }

    /// The options with an argument, in the order of the statement.
    pub fn arguments(&self) -> Vec<OptionId> {
        self.exec.descriptor().arguments().collect()
    }

    /// The keywords.
    pub fn keywords(&self) -> Vec<OptionId> {
        self.exec.descriptor().keywords().collect()
    }

    fn place(&self, option: OptionId) -> Option<usize> {
        self.exec.descriptor().argument(option)
    }

    /// How many bytes the argument's field has; 0 if the option is not here.
    pub fn size(&self, option: OptionId) -> usize {
        self.place(option).map_or(0, |i| self.exec.arg(i).size())
    }

    /// The argument's address, for commands that hand the area itself on (COMMAREA).
    pub fn address(&self, option: OptionId) -> Option<usize> {
        self.place(option).map(|i| self.exec.arg(i).address())
    }

    /// A name: blanks behind it, nothing beyond `N`.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn name<const N: usize>(&mut self, option: OptionId) -> Outcome<Option<Name<N>>> {
        let Some(place) = self.place(option) else { return Ok(None) };
        let arg = self.exec.arg(place);
        let mut bytes = [b' '; N];
        let length = arg.size().min(N);
        self.run.read(arg.address(), &mut bytes[..length])?;
        Ok(Some(Name::new(bytes)))
    }

    /// A name that the translator has seen to be there.
    ///
    /// # Errors
    /// INVREQ where it is not; ASRA on a bad address.
    pub fn need_name<const N: usize>(&mut self, option: OptionId) -> Outcome<Name<N>> {
        self.name(option)?.ok_or_else(|| cond::INVREQ.raise(0))
    }

    /// A whole number, whatever its USAGE.
    ///
    /// # Errors
    /// ASRA on a bad address or digits that are none.
    pub fn number(&mut self, option: OptionId) -> Outcome<Option<i64>> {
        let Some(place) = self.place(option) else { return Ok(None) };
        let arg = self.exec.arg(place);
        self.run.number(&arg).map(Some).map_err(|e| match e {
            Number::Fault(fault) => fault.into(),
            Number::NotNumeric => Raise::abend("ASRA"),
        })
    }

    /// The whole field.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn bytes(&mut self, option: OptionId) -> Outcome<Option<Bytes>> {
        let size = self.size(option);
        self.bytes_of(option, size)
    }

    /// `length` bytes from the field's first on, also beyond its end: the program's LENGTH is what counts.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn bytes_of(&mut self, option: OptionId, length: usize) -> Outcome<Option<Bytes>> {
        let Some(place) = self.place(option) else { return Ok(None) };
        let mut bytes = Bytes::from_elem(0, length);
        self.run.read(self.exec.arg(place).address(), &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The bytes that a command sends: FROM with LENGTH or FLENGTH, else the whole field.
    ///
    /// # Errors
    /// LENGERR for a length below zero or above `longest`.
    pub fn outgoing(&mut self, from: OptionId, length: OptionId, longest: usize) -> Outcome<Option<Bytes>> {
        let length = match self.number(length)? {
            None => self.size(from),
            Some(n) => usize::try_from(n).map_err(|_| cond::LENGERR.raise(1))?,
        };
        if length > longest {
            return Err(cond::LENGERR.raise(1));
        }
        self.bytes_of(from, length)
    }

    /// Writes a field: these bytes, no more than it holds, the rest untouched.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put(&mut self, option: OptionId, bytes: &[u8]) -> Outcome {
        let Some(place) = self.place(option) else { return Ok(()) };
        let arg = self.exec.arg(place);
        let length = bytes.len().min(arg.size());
        self.run.write(arg.address(), &bytes[..length])?;
        Ok(())
    }

    /// Writes `bytes` at the field's address whatever its size, for areas with an explicit length.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_area(&mut self, option: OptionId, bytes: &[u8]) -> Outcome {
        let Some(place) = self.place(option) else { return Ok(()) };
        self.run.write(self.exec.arg(place).address(), bytes)?;
        Ok(())
    }

    /// Writes a number in the field's own USAGE. A field that is not there is not written.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_number(&mut self, option: OptionId, number: i64) -> Outcome {
        let Some(place) = self.place(option) else { return Ok(()) };
        let arg = self.exec.arg(place);
        self.run.put_number(&arg, number)?;
        Ok(())
    }

    /// Writes an address into a pointer.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn put_pointer(&mut self, option: OptionId, address: usize) -> Outcome {
        self.put(option, &address.to_ne_bytes())
    }

    /// Reads a pointer.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn pointer(&mut self, option: OptionId) -> Outcome<Option<usize>> {
        let Some(bytes) = self.bytes(option)? else { return Ok(None) };
        let bytes: [u8; size_of::<usize>()] =
            bytes.as_slice().try_into().map_err(|_| cond::INVREQ.raise(0))?;
        Ok(Some(usize::from_ne_bytes(bytes)))
    }

    /// Reads anywhere in the program's storage.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn read_at(&mut self, address: usize, bytes: &mut [u8]) -> Outcome {
        Ok(self.run.read(address, bytes)?)
    }

    /// Writes anywhere in the program's storage.
    ///
    /// # Errors
    /// ASRA on a bad address.
    pub fn write_at(&mut self, address: usize, bytes: &[u8]) -> Outcome {
        Ok(self.run.write(address, bytes)?)
    }

    /// A time or an interval given as 0hhmmss: hours, minutes, seconds.
    ///
    /// # Errors
    /// INVREQ for what is no time; ASRA on a bad address.
    pub fn hhmmss(&mut self, option: OptionId) -> Outcome<Option<(u32, u32, u32)>> {
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
    pub fn deliver(&mut self, data: &[u8], to: Delivery, hold: impl FnOnce(&[u8]) -> Outcome<usize>) -> Outcome {
        if self.has(to.set) {
            let address = hold(data)?;
            self.put_pointer(to.set, address)?;
            return self.put_number(to.length, data.len() as i64);
        }
        let room = match self.number(to.room)? {
            Some(n) => usize::try_from(n).map_err(|_| cond::LENGERR.raise(to.resp2))?,
            None => self.size(to.into),
        };
        let fits = data.len().min(room);
        self.put_area(to.into, &data[..fits])?;
        self.put_number(to.length, data.len() as i64)?;
        if fits < data.len() { Err(cond::LENGERR.raise(to.resp2)) } else { Ok(()) }
    }
}

/// The options by which a command gives data to a program.
#[derive(Clone, Copy)]
pub struct Delivery {
    /// The area.
    pub into: OptionId,
    /// The pointer instead of it.
    pub set: OptionId,
    /// Where the program says how much it takes: LENGTH, MAXLENGTH.
    pub room: OptionId,
    /// Where the length comes back.
    pub length: OptionId,
    /// RESP2 of LENGERR.
    pub resp2: i32,
}

impl Delivery {
    /// INTO or SET, and LENGTH both ways.
    pub const PLAIN: Self = Self { into: opt::INTO, set: opt::SET, room: opt::LENGTH, length: opt::LENGTH, resp2: 0 };

    /// INTO or SET, and FLENGTH both ways.
    pub const FULLWORD: Self = Self { room: opt::FLENGTH, length: opt::FLENGTH, ..Self::PLAIN };

    /// The same with another RESP2 for LENGERR.
    #[must_use]
    pub const fn resp2(mut self, resp2: i32) -> Self {
        self.resp2 = resp2;
        self
    }
}
