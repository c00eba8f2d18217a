//! Limits of the external interface.

/// Pipes that a run has allocated at once: the published default.
pub(crate) const PIPES_MAX: usize = 100;
/// Users that a run has initialised.
pub(crate) const USERS_MAX: usize = 1_000;
/// Bytes of a COMMAREA.
pub(crate) const COMMAREA_MAX: i64 = 32_763;
/// Bytes of all containers of a run together, and of one channel that is passed with what stands around it: less than one message to a
/// region takes.
pub(crate) const CONTAINERS_MAX: usize = 32 << 20;
/// Channels of a run.
pub(crate) const CHANNELS_MAX: usize = 1_000;
/// Containers of a channel.
pub(crate) const CONTAINERS_OF_CHANNEL_MAX: usize = 10_000;
/// Browses of containers that a run has begun and not ended.
pub(crate) const BROWSES_MAX: usize = 1_000;
/// Times that a LINK is tried again after a response RETRYABLE: as published.
pub(crate) const RETRIES: usize = 5;
/// Characters of a message of the region that a program gets.
pub(crate) const MESSAGE_MAX: usize = 240;
