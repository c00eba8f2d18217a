//! A private server: made, adopted after its region is gone, stopped; and what is wrong where it cannot start.

use std::fs;
use std::path::{Path, PathBuf};

use sql::Session;
use sql::Settings;
use sql::server::{CannotStart, Private, Server};

use crate::place::{block_on, folder, private};

/// A folder without a server in it, in which the server of a test will run.
pub fn own(name: &str) -> PathBuf {
    crate::place::address();
    let folder = folder(name);
    if let Some(pid) = crate::place::pid(&folder) {
        kill(pid);
        crate::place::wait_for_end(&folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    folder
}

#[test]
fn a_server_is_made_adopted_and_stopped() {
    block_on(async {
        let folder = tokio::task::spawn_blocking(|| own("adopted")).await.unwrap();
        let private = Private { is_tied: false, ..private(&folder) };
        let first = Server::start(&private).await.unwrap();
        assert!(!first.is_adopted());
        let (pid, address) = (first.pid(), first.address());
        let mut session = Session::connect(&address, &Settings::default()).await.unwrap();
        session.script("CREATE TABLE t AS SELECT 42 AS a").await.unwrap();
        // The region goes without a word.
        drop(first);
        let mut second = Server::start(&private).await.unwrap();
        assert!(second.is_adopted());
        assert_eq!(second.pid(), pid);
        assert!(!second.has_ended());
        session.script("SELECT 1").await.unwrap();
        second.stop().await.unwrap();
        assert!(session.script("SELECT 1").await.is_err());

        let mut third = Server::start(&private).await.unwrap();
        assert!(!third.is_adopted());
        let mut session = Session::connect(&third.address(), &Settings::default()).await.unwrap();
        let answer = session.script("SELECT a FROM t").await.unwrap();
        assert_eq!(answer.rows.row(0).next(), Some(Some(b"42".as_slice())));

        // Killed: its end is noticed, and the next start repairs what it left.
        kill(third.pid());
        while !third.has_ended() {
            tokio::task::yield_now().await;
        }
        drop(third);
        let fourth = Server::start(&private).await.unwrap();
        let mut session = Session::connect(&fourth.address(), &Settings::default()).await.unwrap();
        session.script("SELECT a FROM t").await.unwrap();
        fourth.stop().await.unwrap();
    });
}

#[test]
fn a_start_that_is_given_up_leaves_nothing() {
    block_on(async {
        let folder = tokio::task::spawn_blocking(|| own("given-up")).await.unwrap();
        let private = Private { is_tied: false, ..private(&folder) };
        let mut given_up = 0;
        // While data are made, while it begins to run, while its database is made.
        for moment_ms in [5, 100, 300, 600, 900, 1_200, 1_500, 2_000] {
            let moment = std::time::Duration::from_millis(moment_ms);
            match tokio::time::timeout(moment, Server::start(&private)).await {
                Ok(server) => server.unwrap().stop().await.unwrap(),
                Err(_) => given_up += 1,
            }
            let left = fs::read_dir(&folder).into_iter().flatten().flatten();
            let left: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            assert!(!left.iter().any(|name| name.starts_with("data.new")), "{moment:?}: {left:?}");
            assert!(!folder.join("data/postmaster.pid").exists(), "{moment:?}: it runs");
        }
        assert!(given_up > 0, "it never takes as long as that");
        let server = Server::start(&private).await.unwrap();
        let mut session = Session::connect(&server.address(), &Settings::default()).await.unwrap();
        session.script("SELECT 1").await.unwrap();
        server.stop().await.unwrap();
    });
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn data_of_another_release_is_left_alone() {
    block_on(async {
        let private = private(&folder("other_release"));
        let data = private.folder.join("data");
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("PG_VERSION"), "9\n").unwrap();
        let error = Server::start(&private).await.unwrap_err();
        assert!(matches!(&error, CannotStart::OtherRelease { made, .. } if made == "9"), "{error}");
        assert!(error.to_string().contains("pg_dumpall"), "{error}");
    });
}

#[test]
fn a_server_that_ends_at_once_says_why() {
    block_on(async {
        let mut private = private(&folder("ends_at_once"));
        private.settings.push("shared_buffers=nonsense".to_owned());
        let error = Server::start(&private).await.unwrap_err().to_string();
        assert!(error.contains("invalid value for parameter \"shared_buffers\""), "{error}");
    });
}

#[test]
fn missing_programs_are_a_message_with_the_package() {
    block_on(async {
        let binaries = Some(Path::new("/nowhere").to_owned());
        let private = Private { binaries, ..private(&folder("missing")) };
        let error = Server::start(&private).await.unwrap_err().to_string();
        assert!(error.contains("apt-get install postgresql"), "{error}");
    });
}

#[test]
fn a_deep_folder_has_its_socket_elsewhere() {
    block_on(async {
        let name = "x".repeat(100);
        let private = private(&tokio::task::spawn_blocking(move || own(&name)).await.unwrap());
        let server = Server::start(&private).await.unwrap();
        Session::connect(&server.address(), &Settings::default()).await.unwrap();
        server.stop().await.unwrap();
    });
}
