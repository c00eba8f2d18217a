//! The entrance of a client: its handshake, its proxy, and the protocol that it speaks.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use http::proxy::{self, Proxied};
use ports::{Certificate, NoHandshake, Presence, Seated, TooMany};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::bytes;
use crate::door::{Door, Welcome};
use crate::host::{Asked, Host, Peer, Tls};
use crate::http1::Connection;
use crate::http2;
use crate::link::Link;

/// The first bytes of a client of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Answer to a client that finds no place.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The version that a client speaks.
#[derive(Clone, Copy)]
enum Begins {
    Http1,
    Http2,
    /// HTTP/2 if it begins with its preface.
    AsItSays,
}

impl<H: Host> Door<H> {
    /// Serves a client that a port has accepted, to its end: this is what [`ports::serve`] is given.
    pub async fn welcome(self: Rc<Self>, welcome: Welcome, stream: TcpStream, client: SocketAddr) {
        self.seat(welcome, stream, client, None).await;
    }

    /// The same, where the client's place is to be left when it is asked for.
    pub async fn seat(
        self: Rc<Self>,
        welcome: Welcome,
        stream: TcpStream,
        client: SocketAddr,
        seat: Option<Seated>,
    ) {
        let server = stream.local_addr().ok();
        let peer = Peer { client, server, tls: None, tally: None, proxied: None, asked: Asked::default() };
        if let Some(certificate) = &welcome.certificate {
            return Box::pin(self.secure(certificate, &welcome, stream, peer, seat)).await;
        }
        let admitted = self.clients.admit(client.ip());
        let begins = if welcome.http2 { Begins::AsItSays } else { Begins::Http1 };
        self.serve(admitted, &welcome, begins, stream, Rc::new(peer), seat).await;
    }

    /// Serves a client with TLS: handshake first.
    async fn secure(
        self: Rc<Self>,
        certificate: &Certificate,
        welcome: &Welcome,
        stream: TcpStream,
        peer: Peer,
        seat: Option<Seated>,
    ) {
        let client = peer.client;
        let arrival = match self.clients.arrive(client.ip()) {
            Ok(arrival) => arrival,
            Err(why) => return tracing::warn!(%client, "no place: {why}"),
        };
        let secured = match Box::pin(arrival.shake_hands(certificate, stream)).await {
            Ok(secured) => secured,
            Err(NoHandshake::TooSlow) => return tracing::debug!(%client, "no handshake in time"),
            Err(NoHandshake::Failed(error)) => {
                return tracing::info!(%client, %error, "no TLS connection was made");
            }
        };
        let session = secured.get_ref().get_ref().1;
        let is_http2 = session.alpn_protocol() == Some(b"h2");
        let cipher = session.negotiated_cipher_suite();
        let version = session.protocol_version();
        let tls = Tls {
            version: version.map(|version| format!("{version:?}")).unwrap_or_default(),
            cipher: cipher.map(|cipher| format!("{:?}", cipher.suite())).unwrap_or_default(),
            certificate: session.peer_certificates().and_then(<[_]>::first).map(|first| first.to_vec()),
        };
        let peer = Rc::new(Peer { tls: Some(tls), tally: Some(Arc::clone(secured.tally())), ..peer });
        let begins = if is_http2 { Begins::Http2 } else { Begins::Http1 };
        Box::pin(self.serve(arrival.enter(), welcome, begins, secured, peer, seat)).await;
    }

    /// Serves one connection to its end, over whatever carries bytes.
    ///
    /// Boxes the parts that most connections never reach: unboxed, they would take room in every connection from its first byte.
    async fn serve<S>(
        self: Rc<Self>,
        admitted: Result<Presence, TooMany>,
        welcome: &Welcome,
        begins: Begins,
        stream: S,
        mut peer: Rc<Peer>,
        seat: Option<Seated>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let mut link = Link::new(stream, Arc::clone(&self.traffic));
        let _presence = match admitted {
            Ok(presence) => presence,
            Err(why) => {
                tracing::warn!(client = %peer.client, "no place: {why}");
                if let Ok(_turn) = self.refusals.try_acquire() {
                    let _ = link.write(FULL, &self.limits).await;
                    link.linger(&self.limits).await;
                }
                return;
            }
        };
        let mut read = Vec::new();
        if let Some(proxies) = &welcome.proxies {
            match Box::pin(self.proxied(&mut link, proxies, &peer, &mut read)).await {
                Some(proxied) => {
                    let peer = Rc::make_mut(&mut peer);
                    if let Some((client, server)) = proxied.addresses {
                        (peer.client, peer.server) = (client, Some(server));
                    }
                    if let Some(tls) = &proxied.tls {
                        let [version, cipher] =
                            [&tls.version, &tls.cipher].map(|text| text.as_deref().unwrap_or_default());
                        ports::count_proxied(version, cipher);
                    }
                    peer.proxied = Some(proxied);
                }
                None => return,
            }
        }
        if welcome.bytes {
            return Box::pin(bytes::run(&self, link, peer, read)).await;
        }
        let is_http2 = match begins {
            Begins::Http1 => false,
            Begins::Http2 => true,
            Begins::AsItSays => match self.begins_with_preface(&mut link, &mut read).await {
                Some(is_http2) => is_http2,
                None => return,
            },
        };
        if is_http2 {
            Box::pin(http2::run(self, link.into_stream(read), peer, seat)).await;
        } else {
            let mut connection = Connection::new(&self, link, peer, seat, &read);
            // Nothing of what was read before is kept while it waits.
            drop(read);
            connection.run().await;
        }
    }

    /// Reads the header of a proxy, which must come first. The bytes after it are left in `read`.
    async fn proxied<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        link: &mut Link<S>,
        proxies: &[IpAddr],
        peer: &Peer,
        read: &mut Vec<u8>,
    ) -> Option<Proxied> {
        let client = peer.client;
        if !proxies.contains(&client.ip().to_canonical()) {
            tracing::warn!(%client, "it is none of the proxies that this service listens to");
            return None;
        }
        let until = Instant::now() + self.limits.handshake_max;
        loop {
            match proxy::read(read) {
                Ok(Some((proxied, length))) => {
                    read.drain(..length);
                    return Some(proxied);
                }
                Ok(None) => {
                    link.read(Some(until), |bytes| read.extend_from_slice(bytes)).await.ok()?;
                }
                Err(why) => {
                    tracing::warn!(%client, "{why}");
                    return None;
                }
            }
        }
    }

    /// Reads as much as it takes to know if a client speaks HTTP/2. `None`: it has left.
    async fn begins_with_preface<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        link: &mut Link<S>,
        read: &mut Vec<u8>,
    ) -> Option<bool> {
        let until = Instant::now() + self.limits.head_max;
        loop {
            let known = read.len().min(PREFACE.len());
            if read[..known] != PREFACE[..known] {
                return Some(false);
            }
            if known == PREFACE.len() {
                return Some(true);
            }
            tokio::select! {
                biased;
                () = self.closed() => return None,
                more = link.read(Some(until), |bytes| read.extend_from_slice(bytes)) => {
                    more.ok()?;
                }
            }
        }
    }
}
