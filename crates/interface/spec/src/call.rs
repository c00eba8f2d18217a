//! The descriptor of a command: the compiler writes one for each EXEC CICS of a program, and the kernel reads it.
//!
//! Little-endian, packed:
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | the command's number |
//! | 2 | the statement's number in the program, from 1: key of the program's list of statements |
//! | 1 | how many options have an argument (*a*) |
//! | 1 | how many are keywords (*k*) |
//! | 1 | the place of RESP among the options with an argument, from 1; 0: it is not there |
//! | 1 | the place of RESP2, likewise |
//! | 1 | flags: 1 is NOHANDLE; 2 says that the command, or an option of it, is not built |
//! | 2 × *a* | numbers of the options with an argument, in the order of the arguments |
//! | 2 × *k* | numbers of the keywords |
//!
//! RESP, RESP2 and NOHANDLE are among the options, too; they have bytes of their own because every command's end asks
//! for them.

use crate::{CommandId, OptionId, opt};

/// Most options with an argument that one command of a program may have.
pub const ARGUMENTS_MAX: usize = 60;
/// Most options with an argument, and most keywords, that a descriptor can list: a place, from 1, is one byte.
pub const LISTED_MAX: usize = u8::MAX as usize - 1;

/// A read descriptor: borrows the literal in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor<'a> {
    header: &'a [u8; HEADER],
    /// Numbers of the options with an argument.
    arguments: &'a [Number],
    /// Numbers of the keywords.
    keywords: &'a [Number],
    /// Options that may be there.
    perhaps: Perhaps,
}

/// A set of options, and perhaps some more: commands ask for many options, most of which are not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Perhaps(u64);

impl Perhaps {
    fn of(numbers: &[Number]) -> Self {
        Self(numbers.iter().fold(0, |all, number| all | Self::bit(id(*number))))
    }

    /// Returns false if an option is certainly not there.
    #[inline(always)]
    fn has(self, option: OptionId) -> bool {
        self.0 & Self::bit(option) != 0
    }

    #[inline(always)]
    fn bit(option: OptionId) -> u64 {
        1 << (option.0 % 64)
    }
}

/// An option's number as it is written.
type Number = [u8; 2];

/// Bytes before the options.
pub const HEADER: usize = 9;
const STATEMENT: usize = 2;
const ARGUMENTS: usize = 4;
const KEYWORDS: usize = 5;
const RESP: usize = 6;
const RESP2: usize = 7;
const FLAGS: usize = 8;
/// In the byte of flags: NOHANDLE is there.
const NOHANDLE: u8 = 1;
/// In the byte of flags: not built, and translated all the same.
const UNBUILT: u8 = 2;

impl<'a> Descriptor<'a> {
    /// Reads a descriptor; `None` if the bytes are not one, name no record of these, or name a command that is not
    /// built.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        Self::any(bytes).filter(Self::is_built)
    }

    /// Reads the descriptor of a command that is not built; `None` if the bytes are not such a descriptor.
    pub fn unbuilt(bytes: &'a [u8]) -> Option<Self> {
        Self::any(bytes).filter(|this| !this.is_built())
    }

    #[inline]
    fn any(bytes: &'a [u8]) -> Option<Self> {
        let (header, options) = bytes.split_first_chunk::<HEADER>()?;
        let (arguments, keywords) = options.as_chunks().0.split_at_checked(header[ARGUMENTS].into())?;
        let keywords = keywords.get(..header[KEYWORDS].into())?;
        let perhaps = Perhaps(Perhaps::of(arguments).0 | Perhaps::of(keywords).0);
        let this = Self { header, arguments, keywords, perhaps };
        (usize::from(this.command().0) < crate::COMMANDS).then_some(this)
    }

    /// Returns true if the command and all its options are built.
    #[inline]
    pub fn is_built(&self) -> bool {
        self.header[FLAGS] & UNBUILT == 0
    }

    /// The command's number.
    #[inline]
    pub fn command(&self) -> CommandId {
        CommandId(u16::from_le_bytes([self.header[0], self.header[1]]))
    }

    /// The statement's number in the program.
    #[inline]
    pub fn statement(&self) -> u16 {
        u16::from_le_bytes([self.header[STATEMENT], self.header[STATEMENT + 1]])
    }

    /// The number of options that have an argument.
    #[inline]
    pub fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    /// The place of RESP among the arguments, from 0.
    #[inline]
    pub fn resp(&self) -> Option<usize> {
        usize::from(self.header[RESP]).checked_sub(1)
    }

    /// The place of RESP2 among the arguments, from 0.
    #[inline]
    pub fn resp2(&self) -> Option<usize> {
        usize::from(self.header[RESP2]).checked_sub(1)
    }

    /// Returns true if the command handles its conditions itself: by RESP or NOHANDLE.
    #[inline]
    pub fn takes_conditions(&self) -> bool {
        self.header[RESP] != 0 || self.header[FLAGS] & NOHANDLE != 0
    }

    /// Returns true if neither RESP nor RESP2 is given.
    #[inline]
    pub fn is_silent(&self) -> bool {
        u16::from_ne_bytes([self.header[RESP], self.header[RESP2]]) == 0
    }

    /// The place of an option among the arguments, from 0.
    #[inline]
    pub fn argument(&self, option: OptionId) -> Option<usize> {
        if self.perhaps.has(option) { place_of(option, self.arguments) } else { None }
    }

    /// The options with an argument, in the order of the parameters.
    #[inline]
    pub fn arguments(&self) -> impl Iterator<Item = OptionId> + 'a {
        self.arguments.iter().map(|number| id(*number))
    }

    /// The keywords.
    #[inline]
    pub fn keywords(&self) -> impl Iterator<Item = OptionId> + 'a {
        self.keywords.iter().map(|number| id(*number))
    }

    /// Returns true if the keyword is given.
    #[inline]
    pub fn keyword(&self, option: OptionId) -> bool {
        self.perhaps.has(option) && place_of(option, self.keywords).is_some()
    }
}

/// A descriptor that was read once, and is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptDescriptor {
    header: [u8; HEADER],
    arguments: Box<[Number]>,
    keywords: Box<[Number]>,
    perhaps: Perhaps,
}

impl KeptDescriptor {
    /// A copy of a descriptor.
    pub fn of(read: &Descriptor<'_>) -> Self {
        let Descriptor { header, arguments, keywords, perhaps } = *read;
        Self { header: *header, arguments: arguments.into(), keywords: keywords.into(), perhaps }
    }

    /// The descriptor.
    #[inline(always)]
    pub fn descriptor(&self) -> Descriptor<'_> {
        let Self { header, arguments, keywords, perhaps } = self;
        Descriptor { header, arguments, keywords, perhaps: *perhaps }
    }
}

#[inline(always)]
fn id(number: Number) -> OptionId {
    OptionId(u16::from_le_bytes(number))
}

/// Finds an option's place among these numbers. Commands ask for most of their options, so numbers are compared in
/// their stored form.
#[inline]
fn place_of(option: OptionId, numbers: &[Number]) -> Option<usize> {
    let wanted = option.0.to_le_bytes();
    numbers.iter().position(|number| *number == wanted)
}

/// Writes a descriptor.
///
/// # Panics
/// If there are more arguments or keywords than [`LISTED_MAX`]: the maker of a call checks first.
pub fn encode(command: CommandId, statement: u16, arguments: &[OptionId], keywords: &[OptionId]) -> Vec<u8> {
    assert!(arguments.len() <= LISTED_MAX && keywords.len() <= LISTED_MAX);
    let place = |option| arguments.iter().position(|o| *o == option).map_or(0, |place| place as u8 + 1);
    let flags = if keywords.contains(&opt::NOHANDLE) { NOHANDLE } else { 0 };
    let mut bytes = Vec::with_capacity(HEADER + 2 * (arguments.len() + keywords.len()));
    bytes.extend(command.0.to_le_bytes());
    bytes.extend(statement.to_le_bytes());
    bytes.extend([arguments.len() as u8, keywords.len() as u8, place(opt::RESP), place(opt::RESP2), flags]);
    for option in arguments.iter().chain(keywords) {
        bytes.extend(option.0.to_le_bytes());
    }
    bytes
}

/// Marks a descriptor as that of a command that is not built: the host refuses it when it is executed.
pub fn mark_unbuilt(descriptor: &mut [u8]) {
    if let Some(flags) = descriptor.get_mut(FLAGS) {
        *flags |= UNBUILT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cmd, opt};

    #[test]
    fn a_descriptor_survives_the_way_through_a_program() {
        let bytes = encode(cmd::READ, 7, &[opt::FILE, opt::INTO], &[opt::UPDATE]);
        let read = Descriptor::new(&bytes).expect("a descriptor");
        assert_eq!((read.command(), read.statement()), (cmd::READ, 7));
        assert_eq!(read.argument(opt::INTO), Some(1));
        assert_eq!(read.argument(opt::RIDFLD), None);
        assert!(read.keyword(opt::UPDATE) && !read.keyword(opt::GENERIC));
        assert!(read.is_silent() && !read.takes_conditions());
        assert_eq!(KeptDescriptor::of(&read).descriptor(), read);
    }

    #[test]
    fn how_a_command_takes_its_conditions_is_known_without_a_search() {
        let bytes = encode(cmd::READ, 7, &[opt::FILE, opt::RESP, opt::RESP2], &[]);
        let read = Descriptor::new(&bytes).expect("a descriptor");
        assert_eq!((read.resp(), read.resp2()), (Some(1), Some(2)));
        assert!(read.takes_conditions() && !read.is_silent());
        let bytes = encode(cmd::READ, 7, &[opt::FILE], &[opt::NOHANDLE]);
        let read = Descriptor::new(&bytes).expect("a descriptor");
        assert!(read.takes_conditions() && read.is_silent());
    }

    #[test]
    fn what_is_not_built_is_no_command_to_be_answered() {
        let mut bytes = encode(cmd::READ, 7, &[opt::FILE], &[opt::NOHANDLE]);
        assert_eq!(Descriptor::unbuilt(&bytes), None);
        mark_unbuilt(&mut bytes);
        assert_eq!(Descriptor::new(&bytes), None);
        let read = Descriptor::unbuilt(&bytes).expect("a descriptor");
        assert!(read.command() == cmd::READ && read.takes_conditions());
    }

    #[test]
    fn garbage_is_not_a_descriptor() {
        assert_eq!(Descriptor::new(b""), None);
        assert_eq!(Descriptor::new(&[0xff; 64]), None);
        let bytes = encode(cmd::READ, 7, &[opt::FILE], &[]);
        assert_eq!(Descriptor::new(&bytes[..HEADER - 1]), None);
        assert_eq!(Descriptor::new(&bytes[..bytes.len() - 1]), None);
    }
}
