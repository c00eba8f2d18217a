//! HTTP: the services of the CSD texts, and what `[web]` says of them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{Located, PageOrigins, RegionConfig, TlsLevel};
use diagnostics::Diagnostic;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::User;
use ports::TlsVersion;
use webdomain::{CannotOpen, Certificates, Options, Origins, Web};

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use crate::codes;
use crate::users::Users;

/// The door that `[web]` describes.
///
/// # Errors
/// None of its own.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let web = &config.web;
    let services = web.services.iter().map(|(name, at)| (Name8::from(name.as_str()), at.value));
    let options = Options {
        services: services.collect(),
        address: web.address,
        origins: web.origins.iter().map(|(name, pages)| (name.clone(), origins(pages))).collect(),
        files: root.join(&web.files.value),
        keyring: root.join(&web.keyring.value),
        proxies: web.proxies.clone(),
        tls: (version(config.sit.tls_levels.0), version(config.sit.tls_levels.1)),
        resumption: Duration::from_secs(config.sit.ssl_delay.into()),
        revoked: config.sit.crl_profile.clone(),
        sockets_max: config.sit.max_sockets as usize,
        types: web.types.iter().cloned().collect(),
        deflating: web.compress.iter().map(|name| Name8::from(name.as_str())).collect(),
    };
    let asked = web.services.iter().map(|(_, at)| at.clone()).collect();
    Ok((Box::new(WebDoor { options, asked, region: None }), Vec::new()))
}

fn origins(pages: &PageOrigins) -> Origins {
    Origins { origins: pages.origins.clone(), with_credentials: pages.with_credentials }
}

fn version(level: TlsLevel) -> TlsVersion {
    match level {
        TlsLevel::Tls12 => TlsVersion::Tls12,
        TlsLevel::Tls13 => TlsVersion::Tls13,
    }
}

impl Certificates for Users {
    fn user(&self, fingerprint: &str) -> Option<User> {
        self.of_certificate(fingerprint).map(|(user, _)| user)
    }

    fn register(&self, fingerprint: &str, user: Name8) -> Result<(), String> {
        self.register_certificate(fingerprint, &user.to_string())
    }
}

/// The door.
struct WebDoor {
    options: Options,
    /// The addresses that the configuration asks for.
    asked: Vec<Located<SocketAddr>>,
    region: Option<Arc<Region>>,
}

impl Door for WebDoor {
    fn install(&mut self, region: &Region) {
        Web::of(region).install(region, self.options.clone());
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        self.region = Some(Arc::clone(inside.region));
        let users = Arc::clone(inside.users) as Arc<dyn Certificates>;
        if let Some(sharing) = inside.sharing {
            Web::of(inside.region).share_ports(sharing);
        }
        let opened = Web::of(inside.region).open(inside.region, users).map_err(|why| match why {
            CannotOpen::Port(name, why) => {
                let asked = self.asked.iter().find(|asked| asked.value == why.address).cloned();
                let asked = asked.unwrap_or_else(|| Located::default_value(why.address));
                cannot_listen(&format!("TCPIPSERVICE {name}"), &why, &asked)
            }
            why => vec![Diagnostic::error(codes::CERTIFICATE, why.to_string())],
        });
        Box::pin(async { opened })
    }

    fn listening(&self) -> Vec<Listening> {
        let services = self.region.iter().flat_map(|region| Web::of(region).listening());
        services.map(|(name, address)| Listening { door: "web", name: name.to_string(), address }).collect()
    }

    fn cool(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(region) = self.region.clone() {
                Web::of(&region).cool().await;
            }
        })
    }

    fn close(&mut self) -> Step<'_> {
        if let Some(region) = &self.region {
            Web::of(region).close();
        }
        Box::pin(async {})
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(region) = self.region.take() {
                Web::of(&region).stop().await;
            }
        })
    }
}
