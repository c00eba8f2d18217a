//! Messages about the connection, in the region's log and in the transient data queues that DB2CONN names; what was counted when it ends.

use std::fmt::Display;
use std::sync::Arc;

use domains::transient_data;
use kernel::name::QueueName;
use kernel::notices::Notices;
use kernel::region::Region;
use kernel::security::Users;

use crate::resources::Resources;
use crate::statistics;

/// A message that operators know by its number.
#[derive(Clone, Copy)]
pub(crate) enum Message {
    /// The connection is made.
    Connected,
    /// It has ended as an operator wanted.
    Ended,
    /// It cannot be made.
    NotMade,
    /// The server is gone.
    Lost,
}

/// Attributes with which DB2CONN names queues for messages.
const QUEUES: [&str; 3] = ["MSGQUEUE1", "MSGQUEUE2", "MSGQUEUE3"];
/// The same for what has been counted when a connection ends.
const STATISTICS: &str = "STATSQUEUE";

impl Message {
    /// Tells it, with the server or the reason.
    pub(crate) fn tell(self, region: &Arc<Region>, what: &dyn Display) {
        let text = match self {
            Self::Connected => format!("DFHDB2023I connected to {what}"),
            Self::Ended => format!("DFHDB2025I the connection to {what} has ended"),
            Self::NotMade => format!("DFHDB2037I no connection to the database: {what}"),
            Self::Lost => format!("DFHDB2064I the connection to {what} is lost"),
        };
        let id = match self {
            Self::Connected => "DFHDB2023",
            Self::Ended => "DFHDB2025",
            Self::NotMade => "DFHDB2037",
            Self::Lost => "DFHDB2064",
        };
        Notices::message(region, None, id, &[what]);
        match self {
            Self::Connected | Self::Ended => tracing::info!(target: "DB", "{text}"),
            Self::NotMade => tracing::error!(target: "DB", "{text}"),
            Self::Lost => tracing::warn!(target: "DB", "{text}"),
        }
        for queue in QUEUES {
            put(region, queue, &text);
        }
    }
}

/// The attribute of DB2CONN that names this queue for messages.
pub(crate) fn attribute_of(resources: &Resources, queue: &str) -> Option<&'static str> {
    let conn = resources.conn()?;
    QUEUES.into_iter().find(|attribute| conn.attributes.get(attribute) == queue)
}

/// Tells what was counted, as connections end.
pub(crate) fn statistics(region: &Arc<Region>) {
    for line in statistics::lines(Resources::of(region)) {
        put(region, STATISTICS, &line);
    }
}

/// Puts a line into the queue that an attribute of DB2CONN names.
fn put(region: &Arc<Region>, attribute: &str, text: &str) {
    let Some(conn) = Resources::of(region).conn() else { return };
    let queue = conn.attributes.get(attribute);
    if !queue.is_empty() {
        // Where no such queue is defined, the log and the region's statistics have it.
        let _ = transient_data::put(
            region,
            QueueName::from(queue.as_str()),
            text.as_bytes(),
            &Users::of(region).default,
        );
    }
}
