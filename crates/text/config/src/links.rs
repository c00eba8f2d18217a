//! `[links]`: where partners are, and how this region shows itself to them.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::OpenListener;
use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::Table;
use crate::{Located, address, at, codes};

/// Seconds that a partner may have for an answer.
const ANSWER_S: RangeInclusive<u32> = 1..=3_600;

/// `[links]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Seconds that a partner has to answer at the end of a unit of work; `None`: the usual one.
    pub answer_s: Option<u32>,
    /// The systems among which the region chooses where tasks of dynamic transactions run.
    pub targets: Vec<String>,
    /// The tasks that must run where others have run.
    pub affinities: Vec<AffinityConfig>,
}

/// The tasks that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AffinityRelation {
    /// All.
    Global,
    /// Those of one terminal.
    Terminal,
    /// Those of one user.
    User,
}

/// The time for which they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AffinityLifetime {
    /// Until a pseudo-conversation ends.
    Pconv,
    /// As long as the terminal is there.
    Logon,
    /// As long as the user is signed on.
    Signon,
    /// As long as the other region is there.
    System,
    /// As long as the region runs.
    Permanent,
}

/// `[[links.affinity]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffinityConfig {
    /// The names of transactions; `*` at the end stands for any rest.
    pub transactions: Vec<String>,
    /// The tasks that belong together.
    pub relation: AffinityRelation,
    /// The time for which they do.
    pub lifetime: AffinityLifetime,
}

impl AffinityConfig {
    fn read(table: Table<'_>) -> Option<Self> {
        use AffinityLifetime::{Logon, Pconv, Permanent, Signon, System};
        use AffinityRelation::{Global, Terminal, User};
        let names = table.strings("transactions").unwrap_or_default();
        let place = table.place();
        let relation =
            table.choice("relation", &[("global", Global), ("terminal", Terminal), ("user", User)]);
        let lifetimes = [
            ("pconv", Pconv),
            ("logon", Logon),
            ("signon", Signon),
            ("system", System),
            ("permanent", Permanent),
        ];
        let lifetime = table.choice("lifetime", &lifetimes);
        let is_published = !matches!(
            (relation, lifetime),
            (Some(Global), Some(Pconv | Logon | Signon))
                | (Some(Terminal), Some(Signon))
                | (Some(User), Some(Logon))
        );
        if names.is_empty() || relation.is_none() || lifetime.is_none() || !is_published {
            let text = "an affinity needs transactions, a relation and a lifetime that goes with it";
            let help = "relation = \"global\": system, permanent; \"terminal\": pconv, logon, system, permanent; \
                        \"user\": pconv, signon, system, permanent";
            table.report(Diagnostic::error(codes::VALUE, text).at(place).help(help));
        }
        table.finish();
        let transactions = names.into_iter().map(|name| name.value.to_ascii_uppercase()).collect();
        Some(Self { transactions, relation: relation?, lifetime: lifetime? }).filter(|_| is_published)
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
            targets: table
                .strings("targets")
                .unwrap_or_default()
                .iter()
                .map(|name| resource_name(&table, "a system", name, SHORT_NAME))
                .collect(),
            affinities: table.tables("affinity").into_iter().filter_map(AffinityConfig::read).collect(),
            network: table.string("network").map(|name| resource_name(&table, "a network", &name, LONG_NAME)),
            answer_s: table.number("answer-seconds", ANSWER_S),
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
