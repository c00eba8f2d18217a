//! Standard output and error output of a JVM, in files of the region's folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdout};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::limits::OUTPUT_MAX;

/// A file of output, which becomes the old one (`.old`) when it is long.
struct Output {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Output {
    fn open(path: &Path) -> io::Result<Self> {
        let file = kernel::private::file().create(true).append(true).open(path)?;
        Ok(Self { path: path.to_owned(), length: file.metadata()?.len(), file })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.length + bytes.len() as u64 > OUTPUT_MAX {
            let mut old = self.path.clone().into_os_string();
            old.push(".old");
            fs::rename(&self.path, old)?;
            *self = Self::open(&self.path)?;
        }
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

/// Copies what comes through a pipe, until its end. What cannot be written is lost.
async fn copy(pipe: io::Result<Receiver>, path: PathBuf) {
    let Ok(mut pipe) = pipe else { return };
    let mut output = Output::open(&path);
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
        if let Ok(output) = &mut output {
            let _ = output.write(&bytes[..count]);
        }
    }
}

/// Copies both outputs of a JVM into files `NAME.stdout` and `NAME.stderr` of a folder.
pub(crate) fn keep(folder: &Path, name: &str, out: Option<ChildStdout>, err: Option<ChildStderr>) {
    if let Some(out) = out {
        let pipe = Receiver::from_owned_fd(out.into());
        tokio::task::spawn_local(copy(pipe, folder.join(format!("{name}.stdout"))));
    }
    if let Some(err) = err {
        let pipe = Receiver::from_owned_fd(err.into());
        tokio::task::spawn_local(copy(pipe, folder.join(format!("{name}.stderr"))));
    }
}
