//! HAProxy in front of a port: it ends TLS and says by PROXY protocol v2 who the client is, as AT-TLS does on the mainframe.

use std::fs;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The header that it sends about a client before the client's own bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    WhoTheClientIs,
    Nothing,
}

/// The proxy, until it goes out of scope.
pub(crate) struct Proxy {
    /// The port on which it listens.
    pub port: u16,
    child: Child,
}

impl Proxy {
    /// Starts one with the certificate of this folder, in front of a port of this machine.
    pub fn start(folder: &Path, behind: u16, says: Says) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("HAProxy does not start: {error}");
        let read = |name: &str| fs::read_to_string(folder.join(name)).map_err(failed);
        fs::write(folder.join("both.pem"), read("door.pem")? + &read("door.key")?).map_err(failed)?;
        let header = if says == Says::WhoTheClientIs { "send-proxy-v2-ssl-cn" } else { "" };
        // One thread: the clock of a process that is read is that of its first one.
        let settings = format!(
            "global\n  nbthread 1\n  maxconn 1000\ndefaults\n  mode tcp\n  timeout connect 20s\n  timeout client 20s\n  \
             timeout server 20s\nlisten door\n  bind fd@0 ssl crt both.pem\n  server behind 127.0.0.1:{behind} {header}\n"
        );
        let file = format!("proxy-{behind}.cfg");
        fs::write(folder.join(&file), settings).map_err(failed)?;
        // It gets its port as its standard input, so that no client comes before it listens.
        let listener = TcpListener::bind("0.0.0.0:0").map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let child = Command::new("haproxy")
            .current_dir(folder)
            // Told to be quiet, it would close its standard input.
            .args(["-db", "-f", &file])
            .stdin(OwnedFd::from(listener))
            .stderr(Stdio::null())
            .spawn();
        let child = child.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => String::from("HAProxy is missing: apt-get install haproxy"),
            _ => failed(error),
        })?;
        Ok(Self { port, child })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // One that has ended by itself is as well ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
