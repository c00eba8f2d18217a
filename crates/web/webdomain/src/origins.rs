//! Pages of other origins: which of them may ask what, and how browsers are told so (CORS).
//!
//! ```text
//! browser ── OPTIONS, what it is about to ask ─► the door answers, without a task and without a user
//!         ── the request itself, with Origin ──► the task; its answer says that the page may read it
//! ```
//!
//! Nothing of it is there unless the configuration names origins. A program that says it itself has the last word.

use http::{Fields, RequestHead};
use web::Answer;

/// The origins whose pages may ask something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// As browsers write them; `*` is any.
    pub origins: Vec<String>,
    /// A page may have the browser send what it knows of its user: cookies, passwords, certificates.
    pub with_credentials: bool,
}

/// The word for any origin.
const ANY: &str = "*";
/// Seconds for which a browser need not ask again.
const KEPT: &str = "600";

const ORIGIN: &str = "Origin";
const METHOD: &str = "Access-Control-Request-Method";
const HEADERS: &str = "Access-Control-Request-Headers";
const ALLOW_ORIGIN: &str = "Access-Control-Allow-Origin";
const ALLOW_CREDENTIALS: &str = "Access-Control-Allow-Credentials";
const ALLOW_METHODS: &str = "Access-Control-Allow-Methods";
const ALLOW_HEADERS: &str = "Access-Control-Allow-Headers";
const MAX_AGE: &str = "Access-Control-Max-Age";
const VARY: &str = "Vary";

impl Origins {
    fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known == ANY || known.eq_ignore_ascii_case(origin))
    }

    /// Fields of an answer to the page that has asked; `None` of a request of no other page, or of one that may not ask.
    pub(crate) fn of(&self, head: &RequestHead) -> Option<Fields> {
        let origin = text(head, ORIGIN).filter(|origin| self.allows(origin))?;
        let is_any = !self.with_credentials && self.origins.iter().any(|known| known == ANY);
        let mut fields = Fields::default();
        fields.push(ALLOW_ORIGIN, if is_any { ANY } else { origin }).ok()?;
        if self.with_credentials {
            fields.push(ALLOW_CREDENTIALS, "true").ok()?;
        }
        fields.push(VARY, ORIGIN).ok()?;
        Some(fields)
    }
}

fn text<'a>(head: &'a RequestHead, name: &'a str) -> Option<&'a str> {
    head.fields().get(name).and_then(|value| std::str::from_utf8(value).ok())
}

/// Returns true if a browser asks what it may ask.
pub(crate) fn is_question(head: &RequestHead) -> bool {
    head.method() == "OPTIONS" && head.fields().has(ORIGIN) && head.fields().has(METHOD)
}

/// The answer to such a question, where the page may ask: the method and the headers that it wants are allowed, for what they
/// lead to the program says.
pub(crate) fn answer(head: &RequestHead, allowed: Fields) -> Answer {
    let mut answer = Answer { status: 204, fields: allowed, ..Answer::default() };
    for (ours, theirs) in [(ALLOW_METHODS, METHOD), (ALLOW_HEADERS, HEADERS)] {
        if let Some(value) = text(head, theirs) {
            // It has come as a header's value.
            let _ = answer.fields.push(ours, value);
            let _ = answer.fields.push(VARY, theirs);
        }
    }
    // A fixed text.
    let _ = answer.fields.push(MAX_AGE, KEPT);
    answer
}

/// Adds to an answer what it says to the page, unless its program has said it.
pub(crate) fn add(fields: &mut Fields, allowed: &Fields) {
    if fields.has(ALLOW_ORIGIN) {
        return;
    }
    for (name, value) in allowed.iter() {
        // They were fields before.
        let _ = fields.push(name, value);
    }
}
