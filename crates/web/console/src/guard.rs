//! Requests that a foreign page has a browser make, and names that lead here by a trick.

use std::net::IpAddr;

use http::RequestHead;

/// The names by which the console is called, beside addresses and `localhost`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(pub Vec<String>);

impl Names {
    /// Returns true if a request calls the console by an address or a name of its own: another name may have been made to
    /// lead here by a page that wants to read the answers.
    pub fn has(&self, head: &RequestHead) -> bool {
        let Some(host) = head.host() else { return false };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || bare.parse::<IpAddr>().is_ok()
            || self.0.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// Returns true if a request that changes something, or opens a terminal, comes from a page of the console: browsers say the
/// origin of such requests, and no page can say another one.
pub(crate) fn is_own(head: &RequestHead, secure: bool) -> bool {
    let site = head.fields().get("Sec-Fetch-Site");
    if site.is_some_and(|site| site != b"same-origin") {
        return false;
    }
    let mut origins = head.fields().all("Origin");
    let (Some(origin), None) = (origins.next(), origins.next()) else { return false };
    let scheme = if secure { "https://" } else { "http://" };
    let own = head.authority().map(|authority| format!("{scheme}{authority}"));
    own.is_some_and(|own| own.as_bytes().eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use http::url::Scheme;

    use super::*;

    fn head(host: &str, fields: &[(&str, &str)]) -> RequestHead {
        RequestHead::make("POST", Scheme::Http, host, "/api/set", fields.iter().copied()).expect("a request")
    }

    #[test]
    fn a_change_comes_from_a_page_of_the_console() {
        let own = ("Origin", "http://127.0.0.1:9480");
        let table: [(&[(&str, &str)], bool); 8] = [
            (&[own], true),
            (&[own, ("Sec-Fetch-Site", "same-origin")], true),
            (&[own, ("Sec-Fetch-Site", "same-site")], false),
            (&[own, own], false),
            (&[("Origin", "https://127.0.0.1:9480")], false),
            (&[("Origin", "http://127.0.0.1:9481")], false),
            (&[("Origin", "null")], false),
            (&[], false),
        ];
        for (fields, expected) in table {
            assert_eq!(is_own(&head("127.0.0.1:9480", fields), false), expected, "{fields:?}");
        }
    }

    #[test]
    fn the_console_has_addresses_and_names_of_its_own() {
        let names = Names(vec![String::from("bank.example")]);
        for (host, expected) in [
            ("127.0.0.1:9480", true),
            ("[::1]:9480", true),
            ("LocalHost", true),
            ("bank.example:9480", true),
            ("harbour.example", false),
            ("localhost.harbour.example", false),
        ] {
            assert_eq!(names.has(&head(host, &[])), expected, "{host}");
        }
    }
}
