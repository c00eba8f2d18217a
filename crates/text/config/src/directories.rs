//! `[ldap]` and `[oidc]`: servers that know users.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::reader::{Table, refused};
use crate::secret::{Keys, Secret, secret};
use crate::users::{Right, rights};
use crate::{Located, at, codes};

/// Seconds that a server may take.
const TIMEOUT_S: RangeInclusive<u32> = 1..=60;
/// Minutes for which a server that is gone does not matter to users who were there before.
const CACHED_MIN: RangeInclusive<u32> = 0..=10_080;

/// `[ldap]`: users of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LdapConfig {
    /// `ldap://` or `ldaps://`, with host and port.
    pub url: Located<String>,
    /// True if a connection in clear begins TLS before anything else.
    pub starttls: bool,
    /// PEM file of the authorities that may have signed the server's certificate; `None` for those that the world trusts.
    pub authorities: Option<Located<String>>,
    /// The name of a user's entry, with `{user}` for the user id.
    pub user_dn: String,
    /// The base of the search for groups; `None`: users have none.
    pub groups_base: Option<String>,
    /// Which entries below it are a user's groups, with `{user}` and `{dn}`.
    pub group_filter: String,
    /// The attribute with a group's name.
    pub group_name: String,
    /// As whom the region looks for users who are not there with a password: START USERID, QUERY SECURITY USERID.
    pub bind_dn: Option<String>,
    /// Its password.
    pub bind_password: Option<Secret>,
    /// Seconds that the server may take for an answer.
    pub timeout_s: u32,
    /// The rights of its users that the users file does not name.
    pub rights: Vec<Right>,
    /// Minutes for which what the server said counts once it is gone.
    pub cached_min: u32,
}

/// `[oidc]`: tokens of a provider of identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcConfig {
    /// The provider, as its tokens name it.
    pub issuer: String,
    /// The audience for which its tokens must be.
    pub audience: String,
    /// The place of its keys: an `https://` address (or `http://` of loopback).
    pub keys: Located<String>,
    /// PEM file of the authorities that may have signed the server's certificate.
    pub authorities: Option<Located<String>>,
    /// The algorithms that may sign its tokens.
    pub algorithms: Vec<String>,
    /// The claim with the user id.
    pub user_claim: String,
    /// The claim with the groups.
    pub groups_claim: String,
    /// Seconds that the server may take for an answer.
    pub timeout_s: u32,
    /// The rights of users that the users file does not name.
    pub rights: Vec<Right>,
}

/// Ways to sign a token that a provider may use: with a pair of keys, never with a secret that both know.
pub const ALGORITHMS: [&str; 9] =
    ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

impl LdapConfig {
    pub(crate) fn read(table: Table<'_>) -> Option<Self> {
        let text = |key| table.string(key).map(|text| text.value);
        let url = table.required_string("url", "ldaps://ldap.example.org");
        let schemes = ["ldap://", "ldaps://"];
        let url = url.filter(|url| has_scheme(&table, "url", url, &schemes));
        let user_dn = table.required_string("user-dn", "uid={user},ou=people,dc=example,dc=org");
        let user_dn = user_dn.filter(|dn| {
            let good = dn.value.contains("{user}");
            if !good {
                let message = Diagnostic::error(codes::VALUE, "`user-dn` takes a name with {user} in it");
                table.report(at(message, dn).help("user-dn = \"uid={user},ou=people,dc=example,dc=org\""));
            }
            good
        });
        let config = Self {
            url: url.unwrap_or_else(|| Located::default_value(String::new())),
            starttls: table.boolean("starttls").unwrap_or(false),
            authorities: table.string("authorities"),
            user_dn: user_dn.map(|dn| dn.value).unwrap_or_default(),
            groups_base: text("groups-base"),
            group_filter: text("group-filter").unwrap_or_else(|| "(member={dn})".to_owned()),
            group_name: text("group-name").unwrap_or_else(|| "cn".to_owned()),
            bind_dn: text("bind-dn"),
            bind_password: secret(
                &table,
                &Keys {
                    clear: "bind-password",
                    file: "bind-password-file",
                    variable: "bind-password-env",
                    credential: "bind-password-credential",
                },
            ),
            timeout_s: table.number("timeout", TIMEOUT_S).unwrap_or(5),
            rights: rights(&table, "rights").unwrap_or_else(|| vec![Right::Run]),
            cached_min: table.number("cached-for", CACHED_MIN).unwrap_or(60),
        };
        table.finish();
        Some(config)
    }
}

impl OidcConfig {
    pub(crate) fn read(table: Table<'_>) -> Option<Self> {
        let issuer = table.required_string("issuer", "https://login.example.org");
        let audience = table.required_string("audience", "syncpoint");
        let keys = table.required_string("keys", "https://login.example.org/keys");
        let keys = keys
            .filter(|url| has_scheme(&table, "keys", url, &["https://", "http://127.0.0.1", "http://[::1]"]));
        let text =
            |key, default: &str| table.string(key).map_or_else(|| default.to_owned(), |text| text.value);
        let algorithms = table.strings("algorithms");
        let algorithm = |word: Located<String>| {
            let known = ALGORITHMS.contains(&word.value.as_str());
            if !known {
                let wanted = format!("one of {}", ALGORITHMS.join(", "));
                table.report(refused("algorithms", &word, &wanted, ALGORITHMS));
            }
            known.then_some(word.value)
        };
        let config = Self {
            issuer: issuer.map(|text| text.value).unwrap_or_default(),
            audience: audience.map(|text| text.value).unwrap_or_default(),
            keys: keys.unwrap_or_else(|| Located::default_value(String::new())),
            authorities: table.string("authorities"),
            algorithms: match algorithms {
                Some(words) => words.into_iter().filter_map(algorithm).collect(),
                None => vec!["RS256".to_owned(), "ES256".to_owned()],
            },
            user_claim: text("user-claim", "preferred_username"),
            groups_claim: text("groups-claim", "groups"),
            timeout_s: table.number("timeout", TIMEOUT_S).unwrap_or(5),
            rights: rights(&table, "rights").unwrap_or_else(|| vec![Right::Run]),
        };
        table.finish();
        Some(config)
    }
}

fn has_scheme(table: &Table<'_>, key: &str, url: &Located<String>, schemes: &[&str]) -> bool {
    let good = schemes.iter().any(|scheme| url.value.len() > scheme.len() && url.value.starts_with(scheme));
    if !good {
        let wanted = format!("an address that begins with {}", schemes.join(" or "));
        table.report(refused(key, url, &wanted, []));
    }
    good
}
