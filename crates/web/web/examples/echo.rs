//! A door to a region that sends each body back: for h2spec, h2load and the like. `echo PORT [CHAIN.pem KEY.pem]`.

use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;

use http::RequestHead;
use ports::{Certificate, Served};
use web::{Answer, Door, Found, Host, Limits, Peer, Reply, Request, Welcome};

struct Echo;

impl Host for Echo {
    type Target = ();

    fn find(&self, _: &RequestHead, _: &Peer) -> Found<()> {
        Found::Attach(())
    }

    async fn attach(&self, (): (), request: Request, mut reply: Reply) {
        let mut answer = Answer::text(200, "");
        answer.body = if request.body.is_empty() { b"hello".to_vec() } else { request.body };
        let _ = reply.keep(answer);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let certificate = match (arguments.next(), arguments.next()) {
        (Some(chain), Some(key)) => match Certificate::read(Path::new(&chain), Path::new(&key), None) {
            Ok(certificate) => Some(certificate.offering(&["h2", "http/1.1"])),
            Err(error) => return eprintln!("{error}"),
        },
        _ => None,
    };
    let open = async {
        let (listener, address) = match ports::listen(SocketAddr::from(([127, 0, 0, 1], port))) {
            Ok(opened) => opened,
            Err(error) => return eprintln!("{error}: {}", error.help()),
        };
        let door = Door::new(Rc::new(Echo), Limits::default());
        let welcome = Welcome { certificate, http2: true, ..Welcome::default() };
        let mut served = Served::default();
        served.serve(listener, move |stream, peer| Rc::clone(&door).welcome(welcome.clone(), stream, peer));
        println!("{address}");
        std::future::pending().await
    };
    tokio::task::LocalSet::new().run_until(open).await;
}
