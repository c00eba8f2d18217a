//! Programs whose changes cannot be kept: they end abnormally, whatever their return code.

mod common;

use std::sync::{Arc, mpsc};

use access::Client;
use batch::{Batch, Dd, Dds, Ended, Execution, Output};
use common::{Application, DEFINE, data_sets, program};
use datasets::{File, Shape};
use tokio::sync::oneshot;

/// Ends the region when the program displays NOW.
struct Ending {
    said: String,
    now: Option<oneshot::Sender<()>>,
    over: mpsc::Receiver<()>,
}

impl Output for Ending {
    fn print(&mut self, line: &str) {
        self.said.push_str(&format!("{line}\n"));
        if let Some(now) = self.now.take_if(|_| line.trim() == "NOW") {
            now.send(()).expect("somebody waits");
            self.over.recv().expect("the region ends");
        }
    }

    fn log(&mut self, text: String) {
        self.said.push_str(&format!("[{text}]\n"));
    }
}

fn writer(statements: &str) -> String {
    program(
        "W",
        "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED\nACCESS RANDOM RECORD KEY K FILE STATUS FS.",
        "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC 9(6).",
        &format!("OPEN OUTPUT F\nMOVE '0001' TO K\nMOVE 1 TO N\n? WRITE R\nDISPLAY 'NOW'\n{statements}"),
    )
}

fn run(application: &Application, client: &mut Client, dds: &Dds, output: &mut dyn Output) -> String {
    let toolchain = application.toolchain();
    let mut batch = Batch::new(&toolchain, None);
    let execution = Execution { program: "W", parm: None, dds, commit_every: 0, time: None };
    match batch.run(&execution, client, output).expect("it starts") {
        Ended::Returned(code) => format!("returned {code}"),
        Ended::Abend(code, text) => format!("abend {code}: {}", text.split(':').next().unwrap_or_default()),
    }
}

/// Runs the program in a region that ends in its middle, and returns its end.
async fn cut_off(application: Application) -> String {
    let state = application.path().join("state");
    let site = Arc::new(data_sets(&state).await);
    let mut server = access::serve(&state, Arc::clone(&site), None).expect("a socket");
    let (now, is_now) = oneshot::channel();
    let (ended, over) = mpsc::channel();
    let program = tokio::task::spawn_blocking(move || {
        let mut client = application.client();
        assert!(client.asks_region());
        let mut dds = Dds::default();
        dds.add("ACCT", Dd::DataSet("A.KSDS".into()));
        let mut output = Ending { said: String::new(), now: Some(now), over };
        let end = run(&application, &mut client, &dds, &mut output);
        (end, output.said)
    });
    is_now.await.expect("the program comes there");
    server.close().await;
    ended.send(()).expect("the program waits");
    let (end, said) = program.await.expect("it ends");
    assert!(said.contains("00 WRITE R"), "{said}");
    end
}

#[test]
fn a_program_whose_commit_fails_ends_abnormally() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for statements in ["", "STOP RUN", "? CLOSE F", "CLOSE F\nMOVE 0 TO RETURN-CODE\nGOBACK"] {
        let application = Application::new(&[("W", writer(statements))]);
        application.idcams(&mut application.client(), DEFINE, "");
        let end = tokio::task::LocalSet::new().block_on(&runtime, cut_off(application));
        assert_eq!(end, "abend S0F4: the commit failed", "{statements}");
    }
}

#[test]
fn a_file_without_room_ends_the_program_that_does_not_look() {
    // A device that is always full.
    for statements in ["", "CLOSE F"] {
        let text = program(
            "W",
            "SELECT F ASSIGN TO OUT FILE STATUS FS.",
            "FD  F.\n01  R PIC X(80).",
            &format!("OPEN OUTPUT F\nMOVE 'TEXT' TO R\n? WRITE R\n{statements}"),
        );
        let application = Application::new(&[("W", text)]);
        let mut client = application.client();
        let mut dds = Dds::default();
        dds.add("OUT", Dd::Files(vec![File::plain("/dev/full", Shape::Fixed(Some(80)))]));
        let mut said = common::Said::default();
        let end = run(&application, &mut client, &dds, &mut said);
        assert_eq!(end, "abend SB37: /dev/full cannot be used", "{statements}: {}", said.0);
    }
}

#[test]
fn sysin_that_cannot_be_read_is_not_an_empty_one() {
    let text = program("W", "", "", "DISPLAY 'RUNS'");
    let application =
        Application::new(&[("W", text.replace("INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n", ""))]);
    let mut client = application.client();
    let mut dds = Dds::default();
    dds.add("SYSIN", Dd::Files(vec![File::plain(application.path().join("absent"), Shape::Lines)]));
    let end = run(&application, &mut client, &dds, &mut common::Said::default());
    assert_eq!(end, "abend S001: SYSIN");
}
