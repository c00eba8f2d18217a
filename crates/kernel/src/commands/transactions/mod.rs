//! Transactions and profiles: their definitions, and INQUIRE PROFILE.

pub(crate) mod definition;
pub(crate) mod profile;
