//! `call` blocks: a program called alone, with a COMMAREA or a channel, and `returned` blocks: what comes back.
//!
//! `call PROGRAM COPYBOOK` has a line `FIELD = VALUE` for each field of the COMMAREA that is not blank or zero; `call PROGRAM` with one line
//! of text has that for a COMMAREA, and without a line none. `call PROGRAM channel=NAME` has containers: `[CONTAINER COPYBOOK]`
//! stands before the fields of each, `[CONTAINER]` before a line of text.

use std::sync::Arc;

use areas::Area;
use kernel::channels::{Bytes, Channel, DataType};
use kernel::dispatcher::Context;
use kernel::exec::Flow;
use kernel::name::{Name8, Name16};
use kernel::raise::{AbendCode, Raise};
use kernel::region::Region;
use kernel::security::User;

use crate::commands::{self, Worked};
use crate::document::Block;
use crate::house::House;
use crate::layout;
use crate::text::{bytes, shown};

/// The word that says that a program has a channel.
const CHANNEL: &str = "channel=";

/// Data that a program is given, or gives back.
#[derive(Clone, Debug, Default)]
pub enum Data {
    /// Nothing.
    #[default]
    Nothing,
    /// A COMMAREA.
    Commarea(Vec<u8>),
    /// The containers of a channel, by name.
    Channel(Vec<(String, Vec<u8>)>),
}

/// The words of a block that is about a program.
pub struct Words<'a> {
    /// The program.
    pub program: &'a str,
    /// The copybook that describes its COMMAREA.
    pub copybook: Option<&'a str>,
    /// The channel.
    pub channel: Option<&'a str>,
}

impl<'a> Words<'a> {
    /// Reads them.
    ///
    /// # Errors
    /// The program is missing, or there is a word too many.
    pub fn read(block: &'a Block) -> Result<Self, String> {
        let (channels, names): (Vec<&str>, Vec<&str>) =
            block.words.iter().map(String::as_str).partition(|word| word.starts_with(CHANNEL));
        let channel = channels.first().and_then(|word| word.strip_prefix(CHANNEL));
        match (names[..].as_ref(), channel) {
            ([], _) => Err(format!("{} names its program", block.kind)),
            ([program], _) => Ok(Self { program, copybook: None, channel }),
            ([program, copybook], None) => Ok(Self { program, copybook: Some(copybook), channel }),
            _ => Err(format!("{} takes a program and a copybook, or channel=NAME", block.kind)),
        }
    }
}

/// A part of a block: the COMMAREA, or a container.
struct Part<'a> {
    container: Option<&'a str>,
    copybook: Option<&'a str>,
    /// The place of its first line within the block.
    at: usize,
    lines: &'a [String],
}

/// The parts of a block; one without a name is the COMMAREA.
fn parts<'a>(lines: &'a [String], copybook: Option<&'a str>) -> Vec<Part<'a>> {
    let head = |line: &'a String| line.trim().strip_prefix('[')?.strip_suffix(']');
    let heads: Vec<(usize, &str)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, head(line)?))).collect();
    if heads.is_empty() {
        return vec![Part { container: None, copybook, at: 0, lines }];
    }
    let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([lines.len()]);
    let part = |(&(at, head), end): (&(usize, &'a str), usize)| {
        let (container, copybook) =
            head.split_once(' ').map_or((head, None), |(name, copybook)| (name, Some(copybook.trim())));
        Part { container: Some(container), copybook, at: at + 1, lines: &lines[at + 1..end] }
    };
    heads.iter().zip(ends).map(part).collect()
}

/// The data of a block.
///
/// # Errors
/// The line, from 0 within the block, and what is wrong with it.
pub fn data(house: &House, block: &Block, words: &Words<'_>) -> Result<Data, (usize, String)> {
    let mut containers = Vec::new();
    for part in parts(&block.text, words.copybook) {
        let is_empty = part.lines.iter().all(|line| line.trim().is_empty());
        let content = part_bytes(house, &part).map_err(|(at, what)| (part.at + at, what))?;
        match part.container {
            Some(name) => containers.push((name.to_owned(), content)),
            None if words.channel.is_some() => return Ok(Data::Channel(containers)),
            None if is_empty && part.copybook.is_none() => return Ok(Data::Nothing),
            None => return Ok(Data::Commarea(content)),
        }
    }
    Ok(Data::Channel(containers))
}

fn part_bytes(house: &House, part: &Part<'_>) -> Result<Vec<u8>, (usize, String)> {
    match part.copybook {
        Some(copybook) => {
            let layout = layout::layout(&house.root, &house.config, copybook).map_err(|what| (0, what))?;
            layout::record(&layout, part.lines)
        }
        None => bytes(&part.lines.join("")).map_err(|what| (0, what)),
    }
}

/// Data as the lines with which a block is compared.
///
/// # Errors
/// They do not fit their description.
pub fn lines(
    house: &House,
    block: &Block,
    copybook: Option<&str>,
    data: &Data,
) -> Result<Vec<String>, String> {
    let described = |copybook: &str, lines: &[String], content: &[u8]| {
        let layout = layout::layout(&house.root, &house.config, copybook)?;
        layout::assignments(&layout, lines, content)
    };
    match data {
        Data::Nothing => Ok(Vec::new()),
        Data::Commarea(content) => match copybook {
            Some(copybook) => described(copybook, &block.text, content),
            None => Ok(vec![shown(content)]),
        },
        Data::Channel(containers) => {
            let mut lines = Vec::new();
            for part in parts(&block.text, None) {
                let Some(name) = part.container else {
                    // Nothing is named: all of it is shown.
                    let all =
                        containers.iter().flat_map(|(name, content)| [format!("[{name}]"), shown(content)]);
                    return Ok(all.collect());
                };
                let Some((_, content)) = containers.iter().find(|(own, _)| own == name) else { continue };
                match part.copybook {
                    Some(copybook) => {
                        lines.push(format!("[{name} {copybook}]"));
                        lines.extend(described(copybook, part.lines, content)?);
                    }
                    None => lines.extend([format!("[{name}]"), shown(content)]),
                }
            }
            Ok(lines)
        }
    }
}

/// Calls a program in a task of its own, and returns what it has left. A task whose program abends is backed out.
///
/// # Errors
/// The abend, or why there is no such program.
pub async fn call(
    region: &Arc<Region>,
    program: &str,
    channel: Option<&str>,
    data: Data,
) -> Result<Data, String> {
    let (program, channel) = (Name8::from(program), channel.map(|name| Channel::new(Name16::from(name))));
    let calls: Worked<Result<Data, String>> = Box::new(move |context| {
        Box::pin(async move {
            match link(context, program, channel, &data).await {
                Ok(data) => (Ok(data), Ok(Flow::Return)),
                Err((what, code)) => {
                    (Err(what), code.map_or(Ok(Flow::Return), |code| Err(Raise::Abend(code))))
                }
            }
        })
    });
    commands::work(region, User::region(), calls).await?
}

/// LINKs to a program. The error is what it came to, and the abend that ends the task.
async fn link(
    context: &mut Context<'_>,
    program: Name8,
    channel: Option<Arc<Channel>>,
    data: &Data,
) -> Result<Data, (String, Option<AbendCode>)> {
    let area = if let Data::Commarea(bytes) = data { Some(Area::with(bytes)) } else { None };
    if let (Some(channel), Data::Channel(containers)) = (&channel, data) {
        put(channel, containers);
    }
    let linked = context.try_link(program, area.as_ref(), channel.clone()).await;
    match linked {
        Err(abend) => return Err((format!("abend {}", abend.code), Some(abend.code))),
        Ok(Err(Raise::Abend(code))) => return Err((format!("abend {code}"), Some(code))),
        Ok(Err(Raise::Condition(condition, resp2))) => {
            return Err((format!("{} {resp2}", condition.name()), None));
        }
        Ok(Ok(())) => {}
    }
    if let Some(area) = area {
        let mut left = vec![0; area.len()];
        area.read(0, &mut left);
        return Ok(Data::Commarea(left));
    }
    Ok(channel.map_or(Data::Nothing, |channel| Data::Channel(contents(&channel))))
}

/// Puts containers into a channel.
pub fn put(channel: &Channel, containers: &[(String, Vec<u8>)]) {
    for (name, content) in containers {
        channel.put(Name16::from(name.as_str()), Bytes::own(content), DataType::Bit);
    }
}

/// The containers of a channel.
pub fn contents(channel: &Channel) -> Vec<(String, Vec<u8>)> {
    let content =
        |name: Name16| Some((name.to_string().trim_end().to_owned(), channel.get(name)?.data.to_vec()));
    channel.names().into_iter().filter_map(content).collect()
}
