//! Batch COBOL programs and jobs on a region's data sets.
//!
//! In scope: COBOL's files as the programs of a batch step know them (`Files`): data sets of the region and plain
//! files behind ddnames, with FILE STATUS as published; the run of one program; the steps of a job.
//!
//! Out of scope: how the data are reached (`access`), and machine code (`native`).

#![doc = include_str!("../README.md")]

mod clock;
mod control;
mod data_set;
mod dd;
mod ending;
mod files;
mod job;
mod output;
mod own_tables;
mod parm;
mod plain;
mod program;
mod running;
mod sort;
mod status;
mod tool;
mod tso;
mod update;
mod utility_records;

pub use dd::{Dd, Dds, Sequential};
pub use ending::{Ended, StepEnd};
pub use job::{Job, JobEnd, JobError, PATIENCE};
pub use output::Output;
pub use program::{Batch, BatchError, Execution};
