//! The head of a request: read and judged, with the length of its body and the use of its connection.

use crate::body::{self, Length};
use crate::fields::{Fields, Span, is_token};
use crate::head::{self, FirstLine, Found};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::url::{self, Scheme};
pub use crate::version::Version;

/// The head of a request. Its bytes are copied once; everything else points into them.
#[derive(Clone, Debug)]
pub struct RequestHead {
    version: Version,
    fields: Fields,
    method: Span,
    target: Target,
    length: Length,
    keeps: bool,
    expects: bool,
}

/// The parts of a target.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    /// Given in absolute form.
    scheme: Option<Scheme>,
    authority: Option<Span>,
    path: Span,
    query: Option<Span>,
}

/// The rule for the first line of a request.
pub(crate) struct RequestLine;

impl FirstLine for RequestLine {
    fn begins(bytes: &[u8]) -> Result<(), Refusal> {
        head::begins_with_method(bytes)
    }

    fn judge(line: &[u8], limits: &Limits) -> Result<(), Refusal> {
        split(line, limits).map(|_| ())
    }
}

impl RequestHead {
    /// Reads a head that was found.
    pub(crate) fn read(bytes: &[u8], found: Found, limits: &Limits) -> Result<Self, Refusal> {
        let raw = bytes[found.begin..found.end].to_vec();
        let line = found.first - found.begin;
        let index = head::headers(&raw, line + 2)?;
        let (method, target, version) = split(&raw[..line], limits)?;
        let at = method.len() + 1;
        let (method, target) = (Span::new(0, method.len()), Target::read(target).shifted(at));
        let fields = Fields::over(raw, index);
        hosts(&fields, version)?;
        let length = body::of_request(&fields, version)?;
        let expects = expects(&fields, version)?;
        let keeps = match version {
            Version::Http10 => {
                fields.lists("Connection", "keep-alive") && !fields.lists("Connection", "close")
            }
            _ => !fields.lists("Connection", "close"),
        };
        if matches!(length, Length::Known(length) if length > limits.body) {
            return Err(Refusal::BodyTooLong);
        }
        Ok(Self { version, fields, method, target, length, keeps, expects })
    }

    /// Corrects the headers after the content coding of the body was taken off: `length` is its length now.
    pub fn is_decoded(&mut self, length: usize) {
        self.fields.remove("Content-Encoding");
        if self.fields.has("Content-Length") {
            self.fields.remove("Content-Length");
            // A number is a header's value.
            let _ = self.fields.push("Content-Length", length.to_string());
        }
    }

    /// The head for bytes that are not HTTP: no method, no path, no headers.
    pub fn none() -> Self {
        Self {
            version: Version::Http10,
            fields: Fields::default(),
            method: Span::new(0, 0),
            target: Target::default(),
            length: Length::Known(0),
            keeps: true,
            expects: false,
        }
    }

    /// A head that came by other ways than HTTP/1: HTTP/2, a test. `authority` is the value that Host would have.
    ///
    /// # Errors
    /// As for one that was read.
    pub fn make(
        method: &str,
        scheme: Scheme,
        authority: &str,
        target: &str,
        fields: impl IntoIterator<Item = (impl AsRef<[u8]>, impl AsRef<[u8]>)>,
    ) -> Result<Self, Refusal> {
        if !is_token(method.as_bytes()) {
            return Err(Refusal::Method);
        }
        check_target(method.as_bytes(), target.as_bytes())?;
        if !url::is_authority(authority.as_bytes()) {
            return Err(Refusal::Host);
        }
        let mut table = Fields::default();
        for (name, value) in fields {
            table.push(name, value).map_err(|_| Refusal::Header)?;
        }
        let method = table.keep(method.as_bytes());
        let at = table.raw().len();
        table.keep(target.as_bytes());
        let mut parts = Target::read(target.as_bytes()).shifted(at);
        if parts.authority.is_none() {
            parts.authority = Some(table.keep(authority.as_bytes()));
        }
        parts.scheme = Some(parts.scheme.unwrap_or(scheme));
        let length = body::declared(&table)?.map_or(Length::Known(0), Length::Known);
        let expects = expects(&table, Version::Http2)?;
        Ok(Self {
            version: Version::Http2,
            fields: table,
            method,
            target: parts,
            length,
            keeps: true,
            expects,
        })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Its headers.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Its method, as it was written: methods have case.
    pub fn method(&self) -> &str {
        self.text(self.method)
    }

    /// The scheme that its target names. None: the connection says it.
    pub fn scheme(&self) -> Option<Scheme> {
        self.target.scheme
    }

    /// Host and perhaps port: those of the target where it is in absolute form, else those of Host.
    pub fn authority(&self) -> Option<&str> {
        match self.target.authority {
            Some(span) => Some(self.text(span)),
            None => self.fields.get("Host").and_then(|host| std::str::from_utf8(host).ok()),
        }
    }

    /// The host without its port.
    pub fn host(&self) -> Option<&str> {
        self.authority().map(|authority| url::split_port(authority).0)
    }

    /// Returns true if a browser says that a page of another origin has it ask (Sec-Fetch-Site): no page can say otherwise.
    pub fn is_of_another_page(&self) -> bool {
        let site = self.fields.get("Sec-Fetch-Site");
        site.is_some_and(|site| site != b"same-origin" && site != b"none")
    }

    /// The path as it came, escapes and all; `*` for OPTIONS of the whole server.
    pub fn path(&self) -> &str {
        match self.text(self.target.path) {
            "" => "/",
            path => path,
        }
    }

    /// The query string without its question mark. None: there was no question mark.
    pub fn query(&self) -> Option<&str> {
        self.target.query.map(|span| self.text(span))
    }

    /// The length of the body.
    pub fn length(&self) -> Length {
        self.length
    }

    /// Returns true if the client wants to keep the connection.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Returns true if the client waits for `100 Continue`.
    pub fn expects_continue(&self) -> bool {
        self.expects
    }

    /// The text of a first line or target was judged to be ASCII.
    fn text(&self, span: Span) -> &str {
        std::str::from_utf8(span.of(self.fields.raw())).unwrap_or_default()
    }
}

/// Method, target and version of a first line.
fn split<'a>(line: &'a [u8], limits: &Limits) -> Result<(&'a [u8], &'a [u8], Version), Refusal> {
    let mut words = line.split(|byte| *byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::FirstLine);
    };
    let version = match version {
        b"HTTP/1.1" => Version::Http11,
        b"HTTP/1.0" => Version::Http10,
        [b'H', b'T', b'T', b'P', b'/', ..] => return Err(Refusal::Version),
        _ => return Err(Refusal::FirstLine),
    };
    if !is_token(method) {
        return Err(Refusal::Method);
    }
    if target.len() > limits.target {
        return Err(Refusal::TargetTooLong);
    }
    check_target(method, target)?;
    Ok((method, target, version))
}

fn check_target(method: &[u8], target: &[u8]) -> Result<(), Refusal> {
    if method == b"CONNECT" {
        return Err(Refusal::Connect);
    }
    if !target.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#') {
        return Err(Refusal::Target);
    }
    match target {
        [b'/', ..] => Ok(()),
        b"*" if method == b"OPTIONS" => Ok(()),
        _ => match url::split_scheme(target) {
            Some((_, rest)) if url::is_authority(&rest[..url::authority_end(rest)]) => Ok(()),
            _ => Err(Refusal::Target),
        },
    }
}

impl Target {
    /// The parts of a target that was judged.
    fn read(target: &[u8]) -> Self {
        let mut parts = Self::default();
        let mut path = 0;
        if let Some((scheme, rest)) = url::split_scheme(target) {
            let host = target.len() - rest.len();
            path = host + url::authority_end(rest);
            parts.scheme = Some(scheme);
            parts.authority = Some(Span::new(host, path));
        }
        let end = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
        parts.path = Span::new(path, end.max(path));
        parts.query = (end < target.len()).then(|| Span::new(end + 1, target.len()));
        parts
    }

    fn shifted(self, by: usize) -> Self {
        let shift = |span: Span| span.shifted(by);
        Self {
            authority: self.authority.map(shift),
            path: shift(self.path),
            query: self.query.map(shift),
            ..self
        }
    }
}

/// HTTP/1.1 has exactly one Host, HTTP/1.0 at most one.
fn hosts(fields: &Fields, version: Version) -> Result<(), Refusal> {
    let mut hosts = fields.all("Host");
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if url::is_authority(host) => Ok(()),
        (None, _) if version == Version::Http10 => Ok(()),
        _ => Err(Refusal::Host),
    }
}

fn expects(fields: &Fields, version: Version) -> Result<bool, Refusal> {
    match fields.joined("Expect") {
        None => Ok(false),
        Some(what) if what.eq_ignore_ascii_case(b"100-continue") => Ok(version != Version::Http10),
        Some(_) => Err(Refusal::Expectation),
    }
}
