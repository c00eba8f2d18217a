//! A command at its place in a COBOL program: its descriptor, and where its arguments lie.

use cobol_ir::Program;
use cobol_ir::program::{Argument, Bounds, BytePlace, Number, Numeric, Segment, Site};
use cobol_run::{Activation, Copied, Passed, ProgramFault, Task};
use native::Standing;
use spec::call::{Descriptor, KeptDescriptor};
use spec::{CommandId, cmd, opt};

/// The command, and where its arguments lie.
pub(crate) struct Placed {
    pub command: CommandId,
    descriptor: KeptDescriptor,
    pub arguments: Places,
    /// The line of the source.
    pub line: u32,
    /// The same by its place in the program's list.
    pub at: u32,
    /// It names a label of its program.
    pub has_labels: bool,
    /// It gets storage for SET: it waits while the region is short on storage.
    pub gets_storage: bool,
    /// It takes an area away.
    pub(super) frees: bool,
    /// It is a LINK: its COMMAREA is the caller's own bytes.
    pub(super) links: bool,
    /// It is RETURN without an option.
    pub(super) returns: bool,
}

impl Placed {
    /// The command of a call of the host, whose line has this place.
    pub(super) fn of(program: &Program, site: &Site, at: u32, descriptor: &Descriptor<'_>) -> Self {
        let command = descriptor.command();
        let waits_itself = [cmd::GETMAIN, cmd::GETMAIN64, cmd::ADDRESS_SET].contains(&command);
        Self {
            command,
            descriptor: KeptDescriptor::of(descriptor),
            arguments: Places::of(program, site),
            line: program.lines.get(at as usize).map_or(0, |line| line.line),
            at,
            has_labels: site.arguments.iter().any(|argument| matches!(argument, Argument::Label(_))),
            gets_storage: descriptor.argument(opt::SET).is_some() && !waits_itself,
            frees: [cmd::FREEMAIN, cmd::FREEMAIN64].contains(&command),
            links: command == cmd::LINK,
            returns: command == cmd::RETURN
                && descriptor.argument_count() == 0
                && descriptor.keywords().all(|option| option == opt::NOHANDLE),
        }
    }

    /// Its descriptor.
    #[inline(always)]
    pub(super) fn descriptor(&self) -> Descriptor<'_> {
        self.descriptor.descriptor()
    }
}

/// The places of the arguments of a call of the host.
pub(crate) struct Places {
    pub(super) given: Box<[Given]>,
    /// Arguments that the interpreter works out each time, by their places.
    pub worked_out: Box<[u32]>,
    /// Records of the linkage section in which arguments lie, and how far these reach.
    records: Box<[(u32, u32)]>,
}

/// The place of an argument.
pub(super) enum Given {
    Item {
        from: From,
        at: u32,
        length: u32,
        form: Form,
    },
    /// Always the same bytes.
    Copy(Copied),
    Number(i64),
    Address(u32),
    None,
    /// At this place among those that were worked out.
    WorkedOut(u32),
}

/// A segment that an argument lies in.
#[derive(Clone, Copy)]
pub(super) enum From {
    Working,
    Local,
    Record(u32),
}

/// The kind of an argument.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Area,
    Field(Numeric),
    Pointer,
}

impl Places {
    /// Those of a call.
    pub fn of(program: &Program, site: &Site) -> Self {
        let (mut worked_out, mut records) = (Vec::new(), Vec::new());
        let mut given = Vec::with_capacity(site.arguments.len());
        for (place, argument) in site.arguments.iter().enumerate() {
            given.push(Given::of(program, argument).unwrap_or_else(|| {
                worked_out.push(place as u32);
                Given::WorkedOut(worked_out.len() as u32 - 1)
            }));
            if let Some(Given::Item { from: From::Record(record), at, length, .. }) = given.last() {
                records.push((*record, at + length));
            }
        }
        Self { given: given.into(), worked_out: worked_out.into(), records: records.into() }
    }

    /// Returns true if what lies in the linkage section lies in a storage, or in what that shares, or has no address.
    #[inline(always)]
    pub fn are_there(&self, activation: &Activation, storage: &Task) -> bool {
        for (record, end) in &self.records {
            let base = activation.linkage.get(*record as usize).copied().unwrap_or(0);
            if base != 0 && !storage.has(base, *end) {
                return false;
            }
        }
        true
    }

    /// Lists all arguments. `work_out`: what the interpreter says of the argument at a place.
    ///
    /// # Errors
    /// It is not there.
    pub fn pass(
        &self,
        at: &mut Standing<'_>,
        mut work_out: impl FnMut(&mut Standing<'_>, u32) -> Result<Passed, ProgramFault>,
        into: &mut Vec<Passed>,
    ) -> Result<(), ProgramFault> {
        into.clear();
        into.reserve(self.given.len());
        for (place, given) in self.given.iter().enumerate() {
            into.push(match given {
                Given::WorkedOut(_) => work_out(at, place as u32)?,
                Given::Item { from, at: behind, length, form } => match from.base(at.activation()) {
                    0 => Passed::None,
                    base => form.passed(base.wrapping_add(*behind), *length),
                },
                Given::Copy(bytes) => Passed::Copy(Copied::from_slice(bytes)),
                Given::Number(number) => Passed::Number(*number),
                Given::Address(record) => Passed::Address(*record),
                Given::None => Passed::None,
            });
        }
        Ok(())
    }
}

impl From {
    /// Its first byte; 0 if it has no address.
    #[inline(always)]
    pub fn base(self, activation: &Activation) -> u32 {
        match self {
            Self::Working => activation.working,
            Self::Local => activation.local,
            Self::Record(record) => activation.linkage.get(record as usize).copied().unwrap_or(0),
        }
    }
}

impl Form {
    fn passed(self, at: u32, length: u32) -> Passed {
        match self {
            Self::Area => Passed::Area(at, length),
            Self::Field(numeric) => Passed::Field(at, length, numeric),
            Self::Pointer => Passed::Pointer(at),
        }
    }
}

impl Given {
    /// `None` if it has to be worked out each time.
    fn of(program: &Program, argument: &Argument) -> Option<Self> {
        match argument {
            Argument::Reference(place) => Self::item(place, Form::Area),
            Argument::Field(place, numeric) => Self::item(place, Form::Field(*numeric)),
            Argument::Pointer(place) => Self::item(place, Form::Pointer),
            Argument::Content(place) if place.segment == Segment::Constant => {
                let (at, length) = place.as_fixed()?;
                let bytes =
                    program.constants.get(at as usize..(at as usize).checked_add(length as usize)?)?;
                Some(Self::Copy(Copied::from_slice(bytes)))
            }
            Argument::Number(Number::Literal { value, scale: 0 }) => {
                i64::try_from(*value).ok().map(Self::Number)
            }
            Argument::Address(record) => Some(Self::Address(*record)),
            Argument::None => Some(Self::None),
            Argument::Content(_) | Argument::Value(..) | Argument::Number(_) | Argument::Label(_) => None,
        }
    }

    fn item(place: &BytePlace, form: Form) -> Option<Self> {
        let (at, length) = place.as_fixed()?;
        let end = at.checked_add(length)?;
        if let Bounds::Item { from, to } = place.bounds
            && (at < from || end > to || length == 0)
        {
            return None;
        }
        let from = match place.segment {
            Segment::Working => From::Working,
            Segment::Local => From::Local,
            Segment::Linkage(record) => From::Record(record),
            Segment::Constant => return None,
        };
        Some(Self::Item { from, at, length, form })
    }
}
