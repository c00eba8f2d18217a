//! The keys of a provider of identities: fetched from it, with limits, and kept for a while.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// Bytes of a key set.
const BYTES_MAX: usize = 256 * 1024;
/// Keys of a set.
const KEYS_MAX: usize = 100;
/// The time after which a set is fetched again.
const FRESH_FOR: Duration = Duration::from_secs(3_600);
/// A key that is not in the set makes it be fetched again, but not more often than this: tokens with made-up keys cost the
/// provider nothing.
const AGAIN_AFTER: Duration = Duration::from_secs(30);

/// The address of a provider's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    secure: bool,
    host: String,
    port: u16,
    path: String,
}

impl Address {
    /// Reads `https://host[:port]/path`; `None` if the text is not such an address.
    pub fn parse(text: &str) -> Option<Self> {
        let (secure, rest) = match text.split_once("://")? {
            ("https", rest) => (true, rest),
            ("http", rest) => (false, rest),
            _ => return None,
        };
        let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (authority, if secure { 443 } else { 80 }),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let good = !host.is_empty() && !path.contains(char::is_whitespace);
        good.then(|| Self { secure, host: host.to_owned(), port, path: path.to_owned() })
    }
}

/// The keys of a provider.
pub struct Keys {
    address: Address,
    trust: Option<Arc<ClientConfig>>,
    limit: Duration,
    kept: Mutex<Kept>,
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    keys: Vec<Jwk>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
}

impl Keys {
    /// Keys of a provider; none is fetched yet. `limit`: the longest time of a whole fetch.
    pub fn new(address: Address, trust: Option<Arc<ClientConfig>>, limit: Duration) -> Self {
        Self { address, trust, limit, kept: Mutex::default(), fetching: tokio::sync::Mutex::default() }
    }

    /// The key of an identifier; fetched where it is not known or the set is old.
    ///
    /// # Errors
    /// The provider cannot be asked, and no such key was fetched before.
    pub async fn key(&self, id: Option<&str>) -> Result<Option<Jwk>, String> {
        if let Some(key) = self.fresh(id) {
            return Ok(Some(key));
        }
        // One asks for all.
        let _turn = self.fetching.lock().await;
        if let Some(key) = self.fresh(id) {
            return Ok(Some(key));
        }
        let known = find(&self.kept.lock().keys, id);
        if !self.may_ask() {
            return Ok(known);
        }
        let late = || Err(String::from("it has not answered in time"));
        match timeout(self.limit, self.fetch()).await.unwrap_or_else(|_| late()) {
            Ok(keys) => {
                let found = find(&keys, id);
                let mut kept = self.kept.lock();
                (kept.keys, kept.fetched) = (keys, Some(Instant::now()));
                Ok(found)
            }
            Err(why) => {
                tracing::warn!(target: "XS", "the keys of the identity provider cannot be fetched: {why}");
                known.map(Some).ok_or(why)
            }
        }
    }

    /// The key, if it is known and the set is not old.
    fn fresh(&self, id: Option<&str>) -> Option<Jwk> {
        let kept = self.kept.lock();
        let fresh = kept.fetched.is_some_and(|at| at.elapsed() < FRESH_FOR);
        fresh.then(|| find(&kept.keys, id)).flatten()
    }

    /// Returns true if the provider may be asked again; then the time until the next try starts now.
    fn may_ask(&self) -> bool {
        let mut kept = self.kept.lock();
        let may = kept.tried.is_none_or(|at| at.elapsed() >= AGAIN_AFTER);
        if may {
            kept.tried = Some(Instant::now());
        }
        may
    }

    async fn fetch(&self) -> Result<Vec<Jwk>, String> {
        let Address { secure, host, port, path } = &self.address;
        let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(told)?;
        let body = if *secure {
            let trust = self.trust.clone().ok_or_else(|| String::from("no authority is trusted"))?;
            let name = ServerName::try_from(host.clone()).map_err(told)?;
            let stream = TlsConnector::from(trust).connect(name, stream).await.map_err(told)?;
            get(stream, host, path).await?
        } else {
            get(stream, host, path).await?
        };
        let set: JwkSet =
            serde_json::from_slice(&body).map_err(|error| format!("it sends no key set: {error}"))?;
        Ok(set.keys.into_iter().take(KEYS_MAX).collect())
    }
}

/// A key of an identifier; without one, the only key there is.
fn find(keys: &[Jwk], id: Option<&str>) -> Option<Jwk> {
    match id {
        Some(id) => keys.iter().find(|key| key.common.key_id.as_deref() == Some(id)).cloned(),
        None if keys.len() == 1 => keys.first().cloned(),
        None => None,
    }
}

/// Sends one request, and returns its answer, up to the limit.
async fn get<S>(stream: S, host: &str, path: &str) -> Result<Bytes, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
    let driver = tokio::spawn(connection);
    let request = Request::get(path)
        .header(header::HOST, host)
        .header(header::ACCEPT, "application/json")
        .body(Empty::<Bytes>::new())
        .map_err(told)?;
    let answer = sender.send_request(request).await.map_err(told)?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), BYTES_MAX).collect().await;
    driver.abort();
    if status != StatusCode::OK {
        return Err(format!("it answers {status}"));
    }
    body.map(|body| body.to_bytes()).map_err(|error| format!("its answer is cut off or too long: {error}"))
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
