//! Tokens of a provider of identities, shown to a program of a region that runs.

#[path = "../../../../doors/directory/tests/issuer/mod.rs"]
mod issuer;

use std::time::{SystemTime, UNIX_EPOCH};

use issuer::{Signer, server};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::house::{FREE_PORT, Region, application, product};

/// Verifies the token that it is started with, and tells what came of it.
const CHECKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOKEN                PIC X(2000).
       01  WS-LENGTH               PIC S9(04) COMP VALUE 2000.
       01  WS-TOKENLEN             PIC S9(08) COMP.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-RESP2                PIC S9(08) COMP.
       01  WS-LINE.
           05  FILLER              PIC X(06) VALUE 'TOKEN '.
           05  WS-SHOWN            PIC 9(04).
           05  FILLER              PIC X VALUE SPACE.
           05  WS-SHOWN2           PIC 9(04).
           05  FILLER              PIC X VALUE SPACE.
           05  WS-USER             PIC X(08) VALUE SPACES.
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-TOKEN) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-LENGTH TO WS-TOKENLEN
           EXEC CICS VERIFY TOKEN(WS-TOKEN) TOKENLEN(WS-TOKENLEN)
                     TOKENTYPE(DFHVALUE(JWT)) ISUSERID(WS-USER)
                     RESP(WS-RESP) RESP2(WS-RESP2)
           END-EXEC
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-RESP2 TO WS-SHOWN2
           DISPLAY WS-LINE
           EXEC CICS RETURN END-EXEC.
";

fn house(port: u16) -> TempDir {
    let region = format!(
        "{FREE_PORT}[oidc]\nissuer = \"https://login.example\"\naudience = \"bank\"\nkeys = \"http://127.0.0.1:{port}/keys\"\ntimeout = 1\n"
    );
    application(&[
        ("region.toml", &region),
        (
            "checks.csd",
            "DEFINE PROGRAM(CHECKS) GROUP(G)\nDEFINE TRANSACTION(CHEK) GROUP(G) PROGRAM(CHECKS)\n",
        ),
        ("programs/CHECKS.cbl", CHECKS),
        ("users.toml", "[[user]]\nuserid = \"RITA\"\nrevoked = true\n"),
    ])
}

fn claims(user: &str, lives: i64) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    json!({"iss": "https://login.example", "aud": "bank", "exp": now as i64 + lives, "preferred_username": user})
}

#[test]
fn a_provider_of_identities_says_who_a_user_is() {
    let (signer, stranger) = (Signer::new("one"), Signer::new("one"));
    let (port, _) = server("200 OK", json!({"keys": [signer.jwk()]}).to_string());
    let (gone, _) = server("503 Gone", String::new());
    let header = json!({"alg": "ES256", "typ": "JWT", "kid": "one"});
    let (house, lonely) = (house(port), house(gone));
    let tell = |folder: &TempDir, region: &Region, token: &str, told: &str| {
        let start = product().args(["start", ".", "CHEK", token]).current_dir(folder.path()).output();
        let start = start.expect("syncpoint starts");
        assert!(start.status.success(), "{}", String::from_utf8_lossy(&start.stderr));
        region.logs(told);
    };
    let region = Region::start(house.path());
    let good = signer.token(&header, &claims("anna", 300));
    for (token, told) in [
        (good.clone(), "TOKEN 0000 0000 ANNA"),
        (stranger.token(&header, &claims("otto", 300)), "TOKEN 0070 0002"),
        (signer.token(&header, &claims("otto", -300)), "TOKEN 0070 0003"),
        (signer.token(&header, &claims("rita", 300)), "TOKEN 0070 0019"),
        (signer.token(&header, &claims("somebody else", 300)), "TOKEN 0069 0008"),
    ] {
        tell(&house, &region, &token, told);
    }
    drop(region);
    // The provider does not answer: no user is let in.
    let region = Region::start(lonely.path());
    tell(&lonely, &region, &good, "TOKEN 0016 0029");
}
