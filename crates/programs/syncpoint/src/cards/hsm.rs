//! `syncpoint-cards hsm`: a test HSM on a port.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ::hsm::{Behaviour, CONNECTIONS_MAX, Faults, HEADER_LENGTH, KeyType, Latency, Lmk, Module, Setup, serve};
use clap::Args;
use diagnostics::Diagnostic;

use crate::{codes, keys};
use command_line::ends::Ends;
use command_line::event_loop;
use command_line::messages::Messages;

/// The arguments of `syncpoint-cards hsm`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1500")]
    listen: SocketAddr,
    /// Characters of the header before each command
    #[arg(long, value_name = "N", default_value_t = HEADER_LENGTH as u8)]
    header: u8,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS_MAX)]
    connections: usize,
    /// A file with the local master key, 32 hexadecimal digits; the published test key if it is left out
    #[arg(long, value_name = "FILE")]
    lmk: Option<PathBuf>,
    /// A file with a portfolio's master key in clear, whose cryptogram is printed; the published test key if left out
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A file with a key-encrypting key in clear, whose cryptogram is printed; the published test key if left out
    #[arg(long, value_name = "FILE")]
    kek: Option<PathBuf>,
    /// Time of a command: 2ms, or p50=1ms,p99=20ms
    #[arg(long, default_value = "0ms")]
    latency: Latency,
    /// Commands of 100 that get no answer
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    drop: f64,
    /// Commands of 100 that get a late answer
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    late: f64,
    /// By how many milliseconds a late answer is late
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    late_by: u64,
    /// Commands of 100 that get a wrong answer
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    wrong: f64,
    /// Commands of 100 that end their connection
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    close: f64,
    /// Seed of faults and generated keys
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Serves until Ctrl-C or SIGTERM, then says what was counted.
pub(crate) fn hsm(arguments: Arguments) -> Result<(), Messages> {
    let lmk = match &arguments.lmk {
        Some(file) => Lmk::new(keys::read(file)?),
        None => Lmk::test(),
    };
    let module = Module::new(lmk, arguments.header, arguments.seed);
    let key = keys::read_or_test(arguments.key.as_deref())?;
    let cryptogram = module.load_clear_key(&key, KeyType::Portfolio);
    let kek = keys::read_or_test_kek(arguments.kek.as_deref())?;
    let kek = module.load_clear_key(&kek, KeyType::KeyEncrypting);
    let setup = Setup { module, behaviour: behaviour(&arguments), connections_max: arguments.connections };
    event_loop::run(async {
        let ends = Ends::new()?;
        let (listener, address) = ports::listen(arguments.listen).map_err(|why| {
            vec![Diagnostic::error(codes::NO_SOCKET, format!("the HSM {why}")).help(why.help())]
        })?;
        println!("The HSM listens on {address}; a header has {} characters.", arguments.header);
        println!("Portfolio master key (type 109): {cryptogram}");
        println!("Key-encrypting key (type 000): {kek}");
        // A script may wait for these lines; one that does not read them misses nothing else.
        let _ = std::io::stdout().flush();
        print!("{}", serve(listener, setup, ends.asked()).await);
        Ok(())
    })
}

fn behaviour(arguments: &Arguments) -> Behaviour {
    const PERCENT: f64 = 0.01;
    let faults = Faults {
        drop: arguments.drop * PERCENT,
        late: arguments.late * PERCENT,
        wrong: arguments.wrong * PERCENT,
        close: arguments.close * PERCENT,
        late_by: Duration::from_millis(arguments.late_by),
    };
    Behaviour::new(arguments.latency.clone(), faults, arguments.seed)
}
