//! `syncpoint user`: the users file, and passwords that are never shown or kept in clear.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use config::{RIGHTS, Right, User, Users};
use diagnostics::{Diagnostic, Source, any_error, nearest};
use security::password;

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

/// Read and write for the file's owner, nothing for others.
const OWNER_ONLY: u32 = 0o600;

/// The users file of an application: there may be none yet.
struct UsersFile {
    path: PathBuf,
    text: String,
    users: Users,
}

impl UsersFile {
    fn open(folder: &Path) -> Result<Self, Messages> {
        let name = read_region(folder)?.security.users.value;
        let path = folder.join(&name);
        let text = if path.exists() { read(&path)? } else { String::new() };
        let (users, messages) = config::users(&Source::new(name, &*text));
        if any_error(&messages) { Err(messages) } else { Ok(Self { path, text, users }) }
    }

    /// Replaces the file by one that only its owner can read; nobody ever sees half of it.
    fn write(&self, text: &str) -> Result<(), Messages> {
        let new = self.path.with_extension("new");
        let written = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(OWNER_ONLY)
            .open(&new)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&new, &self.path));
        written.map_err(|error| unwritable(&self.path, &error))
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
    let password = Some(hash(&new_password(&userid)?)?);
    let known = file.users.find(&userid);
    let former = known.cloned().unwrap_or_default();
    let known = known.is_some();
    let user = User { userid: userid.clone(), name, rights, groups, password, ..former };
    let text = config::with_user(&file.text, &user);
    check_names(&text)?;
    file.write(&text)?;
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
    let text = config::without_user(&file.text, userid).unwrap_or_default();
    file.write(&text)?;
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

fn hash(password: &str) -> Result<String, Messages> {
    let mut salt = [0; password::SALT_LENGTH];
    getrandom::fill(&mut salt)
        .map_err(|error| no_password(&format!("this machine has no randomness: {error}")))?;
    password::hash(password, salt).ok_or_else(|| no_password("this password cannot be hashed"))
}

/// A password that is typed twice at a terminal, or once into a pipe.
fn new_password(userid: &str) -> Result<String, Messages> {
    let password = ask(&format!("Password for {userid}: "))?;
    if let Some(weakness) = password::weakness(&password, userid) {
        return Err(no_password(&weakness));
    }
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
