//! Web services of a region as clients of others see them: curl, zeep by the WSDL, schemathesis and a generated client by the
//! OpenAPI document. What comes from PyPI is installed on first use; where that cannot be, its test says so and shows nothing.

mod common;

use std::path::{Path, PathBuf};

use common::{Run, Site, h2load, python, tool};
use tokio::process::Command as Client;

/// A program that leaves its record as it came, behind SOAP and JSON.
const REGION: &str = r#"
```file ORDER.cpy
       01  ORDER-RECORD.
           05  ORDER-NO         PIC 9(6).
           05  CUSTOMER         PIC X(20).
           05  TOTAL            PIC S9(7)V99 COMP-3.
           05  LINE-COUNT       PIC S9(4) COMP.
           05  LINES OCCURS 0 TO 3 DEPENDING ON LINE-COUNT.
               10  ITEM         PIC X(12).
               10  RATE         PIC S9(4) COMP-5.
```

```file soap.xml
<provider_pipeline><service><terminal_handler><cics_soap_1.2_handler/></terminal_handler></service></provider_pipeline>
```

```file plain.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=ORDERS
URI=/plain
"""
[description]
name = "ORDER.cpy"
text = """
RECORD"""
```

```file qualified.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=ORDERS
URI=/qualified
LOCAL-ELEMENTS=QUALIFIED
"""
[description]
name = "ORDER.cpy"
text = """
RECORD"""
```

```csd
DEFINE PIPELINE(SOAP) GROUP(T) CONFIGFILE(soap.xml)
DEFINE WEBSERVICE(PLAIN) GROUP(T) PIPELINE(SOAP) WSBIND(plain.wsbind)
DEFINE WEBSERVICE(QUAL) GROUP(T) PIPELINE(SOAP) WSBIND(qualified.wsbind)
DEFINE URIMAP(PLAIN) GROUP(T) HOST(*) PATH(/plain) USAGE(PIPELINE) PIPELINE(SOAP)
DEFINE URIMAP(QUAL) GROUP(T) HOST(*) PATH(/qualified) USAGE(PIPELINE) PIPELINE(SOAP)
```

```toml
[services]
ORDERS = "ORDER.cpy"

[web.services]
SHOP = "127.0.0.1:0"
```

```cobol ORDERS threadsafe
EXEC CICS RETURN END-EXEC
```
"#;

const RECORD: &str = "       01  ORDER-RECORD.
           05  ORDER-NO         PIC 9(6).
           05  CUSTOMER         PIC X(20).
           05  TOTAL            PIC S9(7)V99 COMP-3.
           05  LINE-COUNT       PIC S9(4) COMP.
           05  LINES OCCURS 0 TO 3 DEPENDING ON LINE-COUNT.
               10  ITEM         PIC X(12).
               10  RATE         PIC S9(4) COMP-5.
";

fn site(name: &str) -> Site {
    Site::new(name, &REGION.replace("RECORD\"\"\"", &format!("{RECORD}\"\"\"")))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

/// Returns the URL of a path of the region.
fn url(run: &Run, path: &str) -> String {
    let at = run.running.listening().into_iter().find(|at| at.door == "web").expect("a web service");
    format!("http://{}{path}", at.address)
}

/// Returns the output of a program that runs beside the region; it must end well.
async fn ran(client: &mut Client) -> String {
    let output = client.env("PYTHONIOENCODING", "utf-8").output().await.expect("the client runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.into_owned()
}

const ORDER: &str =
    r#"{"order_no":17,"customer":"A & <b> é","total":-12.34,"lines":[{"item":"nut","rate":32767}]}"#;

#[test]
fn curl_gets_back_what_it_sent() {
    site("web-clients-curl").run(async |run| {
        let there = url(run, "/services/orders");
        let json = ["-sS", "-H", "Content-Type: application/json", "-d", ORDER, there.as_str()];
        assert_eq!(ran(Client::new("curl").args(json)).await, ORDER);
        let two = ["--http2-prior-knowledge", "-w", " %{http_version}"];
        assert_eq!(ran(Client::new("curl").args(two).args(json)).await, format!("{ORDER} 2"));
        let chunked = ["-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue"];
        assert_eq!(ran(Client::new("curl").args(chunked).args(json)).await, ORDER);
        true
    });
}

#[test]
fn h2load_has_every_request_answered_in_both_versions() {
    site("web-clients-h2load").run(async |run| {
        let there = url(run, "/services/orders");
        let order = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(order.path(), ORDER).expect("written");
        let body = ["-d", order.path().to_str().expect("UTF-8"), "-H", "Content-Type: application/json"];
        for how in [&["--h1", "-n400", "-c16"][..], &["-n400", "-c8", "-m8"]] {
            h2load(&[how, &body, &[there.as_str()]].concat(), 400).await;
        }
        true
    });
}

#[test]
fn wrk_has_every_request_answered() {
    site("web-clients-wrk").run(async |run| {
        let mut wrk = tool("wrk");
        wrk.args(["--threads", "1", "--connections", "16", "--duration", "1s", "--timeout", "60s"]);
        wrk.arg("--script").arg(script("order.lua")).env("ORDER", ORDER);
        let told = ran(wrk.arg(url(run, "/services/orders"))).await;
        let answered = told.lines().find_map(|line| line.trim().split_once(" requests in "));
        let answered = answered.and_then(|(many, _)| many.parse().ok()).unwrap_or(0);
        assert!(answered >= 16, "{told}");
        assert!(!told.contains("Non-2xx") && !told.contains("Socket errors"), "{told}");
        true
    });
}

#[test]
fn zeep_gets_back_what_it_sent_and_faults_by_name() {
    let site = site("web-clients-zeep");
    let Some(python) = python("zeep", "zeep", &["zeep"]) else { return };
    site.run(async |run| {
        for path in ["/plain?wsdl", "/qualified?wsdl"] {
            let output = ran(Client::new(&python).arg(script("zeep_client.py")).arg(url(run, path))).await;
            let expected = |code: &str| {
                let failed = format!("{code} Conversion from SOAP failed DFHPI");
                format!(
                    "17 A & <b> é -12.34 [('screw', -1), ('nut', 32767)]\n{failed}1009 OUTPUT_OVERFLOW\n\
                     {failed}1009 FRACTION_TOO_LONG\n"
                )
            };
            assert_eq!(output, expected("Client") + &expected("Sender"));
        }
        true
    });
}

#[test]
fn schemathesis_finds_no_input_that_hurts() {
    let site = site("web-clients-schemathesis");
    let Some(python) = python("schemathesis", "schemathesis", &["schemathesis"]) else { return };
    site.run(async |run| {
        // It leaves notes where it runs.
        let folder = tempfile::tempdir().expect("a folder");
        let mut client = Client::new(python.with_file_name("schemathesis"));
        client.current_dir(folder.path()).args(["run", &url(run, "/services/orders?openapi")]);
        client.args(["--max-examples", "50", "--seed", "17", "--checks", "all"]);
        ran(&mut client).await;
        true
    });
}

#[test]
fn a_client_that_a_generator_has_made_of_our_openapi_gets_back_what_it_sent() {
    let site = site("web-clients-generated");
    let Some(python) = python("openapi_python_client", "openapi-python-client", &["openapi-python-client"])
    else {
        return;
    };
    site.run(async |run| {
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("made");
        let mut generator = Client::new(python.with_file_name("openapi-python-client"));
        generator.current_dir(folder.path()).args(["generate", "--meta", "none", "--url"]);
        generator.arg(url(run, "/services/orders?openapi")).arg("--output-path").arg(&made);
        ran(&mut generator).await;
        let mut client = Client::new(&python);
        client.env("PYTHONPATH", folder.path()).arg(script("generated_client.py")).arg(url(run, ""));
        assert_eq!(
            ran(&mut client).await,
            "17 A & <b> é -12.34 [('nut', 32767)]\n400 DFHPI1009 OUTPUT_OVERFLOW\n"
        );
        true
    });
}
