//! `[links]`: where partners are, and how this region shows itself to them.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::OpenListener;
use crate::names::{LONG_NAME, resource_name};
use crate::reader::Table;
use crate::{Located, address, at, codes};

/// Seconds that a partner may have for an answer.
const ANSWER_S: RangeInclusive<u32> = 1..=3_600;
/// Seconds that it has if nothing is said.
const DEFAULT_ANSWER_S: u32 = 30;

/// `[links]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkConfig {
    /// The folder in which the regions of this machine have their sockets, each by its APPLID.
    pub folder: Option<Located<String>>,
    /// The place where regions of other machines connect, by TLS.
    pub listen: Option<Located<SocketAddr>>,
    /// The certificate that this region shows, with its chain.
    pub certificate: Option<Located<String>>,
    /// Its key.
    pub key: Option<Located<String>>,
    /// The authorities that sign the certificates of partners.
    pub authorities: Option<Located<String>>,
    /// The network identifier of this region.
    pub network: Option<String>,
    /// Seconds that a partner has to answer at the end of a unit of work.
    pub answer_s: u32,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            folder: None,
            listen: None,
            certificate: None,
            key: None,
            authorities: None,
            network: None,
            answer_s: DEFAULT_ANSWER_S,
        }
    }
}

impl LinkConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let config = Self {
            folder: table.string("folder"),
            listen: table
                .string("listen")
                .and_then(|text| address::listener(&table, text, OpenListener::Secure)),
            certificate: table.string("certificate"),
            key: table.string("key"),
            authorities: table.string("authorities"),
            network: table.string("network").map(|name| resource_name(&table, "a network", &name, LONG_NAME)),
            answer_s: table.number("answer-seconds", ANSWER_S).unwrap_or(DEFAULT_ANSWER_S),
        };
        let files = [&config.certificate, &config.key, &config.authorities];
        let given = files.iter().find_map(|file| file.as_ref());
        let is_whole = files.iter().all(|file| file.is_some());
        let help = "name three PEM files in [links]: certificate = \"region.pem\", key = \"region.key\", \
                    authorities = \"partners.pem\"";
        let text =
            "links between machines need certificate, key and authorities: both ends show who they are";
        let message = Diagnostic::error(codes::NO_CERTIFICATE, text);
        match (&config.listen, given) {
            (Some(listen), _) if !is_whole => table.report(at(message, listen).help(help)),
            (None, Some(file)) if !is_whole => table.report(at(message, file).help(help)),
            _ => {}
        }
        table.finish();
        config
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    #[test]
    fn links_between_machines_need_all_three_files() {
        let files = ["certificate = \"a.pem\"\n", "key = \"a.key\"\n", "authorities = \"b.pem\"\n"];
        for (lines, wrong) in [
            (vec!["folder = \"links\"\n"], 0),
            (vec!["listen = \"4440\"\n"], 1),
            (vec![files[0], files[1]], 1),
            (files.to_vec(), 0),
            (vec!["answer-seconds = 0\n"], 1),
            (vec!["listen = \"4440\"\n", files[0], files[1], files[2], "network = \"neta\"\n"], 0),
        ] {
            let text = format!("[links]\n{}", lines.concat());
            let (config, messages) = crate::region(&Source::new("region.toml", &text));
            assert_eq!(messages.len(), wrong, "{text}: {messages:?}");
            assert!(config.links.network.is_none_or(|name| name == "NETA"));
        }
    }
}
