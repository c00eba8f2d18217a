//! MTOM: bytes that come and go as attachments, and messages in parts that are none.

mod common;

use common::{Run, Site};
use kernel::security::User;
use pipelines::gateway;
use pipelines::provider::Reply;

/// A program that leaves its bytes as they came.
const REGION: &str = r#"
```file same.xml
<provider_pipeline><cics_mtom_handler/>
<service><terminal_handler><cics_soap_1.2_handler/></terminal_handler></service></provider_pipeline>
```

```file yes.xml
<provider_pipeline>
  <cics_mtom_handler><dfhmtom_configuration version="1">
    <mtom_options send_mtom="yes" send_when_no_xop="no"/>
    <xop_options apphandler_supports_xop="yes"/>
    <mime_options content_id_domain="example.org"/>
  </dfhmtom_configuration></cics_mtom_handler>
  <service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service>
</provider_pipeline>
```

```file plain.xml
<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service></provider_pipeline>
```

```file bytes.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=BYTES
URI=/bytes
OPERATION-NAME=keep
REQUEST-NAMESPACE=urn:b
RESPONSE-NAMESPACE=urn:b
CHAR-VARYING=BINARY
"""
[description]
name = "BYTES.cpy"
text = """
       01  BYTES-REC.
           05  PICTURE-1  PIC X(6).
           05  PIECES     PIC 9(4).
"""
```

```csd
DEFINE PIPELINE(SAME) GROUP(T) CONFIGFILE(same.xml)
DEFINE PIPELINE(YES) GROUP(T) CONFIGFILE(yes.xml)
DEFINE PIPELINE(PLAIN) GROUP(T) CONFIGFILE(plain.xml)
DEFINE WEBSERVICE(SAME) GROUP(T) PIPELINE(SAME) WSBIND(bytes.wsbind)
DEFINE WEBSERVICE(YES) GROUP(T) PIPELINE(YES) WSBIND(bytes.wsbind)
DEFINE WEBSERVICE(PLAIN) GROUP(T) PIPELINE(PLAIN) WSBIND(bytes.wsbind)
```

```cobol BYTES threadsafe
EXEC CICS RETURN END-EXEC
```
"#;

const MEDIA: &str = "multipart/related; boundary=b; type=\"application/xop+xml\"; start=\"<root@x>\"; start-info=\"text/xml\"";
/// Bytes that are no text, with an end of line.
const BYTES: &[u8] = b"\x00\xFF\r\n--";
const INCLUDE: &str = "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:a%40x\"/>";

async fn call(run: &Run, service: &str, media: &str, body: &[u8]) -> Reply {
    let region = &run.house.running.region;
    gateway::call(region, User::region(), service, Some(media), body).await.expect("a reply")
}

fn envelope(picture: &str) -> String {
    format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><k:keep xmlns:k=\"urn:b\">\
         <picture_1>{picture}</picture_1><pieces>7</pieces></k:keep></e:Body></e:Envelope>"
    )
}

/// A root, and an attachment before it.
fn parts(root: &str) -> Vec<u8> {
    let head =
        b"--b\r\nContent-ID: <a@x>\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\n";
    let start = "\r\n--b\r\nContent-ID: <root@x>\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\n\r\n";
    [head, BYTES, start.as_bytes(), root.as_bytes(), b"\r\n--b--\r\n"].concat()
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body).into_owned()
}

#[test]
fn bytes_come_and_go_beside_the_message() {
    Site::new("attachments", REGION).run(async |run| {
        // As it comes, so it goes.
        let reply = call(run, "SAME", MEDIA, &parts(&envelope(INCLUDE))).await;
        assert_eq!(reply.status, 200, "{}", text(&reply));
        assert!(reply.media.starts_with("multipart/related; boundary=\"part-"), "{}", reply.media);
        assert!(reply.media.contains("start-info=\"text/xml\""), "{}", reply.media);
        assert!(reply.body.windows(BYTES.len()).any(|bytes| bytes == BYTES), "{}", text(&reply));
        assert!(text(&reply).contains("xop:Include") && text(&reply).contains("<pieces>7</pieces>"));
        let plain = call(run, "SAME", "text/xml", envelope("AP8NCi0t").as_bytes()).await;
        assert_eq!((plain.status, plain.media.as_str()), (200, "text/xml; charset=UTF-8"));
        assert!(text(&plain).contains("<picture_1>AP8NCi0t</picture_1>"), "{}", text(&plain));

        // In parts whatever came, where there is an attachment.
        let reply = call(run, "YES", "text/xml", envelope("AP8NCi0t").as_bytes()).await;
        assert!(reply.media.contains("start=\"<message@example.org>\""), "{}", reply.media);
        assert!(text(&reply).contains("href=\"cid:attachment1@example.org\""), "{}", text(&reply));
        let fault = call(run, "YES", "text/xml", envelope("AP8*").as_bytes()).await;
        assert_eq!((fault.status, fault.media.as_str()), (500, "text/xml; charset=UTF-8"));
        // A pipeline that does not know of parts takes none.
        assert_eq!(call(run, "PLAIN", MEDIA, &parts(&envelope(INCLUDE))).await.status, 500);
        true
    });
}

#[test]
fn what_is_no_message_in_parts_is_refused() {
    Site::new("attachments-broken", REGION).run(async |run| {
        let whole = parts(&envelope(INCLUDE));
        let many = "--b\r\nContent-ID: <a@x>\r\n\r\n\r\n".repeat(300) + "--b--";
        let twice = envelope(&format!("{INCLUDE}{INCLUDE}"));
        let bomb = format!("<!DOCTYPE a [<!ENTITY b \"b\">]>{}", envelope(INCLUDE));
        let unknown = envelope(&INCLUDE.replace("a%40x", "other"));
        let strange = String::from_utf8_lossy(&whole).replace("binary", "quoted-printable");
        for (media, body, told) in [
            (MEDIA, b"".as_slice(), "is broken off"),
            (MEDIA, b"--b--".as_slice(), "has no root"),
            (MEDIA, &whole[..whole.len() - 8], "is broken off"),
            (MEDIA, many.as_bytes(), "at most 256 parts"),
            (MEDIA, &parts(&twice), "stands twice"),
            (MEDIA, &parts(&bomb), "DOCTYPE_NOT_ALLOWED"),
            (MEDIA, &parts(&unknown), "'other' is not there"),
            (MEDIA, strange.as_bytes(), "quoted-printable"),
            (MEDIA, &parts(""), "XML_FORMAT_ERROR"),
            ("multipart/related; type=\"application/xop+xml\"", &whole, "names no boundary"),
            ("multipart/related; boundary=b; type=\"text/xml\"", &whole, "is none of MTOM"),
            ("multipart/related; boundary=b; start=\"<other>\"", &whole, "has no root"),
            ("multipart/related; boundary=b", &whole, "has a root that is not application/xop+xml"),
        ] {
            let reply = call(run, "SAME", media, body).await;
            assert_eq!(reply.status, 400, "{told}: {}", text(&reply));
            assert!(text(&reply).contains(told), "{told}: {}", text(&reply));
        }
        // The region goes on.
        assert_eq!(call(run, "SAME", MEDIA, &whole).await.status, 200);
        true
    });
}
