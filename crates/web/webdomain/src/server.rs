//! A server that tasks call.

use http::url::Scheme;

use crate::uri_map::UriMap;

/// Server of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub scheme: Scheme,
    pub host: String,
    pub port: u16,
}

impl Server {
    /// That of a URI map.
    pub fn of_map(map: &UriMap) -> Self {
        let scheme = match map.matches.scheme {
            urimap::Scheme::Http => Scheme::Http,
            urimap::Scheme::Https => Scheme::Https,
        };
        Self { scheme, host: map.matches.host.clone(), port: map.port.unwrap_or(scheme.port()) }
    }

    /// As the header Host has it.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.port() {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}
