//! A topology that runs: `syncpoint up`, its processes, and the processor time of each.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::authenticator::process::Process;
use crate::processes::{descendants, time_of};
use crate::startup::binary;

/// The name of the column of all PostgreSQL servers that regions have started.
const POSTGRES: &str = "PostgreSQL";

/// The processes of a topology. They end with it.
pub(crate) struct Topology {
    up: Process,
    members: Vec<Member>,
    /// Servers that members have started.
    servers: Vec<u32>,
}

struct Member {
    name: String,
    clock: ClockId,
}

impl Topology {
    /// Starts the topology of a folder; all are ready then.
    pub async fn start(folder: &Path) -> Result<Self, String> {
        let mut command = Command::new(binary()?);
        command.arg("up").arg(folder);
        let mut up = Process::start("the topology", &mut command)?;
        up.says(&["all are ready"]).await?;
        let status = Command::new(binary()?).arg("up").arg(folder).arg("--status").output();
        let status = status.map_err(|error| format!("the topology does not say how it is: {error}"))?;
        let page = String::from_utf8_lossy(&status.stdout).into_owned();
        let rows = page.lines().skip(1).map(process);
        let processes =
            rows.collect::<Option<Vec<_>>>().ok_or_else(|| format!("no processes in:\n{page}"))?;
        let member = |(name, process): &(String, i32)| {
            let clock = clock_getcpuclockid(Pid::from_raw(*process));
            clock
                .map(|clock| Member { name: name.clone(), clock })
                .map_err(|error| format!("{name}: {error}"))
        };
        let members = processes.iter().map(member).collect::<Result<_, _>>()?;
        let servers = processes.iter().flat_map(|(_, process)| descendants(process.unsigned_abs())).collect();
        Ok(Self { up, members, servers })
    }

    /// Waits for a line of any process that holds one of the texts, and gives it.
    pub async fn says(&mut self, texts: &[&str]) -> Result<String, String> {
        self.up.says(texts).await
    }

    /// The names of its processes, in the order of [`Self::times`].
    pub fn names(&self) -> Vec<String> {
        let servers = (!self.servers.is_empty()).then(|| POSTGRES.to_owned());
        self.members.iter().map(|member| member.name.clone()).chain(servers).collect()
    }

    /// The processor time that each has used so far, all threads together.
    pub fn times(&self) -> Result<Vec<Duration>, String> {
        let time = |member: &Member| {
            let time = clock_gettime(member.clock);
            time.map(Duration::from).map_err(|error| format!("{} has ended: {error}", member.name))
        };
        let mut times = self.members.iter().map(time).collect::<Result<Vec<_>, _>>()?;
        if !self.servers.is_empty() {
            times.push(Duration::from_secs_f64(time_of(&self.servers)));
        }
        Ok(times)
    }

    /// Ends all in order; what they have said.
    pub async fn end(self) -> Result<Vec<String>, String> {
        self.up.end().await
    }
}

/// The name and process of a row of the status page.
fn process(row: &str) -> Option<(String, i32)> {
    let mut words = row.split_whitespace();
    let name = words.next()?.to_owned();
    Some((name, words.nth(2)?.parse().ok()?))
}
