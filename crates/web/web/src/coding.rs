//! Content codings: bodies of requests are inflated, answers are deflated where the client takes it and the port allows it.
//!
//! A fresh deflate state costs more than most answers: each thread keeps one for each coding. One for inflating is cheap.

use std::cell::RefCell;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use http::media::MediaType;
use http::{Fields, RequestHead};

use crate::answer::Answer;
use crate::limits::{CODINGS_MAX, DEFLATED_MIN};

/// A coding that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    /// The format of zlib, under the name that HTTP has for it.
    Deflate,
}

/// Reasons why a body is not inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotInflated {
    /// It would be longer than a body may be.
    TooLong,
    /// It is not what its coding says.
    Broken,
}

/// Window bits of both formats.
const WINDOW_BITS: u8 = 15;
/// Bytes that are inflated or deflated at a time.
const STEP: usize = 16 * 1024;

thread_local! {
    static GZIP: RefCell<Compress> = RefCell::new(Compress::new_gzip(Compression::fast(), WINDOW_BITS));
    static DEFLATE: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), true));
}

impl Coding {
    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }

    /// The codings of a body, the outermost first.
    ///
    /// # Errors
    /// One of them is not spoken, or there are too many: 415.
    pub fn of_body(fields: &Fields) -> Result<Vec<Self>, Box<Answer>> {
        let Some(said) = fields.joined("Content-Encoding") else { return Ok(Vec::new()) };
        let said = String::from_utf8_lossy(&said).into_owned();
        // An empty element of a list is none.
        let is_one = |name: &&str| !name.is_empty() && !name.eq_ignore_ascii_case("identity");
        let names = said.split(',').map(str::trim).filter(is_one);
        let codings: Option<Vec<_>> = names.rev().map(Self::named).collect();
        match codings {
            Some(codings) if codings.len() <= CODINGS_MAX => Ok(codings),
            _ => Err(Box::new(not_spoken())),
        }
    }

    /// The coding that a client takes an answer in, if it takes any; gzip is preferred.
    pub fn accepted(head: &RequestHead) -> Option<Self> {
        let said = head.fields().joined("Accept-Encoding")?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut all = None;
        let (mut gzip, mut deflate) = (None, None);
        for entry in said.split(',') {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.trim().parse::<f32>().ok());
            // What is no weight says that it is not wanted.
            let weight = weight.unwrap_or(0.0);
            match Self::named(name) {
                Some(Self::Gzip) => gzip = Some(weight),
                Some(Self::Deflate) => deflate = Some(weight),
                None if name.trim() == "*" => all = Some(weight),
                None => {}
            }
        }
        let weight = |own: Option<f32>| own.or(all).unwrap_or(0.0);
        let (gzip, deflate) = (weight(gzip), weight(deflate));
        match (gzip > 0.0 && gzip >= deflate, deflate > 0.0) {
            (true, _) => Some(Self::Gzip),
            (false, true) => Some(Self::Deflate),
            (false, false) => None,
        }
    }

    /// The body that was sent in this coding.
    pub fn inflate(self, body: &[u8], most: u64) -> Result<Vec<u8>, NotInflated> {
        let mut out = Vec::new();
        let mut rest = body;
        loop {
            rest = self.inflate_one(rest, most, &mut out)?;
            // A file of gzip may have several members, one behind the other.
            match (rest.is_empty(), self) {
                (true, _) => return Ok(out),
                (false, Self::Gzip) => {}
                (false, Self::Deflate) => return Err(NotInflated::Broken),
            }
        }
    }

    /// Inflates one member: what stands behind it.
    fn inflate_one<'b>(self, body: &'b [u8], most: u64, out: &mut Vec<u8>) -> Result<&'b [u8], NotInflated> {
        let mut state = match self {
            Self::Gzip => Decompress::new_gzip(WINDOW_BITS),
            Self::Deflate => Decompress::new(true),
        };
        loop {
            let (came, went) = (state.total_in(), state.total_out());
            out.reserve(STEP);
            let input = &body[usize::try_from(came).unwrap_or(body.len())..];
            let status = state.decompress_vec(input, out, FlushDecompress::None);
            if out.len() as u64 > most {
                return Err(NotInflated::TooLong);
            }
            match status.map_err(|_| NotInflated::Broken)? {
                Status::StreamEnd => {
                    return Ok(&body[usize::try_from(state.total_in()).unwrap_or(body.len())..]);
                }
                // It ends before its end.
                _ if (came, went) == (state.total_in(), state.total_out()) => {
                    return Err(NotInflated::Broken);
                }
                _ => {}
            }
        }
    }

    fn deflate(self, body: &[u8]) -> Option<Vec<u8>> {
        let state = match self {
            Self::Gzip => &GZIP,
            Self::Deflate => &DEFLATE,
        };
        state.with_borrow_mut(|state| {
            state.reset();
            let mut out = Vec::with_capacity(body.len() / 2);
            loop {
                let came = usize::try_from(state.total_in()).ok()?;
                out.reserve(STEP);
                match state.compress_vec(&body[came..], &mut out, FlushCompress::Finish).ok()? {
                    Status::StreamEnd => return Some(out),
                    // It is no shorter.
                    _ if out.len() >= body.len() => return None,
                    _ => {}
                }
            }
        })
    }

    /// Deflates an answer that is long enough, of text, and not deflated already; every such answer says that it depends on
    /// what the client takes.
    pub fn encode(of_client: Option<Self>, answer: &mut Answer) {
        if answer.body.len() < DEFLATED_MIN || !is_deflatable(answer) {
            return;
        }
        // These are fixed texts.
        let _ = answer.fields.push("Vary", "Accept-Encoding");
        let Some(coding) = of_client else { return };
        if let Some(deflated) = coding.deflate(&answer.body) {
            answer.body = deflated;
            let _ = answer.fields.push("Content-Encoding", coding.name());
        }
    }
}

/// Returns true if an answer is of a kind that becomes shorter, and may be changed.
fn is_deflatable(answer: &Answer) -> bool {
    let fields = &answer.fields;
    let media = fields.get("Content-Type").and_then(|value| std::str::from_utf8(value).ok());
    let is_text = media.and_then(MediaType::parse).is_some_and(|media| media.is_text());
    // A strong tag names the very bytes that would be changed.
    let is_tagged = fields.get("ETag").is_some_and(|tag| !tag.starts_with(b"W/"));
    is_text
        && matches!(answer.status, 200..=299)
        && answer.status != 206
        && !fields.has("Content-Encoding")
        && !fields.lists("Cache-Control", "no-transform")
        && !is_tagged
}

/// 415, with what would be taken.
fn not_spoken() -> Answer {
    let mut answer = Answer::text(415, "a body comes as it is, or in gzip or deflate");
    // A fixed text.
    let _ = answer.fields.push("Accept-Encoding", "gzip, deflate");
    answer
}

/// The body of a request without its codings, and a head that says so.
///
/// # Errors
/// 400: it is not what its coding says. 413: it would be too long. 415: a coding is not spoken.
pub(crate) fn plain(head: &mut RequestHead, body: Vec<u8>, most: u64) -> Result<Vec<u8>, Box<Answer>> {
    if !head.fields().has("Content-Encoding") {
        return Ok(body);
    }
    let codings = Coding::of_body(head.fields())?;
    let mut body = body;
    for coding in codings {
        body = coding.inflate(&body, most).map_err(|why| {
            Box::new(match why {
                NotInflated::TooLong => Answer::text(413, "the body is too long when it is inflated"),
                NotInflated::Broken => Answer::text(400, "the body is not what Content-Encoding says"),
            })
        })?;
    }
    head.is_decoded(body.len());
    Ok(body)
}

#[cfg(test)]
mod tests {
    use http::url::Scheme;

    use super::*;

    const MOST: u64 = 100_000;

    fn head(accepts: &str) -> RequestHead {
        RequestHead::make("GET", Scheme::Http, "a", "/", [("Accept-Encoding", accepts)]).expect("a head")
    }

    #[test]
    fn the_codings_of_a_body_are_those_that_are_named() {
        let codings = |value: &str| {
            let mut fields = Fields::default();
            fields.push("Content-Encoding", value).expect("a header");
            Coding::of_body(&fields).map(|codings| codings.len()).ok()
        };
        for (value, count) in [
            ("", Some(0)),
            (" , ", Some(0)),
            ("identity", Some(0)),
            ("gzip,,", Some(1)),
            ("x-gzip, deflate", Some(2)),
            ("gzip, gzip, gzip", None),
            ("br", None),
        ] {
            assert_eq!(codings(value), count, "{value}");
        }
    }

    #[test]
    fn the_coding_is_what_the_client_takes() {
        for (accepts, coding) in [
            ("gzip, deflate, br", Some(Coding::Gzip)),
            ("deflate", Some(Coding::Deflate)),
            ("gzip;q=0.5, deflate;q=0.8", Some(Coding::Deflate)),
            ("gzip;q=0, *", Some(Coding::Deflate)),
            ("*;q=0.1", Some(Coding::Gzip)),
            ("gzip;q=0", None),
            ("gzip;q=x", None),
            ("br", None),
            ("", None),
        ] {
            assert_eq!(Coding::accepted(&head(accepts)), coding, "{accepts}");
        }
    }

    #[test]
    fn what_was_deflated_is_inflated_and_the_states_are_used_again() {
        let text = b"one and the same line\n".repeat(3_000);
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Gzip] {
            let deflated = coding.deflate(&text).expect("shorter");
            assert!(deflated.len() < text.len() / 10);
            assert_eq!(coding.inflate(&deflated, MOST), Ok(text.clone()), "{coding:?}");
            assert_eq!(coding.inflate(&deflated, text.len() as u64 - 1), Err(NotInflated::TooLong));
            assert_eq!(coding.inflate(&deflated[..deflated.len() - 1], MOST), Err(NotInflated::Broken));
            assert_eq!(coding.inflate(b"", MOST), Err(NotInflated::Broken));
        }
        let two = Coding::Gzip.deflate(&text).expect("shorter").repeat(2);
        assert_eq!(Coding::Gzip.inflate(&two, 2 * MOST), Ok(text.repeat(2)));
        assert_eq!(Coding::Gzip.inflate(&two, MOST), Err(NotInflated::TooLong));
        let behind = [Coding::Deflate.deflate(&text).expect("shorter"), vec![0]].concat();
        assert_eq!(Coding::Deflate.inflate(&behind, MOST), Err(NotInflated::Broken));
    }

    #[test]
    fn only_long_answers_of_text_are_deflated() {
        let answer = |media: &str, length: usize| {
            let mut answer = Answer { status: 200, body: vec![b'a'; length], ..Answer::default() };
            answer.fields.push("Content-Type", media).expect("a header");
            answer
        };
        let encoded = |mut answer: Answer| {
            Coding::encode(Some(Coding::Gzip), &mut answer);
            answer.fields.get("Content-Encoding").map(<[u8]>::to_vec)
        };
        let gzip = Some(b"gzip".to_vec());
        assert_eq!(encoded(answer("text/html", 4_000)), gzip);
        assert_eq!(encoded(answer("application/json", 4_000)), gzip);
        assert_eq!(encoded(answer("text/html", 2_000)), None);
        assert_eq!(encoded(answer("image/png", 4_000)), None);
        for (name, value) in
            [("Content-Encoding", "br"), ("Cache-Control", "no-transform"), ("ETag", "\"1\"")]
        {
            let mut other = answer("text/html", 4_000);
            other.fields.push(name, value).expect("a header");
            assert_ne!(encoded(other), gzip, "{name}");
        }
    }
}
