//! Standard output and error output of a JVM, in files of the region's folder: encrypted where the region's state is.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdout};

use kernel::name::Name8;
use sealed::File;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::limits::OUTPUT_MAX;

/// The folder of the files, below that of JVM servers: nothing else lies in it.
pub(crate) const FOLDER: &str = "output";

/// The file of one output of a JVM server, below the folder of JVM servers.
pub(crate) fn file(folder: &Path, server: Name8, which: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{}.{which}", server.to_string().trim_end()))
}

/// A file of output, which becomes the old one (`.old`) when it is long.
struct Output {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Output {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::append(path)?;
        Ok(Self { path: path.to_owned(), length: file.length()?, file })
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

/// Copies what comes through a pipe, until its end. Bytes that cannot be written are lost.
async fn copy(pipe: io::Result<Receiver>, path: PathBuf) {
    let Ok(mut pipe) = pipe else { return };
    let mut output = Output::open(&path);
    if let Err(error) = &output {
        tracing::error!(target: "SJ", "{} cannot be written: {error}", path.display());
    }
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
        if let Ok(output) = &mut output {
            let _ = output.write(&bytes[..count]);
        }
    }
}

/// Copies both outputs of a JVM into files below the folder of JVM servers.
pub(crate) fn keep(folder: &Path, server: Name8, out: Option<ChildStdout>, err: Option<ChildStderr>) {
    if let Some(out) = out {
        let pipe = Receiver::from_owned_fd(out.into());
        tokio::task::spawn_local(copy(pipe, file(folder, server, "stdout")));
    }
    if let Some(err) = err {
        let pipe = Receiver::from_owned_fd(err.into());
        tokio::task::spawn_local(copy(pipe, file(folder, server, "stderr")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_in_a_protected_folder_is_sealed_and_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("JVM1.stdout");
        fs::write(&path, "in clear, from before there was a key\n").expect("written");
        sealed::protect(folder.path(), &[7; sealed::KEY], None).expect("a key");
        for line in ["card 4711\n", "card 4712\n"] {
            Output::open(&path).expect("opened").write(line.as_bytes()).expect("written");
        }
        let text = sealed::read_to_string(&path).expect("read with the key");
        assert_eq!(text, "in clear, from before there was a key\ncard 4711\ncard 4712\n");
        let bytes = fs::read(&path).expect("read without it");
        assert!(!bytes.windows(4).any(|part| part == b"4711" || part == b"card"), "it stands in clear");
        sealed::forget(folder.path());
    }
}
