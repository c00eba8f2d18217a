//! `[web]` and `[web.services]`: HTTP.

use std::net::{IpAddr, SocketAddr};

use diagnostics::Diagnostic;

use crate::address::OpenListener;
use crate::names::{LONG_NAME, resource_name};
use crate::reader::Table;
use crate::{Located, address, at, codes};

/// `[web]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebConfig {
    /// Where services listen, whatever their TCPIPSERVICE says; one without a definition is HTTP as published by default.
    pub services: Vec<(String, Located<SocketAddr>)>,
    /// The folder beneath which the files of URIMAPs are: HFSFILE.
    pub files: Located<String>,
    /// The folder of certificates: `LABEL.pem` and `LABEL.key`, and `authorities.pem` for those of clients.
    pub keyring: Located<String>,
    /// The proxies that may speak for clients of services with SSL(ATTLSAWARE).
    pub proxies: Vec<IpAddr>,
    /// The services whose long answers are deflated for clients that take it.
    pub compress: Vec<String>,
    /// Media types of files by their endings.
    pub types: Vec<(String, String)>,
}

const DEFAULT_FILES: &str = "web";
const DEFAULT_KEYRING: &str = "keyring";

impl Default for WebConfig {
    fn default() -> Self {
        Self {
            services: Vec::new(),
            files: Located::default_value(DEFAULT_FILES.to_owned()),
            keyring: Located::default_value(DEFAULT_KEYRING.to_owned()),
            proxies: Vec::new(),
            compress: Vec::new(),
            types: Vec::new(),
        }
    }
}

impl WebConfig {
    pub(crate) fn read(section: Option<Table<'_>>) -> Self {
        let default = Self::default();
        let Some(table) = section else { return default };
        let config = Self {
            services: table.table("services").map(services).unwrap_or_default(),
            files: table.string("files").unwrap_or(default.files),
            keyring: table.string("keyring").unwrap_or(default.keyring),
            proxies: proxies(&table),
            compress: compressed(&table),
            types: table.table("types").map(types).unwrap_or_default(),
        };
        table.finish();
        config
    }
}

fn services(table: Table<'_>) -> Vec<(String, Located<SocketAddr>)> {
    let entries = table.string_entries().into_iter();
    let services = entries.filter_map(|(name, text)| {
        let name = resource_name(&table, "a TCPIPSERVICE", &name, LONG_NAME);
        Some((name, address::listener(&table, text, OpenListener::Messages)?))
    });
    services.collect()
}

fn compressed(table: &Table<'_>) -> Vec<String> {
    let names = table.strings("compress").unwrap_or_default().into_iter();
    names.map(|name| resource_name(table, "a TCPIPSERVICE", &name, LONG_NAME)).collect()
}

fn types(table: Table<'_>) -> Vec<(String, String)> {
    let entries = table.string_entries().into_iter();
    let types = entries.filter_map(|(ending, media)| {
        let visible = |text: &str| text.bytes().all(|byte| (0x20..0x7F).contains(&byte));
        if media.value.contains('/') && visible(&media.value) {
            return Some((ending.value.trim_start_matches('.').to_ascii_lowercase(), media.value));
        }
        let message = Diagnostic::error(codes::VALUE, "a file's ending stands for a media type");
        table.report(at(message.label("this is none"), &media).help("write html = \"text/html\""));
        None
    });
    types.collect()
}

fn proxies(table: &Table<'_>) -> Vec<IpAddr> {
    let mut proxies = Vec::new();
    for text in table.strings("proxies").unwrap_or_default() {
        match text.value.parse() {
            Ok(address) => proxies.push(address),
            Err(_) => {
                let message = Diagnostic::error(codes::ADDRESS, "a proxy is an address without a port");
                table.report(at(message.label("this is not one"), &text).help("write \"127.0.0.1\""));
            }
        }
    }
    proxies
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    #[test]
    fn endings_stand_for_media_types() {
        let text = "[web]\ncompress = [\"shop\"]\n[web.types]\n\".CPY\" = \"text/plain\"\nbad = \"text\"\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        assert_eq!(config.web.types, [("cpy".to_owned(), "text/plain".to_owned())]);
        assert_eq!((config.web.compress, messages.len()), (vec!["SHOP".to_owned()], 1));
    }

    #[test]
    fn services_have_addresses_and_proxies_none_of_their_ports() {
        let text = "[web]\nfiles = \"pages\"\nproxies = [\"127.0.0.1\", \"127.0.0.1:80\"]\n[web.services]\nSHOP = \"8080\"\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        let shop = &config.web.services[0];
        assert_eq!((shop.0.as_str(), shop.1.value), ("SHOP", "127.0.0.1:8080".parse().expect("an address")));
        assert_eq!(
            (config.web.files.value.as_str(), config.web.proxies.len(), messages.len()),
            ("pages", 1, 1)
        );
        assert_eq!(config.web.keyring.value, "keyring");
    }
}
