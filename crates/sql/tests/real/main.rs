//! Tests against a real PostgreSQL: one private server for all of them, which ends with this process.

mod place;

mod cursors;
mod reader;
mod schemas;
mod server;
mod session;
mod states;
mod tls;
mod units;
mod values;
