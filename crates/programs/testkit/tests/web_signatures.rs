//! WS-Security with signatures: our own both ways, and against xmlsec and zeep: requests that these sign, answers that these verify, and
//! messages that were changed on their way.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::{Site, python};
use kernel::security::User;
use pipelines::gateway;
use sha2::{Digest, Sha256};
use tokio::process::Command as Client;

/// A program that says who has come, behind a pipeline that wants signatures and signs.
const REGION: &str = r#"
```file signed.xml
<provider_pipeline><service>
  <service_handler_list><wsse_handler><dfhwsse_configuration version="1">
    <authentication trust="none" mode="signature"/>
    <expect_signed_body/>
    <sign_body><algorithm>http://www.w3.org/2001/04/xmldsig-more#rsa-sha256</algorithm>
      <certificate_label>door</certificate_label></sign_body>
  </dfhwsse_configuration></wsse_handler></service_handler_list>
  <terminal_handler><cics_soap_1.1_handler/></terminal_handler>
</service></provider_pipeline>
```

```file who.wsbind
format = 1
origin = "copybook"
options = """
PGMNAME=WHOIS
URI=/who
OPERATION-NAME=who
REQUEST-NAMESPACE=urn:w
RESPONSE-NAMESPACE=urn:w
"""
[description]
name = "WHO.cpy"
text = """
       01  WHO-REC.
           05  WHAT     PIC X(12).
"""
[answer]
name = "HIM.cpy"
text = """
       01  HIM-REC.
           05  WHO      PIC X(8).
"""
```

```file signs.xml
<requester_pipeline><service>
  <service_handler_list>
    <cics_soap_1.1_handler/>
    <wsse_handler><dfhwsse_configuration version="1">
      <authentication trust="none" mode="signature"><certificate_label>anna</certificate_label></authentication>
      <expect_signed_body/>
    </dfhwsse_configuration></wsse_handler>
    <handler><program>TAMPERS</program></handler>
  </service_handler_list>
</service></requester_pipeline>
```

```file signs.wsbind
format = 1
origin = "copybook"
options = """
URI=cics://PIPELINE/SIGNED?targetServiceUri=/who
OPERATION-NAME=who
REQUEST-NAMESPACE=urn:w
RESPONSE-NAMESPACE=urn:w
"""
[description]
name = "WHO.cpy"
text = """
       01  WHO-REC.
           05  WHAT     PIC X(12).
"""
[answer]
name = "HIM.cpy"
text = """
       01  HIM-REC.
           05  WHO      PIC X(8).
"""
```

```csd
DEFINE PIPELINE(SIGNS) GROUP(T) CONFIGFILE(signs.xml)
DEFINE WEBSERVICE(SIGNS) GROUP(T) PIPELINE(SIGNS) WSBIND(signs.wsbind)
DEFINE PIPELINE(SIGNED) GROUP(T) CONFIGFILE(signed.xml)
DEFINE WEBSERVICE(WHO) GROUP(T) PIPELINE(SIGNED) WSBIND(who.wsbind)
DEFINE URIMAP(WHO) GROUP(T) HOST(*) PATH(/who) USAGE(PIPELINE) PIPELINE(SIGNED)
```

```toml
[services]
ASKS = "WHO.cpy HIM.cpy"

[web.services]
SHOP = "127.0.0.1:0"
```

```file WHO.cpy
       01  WHO-REC.
           05  WHAT     PIC X(12).
```

```file HIM.cpy
       01  HIM-REC.
           05  WHO      PIC X(8).
```

```cobol ASKS threadsafe
LINKAGE SECTION.
01  DFHCOMMAREA.
    05  WHAT     PIC X(12).
PROCEDURE DIVISION.
    EXEC CICS WRITEQ TS QUEUE('WHAT') FROM(WHAT) END-EXEC
    EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C')
        FROM('REAL        ') FLENGTH(12) END-EXEC
    EXEC CICS INVOKE SERVICE('SIGNS') CHANNEL('C') RESP(R) RESP2(R2)
        END-EXEC
    IF R = 0
        EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('C') INTO(WHAT)
            END-EXEC
    ELSE
        MOVE 'REFUSED' TO WHAT
    END-IF
    EXEC CICS DELETEQ TS QUEUE('WHAT') END-EXEC
    EXEC CICS RETURN END-EXEC.
```

```cobol TAMPERS threadsafe
77 FUN PIC X(16).
77 WHAT PIC X(12).
77 BIG PIC X(8000).
77 L PIC S9(8) COMP VALUE 8000.
EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(FUN) END-EXEC
EXEC CICS READQ TS QUEUE('WHAT') INTO(WHAT) LENGTH(12) ITEM(1) END-EXEC
EVALUATE TRUE
WHEN FUN = 'SEND-REQUEST'
    EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
    IF WHAT = 'REQUEST'
        EXEC CICS GET CONTAINER('DFHREQUEST') INTO(BIG) FLENGTH(L)
            END-EXEC
        INSPECT BIG REPLACING ALL 'REAL' BY 'FAKE'
        EXEC CICS PUT CONTAINER('DFHREQUEST') CHAR FROM(BIG) FLENGTH(L)
            END-EXEC
    END-IF
WHEN FUN = 'RECEIVE-RESPONSE' AND WHAT = 'RESPONSE'
    EXEC CICS GET CONTAINER('DFHRESPONSE') INTO(BIG) FLENGTH(L)
        END-EXEC
    INSPECT BIG REPLACING ALL 'ANNA' BY 'EMMA'
    EXEC CICS PUT CONTAINER('DFHRESPONSE') CHAR FROM(BIG) FLENGTH(L)
        END-EXEC
END-EVALUATE
```

```cobol WHOIS threadsafe
LINKAGE SECTION.
01  DFHCOMMAREA.
    05  WHO      PIC X(8).
PROCEDURE DIVISION.
    EXEC CICS ASSIGN USERID(WHO) END-EXEC
    EXEC CICS RETURN END-EXEC.
```
"#;

/// Writes `NAME.pem` and `NAME.key`, which openssl makes; the SHA-256 of the certificate.
async fn certificate(keyring: &Path, name: &str) -> String {
    let mut openssl = Client::new("openssl");
    openssl.current_dir(keyring).args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"]);
    openssl.args(["-subj", &format!("/CN={name}"), "-keyout", &format!("{name}.key")]);
    let made = openssl.args(["-out", &format!("{name}.pem")]).output().await.expect("openssl is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let key = keyring.join(format!("{name}.key"));
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).expect("rights");
    let mut openssl = Client::new("openssl");
    openssl.current_dir(keyring).args(["x509", "-outform", "DER", "-in", &format!("{name}.pem")]);
    let der = openssl.output().await.expect("openssl is installed").stdout;
    Sha256::digest(der).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A keyring with everybody's certificates, and the users whose they are.
fn keyring(site: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(site).join("application");
    let keyring = folder.join("keyring");
    fs::create_dir_all(&keyring).expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (anna, door) = runtime.block_on(async {
        certificate(&keyring, "stranger").await;
        (certificate(&keyring, "anna").await, certificate(&keyring, "door").await)
    });
    let user = |id: &str, own: &str| {
        format!("[[user]]\nuserid = \"{id}\"\nrights = [\"run\"]\ncertificates = [\"{own}\"]\n\n")
    };
    fs::write(folder.join("users.toml"), user("ANNA", &anna) + &user("DOOR", &door)).expect("written");
    keyring
}

#[test]
fn a_region_signs_what_it_sends_and_looks_at_what_it_gets() {
    let name = "web-signatures-own";
    let site = Site::new(name, REGION);
    keyring(name);
    site.run(async |run| {
        for (changed, who) in [("NOTHING", "ANNA"), ("REQUEST", "REFUSED"), ("RESPONSE", "REFUSED")] {
            let region = &run.house.running.region;
            let body = format!("{{\"what\":\"{changed}\"}}");
            let reply = gateway::call(region, User::region(), "ASKS", None, body.as_bytes()).await;
            let reply = reply.expect("a reply");
            let text = String::from_utf8_lossy(&reply.body);
            assert_eq!(text, format!("{{\"who\":\"{who}\"}}"), "{changed}");
        }
        true
    });
}

#[test]
fn signatures_of_others_are_understood_and_ours_by_others() {
    let name = "web-signatures";
    let site = Site::new(name, REGION);
    let Some(python) = python("xmlsec, zeep", "signatures", &["zeep", "xmlsec"]) else { return };
    let keyring = keyring(name);
    site.run(async |run| {
        let at = run.running.listening().into_iter().find(|at| at.door == "web").expect("a web service");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/signs.py");
        let mut client = Client::new(&python);
        client.env("PYTHONIOENCODING", "utf-8").arg(script).arg(format!("http://{}/who", at.address));
        let output = client.arg(&keyring).output().await.expect("the client runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}\n{err}");
        assert_eq!(
            out,
            "verified ANNA\nverified ANNA\nverified ANNA\n\
             signed 200\n\
             changed wsse:FailedCheck\n\
             aside wsse:InvalidSecurity\n\
             behind wsse:FailedCheck\n\
             gone wsse:FailedCheck\n\
             twice wsse:InvalidSecurity\n\
             bare wsse:InvalidSecurity\n\
             stranger wsse:FailedAuthentication\n"
        );
        true
    });
}
