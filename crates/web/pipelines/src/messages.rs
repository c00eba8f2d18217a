//! Requests and replies.

use std::fmt::Display;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Its method, where it has come by HTTP.
    pub method: Option<String>,
    /// The path, with its query.
    pub uri: String,
    /// Its Content-Type.
    pub media: Option<String>,
    /// Its SOAPAction.
    pub action: Option<String>,
    /// On whose behalf.
    pub user: String,
    /// The transaction that serves.
    pub transaction: String,
    /// Its body.
    pub body: Vec<u8>,
}

impl Request {
    /// The path, without a query.
    pub(crate) fn path(&self) -> &str {
        self.uri.split_once('?').map_or(self.uri.as_str(), |(path, _)| path)
    }

    /// The query; empty without one.
    pub(crate) fn query(&self) -> &str {
        self.uri.split_once('?').map_or("", |(_, query)| query)
    }
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status of HTTP.
    pub status: u16,
    /// The phrase behind it, where a program has said one.
    pub phrase: Option<String>,
    /// Its Content-Type.
    pub media: String,
    /// Its body.
    pub body: Vec<u8>,
    /// The changes of the program are to be backed out: it has ended abnormally, or no client takes its answer.
    pub backs_out: bool,
    /// The number of the message (`DFHPI1007`) that the region has written about it, and its text, if it is a refusal.
    pub message: Option<(u16, String)>,
}

impl Reply {
    /// The same, about which the region has written a message.
    pub(crate) fn telling(self, number: u16, text: &dyn Display) -> Self {
        Self { message: Some((number, text.to_string())), ..self }
    }

    /// One of a status and a Content-Type.
    pub(crate) fn of(status: u16, media: &str, body: Vec<u8>) -> Self {
        Self { status, phrase: None, media: media.to_owned(), body, backs_out: false, message: None }
    }
}
