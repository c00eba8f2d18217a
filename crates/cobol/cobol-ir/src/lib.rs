//! COBOL programs as typed operations on places.
//!
//! Here live the intermediate form and the verifier that proves where it stores.
//!
//! Out of scope: names and messages of the language (`cobol-check`), the way of a program to operations (`cobol-lower`), the meaning
//! of an operation (`cobol-run`), machine code.

#![doc = include_str!("../README.md")]

pub mod program;
mod verify;

pub use program::Program;
pub use verify::{Unsound, changed_working, may_stray, names_commarea, verify};
