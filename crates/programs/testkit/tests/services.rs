//! Web services without HTTP: what a pipeline makes of a message, and how it answers whatever comes.

mod common;

use common::{Run, Site};
use kernel::security::User;
use pipelines::gateway;
use testkit::timeline::{Happening, Timeline};

/// A region with a service of the gateway and one behind a SOAP pipeline with a handler, over the same program.
const REGION: &str = r#"
```toml
[services]
ORDERS = "ORDER.cpy ANSWER.cpy"
FAILS = "ORDER.cpy"
```

```file ORDER.cpy
       01  ORDER-IN.
           05  ITEM     PIC X(12).
           05  PIECES   PIC S9(4) COMP.
           05  PRICE    PIC S9(5)V99 COMP-3.
```

```file ANSWER.cpy
       01  ORDER-OUT.
           05  ITEM     PIC X(12).
           05  TOTAL    PIC S9(7)V99 COMP-3.
```

```file pipeline.xml
<provider_pipeline><service>
  <service_handler_list><handler><program>HANDLE</program><handler_parameter_list/></handler></service_handler_list>
  <terminal_handler><cics_soap_1.2_handler/></terminal_handler>
</service><apphandler>DFHPITP</apphandler></provider_pipeline>
```

```file plain.xml
<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service></provider_pipeline>
```

```file orders.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=ORDERS
URI=/orders
OPERATION-NAME=order
REQUEST-NAMESPACE=urn:o
RESPONSE-NAMESPACE=urn:o
"""
[description]
name = "ORDER.cpy"
text = """
       01  ORDER-IN.
           05  ITEM     PIC X(12).
           05  PIECES   PIC S9(4) COMP.
           05  PRICE    PIC S9(5)V99 COMP-3.
"""
[answer]
name = "ANSWER.cpy"
text = """
       01  ORDER-OUT.
           05  ITEM     PIC X(12).
           05  TOTAL    PIC S9(7)V99 COMP-3.
"""
```

```file faulty.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=FAULTY
PGMINT=CHANNEL
URI=/faulty
OPERATION-NAME=order
REQUEST-NAMESPACE=urn:o
"""
[description]
name = "ORDER.cpy"
text = """
       01  ORDER-IN.
           05  ITEM     PIC X(12).
           05  PIECES   PIC S9(4) COMP.
           05  PRICE    PIC S9(5)V99 COMP-3.
"""
```

```csd
DEFINE PIPELINE(HANDLED) GROUP(T) CONFIGFILE(pipeline.xml)
DEFINE PIPELINE(PLAIN) GROUP(T) CONFIGFILE(plain.xml)
DEFINE WEBSERVICE(HANDLED) GROUP(T) PIPELINE(HANDLED) WSBIND(orders.wsbind)
DEFINE WEBSERVICE(FAULTY) GROUP(T) PIPELINE(PLAIN) WSBIND(faulty.wsbind)
DEFINE WEBSERVICE(PLAIN) GROUP(T) PIPELINE(PLAIN) WSBIND(orders.wsbind)
```

```cobol ORDERS threadsafe
77  PRODUCT  PIC S9(7)V99 COMP-3.
LINKAGE SECTION.
01  DFHCOMMAREA.
    05  ITEM     PIC X(12).
    05  REST.
        10  PIECES   PIC S9(4) COMP.
        10  PRICE    PIC S9(5)V99 COMP-3.
    05  ANSWER REDEFINES REST.
        10  TOTAL    PIC S9(7)V99 COMP-3.
PROCEDURE DIVISION.
    COMPUTE PRODUCT = PIECES * PRICE
    MOVE PRODUCT TO TOTAL
    EXEC CICS RETURN END-EXEC.
```

```cobol FAILS threadsafe
EXEC CICS WRITEQ TS QUEUE('LEFT') FROM('A') END-EXEC
EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
```

```cobol FAULTY threadsafe
EXEC CICS SOAPFAULT CREATE SENDER FAULTSTRING('X') FAULTSTRLEN(1) NOHANDLE
    END-EXEC
EXEC CICS SOAPFAULT CREATE CLIENT FAULTSTRING('X') FAULTSTRLEN(1)
    DETAIL('<a>') DETAILLENGTH(3) NOHANDLE END-EXEC
EXEC CICS SOAPFAULT CREATE CLIENT FAULTSTRING('X') FAULTSTRLEN(1) END-EXEC
EXEC CICS SOAPFAULT DELETE END-EXEC
EXEC CICS SOAPFAULT CREATE CLIENT FAULTSTRING('NO <SUCH> ITEM')
    FAULTSTRLEN(14) DETAIL('<why>sold</why>') DETAILLENGTH(15) END-EXEC
```

```cobol HANDLE threadsafe
77 FUN PIC X(16).
EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(FUN) END-EXEC
DISPLAY 'HANDLER ' FUN
IF FUN = 'RECEIVE-REQUEST'
    EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
END-IF
```
"#;

/// The status and the body of a service's reply.
async fn call(run: &Run, service: &str, media: Option<&str>, body: &[u8]) -> (u16, String) {
    let region = &run.house.running.region;
    let reply = gateway::call(region, User::region(), service, media, body).await.expect("a reply");
    (reply.status, String::from_utf8_lossy(&reply.body).into_owned())
}

/// Returns true if the log has got a line about a service since a place.
fn is_told(since: usize, service: &str) -> bool {
    let all = Timeline::of_process().since(since);
    all.iter().any(|it| matches!(it, Happening::Message(line) if line.to_lowercase().contains(service)))
}

const ORDER: &str = r#"{"item":"A & B","pieces":3,"price":1.25}"#;
const TOTAL: &str = r#"{"item":"A & B","total":3.75}"#;

/// An envelope of a version round a body.
fn envelope(version: u8, body: &str) -> String {
    let namespace = match version {
        1 => "http://schemas.xmlsoap.org/soap/envelope/",
        _ => "http://www.w3.org/2003/05/soap-envelope",
    };
    format!("<e:Envelope xmlns:e=\"{namespace}\"><e:Body>{body}</e:Body></e:Envelope>")
}

const ORDER_XML: &str =
    "<o:order xmlns:o=\"urn:o\"><item>A &amp; B</item><pieces>3</pieces><price>1.25</price></o:order>";

#[test]
fn a_program_serves_json_and_soap_by_its_copybook_and_bad_messages_get_faults() {
    Site::new("services", REGION).run(async |run| {
        assert_eq!(call(run, "ORDERS", None, ORDER.as_bytes()).await, (200, TOTAL.to_owned()));
        let media = Some("application/json; charset=utf-8");
        assert_eq!(call(run, "ORDERS", media, ORDER.as_bytes()).await, (200, TOTAL.to_owned()));
        for version in [1, 2] {
            let message = envelope(version, ORDER_XML);
            let (status, body) = call(run, "HANDLED", None, message.as_bytes()).await;
            assert_eq!(status, 200, "{body}");
            assert!(body.contains("<total>3.75</total>") && body.contains("A &amp; B"), "{body}");
        }
        assert_eq!(common::displayed("HANDLER RECEIVE-REQUEST").as_deref(), Some(""));
        assert_eq!(common::displayed("HANDLER SEND-RESPONSE").as_deref(), Some(""));

        let deep_json = format!("{{\"item\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let long = format!(r#"{{"item":"A","pieces":1,"price":{}}}"#, "9".repeat(40));
        for (message, status, told) in [
            ("", 400, "XML_FORMAT_ERROR"),
            ("{\"item\":", 400, "XML_FORMAT_ERROR"),
            ("\u{feff}{}", 400, ""),
            (r#"{"item":"A"}"#, 400, "MISSING_ELEMENT"),
            (r#"{"item":"A","item":"A"}"#, 400, "DUPLICATE_MEMBER"),
            (r#"{"item":"A","pieces":1,"price":1,"more":1}"#, 400, "UNDEFINED_ELEMENT"),
            (r#"{"item":"AAAAAAAAAAAAA","pieces":1,"price":1}"#, 400, "OUTPUT_OVERFLOW"),
            (r#"{"item":"A","pieces":10000,"price":1}"#, 400, "OUTPUT_OVERFLOW"),
            (r#"{"item":"A","pieces":1,"price":1.001}"#, 400, "FRACTION_TOO_LONG"),
            (r#"{"item":"A","pieces":1,"price":1e400}"#, 400, ""),
            (r#"{"item":"A","pieces":"x","price":1}"#, 400, ""),
            (r#"{"item":"A","pieces":null,"price":1}"#, 400, ""),
            (r#"{"item":"\ud800","pieces":1,"price":1}"#, 400, ""),
            (&long, 400, "INPUT_TOO_LONG"),
            (&deep_json, 400, ""),
        ] {
            let before = Timeline::of_process().end();
            let (answered, body) = call(run, "ORDERS", None, message.as_bytes()).await;
            assert!(is_told(before, "orders"), "{message:.60}");
            let shown: String = message.chars().take(60).collect();
            assert_eq!(answered, status, "{shown}: {body}");
            assert!(body.contains(told) && body.contains("faultstring"), "{shown}: {body}");
        }
        assert_eq!(call(run, "ORDERS", None, b"{\"item\":\"\xff\"}").await.0, 400);
        let before = Timeline::of_process().end();
        assert_eq!(call(run, "ORDERS", Some("text/plain"), ORDER.as_bytes()).await.0, 415);
        assert!(is_told(before, "/services/orders"));

        let bomb = format!("<!DOCTYPE e [<!ENTITY a \"b\">]>{}", envelope(1, ORDER_XML));
        let deep = format!("<e:Header>{}", "<a>".repeat(100_000));
        let deep = envelope(1, "").replace("<e:Body>", &deep);
        let swapped = envelope(1, &ORDER_XML.replace("<item>A &amp; B</item><pieces>3</pieces>", ""));
        let header = "<e:Header><h:x xmlns:h=\"urn:h\" e:mustUnderstand=\"1\"/></e:Header><e:Body>";
        for (message, told) in [
            ("", "XML_FORMAT_ERROR"),
            ("<a/>", "UNEXPECTED_CONTENT"),
            ("<Envelope xmlns=\"urn:x\"/>", "VersionMismatch"),
            (&envelope(2, ORDER_XML), "VersionMismatch"),
            (&bomb, "DOCTYPE_NOT_ALLOWED"),
            (&deep, "TOO_COMPLEX"),
            (&envelope(1, ""), "MISSING_ELEMENT"),
            (&envelope(1, "<o:other xmlns:o=\"urn:o\"/>"), "UNDEFINED_ELEMENT"),
            (&envelope(1, &ORDER_XML.replace("urn:o", "urn:p")), "UNDEFINED_NAME_SPACE"),
            (&envelope(1, &ORDER_XML.replace("3</", "&bomb;</")), "UNSUPPORTED_ENTITY"),
            (&swapped, "ELEMENT"),
            (&envelope(1, ORDER_XML).replace("<e:Body>", header), "MustUnderstand"),
        ] {
            let before = Timeline::of_process().end();
            let (status, body) = call(run, "PLAIN", Some("text/xml"), message.as_bytes()).await;
            // By its name, or by its path where nothing of it was converted.
            assert!(is_told(before, "plain") || is_told(before, "/orders"), "{message:.60}");
            let shown: String = message.chars().take(120).collect();
            assert_eq!(status, 500, "{shown}: {body}");
            assert!(body.contains(told) && body.contains("Fault"), "{shown}: {body}");
        }
        let utf7 = Some("text/xml; charset=utf-7");
        assert_eq!(call(run, "PLAIN", utf7, envelope(1, ORDER_XML).as_bytes()).await.0, 500);
        // Other characters than those of UTF-8, where the message says which.
        let whole = envelope(1, &ORDER_XML.replace("A &amp; B", "\u{e9}"));
        let latin: Vec<u8> = format!("<?xml version='1.0' encoding='ISO-8859-1'?>{whole}")
            .chars()
            .map(|character| u8::try_from(character).expect("Latin-1"))
            .collect();
        let units = format!("\u{feff}{whole}");
        let wide: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for message in [&latin, &wide] {
            let (status, body) = call(run, "PLAIN", Some("text/xml"), message).await;
            assert_eq!((status, body.contains("<item>\u{e9}</item>")), (200, true), "{body}");
        }
        let torn = call(run, "PLAIN", Some("text/xml"), &wide[..wide.len() - 1]).await;
        assert!(torn.0 == 500 && torn.1.contains("INVALID_UNICODE_DATA"), "{torn:?}");

        // The region goes on.
        assert_eq!(call(run, "ORDERS", None, ORDER.as_bytes()).await.0, 200);
        true
    });
}

#[test]
fn a_program_answers_by_a_fault_when_it_fails_or_makes_one() {
    Site::new("services-fail", REGION).run(async |run| {
        let (status, body) = call(run, "FAILS", None, ORDER.as_bytes()).await;
        assert_eq!(status, 500);
        assert!(body.contains("program FAILS has ended with abend OOPS"), "{body}");
        let (status, body) = call(run, "FAULTY", None, envelope(1, ORDER_XML).as_bytes()).await;
        assert_eq!(status, 500);
        assert!(body.contains("soap:Client") && body.contains("NO &lt;SUCH&gt; ITEM"), "{body}");
        assert!(body.contains("<detail><why>sold</why></detail>"), "{body}");
        true
    });
}

/// Handlers that answer themselves, answer too much, or end abnormally; JSON behind DFHPIJT.
const HANDLERS: &str = r#"
```file ORDER.cpy
       01  ORDER-IN.
           05  ITEM     PIC X(12).
```

```file json.xml
<provider_pipeline><service>
  <service_handler_list><handler><program>TURNS</program></handler></service_handler_list>
  <terminal_handler><handler><program>DFHPIJT</program></handler></terminal_handler>
</service></provider_pipeline>
```

```file echo.wsbind
format = 1
origin = "copybook"
options = "PGMNAME=ECHO\nURI=/echo\nOPERATION-NAME=echo\n"
[description]
name = "ORDER.cpy"
text = """
       01  ORDER-IN.
           05  ITEM     PIC X(12).
"""
```

```csd
DEFINE PIPELINE(JSON) GROUP(T) CONFIGFILE(json.xml)
DEFINE WEBSERVICE(ECHO) GROUP(T) PIPELINE(JSON) WSBIND(echo.wsbind)
```

```cobol ECHO threadsafe
EXEC CICS RETURN END-EXEC
```

```cobol TURNS threadsafe
77 FUN PIC X(16).
77 BODYOF PIC X(60).
EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(FUN) END-EXEC
IF FUN NOT = 'RECEIVE-REQUEST'
    EXEC CICS RETURN END-EXEC
END-IF
MOVE SPACES TO BODYOF
EXEC CICS GET CONTAINER('DFHREQUEST') INTO(BODYOF) NOHANDLE END-EXEC
EVALUATE TRUE
WHEN BODYOF(1:4) = 'TURN'
    EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
    EXEC CICS PUT CONTAINER('DFHRESPONSE') CHAR FROM('TURNED') END-EXEC
WHEN BODYOF(1:4) = 'BOTH'
    EXEC CICS PUT CONTAINER('DFHRESPONSE') CHAR FROM('TURNED') END-EXEC
WHEN BODYOF(1:4) = 'GONE'
    EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
WHEN BODYOF(1:4) = 'FAIL'
    EXEC CICS ABEND ABCODE('HAND') NODUMP END-EXEC
END-EVALUATE
```
"#;

#[test]
fn a_handler_goes_on_turns_round_or_fails() {
    Site::new("services-handlers", HANDLERS).run(async |run| {
        let wrapped = r#"{"echo":{"item":"A"}}"#;
        let answer = r#"{"echoResponse":{"item":"A"}}"#;
        assert_eq!(call(run, "ECHO", None, wrapped.as_bytes()).await, (200, answer.to_owned()));
        assert_eq!(call(run, "ECHO", None, b"TURN").await, (200, "TURNED".to_owned()));
        assert_eq!(call(run, "ECHO", None, b"GONE").await, (202, String::new()));
        for (message, told) in [
            ("BOTH", "handler TURNS has left DFHREQUEST and DFHRESPONSE"),
            ("FAIL", "handler TURNS has ended with abend HAND"),
        ] {
            let (status, body) = call(run, "ECHO", None, message.as_bytes()).await;
            assert_eq!(status, 500, "{message}");
            assert!(body.contains(told), "{body}");
        }
        assert_eq!(call(run, "ECHO", None, wrapped.as_bytes()).await.0, 200);
        true
    });
}

/// A service of a WSDL whose arrays have no bound: they stand in containers.
const UNBOUND: &str = r#"
```file plain.xml
<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service></provider_pipeline>
```

```file sums.wsbind
format = 1
origin = "wsdl"
options = "PGMNAME=SUMS\nPGMINT=CHANNEL\nURI=/sums\n"
[description]
name = "sums.wsdl"
text = """
<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:s'
  xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:s'>
<types><x:schema targetNamespace='urn:s'>
<x:element name='sum'><x:complexType><x:sequence>
  <x:element name='part' minOccurs='0' maxOccurs='unbounded'><x:complexType><x:sequence>
    <x:element name='pieces' type='x:short'/></x:sequence></x:complexType></x:element>
</x:sequence></x:complexType></x:element>
<x:element name='sumResponse'><x:complexType><x:sequence>
  <x:element name='total' type='x:int'/><x:element name='seen' type='x:int' minOccurs='0' maxOccurs='unbounded'/>
</x:sequence></x:complexType></x:element>
</x:schema></types>
<message name='a'><part name='p' element='t:sum'/></message><message name='b'><part name='p' element='t:sumResponse'/></message>
<portType name='p'><operation name='sum'><input message='t:a'/><output message='t:b'/></operation></portType>
<binding name='b' type='t:p'><s:binding style='document'/><operation name='sum'/></binding></definitions>
"""
```

```csd
DEFINE PIPELINE(PLAIN) GROUP(T) CONFIGFILE(plain.xml)
DEFINE WEBSERVICE(SUMS) GROUP(T) PIPELINE(PLAIN) WSBIND(sums.wsbind)
```

```cobol SUMS threadsafe
01  ASKED.
    05  PART-NUM   PIC S9(9) COMP-5.
    05  PART-CONT  PIC X(16).
01  PARTS.
    05  PIECES     PIC S9(4) COMP-5 OCCURS 10.
01  ANSWER.
    05  TOTAL      PIC S9(9) COMP-5.
    05  SEEN-NUM   PIC S9(9) COMP-5.
    05  SEEN-CONT  PIC X(16).
01  SEEN.
    05  SEEN-VALUE PIC S9(9) COMP-5 OCCURS 10.
77  AT-PART        PIC S9(4) COMP.
PROCEDURE DIVISION.
    MOVE 0 TO TOTAL
    EXEC CICS GET CONTAINER('DFHWS-DATA') INTO(ASKED) END-EXEC
    IF PART-NUM > 0
        EXEC CICS GET CONTAINER(PART-CONT) INTO(PARTS) END-EXEC
    END-IF
    PERFORM VARYING AT-PART FROM 1 BY 1 UNTIL AT-PART > PART-NUM
        ADD PIECES(AT-PART) TO TOTAL
        MOVE TOTAL TO SEEN-VALUE(AT-PART)
    END-PERFORM
    MOVE PART-NUM TO SEEN-NUM
    MOVE 'MINE' TO SEEN-CONT
    IF TOTAL NOT = 13
        EXEC CICS PUT CONTAINER(SEEN-CONT) BIT FROM(SEEN) END-EXEC
    END-IF
    EXEC CICS PUT CONTAINER('DFHWS-DATA') BIT FROM(ANSWER) END-EXEC
    EXEC CICS RETURN END-EXEC.
```
"#;

#[test]
fn arrays_without_a_bound_come_and_go_in_containers() {
    Site::new("services-unbound", UNBOUND).run(async |run| {
        for (parts, answer) in
            [(&[2, 3][..], "<total>5</total><seen>2</seen><seen>5</seen>"), (&[], "<total>0</total>")]
        {
            let parts: String =
                parts.iter().map(|pieces| format!("<part><pieces>{pieces}</pieces></part>")).collect();
            let message = envelope(1, &format!("<t:sum xmlns:t=\"urn:s\">{parts}</t:sum>"));
            let (status, body) = call(run, "SUMS", Some("text/xml"), message.as_bytes()).await;
            assert_eq!(status, 200, "{body}");
            assert!(
                body.contains(&format!("sumResponse xmlns:p=\"urn:s\">{answer}</p:sumResponse>")),
                "{body}"
            );
        }
        let message = envelope(1, "<t:sum xmlns:t=\"urn:s\"><part><pieces>13</pieces></part></t:sum>");
        let (status, body) = call(run, "SUMS", Some("text/xml"), message.as_bytes()).await;
        assert!(status == 500 && body.contains("CONTAINER_NOT_FOUND"), "{body}");
        true
    });
}
