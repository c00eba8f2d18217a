//! The stage on which web services are measured: a region with them, the clients' process, and the cost of a request.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::client::{self, Load};
use crate::clock::processor_time;
use crate::processes;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
pub(super) const ROUNDS: usize = 5;
/// Clients at the same time.
pub(crate) const CLIENTS: usize = 16;

/// The file of a request.
pub(crate) struct Request {
    pub file: PathBuf,
}

/// A region with web services, and the folder of what is sent to it.
pub(super) struct Stage {
    pub site: Site,
    pub folder: PathBuf,
}

impl Stage {
    /// Starts the region; its certificate is a fresh one.
    pub fn new(workshop: &Workshop) -> Result<Self, String> {
        let folder = workshop.scratch("keyring")?;
        certificate(&folder)?;
        Ok(Self { site: workshop.region_with_web(1)?, folder })
    }

    /// The port of a service.
    pub fn port(&self, service: &str) -> Result<u16, String> {
        self.site.port("web", service).ok_or_else(|| format!("{service} listens nowhere"))
    }

    /// Writes a request.
    pub fn request(&self, path: &str, media: &str, body: &str, closes: bool) -> Result<Request, String> {
        write_request(&self.folder, path, media, body, closes)
    }

    /// The authority of its certificate.
    pub fn authority(&self) -> PathBuf {
        self.folder.join("door.pem")
    }
}

/// Writes a request into a folder.
pub(crate) fn write_request(
    folder: &Path,
    path: &str,
    media: &str,
    body: &str,
    closes: bool,
) -> Result<Request, String> {
    let connection = if closes { "close" } else { "keep-alive" };
    let text = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\nConnection: {connection}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let file = folder.join("request");
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Request { file })
}

/// Makes a certificate of the usual kind (P-256), which clients trust.
pub(crate) fn certificate(folder: &Path) -> Result<(), String> {
    let made = rcgen::generate_simple_self_signed(vec![String::from("localhost")]);
    let made = made.map_err(|error| error.to_string())?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::write(folder.join("door.pem"), made.cert.pem()).map_err(failed)?;
    let key = folder.join("door.key");
    std::fs::write(&key, made.signing_key.serialize_pem()).map_err(failed)?;
    let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(key, only_owner).map_err(failed)
}

/// The cost of a request, in microseconds.
pub(super) struct Cost {
    /// Processor time of all processes that are counted.
    pub processor: f64,
    /// From its first byte, with what opens a connection for it, to its answer's last; the mean.
    pub response: f64,
}

/// Has a client process put a load on this process; `others` work for it, too.
pub(super) fn cost(load: &Load, others: &[u32]) -> Cost {
    let spent = || processor_time() + processes::time_of(others);
    let before = spent();
    let response = sent_by_clients(load).unwrap_or_else(|what| panic!("{what}"));
    Cost { processor: (spent() - before) * 1e6 / load.count as f64, response }
}

/// Has a client process send a load; the mean of the response times, in microseconds.
pub(crate) fn sent_by_clients(load: &Load) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut client = Command::new(own);
    client.arg(client::WORD).args(load.words()).stdin(Stdio::null()).stderr(Stdio::inherit());
    let ended = client.output().map_err(|error| format!("no client process: {error}"))?;
    if !ended.status.success() {
        return Err(String::from("a client has no answer"));
    }
    let said = String::from_utf8_lossy(&ended.stdout);
    said.trim().parse().map_err(|_| format!("the clients do not say how long they have waited: {said}"))
}

/// Microseconds of this process for each request that a client process sends.
pub(super) fn per_request(load: &Load) -> f64 {
    cost(load, &[]).processor
}
