//! The external interface: a program outside of the region has one of its programs run.

use serde::{Deserialize, Serialize};

/// A request of a program outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum External {
    /// A pipe is opened.
    Open {
        /// The APPLID of the region that is meant; blank: whichever region is asked.
        applid: [u8; 8],
    },
    /// A program is to be run by a mirror task, which takes a syncpoint behind it.
    Link(ExternalLink),
}

/// A program that is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalLink {
    /// The user of the job that asks; `None`: the region's default user.
    pub client: Option<String>,
    /// The user on whose behalf it asks; `None`: its own.
    pub user: Option<[u8; 8]>,
    /// The program.
    pub program: [u8; 8],
    /// The transaction of the mirror task; `None`: the usual one.
    pub transaction: Option<[u8; 4]>,
    /// The bytes of the COMMAREA that are sent, and its whole length.
    pub commarea: Option<(Vec<u8>, u16)>,
    /// The channel.
    pub channel: Option<Vec<u8>>,
}

/// The region's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExternalAnswer {
    /// The pipe is open.
    Opened,
    /// The region that was asked has this APPLID, which is another one.
    Elsewhere(String),
    /// The program has come back, or was not run.
    Done(ExternalDone),
    /// The mirror task has ended with this abend, and all that it had changed is backed out.
    Abended([u8; 4]),
    /// The user of the job may not act for the other user.
    NotSurrogate,
    /// There is no mirror task, for this reason.
    NoMirror(String),
}

/// The end of a LINK.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalDone {
    /// RESP.
    pub condition: u16,
    /// RESP2.
    pub resp2: i32,
    /// The COMMAREA.
    pub commarea: Option<Vec<u8>>,
    /// The containers that were changed, as a channel; and the names of those that were deleted.
    pub channel: Option<(Vec<u8>, Vec<[u8; 16]>)>,
}
