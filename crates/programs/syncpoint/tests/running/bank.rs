//! The sample bank, walked through by real terminal emulators: `tests/bank/walk_through.py` against the real binary.
//!
//! tnz is looked for in the Python that `TNZ_PYTHON` names; without that variable only s3270 walks.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect_file;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, share_programs};
use crate::terminal::Terminal;
use crate::with_database::WithDatabase;

#[test]
fn s3270_walks_through_the_bank() {
    needs(&["s3270", "python3"]);
    walk("python3", "s3270");
}

#[test]
fn tnz_walks_through_the_bank() {
    match std::env::var("TNZ_PYTHON") {
        Err(_) => eprintln!("skipped: TNZ_PYTHON does not name a Python that has tnz"),
        Ok(python) => walk(&python, "tnz"),
    }
}

#[test]
fn the_picture_of_the_bank_is_what_the_bank_shows() {
    let bank = bank();
    let region = Region::start(bank.path());
    let mut terminal = signed_on(&region);
    terminal.type_text("1");
    terminal.press(Aid::Enter);
    terminal.sees("Whitlock");
    expect_file!["../../../../../docs/bank.svg"].assert_eq(&at_noon(&terminal.picture()));
}

#[test]
fn a_browser_shows_the_web_page_of_the_bank() {
    let chromium = if is_installed("chromium-browser") { "chromium-browser" } else { "chromium" };
    needs(&["python3", chromium]);
    let bank = bank();
    open_the_web(bank.path());
    let [allowed, other] = [(); 2].map(|()| page_of_another_origin());
    allow_pages(bank.path(), &allowed);
    let region = Region::start(bank.path());
    syncpoint(bank.path(), &["cemt", ".", "SET TCPIPSERVICE(BKWEB) OPEN"]);
    let page = format!("http://{}/bank", region.logged("TCPIPSERVICE BKWEB listens on "));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/bank/web_page.py");
    let walked = Command::new("python3").arg(script).args([page, allowed, other]).output().expect("python3");
    let told = String::from_utf8_lossy(&walked.stdout);
    assert!(walked.status.success(), "{told}{}", String::from_utf8_lossy(&walked.stderr));
    region.ends_in_order();
}

/// A page that asks what its address says, with the password of the operator, and shows the answer.
const OTHER_PAGE: &str = "<!doctype html><title>Another</title><p id=answer></p><script>
const ask = new URLSearchParams(location.search).get('ask');
const headers = { 'Content-Type': 'application/json', Authorization: 'Basic ' + btoa('operator:HARBOUR9') };
fetch(ask, { method: 'POST', credentials: 'include', headers, body: JSON.stringify({ enq_cus_no: 1 }) })
  .then(answer => answer.text()).catch(() => 'blocked')
  .then(text => { document.getElementById('answer').textContent = text; });
</script>";

/// Serves such a page for as long as the test runs: its address.
fn page_of_another_origin() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            // One read has a small request; whatever is asked is answered by the page.
            let _ = client.read(&mut [0; 4096]);
            let length = OTHER_PAGE.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = client.write_all([head.as_bytes(), OTHER_PAGE.as_bytes()].concat().as_slice());
        }
    });
    address
}

/// Lets pages of an origin ask the service of the web page.
fn allow_pages(bank: &Path, origin: &str) {
    let config = bank.join("region.toml");
    let text = fs::read_to_string(&config).expect("the configuration")
        + &format!("\n[web.origins]\nBKWEB = \"{origin} credentials\"\n");
    fs::write(&config, text).expect("written");
}

/// Has the service of the web page listen on a free port.
fn open_the_web(bank: &Path) {
    let config = bank.join("region.toml");
    let text = fs::read_to_string(&config).expect("the configuration")
        + "\n[web.services]\nBKWEB = \"127.0.0.1:0\"\n";
    fs::write(&config, text).expect("written");
}

/// Returns the output of `syncpoint` beside the region.
fn syncpoint(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_enquiry_of_the_terminals_serves_a_web_page_and_json() {
    needs(&["curl"]);
    let bank = bank();
    open_the_web(bank.path());
    let region = Region::start(bank.path());
    let enquiry = "{\"enq_cus_no\":1}";
    let answer = "{\"enq_cus_no\":1,\"enq_answer\":\"F\",\"enq_name\":\"Ada Whitlock\",\
                  \"enq_address\":\"4 Beacon Street, Port Ellery SM2 2BD\"}";
    let tried = syncpoint(bank.path(), &["service", "try", ".", "BKENQC", enquiry]);
    assert_eq!(tried.trim_end(), answer);
    syncpoint(bank.path(), &["cemt", ".", "SET TCPIPSERVICE(BKWEB) OPEN"]);
    let at = region.logged("TCPIPSERVICE BKWEB listens on ");
    let ask = |path: &str, more: &[&str]| {
        let url = format!("http://{at}{path}");
        let mut curl = Command::new("curl");
        let output = curl.args(["-sS", "-w", " %{http_code}"]).args(more).arg(url).output().expect("curl");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let operator = ["-u", "operator:HARBOUR9"];
    assert!(ask("/bank", &[]).ends_with(" 401"));
    let page = ask("/bank", &operator);
    assert!(page.ends_with(" 200") && page.contains("ask(\"bkenqc\""), "{page}");
    let posted = [operator.as_slice(), &["-H", "Content-Type: application/json", "-d", enquiry]].concat();
    assert_eq!(ask("/services/bkenqc", &posted), format!("{answer} 200"));
    region.ends_in_order();
}

#[test]
fn without_postgresql_payments_say_so_and_the_rest_of_the_bank_works() {
    let bank = bank();
    let config = bank.path().join("region.toml");
    let text = fs::read_to_string(&config).expect("the configuration");
    fs::write(&config, text.replace("[sql]", "[sql]\npath = \"nowhere\"")).expect("written");
    let region = Region::start(bank.path());
    let mut terminal = signed_on(&region);
    for (option, label) in [("11", "Added by"), ("12", "Next due")] {
        terminal.type_text(option);
        terminal.press(Aid::Enter);
        terminal.sees(label);
        terminal.type_text("10000001");
        terminal.press(Aid::Enter);
        terminal.sees("Payments need the database, which is not there.");
        terminal.sees("Ada Whitlock");
        terminal.press(Aid::Pf(3));
        terminal.sees("Option:");
    }
    region.logs("apt-get install postgresql");
    terminal.type_text("2");
    terminal.press(Aid::Enter);
    terminal.sees("Please enter an account number.");
    terminal.type_text("10000001");
    terminal.press(Aid::Enter);
    terminal.sees("This is the account.");
}

#[test]
fn clear_leaves_no_screen_of_the_bank_without_labels() {
    let bank = bank();
    let region = Region::start(bank.path());
    let mut terminal = region.terminal();
    terminal.start("BK00");
    terminal.sees("Type your user id and password");
    terminal.press(Aid::Clear);
    terminal.sees("Type your user id and password");
    terminal.type_text("TELLER1");
    terminal.press_tab();
    terminal.type_text("HARBOUR1");
    terminal.press(Aid::Enter);
    terminal.sees("Good day, Tom Bright");
    for (option, label) in [
        ("1", "Surname"),
        ("2", "Account number:"),
        ("3", "Surname"),
        ("4", "Surname"),
        ("6", "To account"),
        ("7", "Reports and statements"),
        ("11", "New payee"),
        ("12", "Months between"),
    ] {
        terminal.type_text(option);
        terminal.press(Aid::Enter);
        terminal.sees(label);
        terminal.press(Aid::Clear);
        terminal.sees(label);
        terminal.press(Aid::Pf(3));
        terminal.sees("Option:");
    }
}

/// A terminal at the main menu.
fn signed_on(region: &Region) -> Terminal {
    let mut terminal = region.terminal();
    terminal.start("BK00");
    terminal.sees("Type your user id and password");
    terminal.type_text("TELLER1");
    terminal.press_tab();
    terminal.type_text("HARBOUR1");
    terminal.press(Aid::Enter);
    terminal.sees("Good day, Tom Bright");
    terminal
}

/// A picture with another date and time in it: those of the day on which Syncpoint began.
fn at_noon(picture: &str) -> String {
    let mut lines: Vec<String> = picture.lines().map(str::to_owned).collect();
    for line in &mut lines {
        for (label, value) in [("Date: ", "2026-11-21"), ("Time: ", "12:00:00")] {
            if let Some((before, rest)) = line.split_once(label) {
                *line = format!("{before}{label}{value}{}", &rest[value.len()..]);
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Every step of the walk passes, with a region of its own: the walk changes balances.
fn walk(python: &str, client: &str) {
    let bank = bank();
    let region = Region::start(bank.path());
    let walked = Command::new(python)
        .arg(repository().join("tests/bank/walk_through.py"))
        .args([&region.address.to_string(), "--client", client])
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&walked.stdout) + String::from_utf8_lossy(&walked.stderr);
    assert!(walked.status.success(), "{said}\nThe region's log:\n{}", region.log());
}

/// A copy of the bank that listens on ports of its own. All copies share one folder of compiled programs.
pub fn bank() -> WithDatabase {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&repository().join("samples/bank"), folder.path());
    let region = folder.path().join("region.toml");
    let text = fs::read_to_string(&region).expect("the bank's region.toml");
    fs::write(&region, format!("{text}\n{FREE_PORT}")).expect("written");
    share_programs(folder.path(), "bank-programs");
    WithDatabase::of(folder)
}

/// Copies what a person would see of a folder: not what a region has left there.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            fs::create_dir(&copied).expect("a folder");
            copy(&path, &copied);
        } else {
            fs::copy(&path, &copied).expect("copied");
        }
    }
}

/// The folder of all.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A test that cannot run has not passed.
pub fn needs(tools: &[&str]) {
    for tool in tools {
        assert!(is_installed(tool), "{tool} is not installed: `scripts/install test` installs it");
    }
}
