//! The other end of the measurements of web services: `bench web-client …`, a process of its own.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion, version,
};

/// The word that makes this program a client.
pub(crate) const WORD: &str = "web-client";

/// The load that the clients make.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    /// The port to which they connect.
    pub port: u16,
    /// Requests, of all clients together.
    pub count: usize,
    /// Clients at the same time.
    pub clients: usize,
    /// A file with the whole request.
    pub request: PathBuf,
    /// A connection for each request.
    pub closes: bool,
    /// The authority of the server's certificate; none: no TLS.
    pub authority: Option<PathBuf>,
    /// TLS 1.2 instead of 1.3.
    pub old: bool,
    /// Sessions are resumed.
    pub resumes: bool,
    /// Requests in a second, of all clients together; 0: as many as they can.
    pub rate: u64,
}

impl Load {
    /// As words of a command line.
    pub fn words(&self) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        vec![
            self.port.to_string(),
            self.count.to_string(),
            self.clients.to_string(),
            path(&self.request),
            self.closes.to_string(),
            self.authority.as_deref().map(path).unwrap_or_default(),
            self.old.to_string(),
            self.resumes.to_string(),
            self.rate.to_string(),
        ]
    }

    fn read(words: &[String]) -> Self {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        Self {
            port: word(0).parse().unwrap_or(0),
            count: word(1).parse().unwrap_or(0),
            clients: word(2).parse().unwrap_or(1),
            request: word(3).into(),
            closes: word(4) == "true",
            authority: (!word(5).is_empty()).then(|| word(5).into()),
            old: word(6) == "true",
            resumes: word(7) == "true",
            rate: word(8).parse().unwrap_or(0),
        }
    }
}

/// Runs the clients to their end, and prints the mean of their response times in microseconds.
pub(crate) fn run(words: &[String]) -> io::Result<()> {
    let load = Load::read(words);
    let request: Arc<[u8]> = fs::read(&load.request)?.into();
    let clients = (0..load.clients).map(|number| {
        let (load, request) = (load.clone(), Arc::clone(&request));
        std::thread::spawn(move || client(&load, number, &request))
    });
    let clients: Vec<_> = clients.collect();
    let mut waited = Duration::ZERO;
    for client in clients {
        waited += client.join().unwrap_or(Err(io::ErrorKind::Other.into()))?;
    }
    println!("{}", waited.as_secs_f64() * 1e6 / load.count as f64);
    Ok(())
}

/// One client; how long it has waited for its answers.
fn client(load: &Load, number: usize, request: &[u8]) -> io::Result<Duration> {
    let config = load.authority.as_deref().map(|file| trust(load, file)).transpose()?;
    // Each client has an address of its own, and so ports enough.
    let address = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 1 + number as u8), load.port));
    let pause = (load.rate > 0).then(|| Duration::from_secs_f64(load.clients as f64 / load.rate as f64));
    // Clients take turns, so that a rate is one of single requests and not of crowds.
    let first = pause.unwrap_or_default().mul_f64(number as f64 / load.clients as f64);
    let begin = Instant::now();
    let (mut kept, mut waited) = (None, Duration::ZERO);
    for turn in 0..load.count / load.clients {
        let due = pause.map(|pause| first + pause * turn as u32);
        if let Some(wait) = due.and_then(|due| due.checked_sub(begin.elapsed())) {
            std::thread::sleep(wait);
        }
        let sent = Instant::now();
        let mut stream: Box<dyn Stream> = match kept.take() {
            Some(stream) => stream,
            None => connect(address, config.as_ref())?,
        };
        stream.write_all(request)?;
        answer(&mut stream)?;
        waited += sent.elapsed();
        if load.closes {
            stream.bid_farewell();
        } else {
            kept = Some(stream);
        }
    }
    Ok(waited)
}

/// A connection, with TLS or without.
trait Stream: Read + Write {
    fn bid_farewell(&mut self) {}
}

impl Stream for TcpStream {}

impl Stream for StreamOwned<ClientConnection, TcpStream> {
    fn bid_farewell(&mut self) {
        self.conn.send_close_notify();
        // The server may be quicker.
        let _ = self.flush();
    }
}

fn trust(load: &Load, file: &Path) -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    let own = CertificateDer::from_pem_file(file).map_err(io::Error::other)?;
    roots.add(own).map_err(io::Error::other)?;
    let spoken: &[&SupportedProtocolVersion] = if load.old { &[&version::TLS12] } else { &[&version::TLS13] };
    let mut config = ClientConfig::builder_with_protocol_versions(spoken)
        .with_root_certificates(roots)
        .with_no_client_auth();
    if !load.resumes {
        config.resumption = Resumption::disabled();
    }
    Ok(Arc::new(config))
}

fn connect(address: SocketAddr, config: Option<&Arc<ClientConfig>>) -> io::Result<Box<dyn Stream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let Some(config) = config else { return Ok(Box::new(stream)) };
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let connection = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
    Ok(Box::new(StreamOwned::new(connection, stream)))
}

/// Reads a whole answer: it must be one of 200, with a length.
fn answer(stream: &mut impl Read) -> io::Result<()> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut read = Vec::with_capacity(16 * 1024);
    let mut piece = [0; 16 * 1024];
    loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            if !head.starts_with("http/1.1 200") {
                return Err(wrong(head));
            }
            let said =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let length = said.ok_or_else(|| wrong(String::from("an answer without a length")))?;
            let whole = end + 4 + length;
            if read.len() >= whole {
                return Ok(());
            }
        }
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => read.extend_from_slice(&piece[..count]),
        }
    }
}
