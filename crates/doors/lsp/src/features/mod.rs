//! Answers: each kind of request is a function from a document and a place to a value.

pub mod colour;
pub mod complete;
pub mod format;
pub mod hover;
pub mod maps;
pub mod navigate;
pub mod outline;
pub mod rename;
