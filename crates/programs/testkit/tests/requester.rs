//! INVOKE SERVICE to servers of others: SOAP by spyne, whose WSDL is bound; JSON, faults, and whatever else a server may do, by
//! Python's own. spyne is installed on first use; where that cannot be, its test says so and shows nothing.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use common::{Run, Site, attach, displayed, python};
use instruments::format::{FileEntry, Reader};
use kernel::dispatcher::Dispatcher;
use kernel::monitoring::Monitoring;
use kernel::task::WaitKind;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose, SanType,
};
use region::RECORD_FOLDER;

/// A server beside the region, until it is dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(python: &Path, script: &str, arguments: &[&str]) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(script);
        let mut command = Command::new(python);
        command.arg(path).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server runs");
        let mut url = String::new();
        let says = process.stdout.as_mut().expect("its output");
        BufReader::new(says).read_line(&mut url).expect("its address");
        Self { process, url: url.trim_end().trim_end_matches('/').to_owned() }
    }

    fn plain() -> Self {
        Self::start(Path::new("python3"), "plain_server.py", &[])
    }

    fn port(&self) -> &str {
        self.url.rsplit(':').next().expect("a port")
    }

    /// Returns its answer to a GET.
    fn get(&self, path: &str) -> String {
        let authority = self.url.trim_start_matches("http://");
        let mut connection = TcpStream::connect(authority).expect("a connection");
        write!(connection, "GET {path} HTTP/1.0\r\nHost: {authority}\r\n\r\n").expect("sent");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input ends, and so does it.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Pipelines of each form, and the definitions of a service in JSON.
const REGION: &str = r#"
```file soap11.xml
<requester_pipeline><service><service_handler_list><cics_soap_1.1_handler/></service_handler_list></service></requester_pipeline>
```

```file soap12.xml
<requester_pipeline><service><service_handler_list><cics_soap_1.2_handler/></service_handler_list></service></requester_pipeline>
```

```file handled.xml
<requester_pipeline><service><service_handler_list>
  <handler><program>LOGS</program><handler_parameter_list/></handler>
  <cics_soap_1.2_handler><headerprogram><program_name>HEADS</program_name><namespace>urn:h</namespace>
    <localname>*</localname><mandatory>true</mandatory></headerprogram></cics_soap_1.2_handler>
</service_handler_list></service></requester_pipeline>
```

```file json.xml
<requester_pipeline><service><service_handler_list><cics_json_handler/></service_handler_list></service></requester_pipeline>
```

```file json.wsbind
format = 1
origin = "copybook"
options = """
OPERATION-NAME=total
"""
[description]
name = "ORDER.cpy"
text = """
       01  ORDER.
           05  ITEM     PIC X(12).
           05  PIECES   PIC S9(9) COMP-5.
           05  PRICE    PIC S9(5)V99 COMP-3.
"""
[answer]
name = "RECEIPT.cpy"
text = """
       01  RECEIPT.
           05  ITEM     PIC X(12).
           05  TOTAL    PIC S9(7)V99 COMP-3.
"""
```

```csd
DEFINE PIPELINE(SOAP11) GROUP(T) CONFIGFILE(soap11.xml)
DEFINE PIPELINE(SOAP12) GROUP(T) CONFIGFILE(soap12.xml)
DEFINE PIPELINE(HANDLED) GROUP(T) CONFIGFILE(handled.xml)
DEFINE PIPELINE(JSON) GROUP(T) CONFIGFILE(json.xml)
DEFINE PIPELINE(HURRY) GROUP(T) CONFIGFILE(json.xml) RESPWAIT(1)
DEFINE WEBSERVICE(JSON) GROUP(T) PIPELINE(JSON) WSBIND(json.wsbind)
DEFINE WEBSERVICE(HURRY) GROUP(T) PIPELINE(HURRY) WSBIND(json.wsbind)
```
"#;

/// A program that orders ITEM: a total, or what has come instead of it. Of a fault, what stands in it.
fn caller(program: &str, item: &str, invoke: &str) -> String {
    format!(
        "
```cobol {program} threadsafe
01 ORDER-OR-RECEIPT.
   05 ITEM PIC X(12).
   05 REST.
      10 PIECES PIC S9(9) COMP-5.
      10 PRICE PIC S9(5)V99 COMP-3.
   05 RECEIPT REDEFINES REST.
      10 TOTAL PIC S9(7)V99 COMP-3.
77 SHOWN PIC Z(6)9.99.
77 WHY PIC X(2000) VALUE SPACES.
77 WHYL PIC S9(8) COMP VALUE 2000.
MOVE '{item}' TO ITEM
MOVE 3 TO PIECES
MOVE 1.25 TO PRICE
EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C') FROM(ORDER-OR-RECEIPT)
    FLENGTH(20) END-EXEC
EXEC CICS INVOKE {invoke}
    CHANNEL('C') OPERATION('total') NOHANDLE END-EXEC
MOVE EIBRESP TO R
MOVE EIBRESP2 TO R2
IF R = 0
    EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('C')
        INTO(ORDER-OR-RECEIPT) END-EXEC
    MOVE TOTAL TO SHOWN
    DISPLAY '{program} ' ITEM SHOWN
ELSE
    MOVE R TO NUM
    DISPLAY '{program} ' NUM '/' R2
END-IF
IF R2 = 6
    EXEC CICS GET CONTAINER('DFHWS-BODY') CHANNEL('C') INTO(WHY)
        FLENGTH(WHYL) END-EXEC
    INSPECT WHY REPLACING ALL X'0A' BY SPACE
    DISPLAY '{program}-FAULT ' WHY(1:WHYL)
END-IF
```
"
    )
}

/// Returns the text that a program displays, once it has run.
async fn says(run: &Run, program: &str) -> String {
    let region = Arc::clone(&run.house.running.region);
    let task = attach(&region, program);
    let word = format!("{program} ");
    run.until(program, || displayed(&word).is_some()).await;
    // Its connection is there for the next task of its TCB, which is chosen by who is there.
    run.until("the task has ended", || Dispatcher::of(&region).task(task).is_none()).await;
    displayed(&word).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A binding of a WSDL.
fn bound(name: &str, wsdl: &str) -> String {
    format!(
        "
```file {name}.wsbind
format = 1
origin = \"wsdl\"
options = \"\"
[description]
name = \"{name}.wsdl\"
text = '''{wsdl}'''
```
"
    )
}

#[test]
fn spyne_answers_by_soap_1_1_and_1_2_with_totals_and_faults() {
    let Some(python) = python("spyne.protocol.soap", "spyne", &["spyne", "lxml"]) else { return };
    let eleven = Server::start(&python, "spyne_server.py", &["11"]);
    let twelve = Server::start(&python, "spyne_server.py", &["12"]);
    let mut text = REGION.to_owned();
    for (name, server) in [("eleven", &eleven), ("twelve", &twelve)] {
        text += &bound(name, &server.get("/?wsdl"));
    }
    text += "
```csd
DEFINE WEBSERVICE(ELEVEN) GROUP(T) PIPELINE(SOAP11) WSBIND(eleven.wsbind)
DEFINE WEBSERVICE(OLDER) GROUP(T) PIPELINE(SOAP12) WSBIND(eleven.wsbind)
DEFINE WEBSERVICE(TWELVE) GROUP(T) PIPELINE(SOAP12) WSBIND(twelve.wsbind)
DEFINE WEBSERVICE(WRONG) GROUP(T) PIPELINE(SOAP11) WSBIND(twelve.wsbind)
```
";
    for (program, item, service) in [
        ("ELVN", "NUT & BOLT", "ELEVEN"),
        ("OLDR", "NUT", "OLDER"),
        ("TWLV", "NUT", "TWELVE"),
        ("ELVF", "NONE", "ELEVEN"),
        ("TWLF", "NONE", "TWELVE"),
        ("WRNG", "NUT", "WRONG"),
    ] {
        text += &caller(program, item, &format!("SERVICE('{service}')"));
    }
    Site::new("requester-spyne", &text).run(async |run| {
        assert_eq!(says(run, "ELVN").await, "NUT & BOLT 3.75");
        assert_eq!(says(run, "OLDR").await, "NUT 3.75");
        assert_eq!(says(run, "TWLV").await, "NUT 3.75");
        for program in ["ELVF", "TWLF"] {
            assert_eq!(says(run, program).await, "16/0000000006");
            let fault = displayed(&format!("{program}-FAULT ")).expect("a fault");
            assert!(fault.contains("there is no such item: &lt;NONE&gt;"), "{fault}");
        }
        // A server of SOAP 1.2 does not take 1.1: whatever it says is no total.
        assert!(says(run, "WRNG").await.starts_with("16/"));
        true
    });
}

#[test]
fn whatever_a_server_does_is_a_condition_and_the_region_goes_on() {
    let server = Server::plain();
    let uri = |path: &str| format!("URI('{}/{path}')", server.url);
    let mut text = REGION.to_owned() + &bound("shop", WSDL);
    text += "
```csd
DEFINE WEBSERVICE(SOAP) GROUP(T) PIPELINE(SOAP12) WSBIND(shop.wsbind)
DEFINE WEBSERVICE(HANDLED) GROUP(T) PIPELINE(HANDLED) WSBIND(shop.wsbind)
DEFINE URIMAP(ORDERS) GROUP(T) USAGE(CLIENT) HOST(127.0.0.1) PORT(PORTNUM) PATH(/json)
DEFINE URIMAP(SERVED) GROUP(T) HOST(*) PATH(/x) PROGRAM(SHOP)
```

```cobol LOGS threadsafe
77 FUN PIC X(16).
77 URI PIC X(60) VALUE SPACES.
77 URIL PIC S9(8) COMP VALUE 60.
EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(FUN) END-EXEC
DISPLAY 'LOGS-' FUN
IF FUN = 'SEND-REQUEST'
    EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
    EXEC CICS GET CONTAINER('DFHWS-URI') INTO(URI) FLENGTH(URIL) END-EXEC
    INSPECT URI REPLACING ALL '/nowhere' BY '/header '
    EXEC CICS PUT CONTAINER('DFHWS-URI') FROM(URI) FLENGTH(60) CHAR END-EXEC
END-IF
```

```cobol HEADS threadsafe
77 FUN PIC X(16).
77 HEAD PIC X(200) VALUE SPACES.
77 HEADL PIC S9(8) COMP VALUE 200.
EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(FUN) END-EXEC
EXEC CICS GET CONTAINER('DFHHEADER') INTO(HEAD) FLENGTH(HEADL) END-EXEC
IF FUN = 'SEND-REQUEST'
    EXEC CICS PUT CONTAINER('DFHHEADER') FROM('<mine>1</mine>') FLENGTH(14)
        CHAR END-EXEC
ELSE
    IF HEADL > 0 DISPLAY 'HEADS-' HEAD(1:5) END-IF
END-IF
```
";
    text = text.replace("PORTNUM", server.port());
    for (program, invoke) in [
        ("FINE", format!("SERVICE('JSON') {}", uri("json"))),
        ("MAPD", String::from("WEBSERVICE('JSON') URIMAP('ORDERS')")),
        ("NMAP", String::from("SERVICE('JSON') URIMAP('NONE')")),
        ("SMAP", String::from("SERVICE('JSON') URIMAP('SERVED')")),
        ("NURI", String::from("SERVICE('JSON')")),
        ("BURI", String::from("SERVICE('JSON') URI('ftp://a/')")),
        ("NOPE", format!("SERVICE('JSON') {}", uri("refuses"))),
        ("LONG", format!("SERVICE('JSON') {}", uri("long"))),
        ("BRKN", format!("SERVICE('JSON') {}", uri("breaks"))),
        ("GONE", String::from("SERVICE('JSON') URI('http://127.0.0.1:1/json')")),
        ("PAGE", format!("SERVICE('SOAP') {}", uri("page"))),
        ("BOMB", format!("SERVICE('SOAP') {}", uri("bomb"))),
        ("FALT", format!("SERVICE('SOAP') {}", uri("fault"))),
        ("LATE", format!("SERVICE('HURRY') {}", uri("slow"))),
        ("HOLD", format!("SERVICE('JSON') {}", uri("slow"))),
        ("HDRS", format!("SERVICE('HANDLED') {}", uri("nowhere"))),
        ("MUST", format!("SERVICE('SOAP') {}", uri("header"))),
    ] {
        text += &caller(program, "NUT", &invoke);
    }
    Site::new("requester-plain", &text).run(async |run| {
        for (program, said) in [
            ("FINE", "nut 3.75"),
            ("MAPD", "nut 3.75"),
            ("NMAP", "13/0000000002"),
            ("SMAP", "16/0000000004"),
            ("NURI", "16/0000000004"),
            ("BURI", "16/0000000004"),
            ("NOPE", "16/0000000006"),
            ("LONG", "16/0000000014"),
            ("BRKN", "16/0000000007"),
            ("GONE", "16/0000000007"),
            ("PAGE", "16/0000000007"),
            ("BOMB", "16/0000000014"),
            ("FALT", "16/0000000006"),
            ("LATE", "124/0000000001"),
            ("MUST", "16/0000000007"),
            ("HDRS", "HEAD 1.00"),
        ] {
            assert_eq!(says(run, program).await, said, "{program}");
        }
        assert_eq!(displayed("NOPE-FAULT ").as_deref(), Some(r#"{"title":"sold"}"#));
        let fault = displayed("FALT-FAULT ").expect("a fault");
        let begin = r#"<s:Fault xmlns:d="urn:detail" xmlns:s="http://www.w3.org/2003/05/soap-envelope">"#;
        assert!(fault.starts_with(begin) && fault.contains("verkauft"), "{fault}");
        for called in ["LOGS-SEND-REQUEST", "LOGS-RECEIVE-RESPONSE", "HEADS-<h:h"] {
            assert!(displayed(called).is_some(), "{called}");
        }

        // A task that waits for a server is purged, and nothing of it stays.
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "HOLD");
        let waiting = || {
            let tasks = Dispatcher::of(&region).tasks();
            tasks.into_iter().find(|task| task.waits_for() == Some(WaitKind::SOCKET))
        };
        run.until("HOLD waits", || waiting().is_some()).await;
        waiting().expect("it waits").purge();
        run.until("HOLD has ended", || Dispatcher::of(&region).running() == 0).await;
        assert!(displayed("HOLD ").is_none(), "a purge is no condition");
        assert_eq!(says(run, "FINE").await, "nut 3.75");
        true
    });
}

/// The service that the SOAP of the plain server is about.
const WSDL: &str = r#"<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap12/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:shop" targetNamespace="urn:shop"><w:types>
<x:schema targetNamespace="urn:shop" elementFormDefault="qualified">
<x:simpleType name="item"><x:restriction base="x:string"><x:maxLength value="12"/></x:restriction></x:simpleType>
<x:simpleType name="price"><x:restriction base="x:decimal"><x:totalDigits value="7"/><x:fractionDigits value="2"/></x:restriction></x:simpleType>
<x:simpleType name="total"><x:restriction base="x:decimal"><x:totalDigits value="9"/><x:fractionDigits value="2"/></x:restriction></x:simpleType>
<x:element name="total"><x:complexType><x:sequence><x:element name="item" type="t:item"/><x:element name="pieces" type="x:int"/>
<x:element name="price" type="t:price"/></x:sequence></x:complexType></x:element>
<x:element name="totalResponse"><x:complexType><x:sequence><x:element name="totalResult"><x:complexType><x:sequence>
<x:element name="item" type="t:item"/><x:element name="total" type="t:total"/></x:sequence></x:complexType></x:element>
</x:sequence></x:complexType></x:element></x:schema></w:types>
<w:message name="in"><w:part name="p" element="t:total"/></w:message>
<w:message name="out"><w:part name="p" element="t:totalResponse"/></w:message>
<w:portType name="P"><w:operation name="total"><w:input message="t:in"/><w:output message="t:out"/></w:operation></w:portType>
<w:binding name="B" type="t:P"><s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
<w:operation name="total"><s:operation soapAction="urn:total"/><w:input><s:body use="literal"/></w:input>
<w:output><s:body use="literal"/></w:output></w:operation></w:binding>
<w:service name="Shop"><w:port name="P" binding="t:B"><s:address location="http://127.0.0.1:1/"/></w:port></w:service>
</w:definitions>"#;

#[test]
fn connections_of_a_uri_map_with_socketclose_are_used_again() {
    let server = Server::plain();
    let define = |name: &str, more: &str| {
        format!(
            "DEFINE URIMAP({name}) GROUP(T) USAGE(CLIENT) HOST(127.0.0.1) PORT({}) PATH(/number_of) {more}\n",
            server.port()
        )
    };
    let (kept, brief) = (define("KEPT", "SOCKETCLOSE(10)"), define("BRIEF", "SOCKETCLOSE(1)"));
    let never = define("NEVER", "SOCKETCLOSE(0)");
    let mut text = REGION.to_owned() + "\n```csd\n" + &kept + &brief + &never + "```\n";
    for (program, map) in [
        ("KEPA", "KEPT"),
        ("KEPB", "KEPT"),
        ("NEVA", "NEVER"),
        ("NEVB", "NEVER"),
        ("BRFA", "BRIEF"),
        ("BRFB", "BRIEF"),
    ] {
        text += &caller(program, "X", &format!("SERVICE('JSON') URIMAP('{map}')"));
    }
    text += "
```cobol OPEN threadsafe
77 TOK PIC X(8).
77 PG PIC X(60).
77 L PIC S9(8) COMP VALUE 60.
77 MT PIC X(56) VALUE 'application/json'.
EXEC CICS WEB OPEN URIMAP('KEPT') SESSTOKEN(TOK) END-EXEC
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) POST FROM('{}') FROMLENGTH(2) MEDIATYPE(MT) INTO(PG) TOLENGTH(L) MAXLENGTH(60)
    NOCLICONVERT END-EXEC
DISPLAY 'OPEN ' PG(1:L)
```
";
    Site::new("requester-pool", &text).run(async |run| {
        let first = says(run, "KEPA").await;
        assert_eq!(says(run, "KEPB").await, first, "the same connection");
        let number = first.trim_start_matches("number ").trim_end_matches(".00");
        let taken = says(run, "OPEN").await;
        assert!(
            taken.ends_with(&format!("\"total\": {number}}}")),
            "WEB OPEN takes it, too: {taken}, not {first}"
        );
        assert_ne!(says(run, "NEVA").await, says(run, "NEVB").await);
        let brief = says(run, "BRFA").await;
        // That of KEPT stays open.
        run.until("the time of BRIEF is over", || server.get("/") == "1").await;
        assert_ne!(says(run, "BRFB").await, brief);
        true
    });
}

#[test]
fn a_request_goes_once_more_where_a_kept_connection_ends_under_it_and_it_may_arrive_twice() {
    let server = Server::plain();
    let mut text = REGION.to_owned();
    text += &REGION[REGION.find("```file json.wsbind").expect("a binding")..]
        .split_inclusive("```\n")
        .take(2)
        .collect::<String>()
        .replace("json.wsbind", "put.wsbind")
        .replace("OPERATION-NAME=total", "OPERATION-NAME=total\nHTTP-METHODS=PUT");
    text += &format!(
        "
```csd
DEFINE WEBSERVICE(PUT) GROUP(T) PIPELINE(JSON) WSBIND(put.wsbind)
DEFINE URIMAP(ONCE) GROUP(T) USAGE(CLIENT) HOST(127.0.0.1) PORT({}) PATH(/once) SOCKETCLOSE(10)
```
",
        server.port()
    );
    for (program, service) in [("PUTA", "PUT"), ("PUTB", "PUT"), ("POST", "JSON")] {
        text += &caller(program, "X", &format!("SERVICE('{service}') URIMAP('ONCE')"));
    }
    Site::new("requester-again", &text).run(async |run| {
        let first = says(run, "PUTA").await;
        assert!(first.starts_with("number "), "{first}");
        let second = says(run, "PUTB").await;
        assert!(
            second.starts_with("number ") && second != first,
            "by another connection: {second}, not {first}"
        );
        // An order that has arrived is not placed twice.
        assert_eq!(says(run, "POST").await, "16/0000000007");
        true
    });
}

#[test]
fn a_server_sees_the_certificate_that_the_uri_map_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, "Ours");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let ours =
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
    let keyring = folder.path();
    fs::write(keyring.join("servers.pem"), ours.pem()).expect("written");
    for name in ["server", "region"] {
        let mut params = CertificateParams::new(vec![String::from("localhost")]).expect("parameters");
        params.distinguished_name.push(DnType::CommonName, name);
        params.subject_alt_names.push(SanType::IpAddress([127, 0, 0, 1].into()));
        let key = KeyPair::generate().expect("a key");
        let made = params.signed_by(&key, &ours).expect("a certificate");
        fs::write(keyring.join(format!("{name}.pem")), made.pem()).expect("written");
        let path = keyring.join(format!("{name}.key"));
        fs::write(&path, key.serialize_pem()).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
    }
    let of = |name: &str| keyring.join(name).to_string_lossy().into_owned();
    let files = [of("server.pem"), of("server.key"), of("servers.pem")];
    let server =
        Server::start(Path::new("python3"), "plain_server.py", &files.each_ref().map(String::as_str));
    let mut text = REGION.to_owned() + "\n```csd\n";
    for (map, more) in [
        ("SHOWN", "CERTIFICATE(region) SOCKETCLOSE(10)"),
        ("HIDDEN", "CIPHERS(one.xml)"),
        ("ABSENT", "CERTIFICATE(absent)"),
    ] {
        text += &format!(
            "DEFINE URIMAP({map}) GROUP(T) USAGE(CLIENT) SCHEME(HTTPS) HOST(127.0.0.1) PORT({}) PATH(/who) {more}\n",
            server.port()
        );
    }
    fs::write(keyring.join("one.xml"), "<suites><cipher number=\"1301\"/></suites>").expect("written");
    text += &format!(
        "```\n\n```toml\n[sit]\nMN = \"ON\"\nMNPER = \"ON\"\nMNRES = \"ON\"\n[web]\nkeyring = \"{}\"\n```\n",
        keyring.display()
    );
    text += "
```cobol OPEN threadsafe
77 TOK PIC X(8).
77 PG PIC X(60).
77 L PIC S9(8) COMP VALUE 60.
77 MT PIC X(56) VALUE 'application/json'.
77 C PIC X(56) VALUE 'region'.
77 Z PIC S9(8) COMP.
EXEC CICS INQUIRE URIMAP('SHOWN') CERTIFICATE(REC) SOCKETCLOSE(N) SOCKPOOLSIZE(Z) END-EXEC
MOVE Z TO NUM
DISPLAY 'SHOWN ' REC(1:8) NUM
MOVE SPACES TO REC
MOVE '../../core/region' TO REC
EXEC CICS WEB OPEN URIMAP('HIDDEN') CERTIFICATE(REC(1:56)) SESSTOKEN(TOK) NOHANDLE END-EXEC
DISPLAY 'LABEL ' EIBRESP2
EXEC CICS WEB OPEN URIMAP('HIDDEN') CERTIFICATE(C) SESSTOKEN(TOK) END-EXEC
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) POST FROM('{}') FROMLENGTH(2) MEDIATYPE(MT) INTO(PG) TOLENGTH(L) MAXLENGTH(60)
    NOCLICONVERT END-EXEC
DISPLAY 'OPEN ' PG(1:L)
```
";
    for (program, map) in [("SHOW", "SHOWN"), ("HIDE", "HIDDEN"), ("ABSN", "ABSENT")] {
        text += &caller(program, "X", &format!("SERVICE('JSON') URIMAP('{map}')"));
    }
    Site::new("requester-tls", &text).run(async |run| {
        assert_eq!(says(run, "SHOW").await, "region 1.00");
        assert_eq!(says(run, "HIDE").await, "16/0000000007");
        assert_eq!(says(run, "ABSN").await, "16/0000000007");
        assert_eq!(says(run, "OPEN").await, r#"{"item": "region", "total": 1}"#);
        assert_eq!(displayed("SHOWN ").as_deref(), Some("region         1"), "a connection is kept");
        assert_eq!(displayed("LABEL ").as_deref(), Some("0000000026"));
        // A record of the resource names the cipher suite; that of the task, the most connections that it had.
        run.until("its records", || recorded(run, "OPEN").len() == 2).await;
        assert_eq!(recorded(run, "OPEN"), ["1 sockets", "HIDDEN 1301"]);
        true
    });
}

/// Connections of a transaction's tasks to servers, and the URIMAPs that they used with their cipher suites, as monitoring tells them.
fn recorded(run: &Run, transaction: &str) -> Vec<String> {
    Monitoring::of(&run.house.running.region).flush();
    let entries = fs::read_dir(run.house.state.join(RECORD_FOLDER)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let files = paths.filter(|path| path.display().to_string().contains("performance-"));
    let mut found = Vec::new();
    for bytes in files.map(|path| fs::read(path).expect("a file")) {
        for entry in Reader::new(&bytes).expect("a file of ours") {
            let FileEntry::Record(record) = entry.expect("a whole record") else { continue };
            let is_its = |field| record.text(field).trim_end() == transaction;
            if is_its("TRAN") {
                found.push(format!("{} sockets", record.number("SONPSHWM")));
            }
            if is_its("MNR_TRAN") {
                let (name, cipher) = (record.text("MNR_URIMAP_NAME"), record.text("MNR_URIMAP_CIPHER"));
                found.push(format!("{} {cipher}", name.trim_end()));
            }
        }
    }
    found
}
