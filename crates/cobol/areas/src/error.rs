//! Reasons why storage or an argument cannot be had.

/// An address that lies in no area: an ASRA of the task that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("address {address:#x} is not accessible storage")]
pub struct StorageFault {
    /// The start of the area that was to be copied.
    pub address: usize,
}

/// The reason why an argument cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// Its address is not storage.
    #[error(transparent)]
    Storage(#[from] StorageFault),
    /// Its bytes are not a number of its type: a data exception.
    #[error("the field's bytes are not a number")]
    NotNumeric,
    /// The value does not fit into the field.
    #[error("the value does not fit into the field")]
    TooLarge,
    /// The CALL has no such argument.
    #[error("the call has no such argument")]
    Missing,
}
