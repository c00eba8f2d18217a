//! VERIFY TOKEN, SIGNON TOKEN, REQUEST PASSTICKET.
//!
//! Tokens are those of a provider of identities (JWT), and a user id with a password (BASICAUTH); there is no Kerberos here.
//! RESP2 numbers follow those of SIGNON and VERIFY PASSWORD.

use ebcdic::Characters;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use spec::{cond, opt};

use super::passwords::{no_further_reason, refused, terminal_of_nobody};
use super::sign_on::{MANAGER_SILENT, check};
use kernel::exec::{Call, Waiting};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::security::{Credentials, Secret, User, Users};
use kernel::task::{Task, WaitKind};

/// Bytes of a token.
const TOKEN_MAX: i64 = 32_767;

/// RESP2 of INVREQ: no such type of token or of data, or none that is taken here.
const NO_SUCH_TYPE: i32 = 1;
/// RESP2 of LENGERR.
const TOKEN_LENGTH: i32 = 1;
/// RESP2 of NOTAUTH: the token is none.
const TOKEN_WRONG: i32 = 2;

/// The type of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenType {
    BasicAuth,
    Jwt,
}

/// VERIFY TOKEN: nothing but the answer, and in ISUSERID whom it names.
pub(super) fn verify<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        no_further_reason(call)?;
        let user = user(task, call, false).await?;
        call.put(opt::ISUSERID, user.id.as_bytes())
    })
}

/// SIGNON TOKEN: the terminal gets the user whom the token names.
pub(super) fn sign_on<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal_of_nobody(task)?;
        no_further_reason(call)?;
        let user = user(task, call, true).await?;
        terminal.set_user(Arc::new(user));
        Ok(())
    })
}

/// REQUEST PASSTICKET: a password for the task's user, good for one sign-on at ESMAPPNAME within some minutes.
pub(super) fn pass_ticket(task: &mut Task, call: &Call<'_>) -> Outcome {
    const NOT_BUILT: i32 = 250;
    const NOBODY_SIGNED_ON: i32 = 253;
    const NO_APPLICATION: i32 = 255;
    no_further_reason(call)?;
    if task.user.is_default {
        return Err(cond::INVREQ.raise(NOBODY_SIGNED_ON));
    }
    let application: Name8 = call.name(opt::ESMAPPNAME)?.unwrap_or(task.region.options.applid);
    if application.is_blank() {
        return Err(cond::INVREQ.raise(NO_APPLICATION));
    }
    let ticket = Users::of(&task.region).file.pass_ticket(task.user.id, &application.to_string());
    call.put(opt::PASSTICKET, ticket.ok_or_else(|| cond::INVREQ.raise(NOT_BUILT))?.as_bytes())
}

/// The user whom TOKEN names.
async fn user(task: &Task, call: &Call<'_>, signs_on: bool) -> Outcome<User> {
    let (kind, token) = (kind(call)?, token(call)?);
    let terminal = task.terminal().map_or_else(String::new, |terminal| terminal.name.to_string());
    match kind {
        TokenType::BasicAuth => {
            let credentials = Credentials {
                address: task.terminal().and_then(|terminal| terminal.address()),
                terminal,
                signs_on,
                ..basic(&token).ok_or_else(|| cond::NOTAUTH.raise(TOKEN_WRONG))?
            };
            check(task, credentials).await?.map(|verified| verified.user).map_err(refused)
        }
        TokenType::Jwt => {
            let token = String::from_utf8(token).map_err(|_| cond::NOTAUTH.raise(TOKEN_WRONG))?;
            let users = Arc::clone(&Users::of(&task.region).file);
            let checking = tokio::task::spawn_blocking(move || {
                users.token(token.trim(), signs_on.then_some(terminal.as_str()))
            });
            let checked = task.wait(WaitKind::TCB, checking).await?;
            checked.map_err(|_| cond::INVREQ.raise(MANAGER_SILENT))?.map_err(refused)
        }
    }
}

/// TOKENTYPE, by its number or by a keyword.
fn kind(call: &Call<'_>) -> Outcome<TokenType> {
    let of_number =
        call.number(opt::TOKENTYPE)?.and_then(|value| spec::cvda_name(i32::try_from(value).ok()?));
    if call.keyword(opt::JWT) || of_number == Some("JWT") {
        Ok(TokenType::Jwt)
    } else if call.keyword(opt::BASICAUTH) || of_number == Some("BASICAUTH") {
        Ok(TokenType::BasicAuth)
    } else {
        Err(cond::INVREQ.raise(NO_SUCH_TYPE))
    }
}

/// TOKEN, of the length that TOKENLEN gives where there is one.
fn token(call: &Call<'_>) -> Outcome<Vec<u8>> {
    let length = call.number(opt::TOKENLEN)?.unwrap_or(call.size(opt::TOKEN) as i64);
    let length = Some(length).filter(|length| (1..=TOKEN_MAX).contains(length));
    let length = length.and_then(|length| usize::try_from(length).ok());
    let length = length.ok_or_else(|| cond::LENGERR.raise(TOKEN_LENGTH))?;
    Ok(call.bytes_of(opt::TOKEN, length)?.unwrap_or_default().trim_ascii().to_vec())
}

/// A user id and a password, with a colon between them, in base 64.
fn basic(token: &[u8]) -> Option<Credentials> {
    let decoded = STANDARD.decode(token).ok()?;
    let at = decoded.iter().position(|byte| *byte == b':').filter(|at| (1..=8).contains(at))?;
    let password = Characters::default().text(&decoded[at + 1..]);
    Some(Credentials {
        user: Name8::new(&decoded[..at]).upper(),
        secret: Secret::typed(password),
        new: None,
        signs_on: false,
        address: None,
        terminal: String::new(),
    })
}
