//! Too many clients, and too many requests.

use tokio::net::TcpStream;

use crate::common::{Run, displayed};
use crate::{abends, address, answer, get, heard, request, sent, site};

/// So many of these clients are answered: with 503, and so that they may ask again.
async fn are_turned_away(run: &Run, waiting: &mut Vec<TcpStream>, many: usize) {
    let mut answers = Vec::new();
    let is_answered = |client: &TcpStream, answers: &mut Vec<String>| {
        let mut bytes = [0; 2048];
        let Ok(length) = client.try_read(&mut bytes) else { return false };
        answers.push(String::from_utf8_lossy(&bytes[..length]).into_owned());
        true
    };
    run.until("they are turned away", || {
        waiting.retain(|client| !is_answered(client, &mut answers));
        answers.len() == many
    })
    .await;
    for answer in answers {
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("\r\nRetry-After: 1\r\n"), "{answer}");
        assert!(!answer.contains("Connection: close"), "it may ask again: {answer}");
    }
}

#[test]
fn requests_beyond_what_may_wait_for_mxt_are_turned_away_until_there_is_room() {
    site("web-door-mxt", "", "MXT = 1").run(async |run| {
        let at = address(run, "SHOP");
        let mut waiting = vec![sent(at, &request("/soft")).await];
        run.until("the program waits", || displayed("HELD").is_some()).await;
        // Three times MXT may be at work or wait; which of these are turned away is a matter of who comes first.
        for _ in 0..4 {
            waiting.push(sent(at, &request("/soft")).await);
        }
        are_turned_away(run, &mut waiting, 2).await;
        drop(waiting);
        run.until("the task is purged", || !abends("SOFT").is_empty()).await;
        // Those that have waited for it leave by and by.
        let mut says = get(at, "/").await;
        while says == "too many requests wait already" {
            says = get(at, "/").await;
        }
        assert_eq!(says, "OK");
        true
    });
}

#[test]
fn requests_beyond_purgethresh_are_turned_away() {
    site("web-door-purgethresh", "", "").run(async |run| {
        let at = address(run, "SHOP");
        let first = sent(at, &request("/class")).await;
        run.until("the program waits", || displayed("HELD").is_some()).await;
        // Two may wait.
        let mut others = Vec::new();
        for _ in 0..5 {
            others.push(sent(at, &request("/class")).await);
        }
        are_turned_away(run, &mut others, 3).await;
        assert_eq!(get(at, "/").await, "OK", "others are none of the class");
        drop((first, others));
        true
    });
}

#[test]
fn maxpersist_connections_are_kept_of_all_tcbs_together() {
    site("web-door-maxpersist", "MAXPERSIST(3)", "").run(async |run| {
        let at = address(run, "SHOP");
        let (mut clients, mut kept) = (Vec::new(), 0);
        for _ in 0..12 {
            let mut client = sent(at, &request("/")).await;
            let answer = answer(&mut client).await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            kept += usize::from(!answer.contains("\r\nConnection: close\r\n"));
            clients.push(client);
        }
        assert_eq!(kept, 3);
        true
    });
}

#[test]
fn beyond_maxsockets_the_connection_that_has_idled_longest_makes_room() {
    site("web-door-maxsockets", "", "MAXSOCKETS = 2").run(async |run| {
        let at = address(run, "SHOP");
        let mut older = sent(at, &request("/")).await;
        answer(&mut older).await;
        // Times are told apart by milliseconds.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let mut newer = sent(at, &request("/")).await;
        answer(&mut newer).await;
        let mut third = sent(at, &request("/held")).await;
        run.until("it has a place", || displayed("HELD").is_some()).await;
        assert_eq!(heard(older).await, "", "the older one has made room");
        // This one works, too: another client waits until a place is free.
        tokio::io::AsyncWriteExt::write_all(&mut newer, &request("/class")).await.expect("written");
        run.until("both work", || crate::displays("HELD") == 2).await;
        let mut fourth = sent(at, &request("/go")).await;
        drop(newer);
        assert!(answer(&mut fourth).await.ends_with("OK"));
        assert!(answer(&mut third).await.ends_with("HELD"));
        true
    });
}
