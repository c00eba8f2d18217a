//! curl as a client: both versions of HTTP, with TLS and without.

mod common;

use std::path::Path;

use common::{Open, local, open};
use tokio::process::Command;
use web::{Limits, Welcome};

async fn curl(open: &Open, scheme: &str, path: &str, options: &[&str]) -> String {
    let url = format!("{scheme}://127.0.0.1:{}{path}", open.address.port());
    let output =
        Command::new("curl").args(["-sSik", "--max-time", "20"]).args(options).arg(url).output().await;
    let output = output.expect("curl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn large() -> (tempfile::NamedTempFile, usize) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let bytes = b"0123456789".repeat(150_000);
    std::fs::write(file.path(), &bytes).expect("written");
    (file, bytes.len())
}

fn data(path: &Path) -> String {
    format!("@{}", path.display())
}

fn limits() -> Limits {
    Limits { sizes: http::Limits::with_body(4 << 20), ..Limits::default() }
}

#[tokio::test]
async fn curl_speaks_http_1() {
    local(async {
        let open = open(limits(), Welcome { http2: true, ..Welcome::default() });
        assert!(curl(&open, "http", "/s", &["-d", "hello"]).await.ends_with("\r\n\r\nhello"));
        assert!(curl(&open, "http", "/chunks", &[]).await.contains("onetwo"));
        let chunked = ["-H", "Transfer-Encoding: chunked", "-d", "hello"];
        assert!(curl(&open, "http", "/s", &chunked).await.ends_with("hello"));
        let (file, length) = large();
        let data = data(file.path());
        let answer = curl(&open, "http", "/s", &["--data-binary", &data, "-H", "Expect: 100-continue"]).await;
        assert!(answer.starts_with("HTTP/1.1 100 Continue"), "{}", &answer[..200]);
        assert!(answer.contains(&format!("Content-Length: {length}")) && answer.len() > length);
    })
    .await;
}

#[tokio::test]
async fn curl_speaks_http_2() {
    local(async {
        let open = open(limits(), Welcome { http2: true, ..Welcome::default() });
        let two = "--http2-prior-knowledge";
        let answer = curl(&open, "http", "/s", &[two, "-d", "hello"]).await;
        assert!(answer.starts_with("HTTP/2 200") && answer.ends_with("hello"), "{answer}");
        assert!(curl(&open, "http", "/chunks", &[two]).await.contains("onetwo"));
        assert!(curl(&open, "http", "/static", &[two]).await.ends_with("a file"));
        assert!(curl(&open, "http", "/nothing", &[two]).await.starts_with("HTTP/2 500"));
        assert!(curl(&open, "http", "/none", &[two]).await.starts_with("HTTP/2 204"));
        let (file, length) = large();
        let data = data(file.path());
        assert!(curl(&open, "http", "/s", &[two, "--data-binary", &data]).await.len() > length);
        let small = common::open(Limits::default(), Welcome { http2: true, ..Welcome::default() });
        // Within the window: curl sends it all, whatever is answered meanwhile.
        std::fs::write(file.path(), [b'x'; 40_000]).expect("written");
        assert!(curl(&small, "http", "/s", &[two, "--data-binary", &data]).await.starts_with("HTTP/2 413"));
    })
    .await;
}

#[tokio::test]
async fn tls_says_which_version_is_spoken() {
    local(async {
        let (certificate, _) = common::certificate(&["h2", "http/1.1"]);
        let open = open(limits(), Welcome { certificate: Some(certificate), ..Welcome::default() });
        let answer = curl(&open, "https", "/peer", &["--http2"]).await;
        assert!(answer.starts_with("HTTP/2 200") && answer.contains("TLSv1_3"), "{answer}");
        let answer = curl(&open, "https", "/peer", &["--http1.1", "--tls-max", "1.2"]).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("TLSv1_2"), "{answer}");
    })
    .await;
}
