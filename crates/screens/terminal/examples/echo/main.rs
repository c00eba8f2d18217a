//! `cargo run -p terminal --example echo [ADDRESS]`: a TN3270 server whose terminals show the keys they are sent.
//!
//! It prints the address it listens on and serves until it is ended.

#[allow(dead_code, reason = "tests look into the region, this program does not")]
mod region;

use std::rc::Rc;

use ports::Ending;
use region::EchoRegion;
use terminal::{Door, Limits, Welcome};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_string());
    let listener = TcpListener::bind(address).await?;
    println!("{}", listener.local_addr()?);
    let door = Door::new(Rc::new(EchoRegion(Rc::default())), "ECHO", Limits::default());
    let client = move |stream, peer| Rc::clone(&door).welcome(Welcome::Plain, stream, peer);
    let ending = Ending::default();
    tokio::task::LocalSet::new().run_until(ports::serve(listener, &ending, client)).await;
    Ok(())
}
