//! The call by which a translated program asks for a command: what the translator writes and the host reads.
//!
//! `EXEC CICS READ FILE('ACCT') INTO(REC) RIDFLD(KEY) UPDATE END-EXEC` becomes
//!
//! ```text
//! CALL 'DFHEI1' USING <descriptor> 'ACCT' REC KEY RETURNING INTO DFHEIRET END-CALL
//! ```
//!
//! The descriptor is a hexadecimal literal. Big-endian, packed:
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | the command's number |
//! | 2 | the statement's number in the program, from 1: key of the program's line map |
//! | 1 | how many options have an argument (*a*) |
//! | 1 | how many are keywords (*k*) |
//! | 2 × *a* | numbers of the options with an argument: the second, third … parameter of the CALL, in this order |
//! | 2 × *k* | numbers of the keywords |
//!
//! Sizes and types of arguments are not in it: the COBOL runtime knows the field behind each parameter. A HANDLE
//! label is passed as its number in the program's label list, from 1. The function's value is an `int`: 0 (go on) or
//! such a number. The program stores it in place as a pointer, the one form of RETURNING that costs nothing, and reads
//! its low half as `DFHEIGO`; the translator puts a `GO TO … DEPENDING ON DFHEIGO` behind the call in programs that have
//! labels. So the code that runs is the same for every call.
//!
//! Every program's first statement is `CALL 'DFHEIN' USING <program>`, with the same RETURNING and jump: the host
//! takes the program's fresh WORKING-STORAGE there, and enters a program anew at its HANDLE ABEND label. The program's
//! name is padded with blanks to [`NAME_LENGTH`]. A program with EXEC CICS gives a pointer as the second parameter: the
//! host stores the address of the EXEC interface block in it, so that the program has it however it was called.

use crate::{CommandId, OptionId};

/// The symbol called for each command.
pub const EXEC_SYMBOL: &str = "DFHEI1";
/// The symbol called at the start of each program.
pub const ENTRY_SYMBOL: &str = "DFHEIN";
/// Size of the program's name that [`ENTRY_SYMBOL`] is given: the longest that COBOL has.
pub const NAME_LENGTH: usize = 30;
/// Most options with an argument that one command may have: parameters of one CALL.
pub const ARGUMENTS_MAX: usize = 60;

/// A read descriptor: borrows the literal in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor<'a> {
    bytes: &'a [u8],
}

const HEADER: usize = 6;

impl<'a> Descriptor<'a> {
    /// How many bytes the descriptor has whose first six bytes these are.
    #[inline]
    pub fn length(header: &[u8; HEADER]) -> usize {
        HEADER + 2 * (usize::from(header[4]) + usize::from(header[5]))
    }

    /// Reads a descriptor; `None` if the bytes are not one, or not one of these records.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let header: &[u8; HEADER] = bytes.get(..HEADER)?.try_into().ok()?;
        let bytes = bytes.get(..Self::length(header))?;
        let known = usize::from(u16::from_be_bytes([bytes[0], bytes[1]])) < crate::commands().len();
        known.then_some(Self { bytes })
    }

    /// The command's number.
    #[inline]
    pub fn command(&self) -> CommandId {
        CommandId(self.word(0))
    }

    /// The statement's number in its program.
    #[inline]
    pub fn statement(&self) -> u16 {
        self.word(2)
    }

    /// How many options have an argument.
    #[inline]
    pub fn argument_count(&self) -> usize {
        usize::from(self.bytes[4])
    }

    /// The place of an option among the arguments, from 0.
    #[inline]
    pub fn argument(&self, option: OptionId) -> Option<usize> {
        (0..self.argument_count()).find(|i| self.word(HEADER + 2 * i) == option.0)
    }

    /// The options with an argument, in the order of the parameters.
    #[inline]
    pub fn arguments(&self) -> impl Iterator<Item = OptionId> + 'a {
        let this = *self;
        (0..self.argument_count()).map(move |i| OptionId(this.word(HEADER + 2 * i)))
    }

    /// The keywords.
    #[inline]
    pub fn keywords(&self) -> impl Iterator<Item = OptionId> + 'a {
        let this = *self;
        let first = HEADER + 2 * self.argument_count();
        (0..usize::from(self.bytes[5])).map(move |i| OptionId(this.word(first + 2 * i)))
    }

    /// Whether the keyword is there.
    #[inline]
    pub fn keyword(&self, option: OptionId) -> bool {
        self.keywords().any(|k| k == option)
    }

    #[inline]
    fn word(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

/// Writes a descriptor.
///
/// # Panics
/// If there are more arguments than [`ARGUMENTS_MAX`] or more than 255 keywords: the translator checks first.
pub fn encode(command: CommandId, statement: u16, arguments: &[OptionId], keywords: &[OptionId]) -> Vec<u8> {
    assert!(arguments.len() <= ARGUMENTS_MAX && keywords.len() <= usize::from(u8::MAX));
    let mut bytes = Vec::with_capacity(HEADER + 2 * (arguments.len() + keywords.len()));
    bytes.extend(command.0.to_be_bytes());
    bytes.extend(statement.to_be_bytes());
    bytes.push(arguments.len() as u8);
    bytes.push(keywords.len() as u8);
    for option in arguments.iter().chain(keywords) {
        bytes.extend(option.0.to_be_bytes());
    }
    bytes
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
    }

    #[test]
    fn garbage_is_not_a_descriptor() {
        assert_eq!(Descriptor::new(b""), None);
        assert_eq!(Descriptor::new(&[0xff; 64]), None);
        let bytes = encode(cmd::READ, 7, &[opt::FILE], &[]);
        assert_eq!(Descriptor::new(&bytes[..bytes.len() - 1]), None);
    }
}
