//! TLS: the certificate of a door, and the handshake before its first word.

use std::fmt::Display;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName,
};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ALL_VERSIONS, RootCertStore, ServerConfig, SupportedProtocolVersion, version};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector, client};

use crate::clients::Arrival;
use crate::handshakes::{Way, count_failed_handshake, count_handshake};
use crate::secured::{Secured, timed};
use crate::shown::Shown;
use crate::suites::Suites;
use crate::tickets::{TicketSecret, Tickets};

/// A certificate that a door shows, with the key that proves it. Its files can be read again
/// ([`read_certificates_again`]): later clients see their new content, and existing connections go on.
#[derive(Clone)]
pub struct Certificate(Arc<Current>);

/// The configuration that counts now, and its source.
struct Current {
    acceptor: RwLock<TlsAcceptor>,
    source: Source,
}

/// The files of a certificate, and its use.
#[derive(Clone)]
struct Source {
    chain: PathBuf,
    key: PathBuf,
    others: Vec<(PathBuf, PathBuf)>,
    clients: Option<Authorities>,
    versions: Vec<&'static SupportedProtocolVersion>,
    suites: Suites,
    /// Of a policy: the name of its sessions, and for how long they may be resumed.
    sessions: Option<(String, Duration)>,
    /// The secret of tickets that other regions have, too.
    shared: Option<TicketSecret>,
    protocols: Vec<Vec<u8>>,
}

/// The time for which a session of a door without a policy may be resumed at another region.
const SHARED_LIFE: Duration = Duration::from_secs(600);

/// [`ClientCertificates`] that are kept.
#[derive(Clone)]
struct Authorities {
    authorities: PathBuf,
    required: bool,
    revoked: Option<PathBuf>,
}

impl Authorities {
    fn of(clients: ClientCertificates<'_>) -> Self {
        let ClientCertificates { authorities, required, revoked } = clients;
        Self { authorities: authorities.to_owned(), required, revoked: revoked.map(ToOwned::to_owned) }
    }

    fn lent(&self) -> ClientCertificates<'_> {
        let Self { authorities, required, revoked } = self;
        ClientCertificates { authorities, required: *required, revoked: revoked.as_deref() }
    }
}

/// The certificates that are in use.
static IN_USE: Mutex<Vec<Weak<Current>>> = Mutex::new(Vec::new());

/// Reads the files of all certificates that are in use again; returns their number. If a file is faulty, the
/// certificate stays the same. It reads files: not for a thread that serves clients.
///
/// # Errors
/// A text for each certificate that stays the same.
pub fn read_certificates_again() -> Result<usize, Vec<String>> {
    let mut in_use = IN_USE.lock();
    in_use.retain(|certificate| certificate.strong_count() > 0);
    let certificates: Vec<_> = in_use.iter().filter_map(Weak::upgrade).collect();
    drop(in_use);
    let mut wrong = Vec::new();
    for certificate in &certificates {
        match certificate.source.configured(Strict::Yes) {
            Ok(config) => *certificate.acceptor.write() = TlsAcceptor::from(Arc::new(config)),
            Err(why) => {
                let text = why.to_string();
                if !wrong.contains(&text) {
                    wrong.push(text);
                }
            }
        }
    }
    if wrong.is_empty() { Ok(certificates.len()) } else { Err(wrong) }
}

/// The treatment of a further certificate that cannot be used: an error, or a warning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strict {
    Yes,
    No,
}

/// The reason why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read, or is not PEM.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// The fault in it.
        why: String,
    },
    /// Others on the machine may have the key.
    #[error("{0} can be read or written by others than its owner: chmod 600 it, and have a new key made")]
    Open(PathBuf),
    /// The cipher suites are of other versions of TLS.
    #[error(
        "CIPHERS names no cipher suite of the versions of TLS that are spoken (MINTLSLEVEL, MAXTLSLEVEL)"
    )]
    NoSuite,
    /// Certificate and key do not go together, or are of a kind that is not supported.
    #[error("the certificate cannot be used with this key: {0}")]
    Unfit(String),
}

/// The rules for clients' certificates: the authorities that must have signed them.
#[derive(Clone, Copy, Debug)]
pub struct ClientCertificates<'a> {
    /// PEM file of the authorities.
    pub authorities: &'a Path,
    /// True if a client without one is turned away.
    pub required: bool,
    /// PEM file of the certificates that authorities have revoked.
    pub revoked: Option<&'a Path>,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// 1.2.
    Tls12,
    /// 1.3.
    Tls13,
}

/// The rules by which a door speaks TLS.
#[derive(Clone, Copy, Debug)]
pub struct TlsPolicy<'a> {
    /// The lowest version that it speaks, and the highest.
    pub versions: (TlsVersion, TlsVersion),
    /// The time for which a client may resume its session; zero: never.
    pub resumption: Duration,
    /// The owner of the sessions: a session of a door of another name is not resumed.
    pub name: &'a str,
    /// The cipher suites that it speaks.
    pub suites: &'a Suites,
    /// Other certificates with their keys, which it shows clients that call it by their names.
    pub others: &'a [(PathBuf, PathBuf)],
}

/// The rights of everybody but the owner.
const OTHERS: u32 = 0o077;

impl Certificate {
    /// A certificate with its chain, and its key, from PEM files; and whose certificates clients are asked for.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn read(
        chain: &Path,
        key: &Path,
        clients: Option<ClientCertificates<'_>>,
    ) -> Result<Self, CertificateError> {
        Self::of(Source {
            chain: chain.to_owned(),
            key: key.to_owned(),
            others: Vec::new(),
            clients: clients.map(Authorities::of),
            versions: ALL_VERSIONS.to_vec(),
            suites: Suites::default(),
            sessions: None,
            shared: None,
            protocols: Vec::new(),
        })
    }

    /// The same, as a policy wants it.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn with_policy(
        chain: &Path,
        key: &Path,
        clients: Option<ClientCertificates<'_>>,
        policy: &TlsPolicy<'_>,
    ) -> Result<Self, CertificateError> {
        let (lowest, highest) = policy.versions;
        let spoken = [(TlsVersion::Tls12, &version::TLS12), (TlsVersion::Tls13, &version::TLS13)];
        let spoken = spoken.into_iter().filter(|(version, _)| (lowest..=highest).contains(version));
        let versions: Vec<_> = spoken.map(|(_, version)| version).collect();
        if versions.is_empty() {
            let why = "MINTLSLEVEL is above MAXTLSLEVEL: no version of TLS is left";
            return Err(CertificateError::Unfit(String::from(why)));
        }
        Self::of(Source {
            chain: chain.to_owned(),
            key: key.to_owned(),
            others: policy.others.to_vec(),
            clients: clients.map(Authorities::of),
            versions,
            suites: policy.suites.clone(),
            sessions: Some((policy.name.to_owned(), policy.resumption)),
            shared: None,
            protocols: Vec::new(),
        })
    }

    fn of(source: Source) -> Result<Self, CertificateError> {
        let config = source.configured(Strict::No)?;
        Ok(Self::kept(source, config))
    }

    fn kept(source: Source, config: ServerConfig) -> Self {
        let acceptor = RwLock::new(TlsAcceptor::from(Arc::new(config)));
        let current = Arc::new(Current { acceptor, source });
        let mut in_use = IN_USE.lock();
        in_use.retain(|certificate| certificate.strong_count() > 0);
        in_use.push(Arc::downgrade(&current));
        Self(current)
    }

    /// The acceptor that counts now.
    fn acceptor(&self) -> TlsAcceptor {
        self.0.acceptor.read().clone()
    }

    /// The same certificate, with application protocols (ALPN) that clients may choose among, the preferred one first.
    #[must_use]
    pub fn offering(&self, protocols: &[&str]) -> Self {
        let mut config = ServerConfig::clone(self.acceptor().config());
        let protocols: Vec<_> = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        config.alpn_protocols.clone_from(&protocols);
        Self::kept(Source { protocols, ..self.0.source.clone() }, config)
    }
}

impl Certificate {
    /// The same certificate for a door of several regions, called `name`: each resumes the sessions that another one has begun.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn shared(&self, secret: TicketSecret, name: &str) -> Result<Self, CertificateError> {
        let source = &self.0.source;
        let sessions = source.sessions.clone().unwrap_or_else(|| (name.to_owned(), SHARED_LIFE));
        Self::of(Source { shared: Some(secret), sessions: Some(sessions), ..source.clone() })
    }
}

impl Source {
    /// The name under which sessions are resumed. Among several regions it says whom the door lets in, too: a session that began
    /// without a certificate is not resumed where another region's door of that name asks for one.
    fn session_name(&self, name: &str) -> Result<Vec<u8>, CertificateError> {
        let (Some(_), Some(clients)) = (&self.shared, &self.clients) else {
            return Ok(name.as_bytes().to_vec());
        };
        let mut digest = Sha256::new();
        for file in [Some(&clients.authorities), clients.revoked.as_ref()].into_iter().flatten() {
            let bytes = std::fs::read(file).map_err(|error| failed(file, &error))?;
            digest.update(Sha256::digest(bytes));
        }
        let how = if clients.required { "required" } else { "asked" };
        Ok([name.as_bytes(), b"\0", how.as_bytes(), digest.finalize().as_slice()].concat())
    }

    /// Reads the files.
    fn configured(&self, strict: Strict) -> Result<ServerConfig, CertificateError> {
        let provider = self.suites.provider();
        let certified = |chain: &Path, key: &Path| {
            let (certificates, key) = identity(chain, key)?;
            let certified = CertifiedKey::from_der(certificates, key, &provider);
            let unfit = |why: String| CertificateError::Unfit(format!("{}: {why}", chain.display()));
            certified.map(Arc::new).map_err(|error| unfit(error.to_string()))
        };
        let own = certified(&self.chain, &self.key)?;
        let mut shown = Shown { own, others: Vec::new() };
        for (chain, key) in &self.others {
            match certified(chain, key) {
                Ok(other) => shown.others.push(other),
                Err(why) if strict == Strict::Yes => return Err(why),
                // A door does not stay closed for a certificate that is not its own.
                Err(why) => tracing::warn!("the certificate {} is not shown: {why}", chain.display()),
            }
        }
        let builder = ServerConfig::builder_with_provider(self.suites.provider())
            .with_protocol_versions(&self.versions)
            .map_err(|_| CertificateError::NoSuite)?;
        let builder = match &self.clients {
            None => builder.with_no_client_auth(),
            Some(clients) => builder.with_client_cert_verifier(verifier(clients.lent())?),
        };
        let mut config = builder.with_cert_resolver(Arc::new(shown));
        // The order of the definition counts, and which suite costs less here.
        config.ignore_client_order = true;
        config.alpn_protocols.clone_from(&self.protocols);
        if let Some((name, resumption)) = &self.sessions {
            // A ticket has all that a session needs: no thread keeps any.
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
            if !resumption.is_zero() {
                let name = self.session_name(name)?;
                let tickets = match &self.shared {
                    Some(secret) => Ok(Tickets::of(secret, &name, *resumption)),
                    None => Tickets::new(&name, *resumption),
                };
                let tickets =
                    tickets.map_err(|_| CertificateError::Unfit(String::from("no random numbers")))?;
                config.ticketer = Arc::new(tickets);
                config.send_tls13_tickets = 1;
            }
        }
        Ok(config)
    }
}

fn failed(path: &Path, why: &dyn Display) -> CertificateError {
    CertificateError::File { path: path.to_owned(), why: why.to_string() }
}

/// All certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| failed(path, &error))
}

/// A certificate with those that lead to its authority, and its private key, which only its owner may read.
///
/// # Errors
/// See [`CertificateError`].
pub fn identity(
    chain: &Path,
    key: &Path,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), CertificateError> {
    let certificates = certificates(chain)?;
    if certificates.is_empty() {
        return Err(failed(chain, &"it holds no certificate"));
    }
    let mode = key.metadata().map_err(|error| failed(key, &error))?.permissions().mode();
    if mode & OTHERS != 0 {
        return Err(CertificateError::Open(key.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, &error))?;
    Ok((certificates, key))
}

/// The verifier of clients' certificates.
fn verifier(clients: ClientCertificates<'_>) -> Result<Arc<dyn ClientCertVerifier>, CertificateError> {
    let ClientCertificates { authorities, required, revoked } = clients;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authorities)? {
        roots.add(certificate).map_err(|error| failed(authorities, &error))?;
    }
    let mut builder = WebPkiClientVerifier::builder(Arc::new(roots));
    if let Some(revoked) = revoked {
        let lists = CertificateRevocationListDer::pem_file_iter(revoked)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| failed(revoked, &error))?;
        // A list does not concern authorities that keep none.
        builder = builder.with_crls(lists).allow_unknown_revocation_status();
    }
    let builder = if required { builder } else { builder.allow_unauthenticated() };
    builder.build().map_err(|error| failed(authorities, &error))
}

/// The certificate that a client has proved to be its own: its SHA-256 in hexadecimal.
pub fn client_certificate(stream: &Secured<TlsStream<TcpStream>>) -> Option<String> {
    let (_, connection) = stream.get_ref().get_ref();
    connection.peer_certificates()?.first().map(|own| fingerprint(own.as_ref()))
}

/// The SHA-256 of a certificate (DER) in hexadecimal: by it a certificate is assigned to a user.
pub fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The reason why no TLS connection was made.
#[derive(Debug, thiserror::Error)]
pub enum NoHandshake {
    /// The client did not begin in time, or stopped halfway.
    #[error("the client did not shake hands in time")]
    TooSlow,
    /// It does not speak TLS, or not as this door does.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

impl Arrival {
    /// Shakes hands. A client takes its turn once it has begun to speak, and keeps no client of another address waiting
    /// for longer than a handshake may take.
    ///
    /// # Errors
    /// See [`NoHandshake`].
    pub async fn shake_hands(
        &self,
        certificate: &Certificate,
        stream: TcpStream,
    ) -> Result<Secured<TlsStream<TcpStream>>, NoHandshake> {
        let limits = self.clients.limits();
        let begins = async {
            // A fault of the connection shows in the handshake.
            let _ = stream.peek(&mut [0]).await;
            // Neither is ever closed.
            (self.neighbours().acquire().await, self.clients.handshakes().acquire().await)
        };
        let _turns = timeout(limits.greeting, begins).await.map_err(|_| NoHandshake::TooSlow)?;
        let shaking = timeout(limits.handshake, certificate.acceptor().accept(stream));
        let (shaken, took) = timed(shaking).await;
        match shaken.map_err(|_| NoHandshake::TooSlow).and_then(|shaken| Ok(shaken?)) {
            Ok(stream) => {
                let tally = count_handshake(Way::Inbound, stream.get_ref().1, took);
                Ok(Secured::new(stream, tally))
            }
            Err(why) => {
                count_failed_handshake(Way::Inbound, took);
                Err(why)
            }
        }
    }
}

/// Shakes hands with a server of a name.
///
/// # Errors
/// It does not speak TLS, or shows no certificate that is trusted.
pub async fn shake_hands_with(
    connector: &TlsConnector,
    name: ServerName<'static>,
    stream: TcpStream,
) -> io::Result<Secured<client::TlsStream<TcpStream>>> {
    let (shaken, took) = timed(connector.connect(name, stream)).await;
    match shaken {
        Ok(stream) => {
            let tally = count_handshake(Way::Outbound, stream.get_ref().1, took);
            Ok(Secured::new(stream, tally))
        }
        Err(why) => {
            count_failed_handshake(Way::Outbound, took);
            Err(why)
        }
    }
}
