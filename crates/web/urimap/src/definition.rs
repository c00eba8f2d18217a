//! A URIMAP as far as it decides on requests.

use std::net::Ipv6Addr;

/// Characters of a path at most.
pub const PATH_MAX: usize = 255;
/// Characters of a host at most.
pub const HOST_MAX: usize = 116;

/// A URIMAP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// USAGE.
    pub usage: Usage,
    /// SCHEME: HTTP admits both, HTTPS only TLS.
    pub scheme: Scheme,
    /// HOST: a name or an address without a port, or `*`.
    pub host: String,
    /// PATH, unescaped: exact, or with `*` as its last character. With a query string in it, that must be the same.
    pub path: String,
    /// TCPIPSERVICE: only requests that come through it.
    pub service: Option<String>,
    /// STATUS, and that of its virtual host.
    pub enabled: bool,
    /// REDIRECTTYPE and LOCATION.
    pub redirect: Option<Redirect>,
}

/// USAGE. Definitions for clients never match a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Usage {
    /// A program, a file or a template answers.
    Server,
    /// WEB OPEN and INVOKE use it.
    Client,
    /// A web service answers.
    Pipeline,
    /// A feed answers.
    Atom,
    /// A JVM server answers.
    JvmServer,
}

/// SCHEME.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// With TLS or without.
    Http,
    /// Only with TLS.
    Https,
}

/// The address to which requests are redirected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// PERMANENT: 301; else 302.
    pub permanent: bool,
    /// LOCATION.
    pub location: String,
}

impl Redirect {
    /// The status of the answer.
    pub const fn status(&self) -> u16 {
        if self.permanent { 301 } else { 302 }
    }
}

/// The reason why a definition is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The host.
    #[error(
        "HOST({0}): a host name, an address, or * is expected, without a port and at most {HOST_MAX} characters"
    )]
    Host(String),
    /// The path.
    #[error(
        "PATH({0}): a path begins with /, has * only as its last character, and at most {PATH_MAX} characters"
    )]
    Path(String),
    /// A redirection to nowhere.
    #[error("REDIRECTTYPE needs LOCATION, an absolute URL")]
    Location,
}

impl Definition {
    /// Judges a definition, before it is installed.
    ///
    /// # Errors
    /// See [`Malformed`].
    pub fn check(&self) -> Result<(), Malformed> {
        let host = self.host.as_str();
        let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        let is_address = in_brackets.unwrap_or(host).parse::<Ipv6Addr>().is_ok();
        if host.is_empty() || host.len() > HOST_MAX || !(host == "*" || is_name || is_address) {
            return Err(Malformed::Host(self.host.clone()));
        }
        let star = self.path.find('*').is_none_or(|at| at + 1 == self.path.len());
        if !self.path.starts_with('/') || !star || self.path.len() > PATH_MAX {
            return Err(Malformed::Path(self.path.clone()));
        }
        match &self.redirect {
            Some(to) if !to.location.contains("://") => Err(Malformed::Location),
            _ => Ok(()),
        }
    }

    /// The host as it is looked up: in lower case, an address of IPv6 without brackets and in its shortest form.
    pub fn host_key(host: &str) -> String {
        let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        match plain.parse::<Ipv6Addr>() {
            Ok(address) => address.to_string(),
            Err(_) => plain.trim_end_matches('.').to_ascii_lowercase(),
        }
    }
}
