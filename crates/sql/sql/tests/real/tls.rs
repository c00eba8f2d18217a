//! Over the network: TLS, a certificate that is looked at, SCRAM; a password never goes in clear where it could be heard.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::PathBuf;
use std::sync::OnceLock;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use sql::server::{Private, Server, plain};
use sql::{Address, ListenPlace, Session, Settings, Tls};

use crate::place::{block_on, folder, private};

/// A server that listens on a port of this machine, with a certificate for `localhost`.
struct Remote {
    port: u16,
    authority: PathBuf,
    stranger: PathBuf,
}

/// One for all tests here.
fn remote() -> &'static Remote {
    static REMOTE: OnceLock<Remote> = OnceLock::new();
    REMOTE.get_or_init(|| std::thread::spawn(start).join().unwrap())
}

fn authority(name: &str) -> (Issuer<'static, KeyPair>, String) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    (Issuer::new(params, key), certificate)
}

fn start() -> Remote {
    crate::place::address();
    // What an earlier run has left is of its certificates.
    let place = folder("remote");
    if place.exists() {
        fs::remove_dir_all(&place).unwrap();
    }
    let private_of = |more: Vec<String>| {
        let mut private = private(&place);
        private.settings.extend(more);
        private
    };
    let data = place.join("data");
    block_on(async {
        let first: Private = private_of(Vec::new());
        let server = Server::start(&first).await.unwrap();
        let mut session = Session::connect(&server.owner(), &plain()).await.unwrap();
        let made = "CREATE ROLE app LOGIN PASSWORD 'secret' IN ROLE syncpoint; GRANT SELECT ON pg_stat_ssl TO app; \
                    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog TO app";
        session.script(made).await.unwrap();
        server.stop().await.unwrap();
    });
    let (issuer, trusted) = authority("an authority");
    let (_, other) = authority("a stranger");
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let write = |name: &str, text: &str| {
        let file = place.join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let certificate = write("server.pem", &certificate.pem());
    let key = write("server.key", &key.serialize_pem());
    // PostgreSQL wants its key to be its own, and not readable by others.
    let owner = fs::metadata(&data).unwrap();
    for file in [&certificate, &key] {
        chown(file, Some(owner.uid()), Some(owner.gid())).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let hba = data.join("pg_hba.conf");
    let rules = fs::read_to_string(&hba).unwrap();
    let rules = format!("hostssl all app localhost scram-sha-256\nhost all app localhost password\n{rules}");
    fs::write(hba, rules).unwrap();

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let remote =
        Remote { port, authority: write("authority.pem", &trusted), stranger: write("stranger.pem", &other) };
    let settings = vec![
        "listen_addresses=localhost".to_owned(),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={}", certificate.display()),
        format!("ssl_key_file={}", key.display()),
    ];
    block_on(async {
        let private = Private { port, ..private_of(settings) };
        Server::start(&private).await.unwrap();
    });
    remote
}

async fn connect(host: &str, tls: Tls, password: Option<&str>) -> Result<Session, String> {
    let remote = tokio::task::spawn_blocking(remote).await.unwrap();
    let address = Address {
        place: ListenPlace::Host { host: host.to_owned(), port: remote.port, tls },
        user: "app".to_owned(),
        database: "syncpoint".to_owned(),
        password: password.map(str::to_owned),
    };
    Session::connect(&address, &Settings::default()).await.map_err(|error| error.to_string())
}

#[test]
fn a_session_over_tls_with_a_password() {
    block_on(async {
        let trusted = Tls::Authority(remote().authority.clone());
        let mut session = connect("localhost", trusted.clone(), Some("secret")).await.unwrap();
        let answer =
            session.script("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"t".as_slice())));
        // Much in both directions at once.
        let long = "x".repeat(1 << 20);
        let answer = session.script(format!("SELECT '{long}' || '{long}'")).await.unwrap();
        assert_eq!(answer.rows.row(0).flatten().next().map(<[u8]>::len), Some(2 << 20));
        session.canceller().cancel().await.unwrap();
        session.close().await;

        let wrong = connect("localhost", trusted.clone(), Some("wrong")).await.err().unwrap();
        assert!(wrong.contains("password authentication failed for user \"app\""), "{wrong}");
        let none = connect("localhost", trusted, None).await.err().unwrap();
        assert!(none.contains("wants a password for app"), "{none}");
    });
}

#[test]
fn a_server_that_cannot_prove_its_name_is_not_spoken_to() {
    block_on(async {
        let stranger = connect("localhost", Tls::Authority(remote().stranger.clone()), Some("secret")).await;
        assert!(stranger.err().unwrap().contains("invalid peer certificate"));
        let other_name =
            connect("127.0.0.1", Tls::Authority(remote().authority.clone()), Some("secret")).await;
        assert!(other_name.err().unwrap().contains("invalid peer certificate"));
        let no_file = connect("localhost", Tls::Authority("/nowhere.pem".into()), Some("secret")).await;
        assert!(no_file.err().unwrap().contains("/nowhere.pem"));
    });
}

#[test]
fn a_password_does_not_go_in_clear() {
    block_on(async {
        let error = connect("localhost", Tls::Off, Some("secret")).await.err().unwrap();
        assert!(error.contains("not supported"), "{error}");
    });
}
