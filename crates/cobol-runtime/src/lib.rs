//! Routines that COBOL statements call.
//!
//! Here live INSPECT, STRING and UNSTRING: bytes and values in, bytes and values out.
//!
//! What never lives here: names and types of a program (`cobol-check`), where a field lies (`cobol-ir`), clocks and files.

#![doc = include_str!("../README.md")]

pub mod inspect;
mod pace;
pub mod strings;

pub use pace::{Pace, Stopped};
