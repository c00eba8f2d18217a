//! `syncpoint user`: the users file, and passwords that are never shown or kept in clear.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use config::{Damaged, RIGHTS, Right, Shown, User, Users};
use diagnostics::{Diagnostic, Source, any_error, nearest};
use region::{change_users_file, with_new_password};
use security::rules::Rules;

use crate::application::{Messages, read, read_region, unwritable};
use crate::cli::{UserCommand, UserName};
use crate::codes;

/// Runs one of the commands.
pub(crate) fn user(command: UserCommand) -> Result<(), Messages> {
    match command {
        UserCommand::Add { user, name, rights, groups } => add(&user, name, &rights, &groups),
        UserCommand::List { folder } => list(&folder),
        UserCommand::Remove { user } => remove(&user),
        UserCommand::Verify { user } => verify(&user),
    }
}

/// The users file of an application: there may be none yet.
struct UsersFile {
    path: PathBuf,
    text: String,
    users: Users,
    /// The rules for a new password.
    rules: Rules,
}

impl UsersFile {
    fn open(folder: &Path) -> Result<Self, Messages> {
        let security = read_region(folder)?.security;
        let (name, rules) = (security.users.value, security.passwords.rules);
        let path = folder.join(&name);
        let text = if path.exists() { read(&path)? } else { String::new() };
        let (users, messages) = config::users(&Source::new(name, &*text));
        if any_error(&messages) { Err(messages) } else { Ok(Self { path, text, users, rules }) }
    }

    /// Changes the text as the file has it now.
    fn change(&self, change: impl FnOnce(&str) -> Result<String, Damaged>) -> Result<(), Messages> {
        change_users_file(&self.path, change).map_err(|error| unwritable(&self.path, &error))
    }

    fn find(&self, userid: &str) -> Result<&User, Messages> {
        self.users.find(userid).ok_or_else(|| {
            let message = Diagnostic::error(codes::NO_USER, format!("there is no user {userid}"));
            let near = nearest(userid, self.users.iter().map(|user| user.userid.as_str()));
            vec![message.help(near.map(|near| format!("there is a {near}")).unwrap_or_default())]
        })
    }
}

fn add(user: &UserName, name: String, rights: &[String], groups: &[String]) -> Result<(), Messages> {
    let file = UsersFile::open(&user.folder)?;
    let rights = rights.iter().map(|word| right(word)).collect::<Result<_, _>>()?;
    let userid = user.userid.to_ascii_uppercase();
    let groups = groups.iter().map(|group| group.to_ascii_uppercase()).collect();
    let known = file.users.find(&userid);
    let before = known.cloned().unwrap_or_default();
    let known = known.is_some();
    let user = User { userid: userid.clone(), name, rights, groups, ..before };
    let password = new_password(&userid)?;
    let user = with_new_password(&user, Shown::Password, &password, &file.rules)
        .map_err(|why| no_password(&why.to_string()))?;
    let text = config::with_user(&file.text, &user)
        .map_err(|damaged| unwritable(&file.path, &io::Error::new(io::ErrorKind::InvalidData, damaged)))?;
    check_names(&text)?;
    file.change(|text| config::with_user(text, &user))?;
    println!("{userid} is {} in {}", if known { "changed" } else { "added" }, file.path.display());
    Ok(())
}

/// The file as it would be must be one that a region accepts.
fn check_names(text: &str) -> Result<(), Messages> {
    let (_, messages) = config::users(&Source::new("users.toml", text));
    let wrong = messages.into_iter().filter(|message| any_error(std::slice::from_ref(message)));
    let wrong: Messages = wrong
        .map(|message| Diagnostic::error(codes::BAD_NAME, message.message).help(message.label))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn list(folder: &Path) -> Result<(), Messages> {
    let file = UsersFile::open(folder)?;
    for user in file.users.iter() {
        let rights: Vec<&str> = user.rights.iter().map(|right| right.word()).collect();
        println!("{:8}  {:20}  {}  {}", user.userid, user.name, rights.join(","), user.groups.join(","));
    }
    Ok(())
}

fn remove(user: &UserName) -> Result<(), Messages> {
    let file = UsersFile::open(&user.folder)?;
    let userid = &file.find(&user.userid)?.userid;
    file.change(|text| Ok(config::without_user(text, userid)?.unwrap_or_else(|| text.to_owned())))?;
    println!("{userid} is removed from {}", file.path.display());
    Ok(())
}

fn verify(user: &UserName) -> Result<(), Messages> {
    let file = UsersFile::open(&user.folder)?;
    let userid = &file.find(&user.userid)?.userid;
    let password = ask(&format!("Password of {userid}: "))?;
    if file.users.sign_on(userid, &password).is_none() {
        return Err(vec![Diagnostic::error(codes::WRONG_PASSWORD, format!("not the password of {userid}"))]);
    }
    println!("this is the password of {userid}");
    Ok(())
}

fn right(word: &str) -> Result<Right, Messages> {
    Right::of_word(word).ok_or_else(|| {
        let rights: Vec<String> =
            RIGHTS.iter().map(|(word, _, meaning)| format!("{word} ({meaning})")).collect();
        let message = Diagnostic::error(codes::NO_RIGHT, format!("{word} is not a right"));
        vec![message.help(format!("the rights are {}", rights.join(", ")))]
    })
}

/// A password that is typed twice at a terminal, or once into a pipe.
fn new_password(userid: &str) -> Result<String, Messages> {
    let password = ask(&format!("Password for {userid}: "))?;
    if io::stdin().is_terminal() && ask("The same again: ")? != password {
        return Err(no_password("the two passwords are not the same"));
    }
    Ok(password)
}

/// A password without echo from the terminal, or a line of standard input.
fn ask(prompt: &str) -> Result<String, Messages> {
    let answer = if io::stdin().is_terminal() {
        rpassword::prompt_password(prompt)
    } else {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line.trim_end_matches(['\r', '\n']).to_owned())
    };
    answer.map_err(|error| no_password(&format!("the password cannot be read: {error}")))
}

fn no_password(why: &str) -> Messages {
    vec![Diagnostic::error(codes::NO_PASSWORD, why)]
}
