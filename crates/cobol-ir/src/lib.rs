//! COBOL programs as typed operations on places.
//!
//! Here live the intermediate form, the lowering of checked programs to it, the verifier that proves where it stores, and
//! the interpreter that says what it means: generated code has to do the same.
//!
//! What never lives here: names and messages of the language (`cobol-check`), how a number lies in bytes and what a MOVE does
//! with it (`cobol-runtime`), machine code.

#![doc = include_str!("../README.md")]

mod lower;
pub mod program;
pub mod run;
mod verify;
pub mod view;

pub use lower::{lower, lower_at, lower_with_sql, refused_construct};
pub use program::Program;
pub use verify::{Unsound, may_stray, verify};
