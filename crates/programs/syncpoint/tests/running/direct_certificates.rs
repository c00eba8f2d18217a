//! Clients of the direct path that say who they are by a certificate: real TLS clients against the real binary, at a path and at a
//! port of messages with their length before them.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::certificates::{authority, certificate, certificate_until, revoke};
use crate::house::{FREE_PORT, Region, application};

/// Answers with the user on whose behalf it runs.
const WHOIS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WHOIS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  LIST-ADDRESS            POINTER.
       01  CODE-PSYNC              PIC S9(09) COMP-5.
       LINKAGE SECTION.
       COPY VSVCLIST.
       01  RESP                    PIC X(08).
       01  RESPL                   PIC S9(09) COMP.
       PROCEDURE DIVISION.
           CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           PERFORM UNTIL CODE-PSYNC NOT = ZERO
              SET ADDRESS OF LIST-POINTER TO LIST-ADDRESS
              SET ADDRESS OF RESP TO LIST-ADR-RESP
              SET ADDRESS OF RESPL TO LIST-ADR-RESPL
              EXEC CICS ASSIGN USERID(RESP) END-EXEC
              MOVE 8 TO RESPL
              CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           END-PERFORM
           GOBACK.
";

const DEFINITIONS: &str = "
DEFINE PROGRAM(WHOIS) GROUP(CERT) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(WHOI) GROUP(CERT) PROGRAM(WHOIS)
";

const DIRECT: &str = "
[direct]
listen = \"127.0.0.1:0\"
tls = true

[[direct.scenario]]
path = \"/who\"
program = \"WHOIS\"
transaction = \"WHOI\"
authenticate = \"certificate\"
run-as = \"client\"

[[direct.scenario]]
listen = \"127.0.0.1:0\"
program = \"WHOIS\"
transaction = \"WHOI\"
authenticate = \"certificate\"
";

/// The clients, by their certificates, and the status that each gets; `None`: no connection.
const CLIENTS: [(&str, Option<&str>); 7] = [
    ("anna", Some("200")),
    // Of users who may not: not run anything, not at all.
    ("idler", Some("403")),
    ("revoked", Some("403")),
    // Of no user.
    ("nobody", Some("403")),
    ("expired", None),
    // Whose authority has revoked it.
    ("lost", None),
    ("stranger", None),
];

/// A region whose users have certificates.
fn certified() -> TempDir {
    let region = format!(
        "{FREE_PORT}certificate = \"region.pem\"\nkey = \"region.key\"\nclient-authorities = \"clients.pem\"\n{DIRECT}"
    );
    let folder =
        application(&[("region.toml", &region), ("cert.csd", DEFINITIONS), ("programs/WHOIS.cbl", WHOIS)]);
    let (ours, others) = (authority(), authority());
    fs::write(folder.path().join("clients.pem"), ours.pem()).expect("written");
    certificate(folder.path(), "region", &ours);
    certificate(folder.path(), "nobody", &ours);
    certificate(folder.path(), "stranger", &others);
    let user = |id: &str, of: &[String], more: &str| {
        format!("[[user]]\nuserid = \"{id}\"\ncertificates = {of:?}\n{more}\n")
    };
    let [anna, idler, revoked, lost] =
        ["anna", "idler", "revoked", "lost"].map(|name| certificate(folder.path(), name, &ours));
    revoke(folder.path(), "revoked", &["lost"], &ours);
    let expired = certificate_until(folder.path(), "expired", &ours, 2020);
    let users = [
        user("ANNA", &[anna, expired, lost], "rights = [\"run\"]"),
        user("IDLER", &[idler], "rights = []"),
        user("REVOKED", &[revoked], "rights = [\"run\"]\nrevoked = true"),
    ];
    fs::write(folder.path().join("users.toml"), users.concat()).expect("written");
    folder
}

/// The answer to a request by HTTP, with its status behind it; an error of the connection.
fn curl(folder: &Path, address: &str, shows: Option<&str>) -> Result<String, String> {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--max-time", "30", "--cacert", "clients.pem", "--data", "x"]);
    curl.args(["--write-out", "%{http_code}"]);
    if let Some(name) = shows {
        curl.args(["--cert", &format!("{name}.pem"), "--key", &format!("{name}.key")]);
    }
    curl.arg(format!("https://{address}/who"));
    let output = curl.current_dir(folder).output().expect("curl runs");
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The answer to a message with its length before it; `None` if the connection ends without one.
fn openssl(folder: &Path, address: &str, shows: Option<&str>) -> Option<Vec<u8>> {
    let mut openssl = Command::new("openssl");
    openssl.args(["s_client", "-quiet", "-verify_quiet", "-CAfile", "clients.pem", "-connect", address]);
    if let Some(name) = shows {
        openssl.args(["-cert", &format!("{name}.pem"), "-key", &format!("{name}.key")]);
    }
    let openssl = openssl.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut openssl = openssl.stderr(Stdio::null()).spawn().expect("openssl starts");
    let mut input = openssl.stdin.take().expect("a pipe");
    // Where it has ended already nothing is read either.
    let _ = input.write_all(b"\0\x01x").and_then(|()| input.flush());
    let mut answer = vec![0; 10];
    let read = openssl.stdout.take().expect("a pipe").read_exact(&mut answer);
    let _ = openssl.kill();
    let _ = openssl.wait();
    read.ok().map(|()| answer)
}

#[test]
fn only_the_certificates_of_users_who_may_are_served() {
    let folder = certified();
    let region = Region::start(folder.path());
    let places = region.logged("messages for scenarios come to ");
    let path = places.trim_end_matches(',').to_owned();
    let own = region.logged("messages for WHOIS come to ");
    for (shows, status) in
        CLIENTS.map(|(name, status)| (Some(name), status)).into_iter().chain([(None, Some("403"))])
    {
        let (said, answer) = (curl(folder.path(), &path, shows), openssl(folder.path(), &own, shows));
        let log = region.log();
        match status {
            Some("200") => {
                assert_eq!(said.as_deref(), Ok("ANNA    200"), "{shows:?}\n{log}");
                // There the scenario's user runs it for every client.
                assert_eq!(answer.as_deref(), Some(&b"\0\x08CICSUSER"[..]), "{shows:?}\n{log}");
            }
            Some(status) => {
                assert!(said.as_ref().is_ok_and(|said| said.ends_with(status)), "{shows:?}: {said:?}\n{log}");
                assert_eq!(answer, None, "{shows:?}\n{log}");
            }
            None => {
                assert!(said.is_err(), "{shows:?}: {said:?}\n{log}");
                assert_eq!(answer, None, "{shows:?}\n{log}");
            }
        }
    }
    region.ends_in_order();
}
