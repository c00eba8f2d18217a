//! CESN and CESL sign a user on at the terminal, CESF signs the user off.
//!
//! Numbers and the sense of the messages are those that clients wait for. CESL is CESN with room for a passphrase; both
//! take an input longer than a password as a passphrase.

use std::sync::Arc;

use tn3270::datastream::Aid;

use super::desk::{Desk, Reply};
use super::panel::{Panel, PanelPlace};
use domains::commands::security::{check, sign_off_at};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::notices::Notices;
use kernel::raise::Outcome;
use kernel::security::{Credentials, Secret, SignOnError};

const SIGNED_ON: &str = "DFHCE3549 Sign-on is complete (Language ENU).";
const SIGNED_OFF: &str = "DFHCE3590 Sign-off is complete.";
const ENDED: &str = "DFHCE3543 You have ended your sign-on request. No new user is signed on.";
const NO_USER: &str = "DFHCE3520 Please type your userid.";
const NO_PASSWORD: &str = "DFHCE3523 Please type your password.";
const NOT_ACCEPTED: &str = "DFHCE3530 Invalid credentials entered. Please type them again.";
const REVOKED: &str = "DFHCE3546 Your userid has been revoked. Ask whoever keeps the users file.";
const EXPIRED: &str = "DFHCE3525 Your password has expired. Please type it and a new one.";
const AGAIN: &str = "DFHCE3528 Please type the new password once more.";
const NOT_THE_SAME: &str = "DFHCE3529 The new passwords are not the same. Please type all again.";
const NO_ANSWER: &str = "DFHCE3535 The password cannot be checked or changed now. Try again later.";

const USERID: PanelPlace = (12, 28);
const USERID_LENGTH: usize = 8;
const PASSWORD: PanelPlace = (13, 28);
const NEW_PASSWORD: PanelPlace = (16, 28);
/// Columns for a password or passphrase; longer ones are for programs.
const PASSWORD_LENGTH: usize = 50;
const MESSAGE: PanelPlace = (22, 2);

/// The credentials that a user has typed.
#[derive(Clone, Default, PartialEq, Eq)]
struct Typed {
    userid: String,
    password: String,
    /// The new password that replaces it; empty: no change.
    new: String,
}

/// CESN, CESL.
pub(super) fn sign_on<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let mut credentials = operands(&desk.opening());
        let mut message = String::new();
        loop {
            if credentials != Typed::default() {
                match try_out(&mut desk, &credentials).await? {
                    Tried::SignedOn => {
                        tells(&desk, SIGNED_ON, &credentials.userid);
                        desk.say(SIGNED_ON).await?;
                        return Ok(Flow::Return);
                    }
                    Tried::GivenUp => {
                        desk.say(ENDED).await?;
                        return Ok(Flow::Return);
                    }
                    Tried::Not(why_not) => {
                        tells(&desk, &why_not, &credentials.userid);
                        message = why_not;
                    }
                }
            }
            desk.show(&screen(&applid(&desk), &credentials.userid, &message)).await?;
            let reply = desk.read().await?;
            if is_exit(reply.aid) {
                desk.say(ENDED).await?;
                return Ok(Flow::Return);
            }
            credentials = typed(&reply, &credentials.userid);
            message = String::from(NO_USER);
        }
    })
}

/// Those who listen hear of a message about a user.
fn tells(desk: &Desk<'_>, message: &str, user: &str) {
    let id = message.split(' ').next().unwrap_or_default();
    let user = user.to_ascii_uppercase();
    Notices::message(&desk.task.region, Some(&desk.task.control), id, &[&user, &desk.terminal.name]);
}

fn applid(desk: &Desk<'_>) -> String {
    desk.task.region.options.applid.to_string()
}

fn is_exit(aid: Aid) -> bool {
    matches!(aid, Aid::Pf(3 | 15) | Aid::Clear)
}

/// The result of trying credentials.
enum Tried {
    SignedOn,
    /// The user has left.
    GivenUp,
    /// The message for the user.
    Not(String),
}

/// Has the user type a new password twice, since it is not shown; an error if the second differs or the user leaves.
async fn is_meant(desk: &mut Desk<'_>, who: &Typed) -> Outcome<Result<(), Tried>> {
    desk.show(&screen(&applid(desk), &who.userid, AGAIN)).await?;
    let reply = desk.read().await?;
    Ok(match reply.at(NEW_PASSWORD) {
        _ if is_exit(reply.aid) => Err(Tried::GivenUp),
        Some(new) if new == who.new => Ok(()),
        _ => Err(Tried::Not(String::from(NOT_THE_SAME))),
    })
}

/// Signs the user on, with a new password where one is typed.
async fn try_out(desk: &mut Desk<'_>, who: &Typed) -> Outcome<Tried> {
    let not = |why: &str| Ok(Tried::Not(why.to_owned()));
    if who.userid.is_empty() {
        return not(NO_USER);
    }
    if who.password.is_empty() {
        return not(NO_PASSWORD);
    }
    if !who.new.is_empty()
        && let Err(tried) = is_meant(desk, who).await?
    {
        return Ok(tried);
    }
    let credentials = Credentials {
        user: Name8::from(who.userid.to_ascii_uppercase().as_str()),
        secret: Secret::typed(who.password.clone()),
        new: Some(who.new.clone()).filter(|new| !new.is_empty()),
        signs_on: true,
        address: desk.terminal.address(),
        terminal: desk.terminal.name.to_string(),
    };
    match check(desk.task, credentials).await? {
        Ok(verified) => {
            let user = verified.user;
            tracing::info!(target: "SN", "{} has signed on at terminal {}", user.id, desk.terminal.name);
            desk.terminal.set_user(Arc::new(user));
            Ok(Tried::SignedOn)
        }
        // An unknown user and a wrong password get the same answer, so that it does not help guessing.
        Err(SignOnError::UnknownUser | SignOnError::WrongPassword) => not(NOT_ACCEPTED),
        Err(SignOnError::Revoked) => not(REVOKED),
        Err(SignOnError::Expired) => not(EXPIRED),
        Err(SignOnError::Silent) => not(NO_ANSWER),
        Err(SignOnError::NewRefused(why)) => {
            Ok(Tried::Not(format!("DFHCE3526 The new password is not taken: {why}.")))
        }
    }
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
        .text((16, 10), "New Password .")
        .secret(NEW_PASSWORD, PASSWORD_LENGTH)
        .bright(MESSAGE, message)
        .text((24, 2), "F3=Exit")
        .cursor(match message {
            _ if userid.is_empty() => USERID,
            AGAIN => NEW_PASSWORD,
            _ => PASSWORD,
        });
    panel
}

fn typed(reply: &Reply, userid: &str) -> Typed {
    Typed {
        userid: reply.at(USERID).unwrap_or(userid).to_owned(),
        password: reply.at(PASSWORD).unwrap_or_default().to_owned(),
        new: reply.at(NEW_PASSWORD).unwrap_or_default().to_owned(),
    }
}

/// Reads USERID=, PS=, NEWPS= after the transaction's name, separated by commas or blanks.
fn operands(text: &str) -> Typed {
    let mut credentials = Typed::default();
    for operand in text.split([' ', ',']).skip(1) {
        match operand.split_once('=') {
            Some((key, value)) if key.eq_ignore_ascii_case("USERID") => credentials.userid = value.to_owned(),
            Some((key, value)) if key.eq_ignore_ascii_case("PS") => credentials.password = value.to_owned(),
            Some((key, value)) if key.eq_ignore_ascii_case("NEWPS") => credentials.new = value.to_owned(),
            _ => {}
        }
    }
    credentials
}

/// CESF; with LOGOFF or GOODNIGHT the session ends too.
pub(super) fn sign_off<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let text = desk.opening();
        let user = desk.terminal.user();
        if !user.is_default {
            tracing::info!(target: "SN", "{} has signed off at terminal {}", user.id, desk.terminal.name);
        }
        sign_off_at(desk.task, &desk.terminal);
        tells(&desk, SIGNED_OFF, &user.id.to_string());
        desk.say(SIGNED_OFF).await?;
        if ends_session(&text) {
            // Not before its user has read that.
            desk.terminal.log_off_with_task();
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
                |         New Password .
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
            let Typed { userid, password, new } = operands(text);
            format!("{userid} {password} {new}")
        };
        assert_eq!(of("CESN USERID=ANNA,PS=Secret,NEWPS=Other"), "ANNA Secret Other");
        assert_eq!(of("cesn userid=anna ps=x=y"), "anna x=y ");
        assert_eq!(of("CESN"), "  ");
        assert!(ends_session("CESF LOGOFF") && ends_session("cesf goodnight") && !ends_session("CESF"));
    }
}
