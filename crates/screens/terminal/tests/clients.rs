//! The real clients, over TCP: s3270, which `scripts/install test` installs, and tnz where it is there. Their script is
//! `tests/clients/echo_check.py`.
//!
//! tnz is looked for in the Python that `TNZ_PYTHON` names (`python3` by default).

use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;

use ports::{Ending, serve};
use terminal::{Door, Limits, Welcome};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::LocalSet;

#[path = "../examples/echo/region.rs"]
mod region;
use region::{Echo, EchoRegion};

/// Runs a client's script against a door; nothing may be left of its terminals.
async fn check(client: &str, python: &str) {
    let echo = Rc::new(Echo::default());
    let door = Door::new(Rc::new(EchoRegion(Rc::clone(&echo))), "ECHO", Limits::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let ending = Ending::default();
    let welcome = |stream, peer| Rc::clone(&door).welcome(Welcome::Plain, stream, peer);
    let ran = LocalSet::new()
        .run_until(async {
            tokio::select! {
                () = serve(listener, &ending, welcome) => panic!("nobody closes the door"),
                ran = script(client, python, address) => ran,
            }
        })
        .await;
    match ran {
        Ok(output) => print!("{output}"),
        Err(output) => panic!("{client}:\n{output}"),
    }
    assert_eq!((echo.terminals.get(), echo.names()), (0, 0));
}

async fn script(client: &str, python: &str, address: SocketAddr) -> Result<String, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/clients/echo_check.py");
    let output = Command::new(python)
        .arg("-B")
        .arg(script)
        .args([client, &address.ip().to_string(), &address.port().to_string()])
        .output()
        .await;
    let output = output.map_err(|error| format!("{python} does not run: {error}"))?;
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if output.status.success() { Ok(text) } else { Err(text) }
}

#[tokio::test]
async fn s3270() {
    let there = std::process::Command::new("s3270").arg("-version").output().is_ok();
    assert!(there, "s3270 is not installed: `scripts/install test` installs it");
    check("s3270", "python3").await;
}

#[tokio::test]
async fn tnz() {
    check("tnz", &std::env::var("TNZ_PYTHON").unwrap_or_else(|_| "python3".into())).await;
}
