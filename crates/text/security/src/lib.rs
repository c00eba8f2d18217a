//! The rights of users: classes of resources, profiles with wildcards, and the decision; passwords, and the guessing of
//! them.
//!
//! ```text
//! class + resource ──► the most specific profile ──► the user's own line, else the highest of its groups, else UACC ──► Level
//! ```
//!
//! Out of scope: files and servers (`config` reads `security.toml`, `directory` asks servers), clocks and
//! randomness (the caller brings both), and the effect of a refusal on a program (the kernel's).

mod class;
mod decisions;
pub mod guesses;
mod level;
pub mod password;
mod pattern;
mod profiles;
pub mod rules;

pub use class::{Class, Classes};
pub use decisions::{Decisions, Generation};
pub use level::Level;
pub use pattern::Pattern;
pub use profiles::{Decision, Profile, Profiles, Reason, Subject};
