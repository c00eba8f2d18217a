//! Two regions that are linked, seen from the wire between them: which connection a request takes, what a wire that changes bytes does
//! to both, and strangers at their doors. Whatever comes, the regions go on.

#[path = "../common/mod.rs"]
mod common;
mod connections;
mod pair;
mod strangers;
mod tampered;
