//! gzip and deflate, both ways, by curl; and files by their endings.

use std::io::Write;

use crate::common::{Run, tool};
use crate::{address, site};

/// Returns the output of curl for a request: the body, and a line of the data that `-w` asks for.
async fn curl(arguments: &[&str]) -> Vec<u8> {
    let output = tool("curl").args(["-sS"]).args(arguments).output().await.expect("curl runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn url(run: &Run, service: &str, path: &str) -> String {
    format!("http://{}{path}", address(run, service))
}

const FORM: &str = "\n%{http_code} %{content_type} %header{content-encoding} %header{vary} %{size_download}";

#[test]
fn long_answers_of_text_are_deflated_for_clients_that_take_it() {
    site("web-door-deflated", "", "").run(async |run| {
        let plain = String::from_utf8(curl(&[&url(run, "SHOP", "/files/long.css")]).await).expect("text");
        assert_eq!(plain.len(), 4_000);
        for version in ["--http1.1", "--http2-prior-knowledge"] {
            for coding in ["gzip", "deflate"] {
                let accepts = format!("Accept-Encoding: {coding}");
                let there = url(run, "SHOP", "/files/long.css");
                let told = curl(&[version, "--compressed", "-H", &accepts, "-w", FORM, &there]).await;
                let told = String::from_utf8(told).expect("text");
                let (body, form) = told.rsplit_once('\n').expect("two parts");
                assert_eq!(body, plain, "{version} {coding}");
                let (form, size) = form.rsplit_once(' ').expect("two parts");
                assert_eq!(form, format!("200 text/css {coding} Accept-Encoding"), "{version}");
                assert!(size.parse::<usize>().expect("a number") < 400, "{size}");
            }
        }
        // Not asked for; too short; not switched on for this service.
        for (path, service, form) in [
            ("/files/long.css", "SHOP", "200 text/css  Accept-Encoding 4000"),
            ("/files/record.cpy", "SHOP", "200 text/x-copybook   7"),
            ("/files/long.css", "BACK", "200 text/css   4000"),
        ] {
            let asks: &[&str] =
                if (path, service) == ("/files/long.css", "SHOP") { &[] } else { &["--compressed"] };
            let told = curl(&[asks, &["-w", FORM, &url(run, service, path)]].concat()).await;
            let told = String::from_utf8(told).expect("text");
            assert_eq!(told.rsplit_once('\n').expect("two parts").1, form, "{path} {service}");
        }
        true
    });
}

#[test]
fn deflated_requests_are_inflated_within_maxdatalen_and_other_codings_are_refused() {
    site("web-door-inflated", "MAXDATALEN(4)", "").run(async |run| {
        let text = b"one and the same line\n".repeat(150);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(&text).expect("written");
        let gzip = gzip.finish().expect("written");
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        zlib.write_all(&text).expect("written");
        let zlib = zlib.finish().expect("written");
        let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        bomb.write_all(&vec![0; 2 << 20]).expect("written");
        let bomb = bomb.finish().expect("written");
        assert!(bomb.len() < 4 * 1024);
        let cut = gzip[..gzip.len() - 1].to_vec();
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (coding, body, answer) in [
            ("gzip", &gzip, [text.as_slice(), b" 200"].concat()),
            ("deflate", &zlib, [text.as_slice(), b" 200"].concat()),
            ("identity", &text.clone(), [text.as_slice(), b" 200"].concat()),
            ("gzip", &bomb, b"the body is too long when it is inflated 413".to_vec()),
            ("gzip", &cut, b"the body is not what Content-Encoding says 400".to_vec()),
            ("deflate", &gzip, b"the body is not what Content-Encoding says 400".to_vec()),
            ("br", &gzip, b"a body comes as it is, or in gzip or deflate 415".to_vec()),
            ("gzip, gzip, gzip", &gzip, b"a body comes as it is, or in gzip or deflate 415".to_vec()),
        ] {
            std::fs::write(file.path(), body).expect("written");
            let data = format!("@{}", file.path().display());
            let header = format!("Content-Encoding: {coding}");
            for version in ["--http1.1", "--http2-prior-knowledge"] {
                let there = url(run, "SHOP", "/");
                let asks = [version, "--data-binary", &data, "-H", &header, "-H", "Content-Type: text/plain"];
                let told = curl(&[&asks[..], &["-w", " %{http_code}", &there]].concat()).await;
                assert_eq!(
                    String::from_utf8_lossy(&told),
                    String::from_utf8_lossy(&answer),
                    "{coding} {version}"
                );
            }
        }
        true
    });
}

#[test]
fn bodies_are_read_in_the_character_set_that_they_name() {
    site("web-door-characters", "", "").run(async |run| {
        let utf16 = |text: &str, big: bool| -> Vec<u8> {
            text.encode_utf16()
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (set, body, answer) in [
            ("utf-8", "Müller é".as_bytes().to_vec(), "Müller é 200"),
            ("iso-8859-1", b"M\xFCller \xE9".to_vec(), "Müller é 200"),
            ("utf-16", utf16("\u{FEFF}Müller é", true), "Müller é 200"),
            ("utf-16", utf16("\u{FEFF}Müller é", false), "Müller é 200"),
            ("utf-16be", utf16("Müller é", true), "Müller é 200"),
            // Without a mark the order of bytes is known of UTF-16BE only.
            ("utf-16le", utf16("Müller é", false), "UNKNOWN 415"),
            ("x-unheard", b"M".to_vec(), "UNKNOWN 415"),
        ] {
            std::fs::write(file.path(), body).expect("written");
            let (data, there) = (format!("@{}", file.path().display()), url(run, "SHOP", "/conv"));
            let media = format!("Content-Type: text/plain; charset={set}");
            let told = curl(&["--data-binary", &data, "-H", &media, "-w", " %{http_code}", &there]).await;
            assert_eq!(String::from_utf8_lossy(&told), answer, "{set}");
        }
        true
    });
}
