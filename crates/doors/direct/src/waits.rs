//! Waits of an instance.

use kernel::waits::{BroughtKind, Row, WaitsFor};

/// The next message.
pub(crate) static MESSAGE: BroughtKind = BroughtKind::new(Row {
    name: "direct-message",
    resource_type: "VSVPSYNC",
    purge_abend: "AKCS",
    waits_for: WaitsFor::Somebody,
});
