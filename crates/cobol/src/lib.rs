//! COBOL in one process: private runtimes, program images, coroutines, faults.
//!
//! GnuCOBOL's runtime keeps global state and its modules keep WORKING-STORAGE in static memory. A region needs the
//! opposite: many tasks, each with fresh WORKING-STORAGE, on several threads. This crate gives each thread a [`Host`]
//! with a runtime of its own, runs each program in a coroutine ([`Run`]) and swaps the programs' memory between tasks.
//! To its user a COBOL program is a generator of calls: [`Run::resume`] returns a [`Step`].
//!
//! What never lives here: the meaning of a command, an abend code, a condition. This is the only crate with unsafe code.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
compile_error!("the COBOL host knows x86-64 Linux with the GNU C library");

mod answer;
mod argument;
mod arithmetic;
mod bare;
mod beacon;
mod calculation;
mod call;
mod checks;
mod elf;
mod ending;
mod error;
mod external;
mod file;
mod floats;
mod gmp;
mod host;
mod image;
mod imports;
mod inspect;
mod layout;
mod memory;
mod number;
mod program;
mod results;
mod run;
mod runtime;
mod signals;
mod stack;
mod storage;
mod tcb;

pub use answer::Answers;
pub use argument::{Arg, Kind};
pub use bare::{Bare, is_whole_storage, read_storage, write_storage};
pub use beacon::Beacon;
pub use call::{ExecCall, ServiceCall};
pub use ending::{ErrorClass, Fault, FaultKind, Place, RuntimeError, SourceLine, Termination};
pub use error::{AccessError, Error, StorageFault};
#[doc(hidden)]
pub use file::summary as file_summary;
pub use file::{
    AccessMode, FileCall, FileControl, FileKey, FileOperation, FileOrganization, OpenMode, Relation,
};
pub use host::{Host, Installation};
pub use inspect::Entered;
#[doc(hidden)]
pub use layout::summary as layout_summary;
pub use number::Format;
pub use program::{CompiledModule, Program};
pub use run::{Run, Step, Task};
pub use signals::let_signals_pass;
pub use stack::STACK_SIZE;
pub use storage::low::LOW_STORAGE_BYTES;
pub use storage::supply::Supply;
pub use storage::{Area, Arena, Overlay};
