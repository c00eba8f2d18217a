//! Answers, and the headers that every one of them has.

use http::request::Version;
use http::write;
use serde_json::{Value, json};

use crate::limits::ANSWER_MAX;

/// The policy of pages: nothing but what the region itself serves, and no script or style within a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Headers of every answer.
const HEADERS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub media: &'static str,
    pub body: Vec<u8>,
    /// Headers of its own.
    pub fields: Vec<(&'static str, String)>,
}

impl Answer {
    /// An object as JSON.
    pub fn json(status: u16, value: &Value) -> Self {
        let body = value.to_string().into_bytes();
        if body.len() > ANSWER_MAX {
            return Self::error(503, "The answer is too long (ANSWER_MAX): ask for less.");
        }
        Self { status, media: "application/json", body, fields: vec![("Cache-Control", "no-store".into())] }
    }

    /// A refusal, and the reason for the person.
    pub fn error(status: u16, why: &str) -> Self {
        Self::json(status, &json!({ "error": why }))
    }

    /// The same with one more header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.fields.push((name, value));
        self
    }

    /// Its bytes.
    pub fn bytes(&self, keeps: bool, with_body: bool) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + 1024);
        write::status_line(Version::Http11, self.status, None, &mut bytes);
        let mut field = |name: &str, value: &str| write::field(name.as_bytes(), value.as_bytes(), &mut bytes);
        if self.status != 304 {
            field("Content-Type", self.media);
            field("Content-Length", &self.body.len().to_string());
        }
        HEADERS.iter().for_each(|(name, value)| field(name, value));
        self.fields.iter().for_each(|(name, value)| field(name, value));
        field("Connection", if keeps { "keep-alive" } else { "close" });
        bytes.extend_from_slice(b"\r\n");
        if with_body && self.status != 304 {
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }
}
