//! Routines that COBOL statements call.
//!
//! Here live INSPECT, STRING, UNSTRING and functions of dates: bytes and values in, bytes and values out.
//!
//! What never lives here: names and types of a program (`cobol-check`), where a field lies (`cobol-ir`), clocks and files.

#![doc = include_str!("../README.md")]

pub mod dates;
pub mod inspect;
mod pace;
pub mod strings;

pub use pace::{Pace, Stopped};
