//! `[opentelemetry]`: where spans of tasks go.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::reader::Table;
use crate::secret::{Keys, hide, secret};
use crate::{Located, Secret, at, codes};

/// The numbers of spans that may be told to wait at most.
const LIMIT: RangeInclusive<u32> = 512..=1_000_000;
const DEFAULT_LIMIT: u32 = 8_192;
/// The header that has the secret by which the collector knows the region.
const AUTHORIZATION: &str = "Authorization";

/// Help for a secret in clear.
const IN_A_FILE: &str =
    "put its value into a file of mode 0600 and write token-file = \"…\" (or token-env, token-credential)";

/// `[opentelemetry]`.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenTelemetryConfig {
    /// The collector's URL, without `/v1/traces`.
    pub endpoint: Located<String>,
    /// Further headers of each request.
    pub headers: Vec<(Located<String>, Located<String>)>,
    /// The header that has the secret.
    pub header: String,
    /// The place of the secret.
    pub token: Option<Secret>,
    /// The certificate of the keyring that the region shows, by its label.
    pub certificate: Option<Located<String>>,
    /// The part of new traces that is sampled, 0 to 1.
    pub sampling: f64,
    /// The most spans that wait.
    pub limit: u32,
    /// The name of the service; `None`: the APPLID.
    pub service: Option<String>,
    /// Spans name users.
    pub users: bool,
}

impl OpenTelemetryConfig {
    pub(crate) fn read(table: Table<'_>) -> Option<Self> {
        let endpoint = table.required_string("endpoint", "http://127.0.0.1:4318");
        let header = table.string("header").map_or_else(|| AUTHORIZATION.to_owned(), |name| name.value);
        let headers = table.table("headers").map(|named| named.string_entries()).unwrap_or_default();
        let is_secret =
            |name: &str| [header.as_str(), AUTHORIZATION].iter().any(|it| it.eq_ignore_ascii_case(name));
        for (name, value) in headers.iter().filter(|(name, _)| is_secret(&name.value)) {
            let mut shown = value.clone();
            if let Some(place) = &mut shown.place {
                hide(place);
            }
            let text = format!("`{}` does not stand here in clear", name.value);
            table.report(at(Diagnostic::error(codes::SECRET, text).help(IN_A_FILE), &shown));
        }
        let keys = Keys {
            clear: "token",
            file: "token-file",
            variable: "token-env",
            credential: "token-credential",
        };
        let config = Self {
            endpoint: endpoint.clone().unwrap_or_else(|| Located::default_value(String::new())),
            headers,
            header,
            token: secret(&table, &keys),
            certificate: table.string("certificate"),
            sampling: table.part("sampling").unwrap_or(1.0),
            limit: table.number("limit", LIMIT).unwrap_or(DEFAULT_LIMIT),
            service: table.string("service").map(|name| name.value),
            users: table.boolean("users").unwrap_or(false),
        };
        table.finish();
        endpoint.map(|_| config)
    }
}
