//! A collector by TLS: one that the region believes gets its spans; one that it does not gets none, with the reason in the log, and nothing
//! waits for it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::dispatcher::Dispatcher;
use kernel::spans::{SpanFigures, Spans};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose, SanType,
    date_time_ymd,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::collector::{Collector, Mood, header};
use crate::common::{Run, Site, attach};
use crate::{said, until};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// The fault of a collector's certificate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// It is for another host.
    Host,
    /// Its time is over.
    Time,
}

/// A certificate for the loopback address, and its key.
fn certificate(by: &Authority, wrong: Wrong) -> (rcgen::Certificate, KeyPair) {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, "collector");
    params.subject_alt_names = match wrong {
        Wrong::Host => vec![SanType::DnsName("elsewhere.example".try_into().expect("a name"))],
        _ => vec![SanType::IpAddress([127, 0, 0, 1].into())],
    };
    if wrong == Wrong::Time {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    let key = KeyPair::generate().expect("a key");
    (params.signed_by(&key, by).expect("a certificate"), key)
}

/// A collector's side of TLS. `clients`: who signs the certificates that clients must show.
fn tls((made, key): &(rcgen::Certificate, KeyPair), clients: Option<&Authority>) -> TlsAcceptor {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().expect("versions");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der().clone()).expect("an authority");
            let judge = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(judge.expect("a judge"))
        }
    };
    let chain: Vec<CertificateDer<'static>> = vec![made.der().clone()];
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).expect("a certificate")))
}

/// The region's keyring: whom it believes, and the certificate that it may show.
fn keyring(ours: &Authority) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("servers.pem"), ours.pem()).expect("written");
    let (made, key) = certificate(ours, Wrong::Nothing);
    fs::write(folder.path().join("region.pem"), made.pem()).expect("written");
    fs::write(folder.path().join("region.key"), key.serialize_pem()).expect("written");
    for name in ["region.key", "token"] {
        let path = folder.path().join(name);
        if name == "token" {
            fs::write(&path, "Bearer letmein\n").expect("written");
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
    }
    folder
}

/// A region whose tasks do nothing, with this keyring.
fn site(collector: &Collector, keyring: &Path, more: &str) -> Site {
    const REGION: &str = r#"
```toml
[security]
default-rights = ["run", "inquire", "operate"]
[web]
keyring = "{keyring}"
{own}
```

```cobol NULL threadsafe
CONTINUE
```
"#;
    let text = REGION.replace("{keyring}", &keyring.display().to_string());
    Site::new("spans-secure", &text.replace("{own}", &collector.secure_section(more)))
}

fn figures(run: &Run) -> SpanFigures {
    Spans::of(&run.running.region).figures(false).expect("spans")
}

/// Runs fifty tasks, and says how long that took.
async fn tasks(run: &Run) -> Duration {
    let (region, begin) = (Arc::clone(&run.running.region), Instant::now());
    for _ in 0..50 {
        attach(&region, "NULL");
    }
    until("they have ended", || Dispatcher::of(&region).running() == 0).await;
    begin.elapsed()
}

#[test]
fn a_collector_whose_authority_is_in_the_keyring_gets_the_spans_and_the_token() {
    let ours = authority("Ours");
    let folder = keyring(&ours);
    let collector = Collector::new(Mood::Takes);
    collector.shared.tls.replace(Some(tls(&certificate(&ours, Wrong::Nothing), None)));
    let token = format!("token-file = \"{}\"\n", folder.path().join("token").display());
    site(&collector, folder.path(), &token).run(async |run| {
        collector.comes().await;
        tasks(run).await;
        until("they have come", || collector.spans().len() == 50).await;
        let head = collector.shared.came.borrow()[0].head.clone();
        assert_eq!(header(&head, "authorization").as_deref(), Some("Bearer letmein"), "{head}");
        assert_eq!(said("spans travel in clear"), 0);
        until("it has answered", || figures(run).exported == 50).await;
        assert_eq!(figures(run).failed, 0);
        true
    });
}

#[test]
fn a_collector_that_asks_for_a_certificate_gets_the_one_of_that_label() {
    let ours = authority("Ours");
    let folder = keyring(&ours);
    for (more, is_taken) in [("certificate = \"region\"\n", true), ("", false)] {
        let collector = Collector::new(Mood::Takes);
        collector.shared.tls.replace(Some(tls(&certificate(&ours, Wrong::Nothing), Some(&ours))));
        site(&collector, folder.path(), more).run(async |run| {
            collector.comes().await;
            tasks(run).await;
            match is_taken {
                true => until("they have come", || collector.spans().len() == 50).await,
                false => {
                    until("it is refused", || figures(run).failed > 0).await;
                    assert_eq!(said("spans wait, and at most 8192 do: "), 1, "the log has it once");
                    assert!(collector.spans().is_empty());
                }
            }
            true
        });
    }
}

/// A collector that is not believed for this reason: its tasks go on, and once it shows a good certificate, it gets what has waited.
fn is_not_believed(ours: &Authority, shown: TlsAcceptor, reason: &str) {
    let folder = keyring(ours);
    let collector = Collector::new(Mood::Takes);
    collector.shared.tls.replace(Some(shown));
    site(&collector, folder.path(), "").run(async |run| {
        collector.comes().await;
        assert!(tasks(run).await < Duration::from_secs(2), "no task waits");
        until("it is refused", || figures(run).failed > 0).await;
        assert_eq!((said("spans wait, and at most 8192 do: "), said(reason)), (1, 1), "{reason}");
        assert!(tasks(run).await < Duration::from_secs(2), "no task waits");
        assert_eq!((figures(run).exported, figures(run).waiting), (0, 100));
        assert!(collector.spans().is_empty());
        collector.shared.tls.replace(Some(tls(&certificate(ours, Wrong::Nothing), None)));
        until("what has waited has come", || collector.spans().len() == 100).await;
        until("it is over", || said("the collector takes spans again: 0 were dropped") == 1).await;
        true
    });
}

#[test]
fn a_certificate_of_another_authority_is_refused() {
    let other = certificate(&authority("Theirs"), Wrong::Nothing);
    is_not_believed(&authority("Ours"), tls(&other, None), "UnknownIssuer");
}

#[test]
fn a_certificate_of_another_host_is_refused() {
    let ours = authority("Ours");
    let shown = tls(&certificate(&ours, Wrong::Host), None);
    is_not_believed(&ours, shown, "not valid for name");
}

#[test]
fn a_certificate_whose_time_is_over_is_refused() {
    let ours = authority("Ours");
    let shown = tls(&certificate(&ours, Wrong::Time), None);
    is_not_believed(&ours, shown, "certificate expired");
}

/// A collector that speaks without TLS, and one that says nothing at all: the region ends in time with both.
#[test]
fn what_is_no_tls_is_refused_and_silence_keeps_neither_tasks_nor_the_end_of_the_region() {
    let ours = authority("Ours");
    let folder = keyring(&ours);
    let plain = Collector::new(Mood::Takes);
    // Its messages are there as long as it has its turn.
    let region = site(&plain, folder.path(), "");
    region.run(async |run| {
        plain.comes().await;
        tasks(run).await;
        until("it is refused", || figures(run).failed > 0).await;
        assert_eq!(said("spans wait, and at most 8192 do: "), 1);
        assert!(plain.spans().is_empty());
        true
    });
    assert_eq!(said("50 spans are dropped: the region ends"), 1);
    drop(region);
    let silent = Collector::new(Mood::Takes);
    let listener = std::net::TcpListener::bind(("127.0.0.1", silent.port)).expect("its port");
    let mut ends = Instant::now();
    let region = site(&silent, folder.path(), "");
    region.run(async |run| {
        assert!(tasks(run).await < Duration::from_secs(2), "no task waits");
        until("a handshake is under way", || figures(run).waiting == 50).await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        assert!(tasks(run).await < Duration::from_secs(2), "no task waits");
        ends = Instant::now();
        true
    });
    let took = ends.elapsed();
    assert!(took < telemetry::limits::FAREWELL + Duration::from_secs(4), "{took:?}");
    assert_eq!(said("100 spans are dropped: the region ends"), 1);
    drop(listener);
}
