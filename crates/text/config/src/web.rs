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
    /// The addresses of services, whatever their TCPIPSERVICE says; one without a definition is HTTP as published by
    /// default.
    pub services: Vec<(String, Located<SocketAddr>)>,
    /// The address of services whose TCPIPSERVICE names none.
    pub address: IpAddr,
    /// The folder beneath which the files of URIMAPs are: HFSFILE.
    pub files: Located<String>,
    /// The folder of certificates: `LABEL.pem` and `LABEL.key`, and `authorities.pem` for those of clients.
    pub keyring: Located<String>,
    /// The proxies that may speak for clients of services with SSL(ATTLSAWARE).
    pub proxies: Vec<IpAddr>,
    /// The services whose long answers are deflated for clients that take it.
    pub compress: Vec<String>,
    /// Pages of other origins that may ask, by the names of URIMAPs, web services and TCPIPSERVICEs.
    pub origins: Vec<(String, PageOrigins)>,
    /// Media types of files by their endings.
    pub types: Vec<(String, String)>,
}

/// Pages of other origins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOrigins {
    /// Origins as browsers write them; `*` is any.
    pub origins: Vec<String>,
    /// A page may have the browser send what it knows of its user.
    pub with_credentials: bool,
}

const DEFAULT_FILES: &str = "web";
const DEFAULT_KEYRING: &str = "keyring";

impl Default for WebConfig {
    fn default() -> Self {
        Self {
            services: Vec::new(),
            address: address::HERE,
            files: Located::default_value(DEFAULT_FILES.to_owned()),
            keyring: Located::default_value(DEFAULT_KEYRING.to_owned()),
            proxies: Vec::new(),
            compress: Vec::new(),
            origins: Vec::new(),
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
            address: address::of_machine(&table, "address").unwrap_or(default.address),
            files: table.string("files").unwrap_or(default.files),
            keyring: table.string("keyring").unwrap_or(default.keyring),
            proxies: proxies(&table),
            compress: compressed(&table),
            origins: table.table("origins").map(origins).unwrap_or_default(),
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

/// Characters of the name of a web service.
const SERVICE_NAME: usize = 32;
/// The word that lets the browser send what it knows of its user.
const CREDENTIALS: &str = "credentials";

fn origins(table: Table<'_>) -> Vec<(String, PageOrigins)> {
    let entries = table.string_entries().into_iter();
    let origins = entries.filter_map(|(name, text)| {
        let name = resource_name(&table, "a URIMAP, a web service or a TCPIPSERVICE", &name, SERVICE_NAME);
        let (flags, origins): (Vec<&str>, Vec<&str>) =
            text.value.split_whitespace().partition(|word| *word == CREDENTIALS);
        let wrong = match origins.iter().find(|origin| !is_origin(origin)) {
            Some(_) => Some("an origin is a scheme, a host and perhaps a port"),
            None if origins.is_empty() => Some("origins are missing"),
            None if !flags.is_empty() && origins.contains(&"*") => {
                Some("pages of any origin must not act for a user: with credentials each origin has its name")
            }
            None => None,
        };
        if let Some(wrong) = wrong {
            let message = Diagnostic::error(codes::VALUE, wrong).label("here");
            table.report(at(message, &text).help("write \"https://shop.example.org\", or \"*\" for all"));
            return None;
        }
        let origins = origins.into_iter().map(str::to_owned).collect();
        Some((name, PageOrigins { origins, with_credentials: !flags.is_empty() }))
    });
    origins.collect()
}

/// Returns true if a text is an origin as browsers write it, or `*`.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else { return text == "*" };
    matches!(scheme, "http" | "https")
        && !host.is_empty()
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
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
    fn origins_have_no_paths_and_any_origin_has_no_credentials() {
        let text = "[web.origins]\nshop = \"https://a.example https://b.example:8443 credentials\"\nOPEN = \"*\"\n\
                    BAD = \"https://a.example/x\"\nWORSE = \"* credentials\"\nNONE = \"credentials\"\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        let [(shop, origins), (open, _)] = config.web.origins.as_slice() else { panic!("two") };
        assert_eq!((shop.as_str(), origins.origins.len(), origins.with_credentials), ("SHOP", 2, true));
        assert_eq!((open.as_str(), messages.len()), ("OPEN", 3));
    }

    #[test]
    fn addresses_without_a_name_are_loopback() {
        let (config, messages) = crate::region(&Source::new("region.toml", ""));
        assert!(
            messages.is_empty() && config.web.address.is_loopback() && config.sockets.address.is_loopback()
        );
        let text = "[web]\naddress = \"0.0.0.0\"\n[sockets]\naddress = \"::\"\n";
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        assert!(messages.is_empty() && config.web.address.is_unspecified());
        assert!(config.sockets.address.is_unspecified());
        let (_, messages) = crate::region(&Source::new("region.toml", "[web]\naddress = \"0.0.0.0:80\"\n"));
        assert_eq!(messages.len(), 1);
    }

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
