//! The connection to the collector: a request at a time, and the next one over the same connection if the collector keeps it.

use std::io;
use std::sync::Arc;

use http::answers::Answer;
use http::{Answers, Fields, Limits, write};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::limits::{ANSWER_BYTES_MAX, READ_BYTES, REASON_MAX, REQUEST_TIME};

/// The collector.
#[derive(Clone)]
pub struct Collector {
    /// Its host, a name or an address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Host and port as the header Host has them.
    pub authority: String,
    /// The path of requests.
    pub path: String,
    /// Further headers of each request.
    pub headers: Fields,
    /// Trust in its certificate, and perhaps one to show; `None`: without TLS.
    pub trust: Option<Arc<ClientConfig>>,
}

/// The reason why a request was not successful.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The collector may take the same request later.
    #[error("{0}")]
    Again(String),
    /// It never will.
    #[error("{0}")]
    Final(String),
}

/// Whatever carries bytes.
trait Carries: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Carries for T {}

/// The connection.
pub(crate) struct Line {
    collector: Collector,
    stream: Option<Box<dyn Carries>>,
}

/// The statuses by which a server says that it may take a request later.
const LATER: [u16; 5] = [408, 429, 502, 503, 504];

impl Line {
    /// One that is not made yet.
    pub fn new(collector: Collector) -> Self {
        Self { collector, stream: None }
    }

    /// Sends a request: the body of the answer.
    pub async fn post(&mut self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let place = format!("{}{}", self.collector.authority, self.collector.path);
        let told = |why: &str| format!("{place}: {why:.REASON_MAX$}");
        let answered = timeout(REQUEST_TIME, self.exchange(body)).await;
        let answer = match answered {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                self.stream = None;
                return Err(Failure::Again(told(&error.to_string())));
            }
            Err(_) => {
                self.stream = None;
                let seconds = REQUEST_TIME.as_secs();
                return Err(Failure::Again(told(&format!("no answer within {seconds} s"))));
            }
        };
        match answer.head.status {
            200..=299 => Ok(answer.body),
            status if LATER.contains(&status) => Err(Failure::Again(told(&format!("status {status}")))),
            status => Err(Failure::Final(told(&format!("status {status}")))),
        }
    }

    /// Sends it over the connection that is there, and over a new one if the collector has closed that.
    async fn exchange(&mut self, body: &[u8]) -> io::Result<Answer> {
        if let Some(stream) = self.stream.take()
            && let Ok(answer) = self.exchange_over(stream, body).await
        {
            return Ok(answer);
        }
        let stream = self.connect().await?;
        self.exchange_over(stream, body).await
    }

    async fn exchange_over(&mut self, mut stream: Box<dyn Carries>, body: &[u8]) -> io::Result<Answer> {
        stream.write_all(&self.head(body.len())?).await?;
        stream.write_all(body).await?;
        stream.flush().await?;
        let mut answers = Answers::new(Limits::with_body(ANSWER_BYTES_MAX), "POST");
        let mut piece = vec![0; READ_BYTES];
        let refused = |why: http::Refusal| io::Error::other(why.to_string());
        loop {
            let count = stream.read(&mut piece).await?;
            if count == 0 {
                return answers.ended().map_err(refused);
            }
            if let Some(answer) = answers.take(&piece[..count]).map_err(refused)? {
                if answer.keeps {
                    self.stream = Some(stream);
                }
                return Ok(answer);
            }
        }
    }

    async fn connect(&self) -> io::Result<Box<dyn Carries>> {
        let Collector { host, port, trust, .. } = &self.collector;
        let stream = TcpStream::connect((host.as_str(), *port)).await?;
        stream.set_nodelay(true)?;
        let Some(trust) = trust else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(trust)).connect(name, stream).await?))
    }

    fn head(&self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let refused = |why: http::Refusal| io::Error::other(why.to_string());
        write::request_line("POST", &self.collector.path, &mut bytes).map_err(refused)?;
        let length = length.to_string();
        let own = [
            ("Host", self.collector.authority.as_str()),
            ("User-Agent", "Syncpoint"),
            ("Content-Type", otlp::request::MEDIA),
            ("Content-Length", length.as_str()),
        ];
        for (name, value) in own {
            write::field(name.as_bytes(), value.as_bytes(), &mut bytes);
        }
        write::fields(&self.collector.headers, &mut bytes);
        bytes.extend_from_slice(b"\r\n");
        Ok(bytes)
    }
}
