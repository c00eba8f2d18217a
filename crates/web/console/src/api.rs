//! Requests of the pages: JSON in, JSON out.
//!
//! | request | what it does |
//! |---|---|
//! | `GET /api/about`, `POST /api/sign-on`, `POST /api/sign-off` | the region and the user; a session begins and ends |
//! | `GET /api/now`, `/api/log?after=N` | what the pages ask for by themselves: it does not count as use of the session |
//! | `GET /api/types`, `/api/resources?of=TYPE&name=A*&from=0&count=100` | resources |
//! | `GET /api/groups`, `/api/group?name=G`, `/api/dumps`, `/api/dump?name=D`, `/api/trace?task=N` | definitions, dumps, trace |
//! | `GET /api/attributes?type=FILE` | the attributes of a type, with their legal values |
//! | `POST /api/set`, `/api/discard` | changes of resources |
//! | `POST /api/definition` | a command for definitions, in its parts |

use std::sync::Arc;

use http::RequestHead;
use http::form::{self, Field};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::desk::{Client, Desk};
use crate::host::{Change, Claim, Edit, Host, Look, NotSignedOn, Refused};
use crate::limits::CREDENTIAL_MAX;
use crate::recent;
use crate::sessions::{NoSession, Session};

/// The media type of bodies.
const JSON: &[u8] = b"application/json";
/// Resources that one answer has at most.
const COUNT_MAX: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignOn {
    #[serde(default)]
    user: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    new_password: Option<String>,
    /// By the certificate that the browser has shown, without user and password.
    #[serde(default)]
    certificate: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    of: String,
    #[serde(default)]
    name: String,
    values: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Discard {
    of: String,
    name: String,
}

/// Answers a request below `/api/`.
pub(crate) async fn answer<H: Host>(
    desk: &Desk<H>,
    head: &RequestHead,
    body: &[u8],
    client: &Client,
) -> Answer {
    match (head.method(), head.path()) {
        ("GET" | "HEAD", "/api/about") => about(desk, head, client),
        ("GET" | "HEAD", path) => match signed_on(desk, head, client) {
            Some(session) => read(desk, head, path, &session).await,
            None => no_session(desk),
        },
        ("POST", "/api/sign-on") => sign_on(desk, head, body, client).await,
        ("POST", "/api/sign-off") => sign_off(desk, head, client),
        ("POST", path) => match signed_on(desk, head, client) {
            Some(session) => change(desk, path, body, &session).await,
            None => no_session(desk),
        },
        _ => Answer::error(405, "GET, HEAD and POST are answered here.")
            .with("Allow", "GET, HEAD, POST".into()),
    }
}

/// The session of a request, with a user who still may have one.
pub(crate) fn signed_on<H: Host>(
    desk: &Desk<H>,
    head: &RequestHead,
    client: &Client,
) -> Option<Arc<Session<H::User>>> {
    let session = desk.sessions.of(head)?;
    if !session.is_of(client.certificate.as_deref()) {
        return None;
    }
    if !desk.may_have(&session) {
        desk.sessions.end((head, client.certificate.as_deref()));
        return None;
    }
    Some(session)
}

fn no_session<H: Host>(desk: &Desk<H>) -> Answer {
    Answer::error(401, "Sign on first.").with("Set-Cookie", desk.sessions.no_cookie())
}

/// The region, who is signed on, and who may sign on by the certificate that the browser has shown.
fn about<H: Host>(desk: &Desk<H>, head: &RequestHead, client: &Client) -> Answer {
    let session = signed_on(desk, head, client);
    let user = session.and_then(|session| desk.host.again(&session.user));
    let owner = client.certificate.as_deref().and_then(|certificate| desk.host.owner(certificate));
    let person = |user: Option<H::User>| user.map(|user| desk.host.person(&user));
    Answer::json(
        200,
        &json!({ "region": desk.host.about(), "person": person(user), "certified": person(owner) }),
    )
}

/// The body of a request.
fn body_of<T: DeserializeOwned>(body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|_| Answer::error(400, "The body is not what this request has."))
}

/// Returns true if a request says that its body is JSON: a form of another page cannot.
pub(crate) fn is_json(head: &RequestHead) -> bool {
    let media = head.fields().get("Content-Type").unwrap_or_default();
    let media = media.split(|byte| *byte == b';').next().unwrap_or_default();
    media.trim_ascii().eq_ignore_ascii_case(JSON)
}

async fn sign_on<H: Host>(desk: &Desk<H>, head: &RequestHead, body: &[u8], client: &Client) -> Answer {
    let SignOn { user, password, new_password, certificate } = match body_of(body) {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let texts = [Some(&user), Some(&password), new_password.as_ref()];
    if texts.into_iter().flatten().any(|text| text.chars().count() > CREDENTIAL_MAX) {
        return Answer::error(400, "User and password have at most 200 characters.");
    }
    let shown = client.certificate.as_deref().filter(|_| certificate);
    let signed_on = match (certificate, user.is_empty()) {
        (true, true) => shown.and_then(|shown| desk.host.certified(shown)).ok_or(NotSignedOn::NoCertificate),
        (true, false) => {
            return Answer::error(400, "A certificate says who its user is: name none beside it.");
        }
        (false, true) => desk.host.nobody().ok_or(NotSignedOn::Silent),
        (false, false) => desk.host.sign_on(Claim { user, password, new_password, peer: client.peer }).await,
    };
    let user = match signed_on {
        Ok(user) => user,
        Err(why) => return not_signed_on(why),
    };
    let person = desk.host.person(&user);
    let begun = desk.sessions.begin(
        (head, client.certificate.as_deref()),
        user,
        (&person.user, !person.default),
        shown,
    );
    match begun {
        Ok((cookie, ended)) => {
            ended.iter().for_each(|session| desk.host.signed_off(&session.user));
            Answer::json(200, &json!({ "person": person })).with("Set-Cookie", cookie)
        }
        Err(NoSession::TooMany) => Answer::error(
            503,
            "There are too many sessions (SESSIONS_MAX, SESSIONS_PER_USER_MAX): try again later.",
        ),
        Err(NoSession::NoToken) => Answer::error(503, "The system gives no random numbers: try again later."),
    }
}

fn not_signed_on(why: NotSignedOn) -> Answer {
    let (word, text) = match why {
        NotSignedOn::Wrong => ("wrong", String::from("User and password do not fit.")),
        NotSignedOn::Revoked => {
            ("revoked", String::from("The user is revoked. Ask the one who keeps the users."))
        }
        NotSignedOn::Expired => ("expired", String::from("The password has expired. Type it and a new one.")),
        NotSignedOn::NewRefused(why) => ("new", format!("The new password is not taken: {why}.")),
        NotSignedOn::NoCertificate => {
            ("certificate", String::from("The browser has shown no certificate of a user of this region."))
        }
        NotSignedOn::Silent => {
            ("silent", String::from("The users file or the directory does not answer. Try again."))
        }
    };
    Answer::json(403, &json!({ "error": text, "why": word }))
}

fn sign_off<H: Host>(desk: &Desk<H>, head: &RequestHead, client: &Client) -> Answer {
    if let Some(session) = desk.sessions.end((head, client.certificate.as_deref())) {
        desk.host.signed_off(&session.user);
    }
    Answer::json(200, &json!({})).with("Set-Cookie", desk.sessions.no_cookie())
}

/// The parameters of a query string, unescaped.
struct Parameters(Vec<Field>);

impl Parameters {
    fn of(head: &RequestHead) -> Option<Self> {
        form::query_fields(head.query().unwrap_or_default()).ok().map(Self)
    }

    fn text(&self, name: &str) -> String {
        let found = self.0.iter().find(|field| field.name == name.as_bytes());
        found.map_or_else(String::new, |field| String::from_utf8_lossy(&field.value).into_owned())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok()
    }
}

async fn read<H: Host>(desk: &Desk<H>, head: &RequestHead, path: &str, session: &Session<H::User>) -> Answer {
    let Some(parameters) = Parameters::of(head) else {
        return Answer::error(400, "The query is no text.");
    };
    let size = |name: &str| parameters.number(name).and_then(|number| usize::try_from(number).ok());
    let look = match path {
        "/api/now" => Look::Now,
        "/api/log" => return log(desk, session, parameters.number("after").unwrap_or(0)),
        "/api/types" => Look::Types,
        "/api/resources" => Look::Resources {
            of: parameters.text("of"),
            name: parameters.text("name"),
            from: size("from").unwrap_or(0),
            count: size("count").unwrap_or(COUNT_MAX).min(COUNT_MAX),
        },
        "/api/groups" => Look::Groups,
        "/api/group" => Look::Group(parameters.text("name")),
        "/api/attributes" => Look::Attributes(parameters.text("type")),
        "/api/dumps" => Look::Dumps,
        "/api/dump" => Look::Dump(parameters.text("name")),
        "/api/trace" => Look::Trace(parameters.number("task")),
        _ => return Answer::error(404, "There is no such request."),
    };
    if look != Look::Now {
        session.is_used();
    }
    answered(desk.look(&session.user, look).await)
}

fn log<H: Host>(desk: &Desk<H>, session: &Session<H::User>, after: u64) -> Answer {
    let user = desk.host.again(&session.user);
    match user.is_some_and(|user| desk.host.person(&user).diagnoses) {
        true => Answer::json(200, &recent::after(after)),
        false => answered(Err(Refused::NotPermitted)),
    }
}

async fn change<H: Host>(desk: &Desk<H>, path: &str, body: &[u8], session: &Session<H::User>) -> Answer {
    let change = match path {
        "/api/set" => body_of(body).map(|Set { of, name, values }| Change::Set { of, name, values }),
        "/api/discard" => body_of(body).map(|Discard { of, name }| Change::Discard { of, name }),
        "/api/definition" => body_of::<Edit>(body).map(Change::Edit),
        _ => Err(Answer::error(404, "There is no such request.")),
    };
    session.is_used();
    match change {
        Ok(change) => answered(desk.change(&session.user, change).await),
        Err(answer) => answer,
    }
}

fn answered(answered: Result<Value, Refused>) -> Answer {
    let why = match answered {
        Ok(value) => return Answer::json(200, &value),
        Err(why) => why,
    };
    match why {
        Refused::NotPermitted => Answer::error(403, "You may not do this."),
        Refused::NotFound => Answer::error(404, "It is not there any more."),
        Refused::Bad(why) => Answer::error(400, &why),
        Refused::Condition(why) => Answer::error(409, &why),
        Refused::Mistakes(why, parts) => Answer::json(400, &json!({ "error": why, "parts": parts })),
        Refused::Changed(now) => Answer::json(
            409,
            &json!({ "error": "Another has changed it since it was shown here.", "why": "changed", "now": now }),
        ),
        Refused::TooSlow => Answer::error(504, "It was not done in time: something holds it."),
        Refused::Ended => Answer::error(503, "The region has ended."),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use ebcdic::CodePage;
    use http::url::Scheme;
    use tokio::io::DuplexStream;

    use super::*;
    use crate::guard::Names;
    use crate::host::{About, Answered, Person, Served, Terminals};
    use crate::sessions::Sessions;

    /// The body of a sign-on by certificate.
    const CERTIFIED: &str = "{\"certificate\":true}";

    /// A region in which each certificate is the user's whose name it is.
    #[derive(Default)]
    struct Certified {
        /// The number of times that it was asked for rights.
        rights: AtomicUsize,
    }

    impl Host for Certified {
        type User = String;

        fn about(&self) -> About {
            About { applid: "TEST".into(), sysid: "TEST".into(), version: "0".into(), unpeopled: false }
        }

        async fn sign_on(&self, claim: Claim) -> Result<String, NotSignedOn> {
            Ok(claim.user)
        }

        fn certified(&self, fingerprint: &str) -> Option<String> {
            Some(fingerprint.to_owned())
        }

        fn owner(&self, fingerprint: &str) -> Option<String> {
            Some(fingerprint.to_owned())
        }

        fn nobody(&self) -> Option<String> {
            Some(String::from("CICSUSER"))
        }

        fn again(&self, user: &String) -> Option<String> {
            Some(user.clone())
        }

        fn signed_off(&self, _: &String) {}

        fn id(&self, user: &String) -> String {
            user.clone()
        }

        fn person(&self, user: &String) -> Person {
            self.rights.fetch_add(1, Ordering::SeqCst);
            let (user, name) = (user.clone(), String::new());
            Person { user, name, inquires: false, operates: false, diagnoses: false, default: false }
        }

        fn refused(&self, _: Option<&String>, _: SocketAddr, _: &str) {}

        async fn look(&self, _: String, _: Look) -> Answered {
            Ok(json!({}))
        }

        async fn change(&self, _: String, _: Change) -> Answered {
            Ok(json!({}))
        }
    }

    /// No terminal.
    struct NoTerminals;

    impl Terminals<String> for NoTerminals {
        fn serve(&self, _: &String, _: SocketAddr, _: DuplexStream) -> Served {
            Box::pin(async { String::new() })
        }

        fn code_page(&self) -> CodePage {
            CodePage::Ibm037
        }
    }

    /// A console, and the cookie of ANNA, who has signed on by a certificate.
    struct Console {
        desk: Desk<Certified>,
        cookie: String,
    }

    impl Console {
        async fn new() -> Self {
            let sessions = Sessions::new(Duration::from_secs(60), true, 9_480);
            let desk = Desk::new(Arc::default(), Rc::new(NoTerminals), sessions, (Names::default(), true));
            let mut console = Self { desk, cookie: String::new() };
            let begun = console.asks("POST", "/api/sign-on", Some("ANNA"), CERTIFIED).await;
            let (_, cookie) = begun.fields.iter().find(|(name, _)| *name == "Set-Cookie").expect("a session");
            console.cookie = cookie.split(';').next().expect("its name").to_owned();
            console
        }

        async fn asks(&self, method: &str, path: &str, certificate: Option<&str>, body: &str) -> Answer {
            let fields = [("Cookie", self.cookie.as_str())];
            let head =
                RequestHead::make(method, Scheme::Https, "localhost", path, fields).expect("a request");
            let peer = SocketAddr::from(([127, 0, 0, 1], 1));
            let client = Client { peer, certificate: certificate.map(str::to_owned) };
            answer(&self.desk, &head, body.as_bytes(), &client).await
        }

        /// The status of a question that needs a session.
        async fn types(&self, certificate: Option<&str>) -> u16 {
            self.asks("GET", "/api/types", certificate, "").await.status
        }
    }

    #[tokio::test]
    async fn a_question_of_a_certificates_session_asks_for_no_right_of_its_own() {
        let console = Console::new().await;
        let before = console.desk.host.rights.load(Ordering::SeqCst);
        for _ in 0..3 {
            assert_eq!(console.types(Some("ANNA")).await, 200);
        }
        assert_eq!(
            console.desk.host.rights.load(Ordering::SeqCst),
            before,
            "each would be a refusal in the audit"
        );
    }

    #[tokio::test]
    async fn a_cookie_alone_does_not_end_a_certificates_session() {
        let console = Console::new().await;
        for other in [None, Some("BERT")] {
            assert_eq!(console.asks("POST", "/api/sign-off", other, "{}").await.status, 200);
            assert_eq!(console.types(Some("ANNA")).await, 200, "{other:?} has not ended it by a sign-off");
            assert_eq!(console.asks("POST", "/api/sign-on", other, "{}").await.status, 200);
            assert_eq!(console.types(Some("ANNA")).await, 200, "{other:?} has not ended it by a sign-on");
        }
        assert_eq!(console.asks("POST", "/api/sign-off", Some("ANNA"), "{}").await.status, 200);
        assert_eq!(console.types(Some("ANNA")).await, 401);
        let console = Console::new().await;
        assert_eq!(console.asks("POST", "/api/sign-on", Some("ANNA"), "{}").await.status, 200);
        assert_eq!(console.types(Some("ANNA")).await, 401, "a sign-on of its own client ends it");
    }
}
