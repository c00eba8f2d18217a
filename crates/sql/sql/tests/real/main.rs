//! Tests against a real PostgreSQL: one private server for all of them, which ends with this process.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod place;

mod columns;
mod cursors;
mod garbled;
mod reader;
mod rights;
mod schemas;
mod server;
mod session;
mod states;
mod tls;
mod units;
mod upgrade;
mod values;
