//! Db2's words to PostgreSQL's, by tokens: what means the same stays where it stands, and only what is spelt otherwise is
//! replaced. Nothing is parsed; what is not known stays, and PostgreSQL's answer is the message.
//!
//! Functions that PostgreSQL lacks, or has otherwise, are functions of the schema `db2`, which crate `sql` makes.

pub(crate) mod decimal;
mod durations;
mod expressions;
mod functions;
pub(crate) mod names;
mod registers;
mod sequences;
mod session;
mod shape;
mod tail;
pub(crate) mod types;
mod xml;

pub use durations::is_duration_unit;
pub(crate) use tail::Tail;

use crate::words::Words;

/// Rewrites a query or a change; what its last clauses have said is gone from it.
pub(crate) fn statement(words: &mut Words) -> Tail {
    let tail = tail::take(words);
    decimal::apply(words);
    shape::apply(words);
    expressions(words);
    tail
}

/// Rewrites what stands in expressions.
pub(crate) fn expressions(words: &mut Words) {
    session::apply(words);
    durations::apply(words);
    sequences::apply(words);
    registers::apply(words);
    types::casts(words);
    functions::apply(words);
    expressions::apply(words);
}
