//! The queue attributes of CONNECTION and IPCONN.

use std::time::Duration;

use csd::Definition;
use link::Queue;

/// QUEUELIMIT and MAXQTIME of a definition.
pub(crate) fn queue(definition: &Definition) -> Queue {
    let number = |attribute: &str| definition.number(attribute).and_then(|number| u32::try_from(number).ok());
    Queue {
        limit: number("QUEUELIMIT"),
        time: number("MAXQTIME").map(|seconds| Duration::from_secs(seconds.into())),
    }
}

/// A count of an attribute, or its published default.
pub(crate) fn count(definition: &Definition, attribute: &str) -> u32 {
    definition.number(attribute).and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}
