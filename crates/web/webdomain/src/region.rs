//! Web of a region: services, URI maps, and the configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::User;
use parking_lot::{Mutex, RwLock};
use pipelines::keys::Identity;
use ports::{Places, Sharing, TlsVersion};
use tokio_rustls::rustls::ClientConfig;
use urimap::{Definition, Table, Usage};

use crate::ciphers::Ciphers;
use crate::counts::UriCounts;
use crate::line;
use crate::mark::Mark;
use crate::origins::Origins;
use crate::pool::Pool;
use crate::server::Server;
use crate::service::{Said, Service};
use crate::types::Types;
use crate::uri_map::UriMap;

/// Configuration of a region's web.
#[derive(Clone, Debug)]
pub struct Options {
    /// Addresses of services, before their definition's; one without a definition is made.
    pub services: Vec<(Name8, SocketAddr)>,
    /// The address of services whose definition names none.
    pub address: IpAddr,
    /// The folder beneath which files of URIMAPs are.
    pub files: PathBuf,
    /// The folder of certificates.
    pub keyring: PathBuf,
    /// The proxies that may speak for clients.
    pub proxies: Vec<IpAddr>,
    /// The lowest version of TLS that is spoken, and the highest: MINTLSLEVEL, MAXTLSLEVEL.
    pub tls: (TlsVersion, TlsVersion),
    /// For how long a client may resume its TLS session: SSLDELAY.
    pub resumption: Duration,
    /// The file of the keyring that has the lists of revoked certificates: CRLPROFILE.
    pub revoked: Option<String>,
    /// Connections of all services, and of tasks to servers, at a time: MAXSOCKETS.
    pub sockets_max: usize,
    /// Services whose long answers are deflated for clients that take it.
    pub deflating: Vec<Name8>,
    /// Pages of other origins that may ask, by the names of URIMAPs, web services and TCPIPSERVICEs.
    pub origins: Vec<(String, Origins)>,
    /// Media types of files by their endings, beside those that are known.
    pub types: Types,
}

/// The published default of MAXSOCKETS.
pub(crate) const SOCKETS_MAX: usize = 65_535;

impl Default for Options {
    fn default() -> Self {
        Self {
            services: Vec::new(),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            files: PathBuf::new(),
            keyring: PathBuf::new(),
            proxies: Vec::new(),
            tls: (TlsVersion::Tls12, TlsVersion::Tls13),
            resumption: Duration::ZERO,
            revoked: None,
            sockets_max: SOCKETS_MAX,
            deflating: Vec::new(),
            origins: Vec::new(),
            types: Types::new(),
        }
    }
}

/// Whose certificates of clients are.
pub trait Certificates: Send + Sync {
    /// The user of a certificate, by its SHA-256 in hexadecimal.
    fn user(&self, fingerprint: &str) -> Option<User>;

    /// From now on a certificate is a user's: AUTHENTICATE(AUTOREGISTER).
    ///
    /// # Errors
    /// The reason why it cannot be written down.
    fn register(&self, fingerprint: &str, user: Name8) -> Result<(), String>;
}

/// The web of a region.
#[derive(Default)]
pub struct Web {
    options: OnceLock<Options>,
    pub(crate) certificates: OnceLock<Arc<dyn Certificates>>,
    /// Ports that other regions listen on, too.
    sharing: OnceLock<Arc<Sharing>>,
    /// By the label of the certificate that is shown, blank where none is, and by CIPHERS.
    trust: Mutex<BTreeMap<(String, String), Arc<ClientConfig>>>,
    pool: Pool,
    places: OnceLock<Arc<Places>>,
    pub(crate) services: Mutex<BTreeMap<Name8, Arc<Service>>>,
    uris: RwLock<Arc<Uris>>,
    /// SET TCPIP.
    pub(crate) support: Mutex<Support>,
    /// True while ports may be open: not before the region runs, and not when it ends.
    pub(crate) serves: Mutex<bool>,
    mark: Mark,
    /// Counts of requests by their fate.
    pub(crate) counts: UriCounts,
}

/// States of the support for TCP/IP.
#[derive(Default)]
pub(crate) struct Support {
    pub is_closed: bool,
    /// The services that were open when it was closed.
    pub waiting: Vec<Name8>,
}

/// The URI maps, by name and arranged for requests.
#[derive(Default)]
pub(crate) struct Uris {
    pub maps: BTreeMap<Name8, Arc<UriMap>>,
    pub table: Table,
    /// Those of requests that JVM servers get.
    pub jvm_servers: Table,
    /// Hosts that are disabled, by their keys.
    off: BTreeSet<String>,
}

impl Uris {
    /// Returns true if a host is disabled.
    pub fn is_off(&self, host: &str) -> bool {
        !self.off.is_empty() && self.off.contains(&Definition::host_key(host))
    }
}

/// For connections to end by themselves when the region has ended its tasks.
const FAREWELL: Duration = Duration::from_secs(3);
/// For clients that keep their connections to ask once more before the region ends, and between two looks at who is left.
const COOL_DOWN_MAX: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Web {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The mark of the region in chains of requests.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Sets the configuration, once.
    pub(crate) fn configure(&self, options: Options) {
        for (name, address) in &options.services {
            let mut services = self.services.lock();
            let said = services.get(name).map_or_else(Said::by_default, |service| service.said.clone());
            services.insert(*name, Arc::new(Service::new(*name, said, Some(*address))));
        }
        // It is set once.
        let _ = self.options.set(options);
    }

    /// Ports are shared with other regions from now on, as far as `sharing` says.
    pub fn share_ports(&self, sharing: &Arc<Sharing>) {
        // It is set once.
        let _ = self.sharing.set(Arc::clone(sharing));
    }

    pub(crate) fn sharing(&self) -> Option<&Arc<Sharing>> {
        self.sharing.get()
    }

    /// Returns true if services may be open: SET TCPIP.
    pub(crate) fn is_supported(&self) -> bool {
        !self.support.lock().is_closed
    }

    /// Closes all services, at once or when their requests are done; none is opened until that is allowed again.
    pub(crate) fn close_support(&self, at_once: bool) {
        let open: Vec<_> = self.services().into_iter().filter(|service| service.is_open()).collect();
        {
            let mut support = self.support.lock();
            support.is_closed = true;
            support.waiting.extend(open.iter().map(|service| service.name));
        }
        for service in open {
            service.close();
            if at_once {
                service.break_off();
            }
        }
    }

    /// The places of all connections.
    pub(crate) fn places(&self) -> &Arc<Places> {
        self.places.get_or_init(|| Places::new(self.options().sockets_max))
    }

    /// Addresses of open services, by name.
    pub fn listening(&self) -> Vec<(Name8, SocketAddr)> {
        self.services().iter().filter_map(|service| Some((service.name, service.listens()?))).collect()
    }

    /// Waits until no client is connected, but no longer than those need that ask now and then: with its answer each is sent away
    /// ([`kernel::health::Health::leaves`]), so that none asks at the moment at which its connection ends.
    pub async fn cool(&self) {
        let is_used = || {
            let services = self.services();
            services
                .iter()
                .any(|service| service.opened.lock().as_ref().is_some_and(|opened| opened.connections() > 0))
        };
        let until = tokio::time::Instant::now() + COOL_DOWN_MAX;
        while is_used() && tokio::time::Instant::now() < until {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Accepts no more clients; requests that are at work go on.
    pub fn close(&self) {
        *self.serves.lock() = false;
        self.services().iter().for_each(|service| service.turn_away());
    }

    /// Ends what connections are left, once they have had some time.
    pub async fn stop(&self) {
        for service in self.services() {
            let opened = service.opened.lock().take();
            if let Some(opened) = opened {
                opened.stop(FAREWELL).await;
            }
        }
    }

    /// The services, by name.
    pub(crate) fn services(&self) -> Vec<Arc<Service>> {
        self.services.lock().values().cloned().collect()
    }

    /// The service of a name.
    pub(crate) fn service(&self, name: Name8) -> Option<Arc<Service>> {
        self.services.lock().get(&name).cloned()
    }

    /// Changes what a closed service says; what has come through it is known still.
    pub(crate) fn change_service(&self, name: Name8, change: impl FnOnce(&mut Said)) {
        let mut services = self.services.lock();
        if let Some(service) = services.get(&name) {
            let mut said = service.said.clone();
            change(&mut said);
            let changed = service.saying(said);
            services.insert(name, Arc::new(changed));
        }
    }

    /// Takes a service away.
    pub(crate) fn remove_service(&self, name: Name8) {
        self.services.lock().remove(&name);
    }

    /// The configuration.
    pub(crate) fn options(&self) -> &Options {
        static NONE: OnceLock<Options> = OnceLock::new();
        self.options.get().unwrap_or_else(|| NONE.get_or_init(Options::default))
    }

    /// Whose certificates of clients are.
    pub(crate) fn certificates(&self) -> Option<&Arc<dyn Certificates>> {
        self.certificates.get()
    }

    /// Which servers are trusted, the certificate that they may see, and the cipher suites that are spoken: read when the first
    /// is called over TLS.
    ///
    /// # Errors
    /// There is no such certificate, or it is of no use; CIPHERS names no suite.
    pub(crate) fn trust(
        &self,
        label: Option<&str>,
        ciphers: Option<&Ciphers>,
    ) -> io::Result<Arc<ClientConfig>> {
        let mut known = self.trust.lock();
        let text = ciphers.map_or("", Ciphers::text);
        let key = (label.unwrap_or_default().to_owned(), text.to_owned());
        if let Some(trust) = known.get(&key) {
            return Ok(Arc::clone(trust));
        }
        let keyring = &self.options().keyring;
        let suites = ciphers.map(|ciphers| ciphers.suites(keyring, "a URIMAP")).transpose();
        let suites = suites.map_err(io::Error::other)?.unwrap_or_default();
        let trust = line::trust(keyring, label, &suites)?;
        known.insert(key, Arc::clone(&trust));
        Ok(trust)
    }

    /// A certificate of the keyring, with its key.
    ///
    /// # Errors
    /// There is no such certificate, or it is of no use.
    pub(crate) fn identity(&self, label: &str) -> Result<Identity, String> {
        line::identity(&self.options().keyring, label).map_err(|why| why.to_string())
    }

    /// Connections to servers that no task uses.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The enabled URI map for clients by which a URL goes, if there is one: that of its server and path.
    pub(crate) fn client_map(&self, server: &Server, path: &str) -> Option<Arc<UriMap>> {
        let uris = self.uris();
        let is_it = |map: &&Arc<UriMap>| {
            map.is_for_clients() && map.matches.path == path && Server::of_map(map) == *server
        };
        uris.maps.values().find(is_it).cloned()
    }

    /// The URI maps as they are now.
    pub(crate) fn uris(&self) -> Arc<Uris> {
        Arc::clone(&self.uris.read())
    }

    /// The URI maps, by name.
    pub(crate) fn maps(&self) -> Vec<Arc<UriMap>> {
        self.uris().maps.values().cloned().collect()
    }

    /// The URI map of a name.
    pub(crate) fn map(&self, name: Name8) -> Option<Arc<UriMap>> {
        self.uris().maps.get(&name).cloned()
    }

    /// Changes the URI maps, and arranges them again.
    pub(crate) fn change(&self, what: impl FnOnce(&mut BTreeMap<Name8, Arc<UriMap>>)) {
        self.arrange(|uris| what(&mut uris.maps));
    }

    /// Enables a host or disables it, with all its URI maps.
    pub(crate) fn switch_host(&self, host: &str, on: bool) {
        let key = Definition::host_key(host);
        self.arrange(|uris| {
            if on {
                uris.off.remove(&key);
            } else {
                uris.off.insert(key);
            }
        });
    }

    fn arrange(&self, what: impl FnOnce(&mut Uris)) {
        let mut current = self.uris.write();
        let (maps, off) = (current.maps.clone(), current.off.clone());
        let mut uris = Uris { maps, off, ..Uris::default() };
        what(&mut uris);
        let definitions = uris.maps.values().map(|map| {
            let definition = map.matches.clone();
            Definition { enabled: definition.enabled && !uris.is_off(&definition.host), ..definition }
        });
        let (of_jvm_servers, others): (Vec<_>, Vec<_>) =
            definitions.partition(|definition| definition.usage == Usage::JvmServer);
        (uris.jvm_servers, uris.table) = (Table::new(of_jvm_servers), Table::new(others));
        *current = Arc::new(uris);
    }

    /// Changes one of them, if it is there.
    pub(crate) fn change_map(&self, name: Name8, what: impl FnOnce(&mut UriMap)) -> Option<()> {
        let mut changed = None;
        self.change(|maps| changed = maps.get_mut(&name).map(|map| what(Arc::make_mut(map))));
        changed
    }
}
