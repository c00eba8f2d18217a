//! SIGNON, SIGNOFF; VERIFY and CHANGE of PASSWORD and PHRASE.
//!
//! RESP2 numbers are those of the published commands, for what can happen here.

use ebcdic::Characters;
use std::sync::Arc;

use ::security::rules::PHRASE_MAX;
use spec::{OptionId, cond, opt};

use super::sign_on::{MANAGER_SILENT, check};
use kernel::clock::Stamp;
use kernel::exec::{Call, Waiting};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::security::{Credentials, Secret, SignOnError, Standing, User, Users, Verified};
use kernel::task::Task;
use kernel::terminals::Terminal;

const PASSWORD_MISSING: i32 = 1;
const PASSWORD_WRONG: i32 = 2;
const NEW_PASSWORD_NEEDED: i32 = 3;
const NEW_PASSWORD_REFUSED: i32 = 4;
const NO_CARDS: i32 = 6;
const USER_UNKNOWN: i32 = 8;
const SIGNED_ON_ALREADY: i32 = 9;
const NO_TERMINAL: i32 = 10;
const USER_REVOKED: i32 = 19;
const NOT_OF_GROUP: i32 = 20;
const TWO_LANGUAGES: i32 = 24;
const NATLANG_UNKNOWN: i32 = 25;
const LANGUAGECODE_UNKNOWN: i32 = 26;
const USER_BLANK: i32 = 30;

/// LENGERR of PHRASELEN and of NEWPHRASELEN.
const PHRASE_LENGTH: i32 = 1;
const NEW_PHRASE_LENGTH: i32 = 2;

/// The one language of the region's messages.
const LANGUAGE: (&[u8], &[u8]) = (b"E", b"ENU");

/// SIGNON: the terminal gets the user. The task that asks goes on as whom it was attached for.
pub(super) fn sign_on<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal_of_nobody(task)?;
        language(call)?;
        no_further_reason(call)?;
        if call.has(opt::OIDCARD) {
            return Err(cond::NOTAUTH.raise(NO_CARDS));
        }
        let user = checked(task, call, true).await?;
        terminal.set_user(Arc::new(user));
        call.put(opt::LANGINUSE, LANGUAGE.1)?;
        call.put(opt::NATLANGINUSE, LANGUAGE.0)
    })
}

/// Returns the task's terminal, if no user is signed on there.
pub(super) fn terminal_of_nobody(task: &Task) -> Outcome<Arc<Terminal>> {
    let terminal = task.terminal().cloned().ok_or_else(|| cond::INVREQ.raise(NO_TERMINAL))?;
    if terminal.user().is_default { Ok(terminal) } else { Err(cond::INVREQ.raise(SIGNED_ON_ALREADY)) }
}

/// SIGNOFF: the terminal is the default user's again.
pub(super) fn sign_off(task: &mut Task) -> Outcome {
    const NOBODY_SIGNED_ON: i32 = 1;
    const NO_TERMINAL: i32 = 2;
    let terminal = task.terminal().cloned().ok_or_else(|| cond::INVREQ.raise(NO_TERMINAL))?;
    if terminal.user().is_default {
        return Err(cond::INVREQ.raise(NOBODY_SIGNED_ON));
    }
    sign_off_at(task, &terminal);
    Ok(())
}

/// The terminal is the default user's again.
pub fn sign_off_at(task: &Task, terminal: &Terminal) {
    let users = Users::of(&task.region);
    let user = terminal.user();
    if !user.is_default {
        users.file.signed_off(&user, &terminal.name.to_string());
    }
    terminal.set_user(Arc::clone(&users.default));
}

/// VERIFY PASSWORD, VERIFY PHRASE: nothing but the answer.
pub(super) fn verify<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        no_further_reason(call)?;
        checked(task, call, false).await.map(drop)
    })
}

/// CHANGE PASSWORD, CHANGE PHRASE: the new one counts from now on.
pub(super) fn change<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        no_further_reason(call)?;
        if new_secret(call)?.is_none() {
            return Err(cond::NOTAUTH.raise(NEW_PASSWORD_NEEDED));
        }
        checked(task, call, false).await.map(drop)
    })
}

/// ESMRESP and ESMREASON: there is no manager beyond the region that had more to say.
pub(super) fn no_further_reason(call: &Call<'_>) -> Outcome {
    call.put_number(opt::ESMRESP, 0)?;
    call.put_number(opt::ESMREASON, 0)
}

/// NATLANG and LANGUAGECODE: one of both, and a language that is there.
fn language(call: &Call<'_>) -> Outcome {
    let is_other = |option, language: &[u8]| -> Outcome<bool> {
        let word = call.bytes(option)?;
        Ok(word.is_some_and(|word| {
            let word = word.trim_ascii_end();
            !word.is_empty() && !word.eq_ignore_ascii_case(language)
        }))
    };
    if call.has(opt::NATLANG) && call.has(opt::LANGUAGECODE) {
        return Err(cond::INVREQ.raise(TWO_LANGUAGES));
    }
    if is_other(opt::NATLANG, LANGUAGE.0)? {
        return Err(cond::INVREQ.raise(NATLANG_UNKNOWN));
    }
    match is_other(opt::LANGUAGECODE, LANGUAGE.1)? {
        true => Err(cond::INVREQ.raise(LANGUAGECODE_UNKNOWN)),
        false => Ok(()),
    }
}

/// The user of USERID (else the task's), if PASSWORD or PHRASE is right. What is known of it is in the call's fields then.
async fn checked(task: &Task, call: &Call<'_>, signs_on: bool) -> Outcome<User> {
    let user: Name8 = call.name(opt::USERID)?.unwrap_or(task.user.id);
    if user.is_blank() {
        return Err(cond::USERIDERR.raise(USER_BLANK));
    }
    let terminal = task.terminal();
    let (secret, new) = (secret(call)?, new_secret(call)?);
    // A passphrase takes the place of a passphrase, a password that of a password.
    let is_phrase = |secret: &Secret| matches!(secret, Secret::Phrase(_));
    if new.as_ref().is_some_and(|new| is_phrase(&Secret::typed(new.clone())) != is_phrase(&secret)) {
        return Err(cond::NOTAUTH.raise(NEW_PASSWORD_REFUSED));
    }
    let credentials = Credentials {
        user,
        secret,
        new,
        signs_on,
        address: terminal.and_then(|terminal| terminal.address()),
        terminal: terminal.map_or_else(String::new, |terminal| terminal.name.to_string()),
    };
    let verified = check(task, credentials).await?.map_err(refused)?;
    let Verified { user, standing } = verified;
    if let Some(group) = call.name::<8>(opt::GROUPID)?.filter(|group| !group.is_blank())
        && !user.groups.contains(&group.to_string())
    {
        return Err(cond::NOTAUTH.raise(NOT_OF_GROUP));
    }
    put_standing(call, standing)?;
    Ok(user)
}

/// Maps a sign-on that fails to the condition that a program sees.
pub(super) fn refused(error: SignOnError) -> Raise {
    match error {
        SignOnError::UnknownUser => cond::USERIDERR.raise(USER_UNKNOWN),
        SignOnError::WrongPassword => cond::NOTAUTH.raise(PASSWORD_WRONG),
        SignOnError::Revoked => cond::NOTAUTH.raise(USER_REVOKED),
        SignOnError::Expired => cond::NOTAUTH.raise(NEW_PASSWORD_NEEDED),
        SignOnError::NewRefused(_) => cond::NOTAUTH.raise(NEW_PASSWORD_REFUSED),
        SignOnError::Silent => cond::INVREQ.raise(MANAGER_SILENT),
    }
}

/// PASSWORD or PHRASE; a phrase of up to eight characters is a password, as published.
fn secret(call: &Call<'_>) -> Outcome<Secret> {
    let phrase = text(call, opt::PHRASE, opt::PHRASELEN, PHRASE_LENGTH)?;
    if let Some(phrase) = phrase {
        return Ok(Secret::typed(phrase));
    }
    let password = call.bytes(opt::PASSWORD)?.ok_or_else(|| cond::NOTAUTH.raise(PASSWORD_MISSING))?;
    Ok(Secret::Password(characters(&password)))
}

/// NEWPASSWORD or NEWPHRASE; blanks are none.
fn new_secret(call: &Call<'_>) -> Outcome<Option<String>> {
    let phrase = text(call, opt::NEWPHRASE, opt::NEWPHRASELEN, NEW_PHRASE_LENGTH)?;
    let new = match phrase {
        Some(phrase) => Some(phrase),
        None => call.bytes(opt::NEWPASSWORD)?.map(|bytes| characters(&bytes)),
    };
    Ok(new.filter(|new| !new.is_empty()))
}

/// A phrase of the length that the program gives: 1 to 100 characters.
fn text(call: &Call<'_>, area: OptionId, length: OptionId, resp2: i32) -> Outcome<Option<String>> {
    if !call.has(area) {
        return Ok(None);
    }
    let length = call.number(length)?.unwrap_or(call.size(area) as i64);
    let length = usize::try_from(length).ok().filter(|length| (1..=PHRASE_MAX).contains(length));
    let length = length.ok_or_else(|| cond::LENGERR.raise(resp2))?;
    Ok(call.bytes_of(area, length)?.map(|bytes| characters(&bytes)))
}

fn characters(bytes: &[u8]) -> String {
    Characters::default().text(bytes.trim_ascii_end())
}

/// CHANGETIME, EXPIRYTIME, LASTUSETIME, DAYSLEFT, INVALIDCOUNT. What never comes is -1, what is not known 0.
fn put_standing(call: &Call<'_>, standing: Standing) -> Outcome {
    let Standing { changed, expires, days_left, last_used, wrong } = standing;
    let abstime = |seconds: i64| Stamp::of_unix(seconds).abstime();
    call.put_number(opt::CHANGETIME, changed.map_or(0, abstime))?;
    call.put_number(opt::EXPIRYTIME, expires.map_or(-1, abstime))?;
    call.put_number(opt::LASTUSETIME, last_used.map_or(0, abstime))?;
    call.put_number(opt::DAYSLEFT, days_left.map_or(-1, i64::from))?;
    call.put_number(opt::INVALIDCOUNT, wrong.into())
}
