//! Limits of what is read.

/// Rules of a policy.
pub const RULES_MAX: usize = 1_000;
/// Characters of the names of policies and rules.
pub const NAME_MAX: usize = 64;
/// Characters of a user tag.
pub const USER_TAG_MAX: usize = 8;
/// Capture specifications of an event binding.
pub const CAPTURES_MAX: usize = 1_000;
/// Items of an event.
pub const EVENT_ITEMS_MAX: usize = 1_000;
/// Filters of data in a capture specification.
pub const FILTERS_MAX: usize = 100;
