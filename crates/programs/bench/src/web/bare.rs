//! A bare client by hyper: connections that are kept, over which the same request goes again and again.

use std::net::{Ipv4Addr, SocketAddr};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::{LocalSet, spawn_local};

/// A client of one request.
pub(crate) struct Client {
    runtime: Runtime,
    port: u16,
    path: &'static str,
    media: &'static str,
    body: Bytes,
}

impl Client {
    /// A client that asks a port of this machine.
    pub fn new(port: u16, path: &'static str, media: &'static str, body: String) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no event loop: {error}"))?;
        Ok(Self { runtime, port, path, media, body: body.into() })
    }

    /// Asks so often over each of so many connections.
    ///
    /// # Panics
    /// An answer is not one of 200.
    pub fn ask(&mut self, connections: usize, times: usize) {
        let local = LocalSet::new();
        for _ in 0..connections {
            local.spawn_local(converse(self.port, self.path, self.media, self.body.clone(), times));
        }
        self.runtime.block_on(local);
    }
}

async fn converse(port: u16, path: &'static str, media: &'static str, body: Bytes, times: usize) {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
    spawn_local(async move {
        // It ends with the sender.
        let _ = connection.await;
    });
    for _ in 0..times {
        let request = hyper::Request::post(path)
            .header("Host", "localhost")
            .header("Content-Type", media)
            .body(Full::new(body.clone()))
            .expect("a request");
        let answer = sender.send_request(request).await.expect("an answer");
        assert_eq!(answer.status(), 200, "the service answers");
        let body = answer.into_body().collect().await.expect("its body");
        std::hint::black_box(body.to_bytes());
    }
}
