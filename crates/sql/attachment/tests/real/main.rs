//! A program's statements against a real PostgreSQL.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

#[path = "../../../sql/tests/real/place.rs"]
mod place;

mod program;

mod cost;
mod crashes;
mod statements;
mod units;
