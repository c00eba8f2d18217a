//! HTTPS of a region: versions, certificates of clients and whose they are, resumption, and TLS that a proxy ends.

mod common;

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::{Run, Site, h2load, is_installed, tool};
use domains::statistics::Statistics;
use instruments::format::{FileEntry, Reader};
use kernel::exec::{Content, Parcel};
use kernel::monitoring::Monitoring;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType, IsCa,
    KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SanType, SerialNumber, date_time_ymd,
};
use region::RECORD_FOLDER;
use sha2::{Digest, Sha256};
use spec::measures::{StatisticId, stat};
use spec::{cmd, cond, opt};
use testkit::commands::{answered, command};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

/// A program that tells who has come, and how.
const REGION: &str = r#"
```csd
DEFINE TCPIPSERVICE(SAFE) GROUP(T) PORTNUMBER(1) SSL(YES) CERTIFICATE(door)
DEFINE TCPIPSERVICE(CERT) GROUP(T) PORTNUMBER(2) SSL(CLIENTAUTH) CERTIFICATE(door) AUTHENTICATE(CERTIFICATE)
DEFINE TCPIPSERVICE(AUTO) GROUP(T) PORTNUMBER(3) SSL(CLIENTAUTH) CERTIFICATE(door) AUTHENTICATE(AUTOMATIC)
DEFINE TCPIPSERVICE(PROX) GROUP(T) PORTNUMBER(4) SSL(ATTLSAWARE)
DEFINE TCPIPSERVICE(FEWS) GROUP(T) PORTNUMBER(5) SSL(YES) CERTIFICATE(door) CIPHERS(few.xml)
DEFINE TCPIPSERVICE(OLDS) GROUP(T) PORTNUMBER(6) SSL(YES) CERTIFICATE(door) CIPHERS(352F0A)
DEFINE URIMAP(WHO) GROUP(T) HOST(*) PATH(/who) PROGRAM(WHO) SCHEME(HTTPS)
```

```toml
[web]
proxies = ["127.0.0.1"]
[web.services]
SAFE = "127.0.0.1:0"
CERT = "127.0.0.1:0"
AUTO = "127.0.0.1:0"
PROX = "127.0.0.1:0"
FEWS = "127.0.0.1:0"
OLDS = "127.0.0.1:0"
SIT
```

```cobol WHO
77 U PIC X(8).
77 C PIC S9(8) COMP VALUE 0.
77 T PIC X(30) VALUE SPACES.
77 PCN POINTER.
77 PIS POINTER.
77 L PIC S9(8) COMP.
77 LI PIC S9(8) COMP.
77 LC PIC S9(8) COMP.
77 PC POINTER.
LINKAGE SECTION.
01 CN PIC X(20).
PROCEDURE DIVISION.
EXEC CICS ASSIGN USERID(U) END-EXEC
EXEC CICS EXTRACT CERTIFICATE(PC) LENGTH(LC) COMMONNAME(PCN)
    COMMONNAMLEN(L) USERID(REC) END-EXEC
MOVE U TO T(1:8)
IF L > 0
    SET ADDRESS OF CN TO PCN
    MOVE CN(1:L) TO T(10:10)
END-IF
EXEC CICS EXTRACT CERTIFICATE(PC) LENGTH(LC) ISSUER
    COMMONNAME(PIS) COMMONNAMLEN(LI) END-EXEC
IF LI > 0
    SET ADDRESS OF CN TO PIS
    MOVE CN(1:LI) TO T(20:10)
END-IF
EXEC CICS WEB SEND FROM(T) FROMLENGTH(30) END-EXEC
```
"#;

/// A program that asks a server over TLS, whose port its own request's query string has.
const ASKS: &str = r#"
```csd
DEFINE URIMAP(ASKS) GROUP(T) HOST(*) PATH(/asks) PROGRAM(ASKS)
```

```cobol ASKS
77 Q PIC X(20).
77 QL PIC S9(8) COMP VALUE 20.
77 P PIC 9(8).
77 H PIC X(12).
77 TOK PIC X(8).
77 T PIC X(40) VALUE SPACES.
77 L PIC S9(8) COMP.
77 ST PIC S9(8) COMP.
EXEC CICS WEB EXTRACT QUERYSTRING(Q) QUERYSTRLEN(QL) END-EXEC
UNSTRING Q(1:QL) DELIMITED BY ':' INTO H P
MOVE 9 TO L
INSPECT H TALLYING N FOR ALL '1'
IF N > 0 MOVE 7 TO L END-IF
EXEC CICS WEB OPEN HOST(H) HOSTLENGTH(L) PORTNUMBER(P) SCHEME(DFHVALUE(HTTPS))
    SESSTOKEN(TOK) RESP(R) END-EXEC
IF R NOT = DFHRESP(NORMAL)
    EXEC CICS WEB SEND FROM('NO TRUST') FROMLENGTH(8) END-EXEC
    EXEC CICS RETURN END-EXEC
END-IF
MOVE 40 TO L
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) PATH('/who') PATHLENGTH(4) METHOD(DFHVALUE(GET))
    INTO(T) TOLENGTH(L) STATUSCODE(ST) NOCLICONVERT END-EXEC
EXEC CICS WEB CLOSE SESSTOKEN(TOK) END-EXEC
EXEC CICS WEB SEND FROM(T) FROMLENGTH(8) END-EXEC
```
"#;

/// The password of ANNA is `secret`.
const USERS: &str = r#"
[[user]]
userid = "ANNA"
rights = ["run"]
password = "$argon2id$v=19$m=1024,t=2,p=1$0eH5r7p5oFoEVZnFx+u7ew$yrj6oyBi4DdAt/VVpWSyQjB7902Vdwm3KRBA3BIm48o"
certificates = ["FINGERPRINT"]

[[user]]
userid = "EMMA"
rights = ["run"]
password = "$argon2id$v=19$m=1024,t=2,p=1$0eH5r7p5oFoEVZnFx+u7ew$yrj6oyBi4DdAt/VVpWSyQjB7902Vdwm3KRBA3BIm48o"
"#;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// Writes `NAME.pem` and `NAME.key` of this machine; the certificate (DER).
fn certificate(folder: &Path, name: &str, serial: u64, until: i32, by: &Authority) -> Vec<u8> {
    certificate_for("localhost", folder, name, serial, until, by)
}

fn certificate_for(
    host: &str,
    folder: &Path,
    name: &str,
    serial: u64,
    until: i32,
    by: &Authority,
) -> Vec<u8> {
    let mut params = CertificateParams::new(vec![host.to_owned()]).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    params.subject_alt_names.push(SanType::IpAddress([127, 0, 0, 1].into()));
    params.serial_number = Some(SerialNumber::from(serial));
    params.not_after = date_time_ymd(until, 1, 1);
    let key = KeyPair::generate().expect("a key");
    let made = params.signed_by(&key, by).expect("a certificate");
    fs::write(folder.join(format!("{name}.pem")), made.pem()).expect("written");
    let path = folder.join(format!("{name}.key"));
    fs::write(&path, key.serialize_pem()).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
    made.der().to_vec()
}

fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The application, with a keyring that has everybody's certificates.
fn site(name: &str, sit: &str) -> (Site, PathBuf, Vec<u8>) {
    site_with(name, sit, "")
}

/// The same with more blocks.
fn site_with(name: &str, sit: &str, more: &str) -> (Site, PathBuf, Vec<u8>) {
    let site = Site::new(name, &(REGION.replace("SIT", sit) + ASKS + more));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("application");
    let keyring = folder.join("keyring");
    fs::create_dir_all(&keyring).expect("a folder");
    let (ours, others) = (authority("Ours"), authority("Others"));
    fs::write(keyring.join("authorities.pem"), ours.pem()).expect("written");
    fs::write(keyring.join("servers.pem"), ours.pem()).expect("written");
    certificate(&keyring, "door", 1, 4000, &ours);
    let anna = certificate(&keyring, "anna", 2, 4000, &ours);
    certificate(&keyring, "emma", 3, 4000, &ours);
    certificate(&keyring, "old", 4, 2001, &ours);
    certificate(&keyring, "stranger", 5, 4000, &others);
    certificate(&keyring, "lost", 6, 4000, &ours);
    certificate_for("*.shop.example", &keyring, "shop", 7, 4000, &ours);
    fs::write(keyring.join("revoked.pem"), revoking(6, 4000, &ours)).expect("written");
    fs::write(keyring.join("expired.pem"), revoking(2, 2021, &ours)).expect("written");
    fs::write(keyring.join("few.xml"), FEW).expect("written");
    fs::write(folder.join("users.toml"), USERS.replace("FINGERPRINT", &fingerprint(&anna))).expect("written");
    (site, folder, anna)
}

/// A suite of TLS 1.2 and one of 1.3 that are there, and one that is not.
const FEW: &str = r#"<?xml version="1.0"?>
<suites><cipher number="0035"/><cipher number="C02B"/><cipher number="1301"/></suites>
"#;

/// A list with one revoked certificate, good until a year.
fn revoking(serial: u64, until: i32, by: &Authority) -> String {
    let revoked = RevokedCertParams {
        serial_number: SerialNumber::from(serial),
        revocation_time: date_time_ymd(2020, 1, 1),
        reason_code: None,
        invalidity_date: None,
    };
    let list = CertificateRevocationListParams {
        this_update: date_time_ymd(2020, 1, 1),
        next_update: date_time_ymd(until, 1, 1),
        crl_number: SerialNumber::from(1),
        issuing_distribution_point: None,
        revoked_certs: vec![revoked],
        key_identifier_method: KeyIdMethod::Sha256,
    };
    list.signed_by(by).expect("a list").pem().expect("PEM")
}

fn address(run: &Run, service: &str) -> SocketAddr {
    let at = run.running.listening().into_iter().find(|at| at.door == "web" && at.name.trim_end() == service);
    at.expect("a service").address
}

/// Returns curl's answer to `/who`: the body and the status, or that there was no connection.
async fn who(run: &Run, folder: &Path, service: &str, client: Option<&str>, more: &[&str]) -> String {
    let mut curl = Command::new("curl");
    let url = format!("https://{}/who", address(run, service));
    curl.current_dir(folder.join("keyring")).args([
        "-sS",
        "--cacert",
        "authorities.pem",
        "-w",
        " %{http_code}",
    ]);
    if let Some(client) = client {
        curl.args(["--cert", &format!("{client}.pem"), "--key", &format!("{client}.key")]);
    }
    let output = curl.args(more).arg(url).output().await.expect("curl is installed");
    match output.status.success() {
        true => String::from_utf8_lossy(&output.stdout).into_owned(),
        false => String::from("no connection"),
    }
}

#[test]
fn a_certificate_says_who_a_client_is() {
    let (site, folder, _) = site("web-tls-users", "");
    site.run(async |run| {
        let told = async |service, client, more| who(run, &folder, service, client, more).await;
        let anna = "ANNA     anna      Ours        200";
        assert_eq!(told("SAFE", None, &[]).await, "CICSUSER                       200");
        assert_eq!(told("CERT", Some("anna"), &[]).await, anna);
        assert_eq!(told("CERT", Some("emma"), &[]).await, "this certificate is no user's 403");
        for nobody in [None, Some("old"), Some("stranger"), Some("lost")] {
            assert_eq!(told("CERT", nobody, &[]).await, "no connection", "{nobody:?}");
        }
        // A password makes a certificate the user's, once for all.
        assert_eq!(told("AUTO", Some("emma"), &[]).await, "who is it? 401");
        assert_eq!(told("AUTO", Some("emma"), &["-u", "emma:wrong"]).await, "who is it? 401");
        let emma = "EMMA     emma      Ours        200";
        assert_eq!(told("AUTO", Some("emma"), &["-u", "emma:secret"]).await, emma);
        assert_eq!(told("AUTO", Some("emma"), &[]).await, emma);
        assert_eq!(told("AUTO", Some("anna"), &[]).await, anna);
        assert_eq!(told("AUTO", None, &["-u", "emma:secret"]).await, "EMMA                           200");
        assert_eq!(told("AUTO", None, &[]).await, "who is it? 401");
        assert_eq!(told("AUTO", Some("stranger"), &[]).await, "no connection");
        let users = fs::read_to_string(folder.join("users.toml")).expect("the users");
        assert_eq!(users.matches("certificates = [").count(), 2, "{users}");
        true
    });
}

#[test]
fn a_program_asks_a_server_over_tls_whose_certificate_is_good_for_its_name() {
    let (site, folder, _) = site("web-tls-asks", "");
    site.run(async |run| {
        let port = address(run, "SAFE").port();
        for (host, answer) in [("localhost", "CICSUSER"), ("127.0.1", "NO TRUST")] {
            let url = format!("https://127.0.0.1:{port}/asks?{host}:{port:08}");
            let mut curl = Command::new("curl");
            curl.current_dir(folder.join("keyring")).args(["-sS", "--cacert", "authorities.pem", &url]);
            let output = curl.output().await.expect("curl is installed");
            assert_eq!(String::from_utf8_lossy(&output.stdout), answer, "{host}");
        }
        true
    });
}

/// The blocks of adapters that send each event to a server: by a URIMAP of their own names.
fn adapters(names: &[&str]) -> String {
    const SPACE: &str = "http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding";
    let mut blocks = String::from("\n```csd\nDEFINE BUNDLE(EV) GROUP(T) BUNDLEDIR(ev)\n```\n");
    let mut manifest =
        String::from("<manifest xmlns=\"http://www.ibm.com/xmlns/prod/cics/bundle\" id=\"ev\">\n");
    for name in names {
        manifest += &format!(
            "<define name=\"{name}\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING\" path=\"{name}.evbind\"/>\n"
        );
        blocks += &format!(
            "\n```file ev/{name}.evbind\n<e:eventBinding CICSEPSchemaVersion=\"2\" CICSEPSchemaRelease=\"0\" xmlns:e=\"{SPACE}\">\n\
             <eventSpecification><name>Given</name></eventSpecification>\n\
             <eventCaptureSpecification><name>Given</name><eventIdentifier>Given</eventIdentifier><filter>\n\
             <locationFilter filterType=\"CICS_API\"><signalEVENTCommand verb=\"SIGNAL\" adVerb=\"EVENT\"/></locationFilter></filter>\n\
             </eventCaptureSpecification>\n\
             <eventDispatcherSpecification><eventDispatcher><eventDispatcherPolicy/>\n\
             <eventDispatcherAdapter><httpAdapter><urimap>{name}</urimap><format>CBER</format></httpAdapter></eventDispatcherAdapter>\n\
             </eventDispatcher></eventDispatcherSpecification>\n</e:eventBinding>\n```\n"
        );
    }
    format!("{blocks}\n```file ev/META-INF/cics.xml\n{manifest}</manifest>\n```\n")
}

#[test]
fn an_adapter_of_events_speaks_tls_as_its_urimap_says() {
    let names = ["PLAIN", "ANNAS", "BARES", "NAMED"];
    let (site, _, _) = site_with("web-tls-events", "", &adapters(&names));
    site.run(async |run| {
        let region = &run.house.running.region;
        let (safe, cert) = (address(run, "SAFE").port(), address(run, "CERT").port());
        // A server that is trusted; one that wants a certificate, with and without; one under a name that its certificate has not.
        let urimaps = [
            format!("HOST(localhost) PORT({safe})"),
            format!("HOST(localhost) PORT({cert}) CERTIFICATE(anna)"),
            format!("HOST(localhost) PORT({cert})"),
            format!("HOST(127.0.1) PORT({safe})"),
        ];
        let made = names.iter().zip(urimaps).map(|(name, more)| {
            let attributes = format!("PATH(/who) USAGE(CLIENT) SCHEME(HTTPS) {more}");
            let mut create = Parcel::new(cmd::CREATE_URIMAP);
            create.give(opt::URIMAP, Content::text(&format!("{name:<8}"))).expect("a name");
            create.give(opt::ATTRIBUTES, Content::text(&attributes)).expect("attributes");
            create
        });
        let mut commands: Vec<Parcel> = made.collect();
        commands.push(command("SIGNAL EVENT(ANY)"));
        for answer in answered(region, commands).await.expect("answers") {
            assert_eq!(answer.response(), (cond::NORMAL, 0));
        }
        let seen =
            |run: &Run| names.map(|name| [stat::SPEQEMIT, stat::SPEQFAIL].map(|id| figure(run, name, id)));
        run.until("each is emitted, or lost", || seen(run).iter().flatten().sum::<u64>() == 4).await;
        assert_eq!(seen(run), [[1, 0], [1, 0], [0, 1], [0, 1]]);
        true
    });
}

#[test]
fn versions_are_as_mintlslevel_and_maxtlslevel_say() {
    for (sit, tls12, tls13) in [
        ("[sit]\nMINTLSLEVEL = \"TLS13\"", false, true),
        ("[sit]\nMAXTLSLEVEL = \"TLS12\"", true, false),
        ("", true, true),
    ] {
        let (site, folder, _) = site("web-tls-versions", sit);
        site.run(async |run| {
            for (options, speaks) in [(["--tls-max", "1.2"], tls12), (["--tlsv1.3", "--http1.1"], tls13)] {
                let told = who(run, &folder, "SAFE", None, &options).await;
                assert_eq!(told.ends_with("200"), speaks, "{sit} {options:?}: {told}");
            }
            true
        });
    }
}

#[test]
fn a_client_is_shown_the_certificate_that_fits_the_name_it_asks_for() {
    let (site, folder, _) = site("web-tls-names", "");
    site.run(async |run| {
        let port = address(run, "SAFE").port();
        for (host, fits) in [("localhost", true), ("one.shop.example", true), ("shop.example", false)] {
            let (to, url) = (format!("{host}:{port}:127.0.0.1"), format!("https://{host}:{port}/who"));
            let mut curl = Command::new("curl");
            curl.current_dir(folder.join("keyring"));
            curl.args(["-sS", "--cacert", "authorities.pem", "--resolve", &to, &url]);
            let output = curl.output().await.expect("curl is installed");
            assert_eq!(output.status.success(), fits, "{host}: {output:?}");
        }
        true
    });
}

#[test]
fn cipher_suites_are_those_of_ciphers() {
    let (site, folder, _) = site("web-tls-ciphers", "");
    site.run(async |run| {
        let speaks = async |service, options: &[&str]| who(run, &folder, service, None, options).await;
        let (other, named) = ("ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256");
        assert!(speaks("FEWS", &[]).await.ends_with("200"));
        assert!(speaks("FEWS", &["--tls-max", "1.2", "--ciphers", named]).await.ends_with("200"));
        assert_eq!(speaks("FEWS", &["--tls-max", "1.2", "--ciphers", other]).await, "no connection");
        assert!(
            speaks("FEWS", &["--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"])
                .await
                .ends_with("200")
        );
        let other_of_13 = ["--tlsv1.3", "--tls13-ciphers", "TLS_AES_256_GCM_SHA384"];
        assert_eq!(speaks("FEWS", &other_of_13).await, "no connection");
        // Codes that name nothing but what is not there stand for all that is there.
        assert!(speaks("OLDS", &other_of_13).await.ends_with("200"));
        assert!(speaks("OLDS", &["--tls-max", "1.2", "--ciphers", other]).await.ends_with("200"));
        true
    });
}

#[test]
fn crlprofile_names_the_lists_of_revoked_certificates() {
    let (site, folder, _) = site("web-tls-lists", "[sit]\nCRLPROFILE = \"expired\"");
    site.run(async |run| {
        // Its list is another one, and counts though it has expired.
        assert_eq!(who(run, &folder, "CERT", Some("anna"), &[]).await, "no connection");
        let lost = who(run, &folder, "CERT", Some("lost"), &[]).await;
        assert_eq!(lost, "this certificate is no user's 403");
        true
    });
}

/// Returns true if openssl reports that it has resumed the session that it got on another connection.
async fn resumes(folder: &Path, from: SocketAddr, to: SocketAddr, version: &str) -> bool {
    let session = folder.join("session");
    let _ = fs::remove_file(&session);
    let file = session.to_str().expect("UTF-8");
    let client = async |at: SocketAddr, kept: [&str; 2]| {
        let connect = at.to_string();
        let mut openssl = Command::new("openssl");
        openssl.current_dir(folder.join("keyring")).args(["s_client", "-connect", &connect, version]);
        // With the end of its input it would leave before the ticket has come.
        openssl.args(["-CAfile", "authorities.pem", "-cert", "anna.pem", "-key", "anna.key", "-ign_eof"]);
        let mut openssl = openssl
            .args(kept)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("openssl is installed");
        let mut input = openssl.stdin.take().expect("a pipe");
        let request = b"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        input.write_all(request).await.expect("written");
        let output = openssl.wait_with_output().await.expect("it ends");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = client(from, ["-sess_out", file]).await;
    assert!(first.contains("New, TLSv1"), "{first}");
    let second = client(to, ["-sess_in", file]).await;
    second.contains("Reused, TLSv1")
}

#[test]
fn a_session_is_resumed_at_its_own_service_as_long_as_ssldelay_says() {
    for (sit, resumed) in [("", true), ("[sit]\nSSLDELAY = 0", false)] {
        let (site, folder, _) = site("web-tls-resumed", sit);
        site.run(async |run| {
            let (safe, cert) = (address(run, "SAFE"), address(run, "CERT"));
            for version in ["-tls1_2", "-tls1_3"] {
                assert_eq!(resumes(&folder, cert, cert, version).await, resumed, "{sit} {version}");
                assert!(!resumes(&folder, safe, cert, version).await, "{sit} {version} elsewhere");
            }
            true
        });
    }
}

/// The header of a proxy: addresses of IPv4, and what it says of TLS.
fn proxied(certificate: &[u8], verified: bool) -> Vec<u8> {
    let value = |kind: u8, bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).expect("short").to_be_bytes();
        [&[kind], length.as_slice(), bytes].concat()
    };
    let verify = u32::from(!verified).to_be_bytes();
    let ssl = [
        &[0b111],
        verify.as_slice(),
        &value(0x21, b"TLSv1.3"),
        &value(0x22, b"anna"),
        &value(0x28, certificate),
    ]
    .concat();
    let addresses = [192, 0, 2, 1, 127, 0, 0, 1, 0x30, 0x39, 0x01, 0xBB];
    let rest = [addresses.as_slice(), &value(0x20, &ssl)].concat();
    let length = u16::try_from(rest.len()).expect("short").to_be_bytes();
    [b"\r\n\r\n\0\r\nQUIT\n\x21\x11".as_slice(), &length, &rest].concat()
}

#[test]
fn a_proxy_that_ends_tls_says_who_the_client_is() {
    let (site, _, anna) = site("web-tls-proxy", "");
    site.run(async |run| {
        let at = address(run, "PROX");
        let ask = async |header: Vec<u8>| {
            let mut stream = TcpStream::connect(at).await.expect("a connection");
            let request = b"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            stream.write_all(&[&header, request.as_slice()].concat()).await.expect("written");
            let mut answer = Vec::new();
            // A refused connection may be reset.
            let _ = stream.read_to_end(&mut answer).await;
            String::from_utf8_lossy(&answer).into_owned()
        };
        let known = ask(proxied(&anna, true)).await;
        assert!(known.contains("\r\n\r\nANNA     anna      Ours"), "{known}");
        let unverified = ask(proxied(&anna, false)).await;
        assert!(unverified.contains("\r\n\r\nCICSUSER         "), "{unverified}");
        let named = ask(proxied(&[], true)).await;
        assert!(named.contains("\r\n\r\nCICSUSER anna"), "{named}");
        assert!(figure(run, "PROXY.", stat::SPHFULL) >= 3);
        assert_eq!(ask(Vec::new()).await, "", "without the header of the proxy");
        true
    });
}

/// HAProxy, which ends TLS with clients' certificates and speaks PROXY protocol v2. It gets its port as its standard input, so that no
/// client comes before it listens.
fn haproxy(folder: &Path, region: SocketAddr) -> (tokio::process::Child, SocketAddr) {
    let keyring = folder.join("keyring");
    let read = |name: &str| fs::read_to_string(keyring.join(name)).expect("read");
    fs::write(keyring.join("both.pem"), read("door.pem") + &read("door.key")).expect("written");
    let settings = format!(
        "defaults\n  mode tcp\n  timeout connect 20s\n  timeout client 20s\n  timeout server 20s\n\
         listen door\n  bind fd@0 ssl crt both.pem ca-file authorities.pem verify required\n  \
         server region {region} send-proxy-v2-ssl-cn\n"
    );
    fs::write(keyring.join("haproxy.cfg"), settings).expect("written");
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = port.local_addr().expect("an address");
    let mut haproxy = tool("haproxy");
    haproxy
        .current_dir(&keyring)
        // Told to be quiet, it would close its standard input.
        .args(["-db", "-f", "haproxy.cfg"])
        .stdin(std::os::fd::OwnedFd::from(port))
        .stderr(std::process::Stdio::null());
    (haproxy.spawn().expect("it starts"), at)
}

#[test]
fn haproxy_ends_tls_and_the_program_sees_it() {
    let (site, folder, _) = site("web-tls-haproxy", "");
    site.run(async |run| {
        let (_proxy, at) = haproxy(&folder, address(run, "PROX"));
        let mut openssl = Command::new("openssl");
        openssl.current_dir(folder.join("keyring")).args([
            "s_client",
            "-connect",
            &at.to_string(),
            "-ign_eof",
        ]);
        openssl.args(["-CAfile", "authorities.pem", "-cert", "anna.pem", "-key", "anna.key", "-quiet"]);
        openssl.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut openssl = openssl.spawn().expect("openssl is installed");
        let mut input = openssl.stdin.take().expect("a pipe");
        let request = b"GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        input.write_all(request).await.expect("written");
        let output = openssl.wait_with_output().await.expect("it ends");
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        // This proxy passes on the name in the certificate, and not the certificate.
        assert!(answer.contains("\r\n\r\nCICSUSER anna"), "{answer}");
        true
    });
}

/// h2spec, where it is installed: `scripts/install test` installs it where Go is.
fn h2spec() -> Command {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/suites/h2spec");
    Command::new(if ours.exists() { ours } else { PathBuf::from("h2spec") })
}

/// All strict cases of h2spec, over TLS.
#[test]
fn h2spec_finds_nothing_wrong() {
    let (site, _, _) = site("web-tls-h2spec", "");
    site.run(async |run| {
        let at = address(run, "SAFE");
        let port = at.port().to_string();
        let suite =
            ["--host", "127.0.0.1", "--port", &port, "--tls", "--insecure", "--strict", "--path", "/who"];
        let Ok(output) = h2spec().args(suite).output().await else {
            eprintln!("skipped: h2spec is not installed (scripts/install test installs it where Go is)");
            return true;
        };
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains(", 0 failed"), "{told}");
        eprintln!("h2spec: {}", told.lines().last().unwrap_or_default());
        true
    });
}

/// Returns the number of handshakes that openssl has made in a second, new and resumed ones; each is followed by a
/// request.
async fn handshakes(folder: &Path, at: SocketAddr, version: &str, kind: &str) -> (usize, usize) {
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder.join("keyring")).args(["s_time", "-connect", &at.to_string(), version, kind]);
    let output = openssl.args(["-CAfile", "authorities.pem", "-www", "/who", "-time", "1"]).output().await;
    let output = output.expect("openssl is installed");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    // A mark for each connection: `r` for a resumed session, another one for a new one.
    let marks = told.lines().filter(|line| line.chars().all(|mark| "r*t".contains(mark)));
    let (resumed, new): (Vec<_>, Vec<_>) = marks.flat_map(str::chars).partition(|mark| *mark == 'r');
    (new.len(), resumed.len())
}

/// A figure of the region, summed over the resources whose names begin so.
fn figure(run: &Run, begin: &str, id: StatisticId) -> u64 {
    let region = &run.house.running.region;
    let records = Statistics::of(region).now(region);
    records.iter().filter(|record| record.resource.starts_with(begin)).filter_map(|it| it.number(id)).sum()
}

#[test]
fn openssl_s_time_makes_new_connections_and_resumes_sessions() {
    let (site, folder, _) = site("web-tls-s-time", "");
    site.run(async |run| {
        let at = address(run, "SAFE");
        // Other tests of the process may add to the same counts.
        let counted = |id| figure(run, "", id);
        for (version, of_version, cipher) in [
            ("-tls1_2", stat::SOG_TIMES_CICSTLS12_INB_USED, "IN.TLSv1_2."),
            ("-tls1_3", stat::SOG_TIMES_CICSTLS13_INB_USED, "IN.TLSv1_3."),
        ] {
            let ids = [stat::SOG_HANDSHAKES_FULL_INB, stat::SOG_HANDSHAKES_ABBREV_INB, of_version];
            let before = ids.map(counted);
            let (new, resumed) = handshakes(&folder, at, version, "-new").await;
            assert!(new > 1 && resumed == 0, "{version} new: {new} and {resumed}");
            let all = new as u64;
            let (new, resumed) = handshakes(&folder, at, version, "-reuse").await;
            assert!(new <= 1 && resumed > 1, "{version} resumed: {new} and {resumed}");
            let after = ids.map(counted);
            let more: Vec<u64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
            assert!(more[0] >= all && more[1] >= resumed as u64, "{version}: {more:?}");
            assert!(more[2] >= all + resumed as u64, "{version}: {more:?}");
            assert!(figure(run, cipher, stat::SPHRESUM) >= resumed as u64, "{version}");
        }
        true
    });
}

/// The sums of a field of all performance records of a transaction.
fn performed(run: &Run, transaction: &str, field: &str) -> u64 {
    Monitoring::of(&run.house.running.region).flush();
    let entries = fs::read_dir(run.house.state.join(RECORD_FOLDER)).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| path.display().to_string().contains("performance-");
    let mut sum = 0;
    for path in entries.map(|entry| entry.path()).filter(is_one) {
        let bytes = fs::read(path).expect("a file");
        for entry in Reader::new(&bytes).expect("a file of ours") {
            let FileEntry::Record(record) = entry.expect("a whole record") else { continue };
            if record.text("TRAN").trim_end() == transaction {
                sum += record.clock(field).0 + record.number(field);
            }
        }
    }
    sum
}

#[test]
fn bytes_and_processor_time_of_tls_are_counted_by_suite_and_for_tasks() {
    let (site, folder, _) = site("web-tls-counted", "[sit]\nMN = \"ON\"\nMNPER = \"ON\"");
    site.run(async |run| {
        let of = |begin: &str| {
            [stat::SPHTIME, stat::SPHENC, stat::SPHDEC, stat::SPHCPU].map(|id| figure(run, begin, id))
        };
        let before = of("IN.TLSv1_3.");
        let told = who(run, &folder, "SAFE", None, &["--tlsv1.3", "--http1.1"]).await;
        assert!(told.ends_with("200"), "{told}");
        let after = of("IN.TLSv1_3.");
        let [time, encrypted, decrypted, transfer] = [0, 1, 2, 3].map(|place| after[place] - before[place]);
        // A handshake signs: that takes some processor time; the request and its answer are some hundred bytes.
        assert!((20_000..1_000_000_000).contains(&time), "{time}");
        assert!(
            (30..2_000).contains(&encrypted) && (30..2_000).contains(&decrypted),
            "{encrypted} {decrypted}"
        );
        assert!((1_000..1_000_000_000).contains(&transfer), "{transfer}");
        run.until("a record", || performed(run, "CWBA", "SOBYENCT") > 0).await;
        assert_eq!(performed(run, "CWBA", "SOBYENCT"), 30, "the body of the answer");
        assert!(performed(run, "CWBA", "S8CPUT") >= 20_000, "the handshake is in it");
        // A task that asks a server has both ends' bytes.
        let before = of("OUT.TLSv1_3.");
        let port = address(run, "SAFE").port();
        let url = format!("https://127.0.0.1:{port}/asks?localhost:{port:08}");
        let mut curl = Command::new("curl");
        curl.current_dir(folder.join("keyring")).args(["-sS", "--cacert", "authorities.pem", &url]);
        let output = curl.output().await.expect("curl is installed");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "CICSUSER");
        let after = of("OUT.TLSv1_3.");
        let [time, encrypted, decrypted] = [0, 1, 2].map(|place| after[place] - before[place]);
        assert!(time > 20_000 && encrypted > 20 && decrypted > 60, "{time} {encrypted} {decrypted}");
        // The first task's 30, the two bodies of the second pair, and all that went to the server and came back.
        let expected = 30 + 30 + 8 + encrypted;
        run.until("its records", || performed(run, "CWBA", "SOBYENCT") >= expected).await;
        assert_eq!(performed(run, "CWBA", "SOBYDECT"), decrypted);
        true
    });
}

/// Runs testssl on protocols and cipher suites: bad ones are not offered, and the offered ones are good.
#[test]
fn testssl_finds_no_weak_protocol_and_no_weak_cipher() {
    let (site, folder, _) = site("web-tls-testssl", "");
    site.run(async |run| {
        let report = folder.join("testssl.csv");
        let _ = fs::remove_file(&report);
        let name = ["testssl.sh", "testssl"].into_iter().find(|name| is_installed(name));
        let mut testssl = tool(name.unwrap_or("testssl"));
        testssl.args(["--quiet", "--color", "0", "--warnings", "off", "--ip", "127.0.0.1"]);
        testssl.args(["--protocols", "--std", "--csvfile"]).arg(&report);
        let port = address(run, "SAFE").port();
        let output = testssl.arg(format!("localhost:{port}")).output().await.expect("it runs");
        let told = String::from_utf8_lossy(&output.stdout);
        let report = fs::read_to_string(&report).unwrap_or_else(|_| panic!("{told}"));
        // "id","host/ip","port","severity","finding","cve","cwe"
        let lines = report.lines().skip(1).map(|line| line.split("\",\"").collect::<Vec<_>>());
        let found: Vec<_> = lines.map(|line| (line[0].trim_matches('"'), line[3], line[4])).collect();
        // It would like engines that openssl has no more; that is none of the region's business.
        let of_region = found.iter().filter(|(id, ..)| *id != "engine_problem");
        let weak: Vec<_> = of_region.filter(|(_, severity, _)| !["OK", "INFO"].contains(severity)).collect();
        assert!(weak.is_empty(), "{weak:?}\n{told}");
        let finding = |id: &str| found.iter().find(|found| found.0 == id).map(|found| found.2);
        for (protocol, offered) in [
            ("SSLv2", false),
            ("SSLv3", false),
            ("TLS1", false),
            ("TLS1_1", false),
            ("TLS1_2", true),
            ("TLS1_3", true),
        ] {
            let said = finding(protocol).unwrap_or_else(|| panic!("nothing of {protocol}: {found:?}"));
            assert_eq!(said.starts_with("offered"), offered, "{protocol}: {said}");
        }
        for suites in ["cipherlist_NULL", "cipherlist_aNULL", "cipherlist_EXPORT", "cipherlist_LOW"] {
            assert_eq!(finding(suites), Some("not offered"), "{suites}: {found:?}");
        }
        true
    });
}

#[test]
fn h2load_speaks_both_versions_over_tls_and_every_request_is_answered() {
    let (site, _, _) = site("web-tls-h2load", "");
    site.run(async |run| {
        let url = format!("https://{}/who", address(run, "SAFE"));
        h2load(&["-n400", "-c8", "-m8", &url], 400).await;
        h2load(&["--h1", "-n400", "-c8", &url], 400).await;
        true
    });
}
