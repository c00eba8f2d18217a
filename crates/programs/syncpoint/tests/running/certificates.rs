//! Clients that show a certificate: s3270 against the real binary.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType, IsCa,
    KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SanType, SerialNumber, date_time_ymd,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::house::{Region, application};

/// Tells whose terminal it is.
const WHOAMI: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WHOAMI.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LINE.
           05  FILLER              PIC X(08) VALUE 'USER IS '.
           05  WS-USER             PIC X(08).
           05  FILLER              PIC X(04) VALUE ' AT '.
           05  WS-NETNAME          PIC X(08).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN USERID(WS-USER) NETNAME(WS-NETNAME)
           END-EXEC
           EXEC CICS SEND TEXT FROM(WS-LINE) LENGTH(28) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "\
DEFINE PROGRAM(WHOAMI) GROUP(CERT) LANGUAGE(COBOL)
DEFINE TRANSACTION(WHOI) GROUP(CERT) PROGRAM(WHOAMI)
";

/// An authority that signs certificates.
pub type Authority = CertifiedIssuer<'static, KeyPair>;

/// One of our own.
pub fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, "An authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate().expect("a key");
    CertifiedIssuer::self_signed(params, key).expect("an authority")
}

/// Writes a certificate and its key, `NAME.pem` and `NAME.key`; the certificate's SHA-256 as tools print it. Its serial number is its
/// name, in ASCII.
pub fn certificate(folder: &Path, name: &str, signed_by: &Authority) -> String {
    certificate_until(folder, name, signed_by, 4096)
}

/// The same, good until the end of a year.
pub fn certificate_until(folder: &Path, name: &str, signed_by: &Authority, year: i32) -> String {
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    params.not_after = date_time_ymd(year, 12, 31);
    params.serial_number = Some(SerialNumber::from_slice(name.as_bytes()));
    params.distinguished_name.push(DnType::CommonName, name);
    params.subject_alt_names.push(SanType::IpAddress([127, 0, 0, 1].into()));
    let key = KeyPair::generate().expect("a key");
    let made = params.signed_by(&key, signed_by).expect("a certificate");
    fs::write(folder.join(format!("{name}.pem")), made.pem()).expect("written");
    let path = folder.join(format!("{name}.key"));
    fs::write(&path, key.serialize_pem()).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
    let digest = Sha256::digest(made.der());
    digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// Writes the list `FOLDER/keyring/LIST.pem` of the certificates that an authority has revoked, by their names.
pub fn revoke(folder: &Path, list: &str, names: &[&str], by: &Authority) {
    let revoked = |name: &&str| RevokedCertParams {
        serial_number: SerialNumber::from_slice(name.as_bytes()),
        revocation_time: date_time_ymd(2020, 1, 1),
        reason_code: None,
        invalidity_date: None,
    };
    let params = CertificateRevocationListParams {
        this_update: date_time_ymd(2020, 1, 1),
        next_update: date_time_ymd(4000, 1, 1),
        crl_number: SerialNumber::from(1),
        issuing_distribution_point: None,
        revoked_certs: names.iter().map(revoked).collect(),
        key_identifier_method: KeyIdMethod::Sha256,
    };
    let made = params.signed_by(by).expect("a list").pem().expect("PEM");
    let keyring = folder.join("keyring");
    fs::create_dir_all(&keyring).expect("a folder");
    fs::write(keyring.join(format!("{list}.pem")), made).expect("written");
}

/// A region with TLS whose user ANNA has a certificate, and what else its clients can show.
fn certified(more: &str) -> TempDir {
    let region = format!(
        "[listen]\ntn3270 = \"127.0.0.1:0\"\ntn3270-tls = \"127.0.0.1:0\"\ncertificate = \"region.pem\"\nkey = \"region.key\"\n\
         client-authorities = \"clients.pem\"\n{more}\n[lu]\nANNASLU = \"user:ANNA\"\nTELLLU = \"group:TELLERS\"\n"
    );
    let folder =
        application(&[("region.toml", &region), ("cert.csd", DEFINITIONS), ("programs/WHOAMI.cbl", WHOAMI)]);
    let (ours, others) = (authority(), authority());
    fs::write(folder.path().join("clients.pem"), ours.pem()).expect("written");
    certificate(folder.path(), "region", &ours);
    let anna = certificate(folder.path(), "anna", &ours);
    let expired = certificate_until(folder.path(), "expired", &ours, 2020);
    let lost = certificate(folder.path(), "lost", &ours);
    revoke(folder.path(), "revoked", &["lost"], &ours);
    certificate(folder.path(), "nobody", &ours);
    certificate(folder.path(), "stranger", &others);
    let users = format!(
        "[[user]]\nuserid = \"ANNA\"\nrights = [\"run\"]\ngroups = [\"TELLERS\"]\n\
         certificates = [\"{anna}\", \"{expired}\", \"{lost}\"]\n"
    );
    fs::write(folder.path().join("users.toml"), users).expect("written");
    folder
}

/// Returns the screen of s3270 after the transaction, or its message when it gets no session.
fn s3270(folder: &Path, region: &Region, shows: Option<&str>, lu: &str) -> String {
    let address = region.secure.expect("it listens for TLS");
    let mut command = Command::new("s3270");
    command.arg("-noverifycert");
    if let Some(name) = shows {
        command.args(["-certfile", &format!("{name}.pem"), "-keyfile", &format!("{name}.key")]);
    }
    let mut s3270 = command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("s3270 starts");
    let lu = if lu.is_empty() { String::new() } else { format!("{lu}@") };
    let script = format!(
        "Connect(L:{lu}{address})\nWait(20,InputField)\nClear()\nString(WHOI)\nEnter()\nWait(20,Output)\nAscii()\nQuit()\n"
    );
    s3270.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
    let output = s3270.wait_with_output().expect("s3270 ends");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_certificate_is_a_user_where_clients_are_asked_for_one() {
    let folder = certified("client-certificates = \"asked\"");
    let region = Region::start(folder.path());
    for (shows, lu, seen) in [
        (Some("anna"), "", "USER IS ANNA"),
        (Some("anna"), "ANNASLU", "USER IS ANNA     AT ANNASLU"),
        (Some("anna"), "TELLLU", "USER IS ANNA     AT TELLLU"),
        (Some("nobody"), "", "USER IS CICSUSER"),
        (None, "", "USER IS CICSUSER"),
    ] {
        let screen = s3270(folder.path(), &region, shows, lu);
        assert!(screen.contains(seen), "{shows:?} {lu}: {screen}\n{}", region.log());
    }
    for (shows, lu) in [
        (Some("nobody"), "ANNASLU"),
        (None, "TELLLU"),
        (Some("stranger"), ""),
        (Some("expired"), ""),
        (Some("lost"), ""),
    ] {
        let screen = s3270(folder.path(), &region, shows, lu);
        assert!(!screen.contains("USER IS"), "{shows:?} {lu}: {screen}\n{}", region.log());
    }
}

#[test]
fn without_a_users_certificate_no_client_comes_in_where_one_is_required() {
    let folder = certified("client-certificates = \"required\"");
    let region = Region::start(folder.path());
    for (shows, is_in) in [
        (Some("anna"), true),
        (Some("nobody"), false),
        (Some("stranger"), false),
        (Some("expired"), false),
        (Some("lost"), false),
        (None, false),
    ] {
        let screen = s3270(folder.path(), &region, shows, "");
        assert_eq!(screen.contains("USER IS ANNA"), is_in, "{shows:?}: {screen}\n{}", region.log());
        assert_eq!(screen.contains("USER IS"), is_in, "{shows:?}: {screen}");
    }
}

/// Returns the first row of tnz's screen after the transaction, or its message when it gets no session.
fn tnz(python: &OsStr, folder: &Path, region: &Region, shows: Option<&str>) -> String {
    let address = region.secure.expect("it listens for TLS");
    let mut command = Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/clients/whoami.py"));
    command.arg(address.to_string()).current_dir(folder);
    command.args(shows.iter().flat_map(|name| [format!("{name}.pem"), format!("{name}.key")]));
    let output = command.output().expect("Python starts");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn tnz_shows_its_certificate() {
    let Some(python) = std::env::var_os("TNZ_PYTHON") else {
        eprintln!("skipped: TNZ_PYTHON does not name a Python that has tnz");
        return;
    };
    let folder = certified("client-certificates = \"asked\"");
    let region = Region::start(folder.path());
    for (shows, seen) in
        [(Some("anna"), "USER IS ANNA"), (Some("nobody"), "USER IS CICSUSER"), (None, "USER IS CICSUSER")]
    {
        let screen = tnz(&python, folder.path(), &region, shows);
        assert!(screen.contains(seen), "{shows:?}: {screen}\n{}", region.log());
    }
    for shows in ["stranger", "expired", "lost"] {
        let screen = tnz(&python, folder.path(), &region, Some(shows));
        assert!(!screen.contains("USER IS"), "{shows}: {screen}\n{}", region.log());
    }
}
