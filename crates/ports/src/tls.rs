//! TLS: the certificate of a door, and the handshake before its first word.

use std::fmt::Display;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ALL_VERSIONS, RootCertStore, ServerConfig, SupportedProtocolVersion, version};
use tokio_rustls::server::TlsStream;

use crate::clients::Arrival;
use crate::shown::Shown;
use crate::suites::Suites;
use crate::tickets::Tickets;

/// What a door shows of itself, and can prove.
#[derive(Clone)]
pub struct Certificate(TlsAcceptor);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read, or is not PEM.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
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

/// Certificates of clients: who must have signed them.
#[derive(Clone, Copy, Debug)]
pub struct ClientCertificates<'a> {
    /// PEM file of the authorities.
    pub authorities: &'a Path,
    /// Whether a client without one is turned away.
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

/// How a door speaks TLS.
#[derive(Clone, Copy, Debug)]
pub struct TlsPolicy<'a> {
    /// The lowest version that it speaks, and the highest.
    pub versions: (TlsVersion, TlsVersion),
    /// For how long a client may resume its session; zero: never.
    pub resumption: Duration,
    /// Whose sessions they are: one of a door of another name is not resumed.
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
        Self::configured((chain, key), &[], clients, ALL_VERSIONS, &Suites::default()).map(Self::of)
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
        let mut config = Self::configured((chain, key), policy.others, clients, &versions, policy.suites)?;
        // A ticket has all that a session needs: no thread keeps any.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        if policy.resumption.is_zero() {
            config.send_tls13_tickets = 0;
        } else {
            let tickets = Tickets::new(policy.name, policy.resumption);
            config.ticketer =
                Arc::new(tickets.map_err(|_| CertificateError::Unfit(String::from("no random numbers")))?);
            config.send_tls13_tickets = 1;
        }
        Ok(Self::of(config))
    }

    fn of(config: ServerConfig) -> Self {
        Self(TlsAcceptor::from(Arc::new(config)))
    }

    fn configured(
        (chain, key): (&Path, &Path),
        others: &[(PathBuf, PathBuf)],
        clients: Option<ClientCertificates<'_>>,
        versions: &[&'static SupportedProtocolVersion],
        suites: &Suites,
    ) -> Result<ServerConfig, CertificateError> {
        let provider = suites.provider();
        let certified = |chain: &Path, key: &Path| {
            let (certificates, key) = identity(chain, key)?;
            let certified = CertifiedKey::from_der(certificates, key, &provider);
            certified.map(Arc::new).map_err(|error| CertificateError::Unfit(error.to_string()))
        };
        let own = certified(chain, key)?;
        let mut shown = Shown { own, others: Vec::new() };
        for (chain, key) in others {
            match certified(chain, key) {
                Ok(other) => shown.others.push(other),
                // A door does not stay closed for a certificate that is not its own.
                Err(why) => tracing::warn!("the certificate {} is not shown: {why}", chain.display()),
            }
        }
        let builder = ServerConfig::builder_with_provider(suites.provider())
            .with_protocol_versions(versions)
            .map_err(|_| CertificateError::NoSuite)?;
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(clients) => builder.with_client_cert_verifier(verifier(clients)?),
        };
        let mut config = builder.with_cert_resolver(Arc::new(shown));
        // The order of the definition counts, and which suite costs less here.
        config.ignore_client_order = true;
        Ok(config)
    }

    /// The same certificate, with application protocols (ALPN) that clients may choose among, the preferred one first.
    #[must_use]
    pub fn offering(&self, protocols: &[&str]) -> Self {
        let mut config = ServerConfig::clone(self.0.config());
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        Self::of(config)
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
    let mode = key.metadata().map_err(|error| failed(key, &error))?.permissions().mode();
    if mode & OTHERS != 0 {
        return Err(CertificateError::Open(key.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, &error))?;
    Ok((certificates, key))
}

/// What looks at the certificates of clients.
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
        // A list says nothing of authorities that keep none.
        builder = builder.with_crls(lists).allow_unknown_revocation_status();
    }
    let builder = if required { builder } else { builder.allow_unauthenticated() };
    builder.build().map_err(|error| failed(authorities, &error))
}

/// The certificate that a client has proved to be its own: its SHA-256 in hexadecimal.
pub fn client_certificate(stream: &TlsStream<TcpStream>) -> Option<String> {
    let (_, connection) = stream.get_ref();
    connection.peer_certificates()?.first().map(|own| fingerprint(own.as_ref()))
}

/// The SHA-256 of a certificate (DER) in hexadecimal: by it a certificate is somebody's.
pub fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why no TLS connection was made.
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
    /// Shakes hands. A client takes its turn once it has begun to speak, and keeps nobody of another address waiting for
    /// longer than a handshake may take.
    ///
    /// # Errors
    /// See [`NoHandshake`].
    pub async fn shake_hands(
        &self,
        certificate: &Certificate,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, NoHandshake> {
        let limits = self.clients.limits();
        let begins = async {
            // What is wrong with the connection shows in the handshake.
            let _ = stream.peek(&mut [0]).await;
            // Neither is ever closed.
            (self.neighbours().acquire().await, self.clients.handshakes().acquire().await)
        };
        let _turns = timeout(limits.greeting, begins).await.map_err(|_| NoHandshake::TooSlow)?;
        let shaken = timeout(limits.handshake, certificate.0.accept(stream)).await;
        Ok(shaken.map_err(|_| NoHandshake::TooSlow)??)
    }
}
