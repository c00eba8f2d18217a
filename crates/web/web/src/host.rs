//! Interface of the door to a region, in the door's own words.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::proxy::{Proxied, ProxiedTls};
use http::{Fields, RequestHead};
use ports::{Closing, Tally};

use crate::answer::Answer;
use crate::reply::Reply;

/// A region, as the door sees it.
pub trait Host: 'static {
    /// Target of a request; the door only carries it from [`Host::find`] to [`Host::attach`].
    type Target;

    /// Fate of a request by its head, before its body has come. It never waits.
    fn find(&self, head: &RequestHead, peer: &Peer) -> Found<Self::Target>;

    /// Does what a request wants, and answers it through `reply`: whole, which is sent once this has ended (so after the
    /// syncpoint), or piece by piece. Without an answer the client gets 500.
    fn attach(&self, target: Self::Target, request: Request, reply: Reply) -> impl Future<Output = ()>;

    /// Answers what has come on a connection that speaks no HTTP ([`crate::Welcome::bytes`]); of answers only the bodies are
    /// sent. If the bytes are no request yet, it gets them again with those that come next.
    fn converse(&self, _: Vec<u8>, _: Rc<Peer>, _: Gone, _: Reply) -> impl Future<Output = Next> {
        std::future::ready(Next::Ends)
    }

    /// Returns true if clients are to leave when they have got their answers: the region is about to end, or takes no more of them.
    fn sends_away(&self) -> bool {
        false
    }

    /// Text of the header Server of every answer that has none; `None` leaves it out.
    fn server(&self) -> Option<&str> {
        None
    }
}

/// Fates of bytes that are no HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// They were answered.
    Answered,
    /// They are no whole request yet.
    More,
    /// The connection ends.
    Ends,
}

/// Fates of a request.
#[derive(Debug)]
pub enum Found<T> {
    /// It is answered at once: a file, a redirection, a refusal.
    Answer(Answer),
    /// Something is to be done.
    Attach(T),
}

/// A request, with its body.
#[derive(Debug)]
pub struct Request {
    /// Its head.
    pub head: Box<RequestHead>,
    /// Its body, without chunks.
    pub body: Vec<u8>,
    /// Headers behind the body.
    pub trailer: Fields,
    /// Sender of the request.
    pub peer: Rc<Peer>,
    /// True once the client has left.
    pub gone: Gone,
}

/// Client at the other end.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The client's address; where a proxy speaks for it, as the proxy says.
    pub client: SocketAddr,
    /// The address it has connected to, if it is known.
    pub server: Option<SocketAddr>,
    /// TLS between the client and us.
    pub tls: Option<Tls>,
    /// The counts of that.
    pub tally: Option<Arc<Tally>>,
    /// The proxy's account of the client, with the TLS that it has ended.
    pub proxied: Option<Proxied>,
    /// The mark of its first request.
    pub asked: Asked,
}

/// The mark of a client's first request, which all copies of its [`Peer`] share.
#[derive(Clone, Debug, Default)]
pub struct Asked(Arc<AtomicBool>);

impl Peer {
    /// Notes a request. Returns true if it is the first.
    pub fn asks(&self) -> bool {
        !self.asked.0.swap(true, Ordering::Relaxed)
    }

    /// Returns true if the client speaks TLS, with us or with the proxy.
    pub fn is_secure(&self) -> bool {
        self.tls.is_some() || self.of_proxy().is_some()
    }

    /// The certificate (DER) that the client has shown and that was found good, by us or by the proxy.
    pub fn certificate(&self) -> Option<&[u8]> {
        let ours = self.tls.as_ref().and_then(|tls| tls.certificate.as_deref());
        let shown = ours.or_else(|| self.of_proxy().filter(|tls| tls.is_verified)?.certificate.as_deref());
        shown.filter(|certificate| !certificate.is_empty())
    }

    /// The common name in a certificate that only the proxy has seen; empty: none.
    pub fn common_name(&self) -> &str {
        let verified = self.of_proxy().filter(|tls| tls.is_verified);
        verified.and_then(|tls| tls.common_name.as_deref()).unwrap_or_default()
    }

    /// The proxy's account of the TLS that it has ended.
    fn of_proxy(&self) -> Option<&ProxiedTls> {
        self.proxied.as_ref().and_then(|proxied| proxied.tls.as_ref())
    }
}

/// TLS of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// As `TLSv1_3`.
    pub version: String,
    /// The cipher suite's name.
    pub cipher: String,
    /// The client's certificate, DER.
    pub certificate: Option<Vec<u8>>,
}

/// That a client has left: told once.
#[derive(Clone, Default)]
pub struct Gone(Rc<Closing>);

impl Gone {
    pub(crate) fn tell(&self) {
        self.0.close();
    }

    /// Returns true if the client has left. One that only ends its own sending is still here.
    pub fn is_gone(&self) -> bool {
        self.0.is_closed()
    }

    /// Waits until it has left.
    pub async fn gone(&self) {
        self.0.closed().await;
    }
}

impl std::fmt::Debug for Gone {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Gone").field(&self.is_gone()).finish()
    }
}
