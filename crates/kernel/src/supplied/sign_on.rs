//! CESN and CESL sign a user on at the terminal, CESF signs the user off.
//!
//! Numbers and the sense of the messages are those that clients wait for.

use std::sync::Arc;

use tn3270::datastream::Aid;

use super::desk::{Desk, Reply};
use super::panel::{Panel, Place};
use crate::commands::security::{check, sign_off_at};
use crate::dispatcher::{Context, NativeWaiting};
use crate::exec::Flow;
use crate::name::Name8;
use crate::raise::Outcome;
use crate::security::SignOnError;

const SIGNED_ON: &str = "DFHCE3549 Sign-on is complete (Language ENU).";
const SIGNED_OFF: &str = "DFHCE3590 Sign-off is complete.";
const ENDED: &str = "DFHCE3543 You have ended your sign-on request. Nobody new is signed on.";
const NO_USER: &str = "DFHCE3520 Please type your userid.";
const NO_PASSWORD: &str = "DFHCE3523 Please type your password.";
const NOT_ACCEPTED: &str = "DFHCE3530 Invalid credentials entered. Please type them again.";
const REVOKED: &str = "DFHCE3546 Your userid has been revoked. Ask whoever keeps the users file.";

const USERID: Place = (12, 28);
const USERID_LENGTH: usize = 8;
const PASSWORD: Place = (13, 28);
/// Columns for a password; longer ones are for programs.
const PASSWORD_LENGTH: usize = 50;
const MESSAGE: Place = (22, 2);

/// Who somebody says to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Credentials {
    userid: String,
    password: String,
}

/// CESN, CESL.
pub(super) fn sign_on<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let mut credentials = operands(&desk.opening());
        let mut message = "";
        loop {
            if credentials != Credentials::default() {
                match try_out(&desk, &credentials).await? {
                    None => {
                        desk.say(SIGNED_ON).await?;
                        return Ok(Flow::Return);
                    }
                    Some(why_not) => message = why_not,
                }
            }
            desk.show(&screen(&desk.task.region.options.applid.to_string(), &credentials.userid, message))
                .await?;
            let reply = desk.read().await?;
            if matches!(reply.aid, Aid::Pf(3 | 15) | Aid::Clear) {
                desk.say(ENDED).await?;
                return Ok(Flow::Return);
            }
            credentials = typed(&reply, &credentials.userid);
            message = NO_USER;
        }
    })
}

/// The user is signed on, or what must be said.
async fn try_out(desk: &Desk<'_>, who: &Credentials) -> Outcome<Option<&'static str>> {
    if who.userid.is_empty() {
        return Ok(Some(NO_USER));
    }
    if who.password.is_empty() {
        return Ok(Some(NO_PASSWORD));
    }
    let userid = Name8::from(who.userid.to_ascii_uppercase().as_str());
    Ok(match check(desk.task, userid, who.password.clone()).await? {
        Ok(user) => {
            tracing::info!(target: "SN", "{} has signed on at terminal {}", user.id, desk.terminal.name);
            desk.terminal.set_user(Arc::new(user));
            None
        }
        // Who is no user and who has another password get the same answer: it helps nobody to guess.
        Err(SignOnError::UnknownUser | SignOnError::WrongPassword) => Some(NOT_ACCEPTED),
        Err(SignOnError::Revoked) => Some(REVOKED),
    })
}

fn screen(applid: &str, userid: &str, message: &str) -> Panel {
    let mut panel = Panel::default();
    panel
        .bright((1, 33), "Signon to CICS")
        .text((1, 63), &format!("APPLID {applid}"))
        .text((10, 10), "Type who you are, then press ENTER:")
        .text((12, 10), "Userid . . . .")
        .entry(USERID, USERID_LENGTH, userid)
        .text((13, 10), "Password . . .")
        .secret(PASSWORD, PASSWORD_LENGTH)
        .bright(MESSAGE, message)
        .text((24, 2), "F3=Exit")
        .cursor(if userid.is_empty() { USERID } else { PASSWORD });
    panel
}

fn typed(reply: &Reply, userid: &str) -> Credentials {
    Credentials {
        userid: reply.at(USERID).unwrap_or(userid).to_owned(),
        password: reply.at(PASSWORD).unwrap_or_default().to_owned(),
    }
}

/// USERID=, PS= behind the transaction's name, apart by commas or blanks.
fn operands(text: &str) -> Credentials {
    let mut credentials = Credentials::default();
    for operand in text.split([' ', ',']).skip(1) {
        match operand.split_once('=') {
            Some((key, value)) if key.eq_ignore_ascii_case("USERID") => credentials.userid = value.to_owned(),
            Some((key, value)) if key.eq_ignore_ascii_case("PS") => credentials.password = value.to_owned(),
            _ => {}
        }
    }
    credentials
}

/// CESF; with LOGOFF or GOODNIGHT the session ends too.
pub(super) fn sign_off<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let text = desk.opening();
        let user = desk.terminal.user();
        if !user.is_default {
            tracing::info!(target: "SN", "{} has signed off at terminal {}", user.id, desk.terminal.name);
        }
        sign_off_at(desk.task, &desk.terminal);
        desk.say(SIGNED_OFF).await?;
        if ends_session(&text) {
            desk.terminal.log_off();
        }
        Ok(Flow::Return)
    })
}

fn ends_session(text: &str) -> bool {
    let words = ["LOGOFF", "GOODNIGHT"];
    text.split([' ', ',']).skip(1).any(|word| words.iter().any(|w| w.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::panel::tests::check;
    use super::*;

    #[test]
    fn the_screen_asks_for_both_and_hides_the_password() {
        check(
            &screen("BANK", "ANNA", NOT_ACCEPTED),
            expect![[r#"
                |                                Signon to CICS                APPLID BANK
                |
                |
                |
                |
                |
                |
                |
                |
                |         Type who you are, then press ENTER:
                |
                |         Userid . . . .    ANNA
                |         Password . . .
                |
                |
                |
                |
                |
                |
                |
                |
                | DFHCE3530 Invalid credentials entered. Please type them again.
                |
                | F3=Exit
            "#]],
        );
    }

    #[test]
    fn operands_of_the_input_line() {
        let of = |text| {
            let Credentials { userid, password } = operands(text);
            format!("{userid} {password}")
        };
        assert_eq!(of("CESN USERID=ANNA,PS=Secret"), "ANNA Secret");
        assert_eq!(of("cesn userid=anna ps=x=y"), "anna x=y");
        assert_eq!(of("CESN"), " ");
        assert!(ends_session("CESF LOGOFF") && ends_session("cesf goodnight") && !ends_session("CESF"));
    }
}
