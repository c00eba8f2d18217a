//! URLs: scheme, host, port, path and query.

/// A scheme of the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Plain.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    /// The port where none is named.
    pub const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// Its text in a URL.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// The parts of an absolute URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// Its scheme.
    pub scheme: Scheme,
    /// Its host; an IPv6 address with its brackets.
    pub host: &'a str,
    /// Its port, if it names one.
    pub port: Option<u16>,
    /// Its path: `/` if it has none.
    pub path: &'a str,
    /// Its query string without the question mark.
    pub query: Option<&'a str>,
}

impl<'a> Url<'a> {
    /// Reads an absolute http or https URL. A fragment belongs to no request and is left out.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.split('#').next()?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let (scheme, rest) = split_scheme(text.as_bytes())?;
        let rest = &text[text.len() - rest.len()..];
        let (authority, rest) = rest.split_at(authority_end(rest.as_bytes()));
        if !is_authority(authority.as_bytes()) {
            return None;
        }
        let (host, port) = split_port(authority);
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        let path = if path.is_empty() { "/" } else { path };
        Some(Self { scheme, host, port, path, query })
    }

    /// The port that is connected to.
    pub fn connects_to(&self) -> u16 {
        self.port.unwrap_or(self.scheme.port())
    }
}

/// A query string's names and values, unescaped. A name without `=` has an empty value.
pub fn query_parts(query: &str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    crate::form::parts(query.as_bytes())
}

/// Host and port. Both come from a text that [`is_authority`] has judged.
pub fn split_port(authority: &str) -> (&str, Option<u16>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
        _ => (authority, None),
    }
}

/// The scheme before `://`, and the text after it.
pub(crate) fn split_scheme(text: &[u8]) -> Option<(Scheme, &[u8])> {
    for scheme in [Scheme::Http, Scheme::Https] {
        let name = scheme.text().len();
        if text.len() > name + 3
            && text[..name].eq_ignore_ascii_case(scheme.text().as_bytes())
            && text[name..].starts_with(b"://")
        {
            return Some((scheme, &text[name + 3..]));
        }
    }
    None
}

/// The end of host and port.
pub(crate) fn authority_end(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(text.len())
}

/// Returns true if bytes are a host and perhaps a port, without a user: RFC 3986, 3.2.2, and no empty host.
pub(crate) fn is_authority(text: &[u8]) -> bool {
    let (host, port) = match text {
        [b'[', rest @ ..] => match rest.iter().position(|byte| *byte == b']') {
            Some(end) => {
                let (address, behind) = rest.split_at(end);
                if !is_ipv6(address) {
                    return false;
                }
                return matches!(behind, [b']'])
                    || matches!(behind, [b']', b':', port @ ..] if is_port(port));
            }
            None => return false,
        },
        _ => match text.iter().position(|byte| *byte == b':') {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        },
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+;=%".contains(byte);
    !host.is_empty() && host.iter().all(is_name) && port.is_none_or(is_port)
}

fn is_ipv6(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok())
}

fn is_port(text: &[u8]) -> bool {
    text.len() <= 5
        && text.iter().all(u8::is_ascii_digit)
        && (text.is_empty() || std::str::from_utf8(text).is_ok_and(|port| port.parse::<u16>().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_five_parts() {
        let url = Url::parse("HTTP://Example.org:8080/a/b?x=1#here").expect("a URL");
        assert_eq!(
            (url.host, url.port, url.path, url.query),
            ("Example.org", Some(8080), "/a/b", Some("x=1"))
        );
        let url = Url::parse("https://[::1]").expect("a URL");
        assert_eq!((url.host, url.connects_to(), url.path, url.query), ("[::1]", 443, "/", None));
        for text in [
            "/a",
            "ftp://a/",
            "http://",
            "http:///a",
            "http://a b/",
            "http://a:99999/",
            "http://u@h/",
            "http://[::1/",
        ] {
            assert_eq!(Url::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_query_has_names_and_values() {
        let parts: Vec<_> = query_parts("a=1&b=x%20y+z&c&=d&&a=2").collect();
        let shown: Vec<_> = parts
            .iter()
            .map(|(name, value)| {
                format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
            })
            .collect();
        assert_eq!(shown, ["a=1", "b=x y z", "c=", "=d", "a=2"]);
    }
}
