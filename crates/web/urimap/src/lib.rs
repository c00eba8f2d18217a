//! Which URIMAP a request matches.
//!
//! [`Definition`]s become a [`Table`], built once more whenever one of them changes and read by all threads;
//! [`Table::find`] gives the [`Verdict`] on a request.
//!
//! Out of scope: what a URIMAP leads to (programs, pipelines, files), counters, and requests as bytes.

mod definition;
mod prefixes;
mod table;

pub use definition::{Definition, Malformed, Redirect, Scheme, Usage};
pub use table::{Request, Table, Verdict};
