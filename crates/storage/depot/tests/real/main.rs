//! Tests against a real PostgreSQL: a private server of these tests, which ends with this process.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod engine;
mod kills;
mod leases;
mod place;
mod rights;
