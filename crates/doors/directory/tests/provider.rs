//! Tokens of a provider of our own, on loopback.

mod issuer;

use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use directory::{Address, Keys, TokenError, TokenSettings, Tokens};
use issuer::{Signer, server};
use serde_json::{Value, json};

const NOW: u64 = 1_800_000_000;

fn tokens(port: u16, limit: Duration) -> Tokens {
    let address = Address::parse(&format!("http://127.0.0.1:{port}/keys")).expect("an address");
    let settings = TokenSettings {
        issuer: "https://login.example".to_owned(),
        audience: "bank".to_owned(),
        algorithms: ["ES256", "RS256", "HS256", "none"].map(str::to_owned).to_vec(),
        user_claim: "preferred_username".to_owned(),
        groups_claim: "groups".to_owned(),
    };
    Tokens::new(settings, Keys::new(address, None, limit))
}

fn header(id: &str) -> Value {
    json!({"alg": "ES256", "typ": "JWT", "kid": id})
}

fn claims() -> Value {
    json!({"iss": "https://login.example", "aud": "bank", "exp": NOW + 300, "nbf": NOW - 10,
        "preferred_username": "anna", "groups": ["tellers", "bosses"]})
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

const PATIENCE: Duration = Duration::from_secs(60);

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

#[tokio::test]
async fn a_token_is_taken_if_all_of_it_is_right() {
    let (signer, stranger) = (Signer::new("one"), Signer::new("one"));
    let (port, asked) = server("200 OK", json!({"keys": [signer.jwk()]}).to_string());
    let tokens = tokens(port, PATIENCE);
    let entry = tokens.verify(&signer.token(&header("one"), &claims()), now()).await.expect("taken");
    assert_eq!((entry.user.as_str(), entry.groups.join(" ").as_str()), ("ANNA", "TELLERS BOSSES"));
    type Is = fn(&TokenError) -> bool;
    let (bad, late, elsewhere, nobody): (Is, Is, Is, Is) = (
        |error| matches!(error, TokenError::Bad(_)),
        |error| matches!(error, TokenError::NotNow),
        |error| matches!(error, TokenError::Elsewhere),
        |error| matches!(error, TokenError::NoUser(_)),
    );
    let good = signer.token(&header("one"), &claims());
    let changed = {
        let mut parts: Vec<String> = good.split('.').map(str::to_owned).collect();
        parts[1] = URL_SAFE_NO_PAD.encode(with("preferred_username", json!("admin")).to_string());
        parts.join(".")
    };
    let unsigned = format!(
        "{}.{}.",
        URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#),
        good.split('.').nth(1).expect("claims")
    );
    let cases: Vec<(&str, String, Is)> = vec![
        ("expired", signer.token(&header("one"), &with("exp", json!(NOW - 31))), late),
        ("without an end", signer.token(&header("one"), &with("exp", Value::Null)), bad),
        ("not yet good", signer.token(&header("one"), &with("nbf", json!(NOW + 100))), late),
        ("another issuer", signer.token(&header("one"), &with("iss", json!("https://other"))), elsewhere),
        ("for somebody else", signer.token(&header("one"), &with("aud", json!("shop"))), elsewhere),
        ("no user", signer.token(&header("one"), &with("preferred_username", json!(""))), nobody),
        (
            "a user with blanks",
            signer.token(&header("one"), &with("preferred_username", json!("A B"))),
            nobody,
        ),
        (
            "a long user",
            signer.token(&header("one"), &with("preferred_username", json!("ABCDEFGHI"))),
            nobody,
        ),
        ("another's key", stranger.token(&header("one"), &claims()), bad),
        ("an unknown key", signer.token(&header("two"), &claims()), bad),
        ("changed", changed, bad),
        ("unsigned", unsigned, bad),
        ("a shared secret", signer.token(&json!({"alg": "HS256", "kid": "one"}), &claims()), bad),
        ("another algorithm", signer.token(&json!({"alg": "RS256", "kid": "one"}), &claims()), bad),
        ("nonsense", "abc".to_owned(), bad),
        ("too long", "x".repeat(100_000), bad),
    ];
    for (what, token, is) in cases {
        let error = tokens.verify(&token, now()).await.expect_err(what);
        assert!(is(&error), "{what}: {error}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "an unknown key does not make it be fetched at once again");
}

#[tokio::test]
async fn a_provider_that_answers_badly_is_not_believed() {
    let signer = Signer::new("one");
    let token = signer.token(&header("one"), &claims());
    let big = format!("{{\"keys\": [], \"x\": \"{}\"}}", "x".repeat(1 << 20));
    for (status, body) in [("500 Oops", String::new()), ("200 OK", "no keys".to_owned()), ("200 OK", big)] {
        let (port, _) = server(status, body);
        let error = tokens(port, PATIENCE).verify(&token, now()).await.expect_err("no keys");
        assert!(matches!(error, TokenError::Silent(_)), "{status}: {error}");
    }
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("its address").port();
    let error = tokens(port, Duration::from_millis(200)).verify(&token, now()).await.expect_err("silent");
    assert!(matches!(&error, TokenError::Silent(why) if why.contains("in time")), "{error}");
}
