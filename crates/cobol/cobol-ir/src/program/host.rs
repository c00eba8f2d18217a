//! Calls of the host: CALL, EXEC, ACCEPT, files, storage.

use cobol_types::Numeric;
use serde::{Deserialize, Serialize};

use super::{BytePlace, Number, files};

/// The name of a wait, as the host knows it: its argument is a number of nanoseconds.
pub const WAIT: &str = "C$SLEEP";

/// An argument of a call of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// Storage that the host may read and change.
    Reference(BytePlace),
    /// Storage that the host reads a copy of.
    Content(BytePlace),
    /// A number, as a value or as a copy in this form.
    Value(Number, Numeric),
    /// A label, by its place in [`super::Program::labels`].
    Label(u32),
    /// A numeric item of a command: the host reads and stores it as a number, or as bytes.
    Field(BytePlace, Numeric),
    /// A pointer of a command.
    Pointer(BytePlace),
    /// ADDRESS OF a record of the linkage section, by its place in [`super::Program::linkage`]: the host may change it.
    Address(u32),
    /// A whole number of a command.
    Number(Number),
    /// OMITTED, or an option without a value.
    None,
}

/// Services of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Service {
    /// CALL of a program whose name is a literal.
    Call(String),
    /// CALL of a program whose name an item holds.
    CallNamed(BytePlace),
    /// A section of declaratives of a program around this one: USE GLOBAL. The program, by its place in what [`crate::lower`]
    /// gives, is entered again at this one of its entries, on the storage that it has.
    Declarative {
        /// The program.
        program: u32,
        /// The entry, by its place there.
        entry: u32,
    },
    /// CANCEL of a program whose name is a literal.
    Cancel(String),
    /// CANCEL of a program whose name an item holds.
    CancelNamed(BytePlace),
    /// EXEC CICS: the call's descriptor as `spec::call` has it; the arguments are those that it lists.
    Exec(Vec<u8>),
    /// ACCEPT: the words behind FROM, none for the ordinary input; and CURRENT-DATE, the function. What comes goes where a
    /// CALL's RETURNING does, cut or padded with spaces.
    Accept(String),
    /// A statement about a file, by its place in [`super::Program::files`]: the arguments are those of [`files::FileArguments`]. The
    /// first bytes of the file's block, which the host answers, are what is returned.
    File(u32, files::FileOperation),
    /// ALLOCATE of as many bytes as the argument says, all of them zeros. Their address is returned, 0 where there is no storage.
    Allocate,
    /// FREE of the storage at the address that the argument is; 0 is none, and another that ALLOCATE has not given ends the task.
    Free,
    /// EXIT PROGRAM: it goes on behind the call if the program was CALLed, and where a CALL goes on that finds no program if it is a main
    /// program.
    IsCalled,
}

/// A call of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Service that is called.
    pub service: Service,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// Destination of a CALL's RETURNING.
    pub returning: Option<BytePlace>,
}
