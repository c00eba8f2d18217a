//! The web console of the sample bank: a real browser, in clear and over TLS, and what the audit hears.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use crate::bank::{needs, repository};
use crate::certificates::{authority, certificate};
use crate::house::{Region, product};
use crate::with_database::WithDatabase;

/// A change of a definition.
const ALTER: &str = "{\"verb\":\"ALTER\",\"type\":\"TRANSACTION\",\"name\":\"BKMN\",\"group\":\"BKTRAN\",\
                     \"attributes\":[[\"PRIORITY\",\"7\"]]}";
const CONSOLE: &str = "\n[console]\nlisten = \"127.0.0.1:0\"\n";

/// The sample bank with a console.
fn house(more: &str) -> WithDatabase {
    let bank = crate::bank::bank();
    let config = bank.path().join("region.toml");
    let text = fs::read_to_string(&config).expect("the configuration") + CONSOLE + more;
    fs::write(&config, text).expect("written");
    bank
}

/// Sends a request of a page of the console: the whole answer.
fn sent(at: &str, line: &str, cookie: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(at).expect("a connection");
    let length = body.len();
    let text = format!(
        "{line} HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nCookie: {cookie}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The cookie of the operator.
fn signed_on(at: &str) -> String {
    let answer = sent(at, "POST /api/sign-on", "", "{\"user\":\"operator\",\"password\":\"HARBOUR9\"}");
    let cookie = answer.split_once("Set-Cookie: ").and_then(|(_, rest)| rest.split(';').next());
    cookie.unwrap_or_else(|| panic!("nobody is signed on: {answer}")).to_owned()
}

fn address(region: &Region) -> String {
    region.logged("the console is at http://")
}

/// Walks through the console in a headless Chromium: what the walk tells.
fn walked(script: &str, page: &str, region: &Region) -> String {
    let chromium =
        if crate::bank::is_installed("chromium-browser") { "chromium-browser" } else { "chromium" };
    needs(&["python3", chromium]);
    let mut walk = Command::new("python3");
    walk.arg(repository().join("tests/console").join(script)).arg(page);
    if let Ok(folder) = std::env::var("CONSOLE_PICTURES") {
        walk.arg(folder);
    }
    let walked = walk.output().expect("python3");
    let told = String::from_utf8_lossy(&walked.stdout).into_owned();
    assert!(walked.status.success(), "{told}{}{}", String::from_utf8_lossy(&walked.stderr), region.log());
    told
}

#[test]
fn a_browser_walks_through_the_console_and_its_terminal() {
    let bank = house("");
    let region = Region::start(bank.path());
    let page = format!("http://{}", address(&region));
    let told = walked("walk.py", &page, &region);
    // Without npm the pages are not judged by axe-core.
    told.lines().filter(|line| line.contains("skipped")).for_each(|line| println!("{line}"));
    // A task was purged, and one has lost its terminal with the tab that was closed.
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("failed with abend ATNI"), "{log}");
}

#[test]
fn the_audit_has_who_came_and_what_they_did() {
    let bank = house("");
    let region = Region::start(bank.path());
    let at = address(&region);
    let cookie = signed_on(&at);
    let set = "{\"of\":\"FILE\",\"name\":\"BKCUST\",\"values\":[[\"ENABLESTATUS\",\"DISABLED\"]]}";
    let done = sent(&at, "POST /api/set", &cookie, set);
    assert!(done.starts_with("HTTP/1.1 200 "), "{done}");
    let files = sent(&at, "GET /api/resources?of=FILE&name=BKCUST", &cookie, "");
    assert!(files.contains("\"ENABLESTATUS\":\"DISABLED\""), "{files}");
    let missing = set.replace("BKCUST", "<script>");
    assert!(sent(&at, "POST /api/set", &cookie, &missing).starts_with("HTTP/1.1 404 "));
    let cross = sent(&at.replace("127.0.0.1", "localhost"), "POST /api/discard", &cookie, "{}");
    assert!(cross.starts_with("HTTP/1.1 400 "), "it has another name and its own origin: {cross}");
    let done = sent(&at, "POST /api/definition", &cookie, ALTER);
    assert!(done.contains("ALTER SUCCESSFUL"), "{done}");
    sent(&at, "POST /api/sign-off", &cookie, "{}");
    assert!(sent(&at, "GET /api/types", &cookie, "").starts_with("HTTP/1.1 401 "));
    region.ends_in_order();
    let export = product().args(["audit", "export", "."]).current_dir(bank.path()).output().expect("it ends");
    let audit = String::from_utf8_lossy(&export.stdout);
    for parts in [
        ["signed-on", "OPERATOR", "console"],
        ["SPCN", "SET FILE", "BKCUST"],
        ["SPCN", "CSD ALTER", "bank.csd"],
        ["signed-off", "OPERATOR", "console"],
    ] {
        let has = |line: &str| parts.iter().all(|part| line.contains(part));
        assert!(audit.lines().any(has), "{parts:?}: {audit}");
    }
}

#[test]
fn profiles_decide_where_there_are_any() {
    let bank = house("\n[security]\ndefault-rights = []\n");
    let config = bank.path().join("region.toml");
    let text =
        fs::read_to_string(&config).expect("the configuration").replace("[sit]\n", "[sit]\nSEC = \"YES\"\n");
    fs::write(&config, text).expect("written");
    profiles(
        bank.path(),
        &[
            ("XTRAN", "SPCN", "READ"),
            ("XCMD", "FILE", "UPDATE"),
            ("XCMD", "TASK", "READ"),
            ("XFCT", "BKCUST", "UPDATE"),
            ("XFCT", "BKACCT", "READ"),
        ],
    );
    let region = Region::start(bank.path());
    let at = address(&region);
    let cookie = signed_on(&at);
    let files = sent(&at, "GET /api/resources?of=FILE", &cookie, "");
    assert!(files.contains("\"name\":\"BKCUST\""), "{files}");
    assert!(!files.contains("\"name\":\"BKUSER\""), "what somebody may not see is in no list: {files}");
    let now = sent(&at, "GET /api/now", &cookie, "");
    assert!(now.starts_with("HTTP/1.1 200 ") && !now.contains("BKUSER"), "{now}");
    let set = |name: &str| {
        let body =
            format!("{{\"of\":\"FILE\",\"name\":\"{name}\",\"values\":[[\"ENABLESTATUS\",\"DISABLED\"]]}}");
        sent(&at, "POST /api/set", &cookie, &body)
    };
    assert!(set("BKCUST").starts_with("HTTP/1.1 200 "), "{}", set("BKCUST"));
    assert!(set("BKACCT").starts_with("HTTP/1.1 403 "), "{}", set("BKACCT"));
    for path in ["/api/dumps", "/api/log", "/api/trace", "/api/groups", "/api/resources?of=PROGRAM"] {
        let answer = sent(&at, &format!("GET {path}"), &cookie, "");
        assert!(answer.starts_with("HTTP/1.1 403 "), "{path}: {answer}");
    }
    let altered = sent(&at, "POST /api/definition", &cookie, ALTER);
    assert!(altered.starts_with("HTTP/1.1 403 "), "{altered}");
    region.ends_in_order();
}

#[test]
fn a_change_of_what_was_not_seen_is_refused() {
    let bank = house("");
    let region = Region::start(bank.path());
    let at = address(&region);
    let nobody = sent(&at, "POST /api/sign-on", "", "{}");
    let nobody =
        nobody.split_once("Set-Cookie: ").and_then(|(_, rest)| rest.split(';').next()).expect("a session");
    let refused = sent(&at, "POST /api/definition", nobody, ALTER);
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    let cookie = signed_on(&at);
    let group = sent(&at, "GET /api/group?name=BKTRAN", &cookie, "");
    let of_it = group.split_once("\"name\":\"BKMN\"").and_then(|(_, rest)| rest.split_once("\"version\":\""));
    let version = of_it.and_then(|(_, rest)| rest.split('"').next()).expect("a version");
    let with = |verb: &str, version: &str| {
        ALTER
            .replace("ALTER", verb)
            .replace("\"attributes\"", &format!("\"version\":\"{version}\",\"attributes\""))
    };
    let altered = sent(&at, "POST /api/definition", &cookie, &with("ALTER", version));
    assert!(altered.contains("ALTER SUCCESSFUL"), "{altered}");
    for verb in ["ALTER", "DELETE"] {
        let late = sent(&at, "POST /api/definition", &cookie, &with(verb, version));
        assert!(late.starts_with("HTTP/1.1 409 ") && late.contains("\"why\":\"changed\""), "{verb}: {late}");
        assert!(late.contains("[\"PRIORITY\",\"7\",true]"), "as it is now: {late}");
    }
    for (body, status) in
        [("{\"verb\":\"EXTRACT\"}", 400), ("{\"verb\":\"DEFINE\",\"other\":1}", 400), ("[]", 400)]
    {
        let answer = sent(&at, "POST /api/definition", &cookie, body);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{body}: {answer}");
    }
    // Its programs are compiled and its database is there before it ends.
    region.logged("connected to ");
    region.ends_in_order();
}

/// A request of curl to the console over TLS: head and body of the answer.
fn curl(folder: &Path, at: &str, more: &[&str]) -> String {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--include", "--max-time", "30", "--cacert", "authority.pem"])
        .args(more);
    let output = curl.arg(at).current_dir(folder).output().expect("curl");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_console_speaks_tls() {
    needs(&["curl"]);
    let bank = house("certificate = \"console.pem\"\nkey = \"console.key\"\n");
    let ours = authority();
    fs::write(bank.path().join("authority.pem"), ours.pem()).expect("written");
    certificate(bank.path(), "console", &ours);
    let region = Region::start(bank.path());
    let at = region.logged("the console is at https://");
    let url = |path: &str| format!("https://{at}{path}");
    let origin = |scheme: &str| format!("Origin: {scheme}://{at}");
    let json = [
        "-H",
        "Content-Type: application/json",
        "--data",
        "{\"user\":\"operator\",\"password\":\"HARBOUR9\"}",
    ];
    let asked = |scheme: &str| {
        curl(bank.path(), &url("/api/sign-on"), &[&json[..], &["-H", &origin(scheme)]].concat())
    };
    let in_clear = asked("http");
    assert!(in_clear.starts_with("HTTP/1.1 403 "), "a page in clear is another origin: {in_clear}");
    let signed_on = asked("https");
    let cookie = signed_on.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).expect("a cookie");
    for part in ["__Host-syncpoint-", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap_or_default());
    let types = curl(bank.path(), &url("/api/types"), &["-H", &cookie]);
    assert!(types.starts_with("HTTP/1.1 200 "), "{types}");
    let old = curl(bank.path(), &url("/"), &["--tls-max", "1.1"]);
    assert!(!old.contains("HTTP/1.1"), "{old}");
    // A client that speaks in clear gets no page, and holds up no other.
    let mut clear = TcpStream::connect(&at).expect("a connection");
    clear.write_all(format!("GET / HTTP/1.1\r\nHost: {at}\r\n\r\n").as_bytes()).expect("sent");
    let _silent = TcpStream::connect(&at).expect("a connection");
    let mut answer = Vec::new();
    // It may be reset.
    let _ = clear.read_to_end(&mut answer);
    assert!(!answer.windows(4).any(|bytes| bytes == b"HTTP"), "{}", String::from_utf8_lossy(&answer));
    walked("secure.py", &format!("https://{at}"), &region);
    region.ends_in_order();
}

/// Profiles of the operator's: class, name, level.
fn profiles(folder: &Path, of: &[(&str, &str, &str)]) {
    let profile = |(class, name, level): &(&str, &str, &str)| {
        format!("[[profile]]\nclass = \"{class}\"\nname = \"{name}\"\nusers = {{ OPERATOR = \"{level}\" }}\n")
    };
    fs::write(folder.join("security.toml"), of.iter().map(profile).collect::<String>()).expect("written");
}
