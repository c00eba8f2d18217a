//! A web service that is deployed as a bundle: port, pipeline, binding, path and program.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use tempfile::TempDir;

use crate::deploying::zips::zip;
use crate::deploying::{ANNA, DEFINITIONS, FIELDS, Managed, SECRET, USERS, cemt, form};
use crate::house::{FREE_PORT, application};

const BINDING: &str = "format = 1
origin = \"copybook\"
options = \"\"\"
PGMNAME=ORDERS
URI=/orders
OPERATION-NAME=order
\"\"\"
[description]
name = \"ORDER.cpy\"
text = \"\"\"
       01  ORDER-REC.
           05  ITEM     PIC X(12).
\"\"\"
";
const CONFIGURATION: &str = "<provider_pipeline><service><terminal_handler><handler><program>DFHPIJT</program></handler></terminal_handler>\
                             </service></provider_pipeline>";

/// A program that answers every order with this.
fn program(answer: &str) -> String {
    format!(
        "       ID DIVISION.\n       PROGRAM-ID. ORDERS.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       01  DFHCOMMAREA.\n\
         \x20          05  ITEM     PIC X(12).\n       PROCEDURE DIVISION.\n           MOVE '{answer}' TO ITEM\n\
         \x20          EXEC CICS RETURN END-EXEC.\n"
    )
}

/// A free port.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// The files of the bundle, with its port and the path of its URIMAP.
fn bundle(port: u16, path: &str) -> Vec<(&'static str, String)> {
    let types = "http://www.ibm.com/xmlns/prod/cics/bundle";
    let parts = [
        ("SHOP", "TCPIPSERVICE", "shop.tcpipservice"),
        ("JSONMAP", "URIMAP", "json.urimap"),
        ("BYJSON", "WEBSERVICE", "by.webservice"),
        ("JSON", "PIPELINE", "json.pipeline"),
        ("ORDERS", "PROGRAM", "orders.program"),
    ];
    let defines = parts.map(|(name, kind, path)| {
        format!("<define name=\"{name}\" type=\"{types}/{kind}\" path=\"{path}\"/>")
    });
    let manifest = format!(
        "<manifest xmlns=\"{types}\" id=\"shop\" bundleMajorVer=\"1\">{}</manifest>",
        defines.concat()
    );
    let part = |kind: &str, attributes: &str| {
        format!("<cicsdefinition{kind} xmlns=\"http://www.ibm.com/xmlns/prod/CICS/smw2int\" {attributes}/>")
    };
    let map = format!(
        "name=\"JSONMAP\" usage=\"PIPELINE\" host=\"*\" path=\"{path}\" pipeline=\"JSON\" webservice=\"BYJSON\""
    );
    vec![
        ("META-INF/cics.xml", manifest),
        ("shop.tcpipservice", part("tcpipservice", &format!("name=\"SHOP\" portnumber=\"{port}\""))),
        ("json.urimap", part("urimap", &map)),
        (
            "by.webservice",
            part("webservice", "name=\"BYJSON\" pipeline=\"JSON\" wsbind=\"bind/orders.wsbind\""),
        ),
        ("json.pipeline", part("pipeline", "name=\"JSON\" configfile=\"json.xml\"")),
        ("orders.program", part("program", "name=\"ORDERS\"")),
        ("json.xml", CONFIGURATION.to_owned()),
        ("bind/orders.wsbind", BINDING.to_owned()),
    ]
}

fn house() -> TempDir {
    let configuration = format!(
        "applid = \"BANK\"\ngrplist = \"APP\"\ndeploy = \"bundles\"\n{FREE_PORT}[web.services]\nCMCI = \"127.0.0.1:0\"\n"
    );
    application(&[
        ("region.toml", &configuration),
        ("bank.csd", DEFINITIONS),
        ("users.toml", &USERS.replace('@', SECRET)),
        ("programs/ORDERS.cbl", &program("SCREW")),
    ])
}

/// Asks the service at a path: the status and the body of its answer; `None` if no server listens.
fn ordered(at: &str, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(at).ok()?;
    let body = "{\"order\":{\"item\":\"NUT\"}}";
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}",
        body.len()
    );
    write!(stream, "{head}\r\n\r\n{body}").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    Some(format!("{} {body}", head.split(' ').nth(1).unwrap_or_default()))
}

fn deploy(managed: &Managed, port: u16, path: &str) {
    let (status, body) = managed.ask(ANNA, &form(&zip(&bundle(port, path)), &FIELDS));
    assert_eq!(status, 200, "{body}");
}

fn set(folder: &Path, status: &str) {
    let said = cemt(folder, &format!("SET BUNDLE(SHOP) {status}"));
    assert!(said.contains("NORMAL"), "{said}");
}

#[test]
fn a_web_service_is_deployed_phased_in_disabled_and_replaced() {
    let (folder, port) = (house(), free_port());
    let (folder, at) = (folder.path(), format!("127.0.0.1:{port}"));
    let managed = Managed::start(folder);
    deploy(&managed, port, "/orders");
    let screw = Some("200 {\"orderResponse\":{\"item\":\"SCREW\"}}".to_owned());
    let bolt = Some("200 {\"orderResponse\":{\"item\":\"BOLT\"}}".to_owned());
    assert_eq!(ordered(&at, "/orders"), screw);
    // A new program is taken when the bundle is phased in.
    fs::write(folder.join("programs/ORDERS.cbl"), program("BOLT")).expect("written");
    assert_eq!(ordered(&at, "/orders"), screw);
    set(folder, "PHASEIN");
    assert_eq!(ordered(&at, "/orders"), bolt);
    set(folder, "DISABLED");
    assert_eq!(ordered(&at, "/orders"), None);
    managed.region.signal("KILL");
    drop(managed);
    let managed = Managed::start(folder);
    assert!(!managed.region.log().contains("TCPIPSERVICE SHOP listens"), "{}", managed.region.log());
    set(folder, "ENABLED");
    assert_eq!(ordered(&at, "/orders"), bolt);
    // Another version takes its place, with another path.
    deploy(&managed, port, "/sales");
    assert_eq!(ordered(&at, "/sales"), bolt);
    assert!(ordered(&at, "/orders").is_some_and(|answer| answer.starts_with("404 ")));
    managed.region.ends_in_order();
    let managed = Managed::start(folder);
    assert_eq!(ordered(&at, "/sales"), bolt);
    managed.region.ends_in_order();
}
