//! Db2's SQL as programs and scripts have it.
//!
//! Here live its tokens, which statement a text is and where its clauses begin, the rewriting for PostgreSQL with the way
//! back to the user's line, and the package that a program's statements make ([`package`]), with the descriptor of the
//! calls that ask for them ([`call`]).
//!
//! Out of scope: COBOL (`cobol-exec`), and any session with a database (`sql`).

#![doc = include_str!("../README.md")]

mod arithmetic;
mod attributes;
mod ddl;
mod dynamic;
mod embedded;
mod guard;
mod letters;
mod lexer;
mod mistake;
mod print;
mod rewrite;
mod script;
mod token;
mod words;

pub mod bind;
pub mod call;
pub mod check;
pub mod package;

pub use arithmetic::{Arithmetic, Holds};
pub use attributes::{Attributes, attributes};
pub use ddl::Definition;
pub use dynamic::{Dynamic, DynamicKind, definition, dynamic};
pub use embedded::{
    DeclaredCursor, DeclaredTable, Embedded, Event, Executable, Numbered, Role, Variables, Whenever,
    one_line, read,
};
pub use letters::Letters;
pub use lexer::lex;
pub use mistake::{Mistake, MistakeKind};
pub use rewrite::is_duration_unit;
pub use script::{Piece, Script, split};
pub use token::{Kind, Token};
