//! Servers that send back what they get: hyper, and our own door over TLS. Each on a thread of this process.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use ports::{Certificate, Closing};
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};
use web::{Answer, Door, Found, Host, Limits, Peer, Reply, Request, Welcome};

/// A server, until it goes out of scope.
pub(super) struct Floor {
    /// The port on which it listens.
    pub port: u16,
    closing: Arc<Closing>,
    thread: Option<JoinHandle<()>>,
}

impl Floor {
    /// hyper, with a function that sends the body back.
    pub fn hyper() -> Result<Self, String> {
        Self::start(|listener| async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let _ = stream.set_nodelay(true);
                spawn_local(async move {
                    let connection = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service_fn(echo));
                    // A client that leaves is no matter.
                    let _ = connection.await;
                });
            }
        })
    }

    /// Our own door, with TLS.
    pub fn door(certificate: Certificate) -> Result<Self, String> {
        Self::start(|listener| async move {
            let door = Door::new(Rc::new(Echo), Limits::default());
            let welcome = Welcome { certificate: Some(certificate), ..Welcome::default() };
            loop {
                let Ok((stream, client)) = listener.accept().await else { return };
                let _ = stream.set_nodelay(true);
                spawn_local(Rc::clone(&door).welcome(welcome.clone(), stream, client));
            }
        })
    }

    fn start<F: Future<Output = ()>>(
        serve: impl FnOnce(TcpListener) -> F + Send + 'static,
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the floor does not start: {error}");
        let address = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut opened = ports::open(address, ports::BACKLOG, 1).map_err(|why| why.to_string())?;
        let socket = opened.sockets.pop().ok_or("the floor has no socket")?;
        let closing = Arc::<Closing>::default();
        let ends = Arc::clone(&closing);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let thread = std::thread::spawn(move || {
            let served = async move {
                let listener =
                    TcpListener::from_std(std::net::TcpListener::from(socket)).expect("a listener");
                tokio::select! {
                    () = serve(listener) => {}
                    () = ends.closed() => {}
                }
            };
            LocalSet::new().block_on(&runtime, served);
        });
        Ok(Self { port: opened.address.port(), closing, thread: Some(thread) })
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.closing.close();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn echo(request: hyper::Request<Incoming>) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    Ok(hyper::Response::new(Full::new(body)))
}

/// A host that sends the body back.
struct Echo;

impl Host for Echo {
    type Target = ();

    fn find(&self, _: &http::RequestHead, _: &Peer) -> Found<()> {
        Found::Attach(())
    }

    async fn attach(&self, (): (), request: Request, mut reply: Reply) {
        // Nothing was sent before.
        let _ = reply.keep(Answer { status: 200, body: request.body, ..Answer::default() });
    }
}
