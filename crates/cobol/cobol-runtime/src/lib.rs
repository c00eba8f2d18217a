//! Routines that COBOL statements call.
//!
//! Here live INSPECT, STRING, UNSTRING, functions of dates, and NUMVAL: bytes and values in, bytes and values out.
//!
//! Out of scope: names and types of a program (`cobol-check`), the place of a field (`cobol-ir`), clocks and files.

#![doc = include_str!("../README.md")]

mod character;
pub mod dates;
pub mod floating;
mod floating_text;
pub mod formats;
pub mod inspect;
pub mod json;
pub mod moments;
pub mod national;
pub mod natural;
pub mod numval;
mod pace;
pub mod routines;
pub mod strings;
pub mod unicode;
pub mod utf8;
pub mod xml;

pub use character::Character;
pub use floating_text::Unreadable;
pub use pace::{Pace, Stopped};
