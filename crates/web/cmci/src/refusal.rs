//! Requests that are none: a status of HTTP and a message.

use mapping::xml::{escape_attribute, escape_text};

/// A refusal of a request that is not valid, or that a limit stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// The published message.
    pub id: &'static str,
    /// The reason.
    pub full: String,
    /// The part of the request that is meant.
    pub part: Option<String>,
}

/// Messages of requests that are not understood, in the published order.
pub mod id {
    /// The URI names no resource.
    pub const NO_RESOURCE: &str = "DFHWU4001";
    /// The path is too long.
    pub const PATH: &str = "DFHWU4002";
    /// An option of the query string is not known.
    pub const OPTION: &str = "DFHWU4003";
    /// The URI has no context.
    pub const NO_CONTEXT: &str = "DFHWU4004";
    /// The URI has no token of a result set.
    pub const NO_TOKEN: &str = "DFHWU4005";
    /// There is no body.
    pub const NO_BODY: &str = "DFHWU4006";
    /// The body is not a request.
    pub const BODY: &str = "DFHWU4007";
    /// The index of a record is no number.
    pub const INDEX: &str = "DFHWU4008";
    /// The count of records is no number.
    pub const COUNT: &str = "DFHWU4009";
    /// The user may not.
    pub const FORBIDDEN: &str = "DFHWU4300";
    /// There is no such resource.
    pub const UNKNOWN: &str = "DFHWU4400";
    /// The resource does not take the method.
    pub const METHOD: &str = "DFHWU4500";
    /// A limit stops it.
    pub const LIMIT: &str = "DFHWU5002";
}

impl Refusal {
    /// A request that is not understood.
    pub fn bad(id: &'static str, full: impl Into<String>, part: impl Into<String>) -> Self {
        Self { status: 400, id, full: full.into(), part: Some(part.into()) }
    }

    /// A request that is not answered, with its status.
    pub fn new(status: u16, id: &'static str, full: impl Into<String>) -> Self {
        Self { status, id, full: full.into(), part: None }
    }

    /// A request that a limit stops: its name, and what to do.
    pub fn limit(name: &str, help: &str) -> Self {
        Self::new(503, id::LIMIT, format!("The limit {name} is reached. {help}"))
    }

    /// The document that says so.
    pub fn xml(&self, version: &str) -> Vec<u8> {
        let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<error message_id=\"".to_vec();
        escape_attribute(self.id, &mut out);
        out.extend_from_slice(b"\" connect_version=\"");
        escape_attribute(version, &mut out);
        let title = format!("{} CICS management client interface HTTP Error", self.status);
        out.extend_from_slice(b"\">");
        for (name, text) in [
            ("title", title.as_str()),
            ("short", "The CICS management client interface does not process the request."),
            ("full", self.full.as_str()),
        ] {
            out.extend_from_slice(format!("<{name}>").as_bytes());
            escape_text(text, &mut out);
            out.extend_from_slice(format!("</{name}>").as_bytes());
        }
        if let Some(part) = &self.part {
            out.extend_from_slice(b"<errorInfo name=\"");
            escape_attribute(part, &mut out);
            out.extend_from_slice(b"\">");
            escape_text(part, &mut out);
            out.extend_from_slice(b"</errorInfo>");
        }
        out.extend_from_slice(b"</error>\n");
        out
    }
}
