//! The console for browsers that show a certificate: curl and Chromium against the real binary.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::bank::{is_installed, needs, repository};
use crate::certificates::{Authority, authority, certificate, revoke};
use crate::house::{FREE_PORT, Region, application, product};

/// A region whose users ANNA and BERT have certificates, and certificates of others. `how` browsers are asked.
fn certified(how: &str) -> TempDir {
    certified_by(&authority(), how, "")
}

/// The same with the authority of its certificates, and more of `region.toml`.
fn certified_by(ours: &Authority, how: &str, more: &str) -> TempDir {
    let region = format!(
        "{FREE_PORT}[console]\nlisten = \"127.0.0.1:0\"\ncertificate = \"console.pem\"\nkey = \"console.key\"\n\
         client-authorities = \"clients.pem\"\nclient-certificates = \"{how}\"\n{more}"
    );
    let folder = application(&[("region.toml", &region)]);
    fs::write(folder.path().join("clients.pem"), ours.pem()).expect("written");
    certificate(folder.path(), "console", ours);
    let (anna, bert) = (certificate(folder.path(), "anna", ours), certificate(folder.path(), "bert", ours));
    certificate(folder.path(), "nobody", ours);
    certificate(folder.path(), "stranger", &authority());
    let user = |name: &str, certificate: &str| {
        format!(
            "[[user]]\nuserid = \"{name}\"\nrights = [\"run\", \"inquire\"]\ncertificates = [\"{certificate}\"]\n"
        )
    };
    fs::write(folder.path().join("users.toml"), user("ANNA", &anna) + &user("BERT", &bert)).expect("written");
    folder
}

/// A browser that shows a certificate, or none.
#[derive(Clone, Copy)]
struct Browser<'a> {
    folder: &'a Path,
    at: &'a str,
    shows: Option<&'a str>,
}

impl Browser<'_> {
    /// A request with a cookie, and a body if it changes something: head and body of the answer.
    fn asks(&self, path: &str, cookie: &str, body: Option<&str>) -> String {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--include", "--max-time", "30", "--cacert", "clients.pem"]);
        if let Some(name) = self.shows {
            curl.args(["--cert", &format!("{name}.pem"), "--key", &format!("{name}.key")]);
        }
        curl.args(["-H", &format!("Cookie: {cookie}"), "-H", &format!("Origin: https://{}", self.at)]);
        if let Some(body) = body {
            curl.args(["-H", "Content-Type: application/json", "--data", body]);
        }
        let output = curl.arg(format!("https://{}{path}", self.at)).current_dir(self.folder).output();
        let output = output.expect("curl");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    fn signs_on(&self) -> String {
        self.asks("/api/sign-on", "", Some("{\"certificate\":true}"))
    }

    /// The status of a question that needs a session.
    fn types(&self, cookie: &str) -> String {
        let answer = self.asks("/api/types", cookie, None);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}

fn cookie(answer: &str) -> String {
    let cookie = answer.split_once("Set-Cookie: ").and_then(|(_, rest)| rest.split(';').next());
    cookie.unwrap_or_else(|| panic!("no session begins: {answer}")).to_owned()
}

#[test]
fn a_certificate_signs_its_user_on_and_the_session_is_of_no_use_without_it() {
    needs(&["curl"]);
    let folder = certified("asked");
    let region = Region::start(folder.path());
    let at = region.logged("the console is at https://");
    let browser = |shows| Browser { folder: folder.path(), at: &at, shows };
    let (anna, bert, plain) = (browser(Some("anna")), browser(Some("bert")), browser(None));
    assert!(anna.asks("/api/about", "", None).contains("\"certified\":{\"user\":\"ANNA\""));
    for other in [&plain, &browser(Some("nobody"))] {
        assert!(other.asks("/api/about", "", None).contains("\"certified\":null"));
        let refused = other.signs_on();
        assert!(
            refused.starts_with("HTTP/1.1 403 ") && refused.contains("\"why\":\"certificate\""),
            "{refused}"
        );
    }
    let both = anna.asks("/api/sign-on", "", Some("{\"certificate\":true,\"user\":\"BERT\"}"));
    assert!(both.starts_with("HTTP/1.1 400 "), "{both}");
    assert!(!browser(Some("stranger")).asks("/", "", None).contains("HTTP/1.1"));
    let signed_on = anna.signs_on();
    assert!(signed_on.contains("\"user\":\"ANNA\""), "{signed_on}");
    let session = cookie(&signed_on);
    assert_eq!([anna.types(&session), plain.types(&session), bert.types(&session)], ["200", "401", "401"]);
    assert_eq!(anna.types(&session), "200", "others could not end it");
    // ANNA gets another certificate: the session was begun by one that belongs to no user now.
    let users = folder.path().join("users.toml");
    let text = fs::read_to_string(&users).expect("there");
    let own = text.lines().find(|line| line.starts_with("certificates")).expect("ANNA's").to_owned();
    fs::write(&users, text.replacen(&own, "certificates = []", 1)).expect("written");
    assert_eq!(anna.types(&session), "401");
    assert!(anna.asks("/api/about", "", None).contains("\"certified\":null"));
    let session = cookie(&bert.signs_on());
    assert_eq!(bert.types(&session), "200");
    region.ends_in_order();
    let export =
        product().args(["audit", "export", "."]).current_dir(folder.path()).output().expect("it ends");
    let audit = String::from_utf8_lossy(&export.stdout);
    let has = |parts: [&str; 3]| audit.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(
        has(["signed-on", "ANNA", "certificate"]) && has(["signed-on", "BERT", "certificate"]),
        "{audit}"
    );
}

#[test]
fn a_browser_without_a_certificate_gets_no_page_where_one_is_required() {
    needs(&["curl"]);
    let folder = certified("required");
    let region = Region::start(folder.path());
    let at = region.logged("the console is at https://");
    let page = |shows| Browser { folder: folder.path(), at: &at, shows }.asks("/", "", None);
    for (shows, served) in
        [(Some("anna"), true), (Some("nobody"), true), (Some("stranger"), false), (None, false)]
    {
        assert_eq!(page(shows).starts_with("HTTP/1.1 200 "), served, "{shows:?}: {}", page(shows));
    }
    region.ends_in_order();
}

#[test]
fn a_certificate_that_its_authority_has_revoked_gets_no_page() {
    needs(&["curl"]);
    let ours = authority();
    let folder = certified_by(&ours, "asked", "[sit]\nCRLPROFILE = \"lost\"\n");
    let refused = Region::refused(folder.path());
    assert!(refused.contains("CRLPROFILE = \"lost\" needs lost.pem in the keyring"), "{refused}");
    revoke(folder.path(), "lost", &["bert"], &ours);
    let region = Region::start(folder.path());
    let at = region.logged("the console is at https://");
    let anna = Browser { folder: folder.path(), at: &at, shows: Some("anna") };
    let bert = Browser { shows: Some("bert"), ..anna };
    assert!(!bert.asks("/", "", None).contains("HTTP/1.1"));
    let session = cookie(&anna.signs_on());
    assert_eq!(anna.types(&session), "200");
    // A new list counts for all who come afterwards, for sessions, too.
    revoke(folder.path(), "lost", &["anna"], &ours);
    let mut again = product();
    let again = again.args(["cemt", ".", "PERFORM SSL REBUILD"]).current_dir(folder.path()).output();
    assert!(again.expect("it ends").status.success());
    assert!(!anna.asks("/api/types", &session, None).contains("HTTP/1.1"));
    assert_eq!(bert.types(&cookie(&bert.signs_on())), "200");
    region.ends_in_order();
}

#[test]
fn chromium_signs_its_user_on_by_the_certificate_that_it_has() {
    let chromium = if is_installed("chromium-browser") { "chromium-browser" } else { "chromium" };
    needs(&["python3", chromium, "certutil", "pk12util", "openssl", "unshare"]);
    let folder = certified("asked");
    let region = Region::start(folder.path());
    let page = format!("https://{}", region.logged("the console is at https://"));
    let mut walk = Command::new("python3");
    walk.arg(repository().join("tests/console/certified.py")).arg(page);
    let walk = walk.args(["anna.pem", "anna.key", "clients.pem"]).current_dir(folder.path()).output();
    let walk = walk.expect("python3");
    let told = [&*walk.stdout, &walk.stderr].map(String::from_utf8_lossy).concat();
    assert!(walk.status.success(), "{told}{}", region.log());
    region.ends_in_order();
}
