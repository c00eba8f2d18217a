//! The loop: looks at the region, draws, takes keys.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::Source;
use crate::app::{App, Key, Wish};
use crate::screen::draw;
use crate::snapshot::Snapshot;
use crate::views::{View, summary};

/// Shows the region until the user ends it, looking at it again after each interval. The terminal is as it was afterwards.
///
/// # Errors
/// Standard output is no terminal.
pub fn run(source: &mut dyn Source, interval: Duration) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let shown = shows(&mut terminal, source, interval);
    ratatui::restore();
    shown
}

fn shows(terminal: &mut DefaultTerminal, source: &mut dyn Source, interval: Duration) -> io::Result<()> {
    let began = Instant::now();
    let (mut app, mut next) = (App::default(), Duration::ZERO);
    loop {
        if !app.paused && began.elapsed() >= next {
            app.sees(look(source, began));
            next = began.elapsed() + interval;
        }
        terminal.draw(|frame| draw(&app, frame))?;
        if !event::poll(if app.paused { interval } else { next.saturating_sub(began.elapsed()) })? {
            continue;
        }
        let Event::Key(pressed) = event::read()? else { continue };
        let Some(key) = key(pressed) else { continue };
        match app.presses(key) {
            None => {}
            Some(Wish::Quit) => return Ok(()),
            Some(Wish::Look) => next = Duration::ZERO,
            Some(Wish::Operate(command)) => {
                app.answer = Some(source.operate(&command).unwrap_or_else(|why| why));
                next = Duration::ZERO;
            }
        }
    }
}

fn look(source: &mut dyn Source, began: Instant) -> Result<Snapshot, String> {
    let (figures, tasks) = source.look()?;
    Ok(Snapshot::new(began.elapsed(), figures, tasks))
}

/// The meaning of a key; Ctrl-C ends it as `q` does.
fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed.kind == KeyEventKind::Release {
        return None;
    }
    Some(match pressed.code {
        KeyCode::Char('c') if pressed.modifiers.contains(KeyModifiers::CONTROL) => Key::Escape,
        KeyCode::Char(letter) => Key::Character(letter),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab | KeyCode::Right => Key::Next,
        KeyCode::BackTab | KeyCode::Left => Key::Before,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}

/// All views once, as text: the rates are those of an interval.
///
/// # Errors
/// The region does not answer.
pub fn once(source: &mut dyn Source, interval: Duration) -> Result<String, String> {
    let began = Instant::now();
    let mut app = App::default();
    app.sees(Ok(look(source, began)?));
    std::thread::sleep(interval);
    app.sees(Ok(look(source, began)?));
    let mut text = String::new();
    let Some(between) = app.between() else { return Ok(text) };
    for line in summary(&between) {
        let _ = writeln!(text, "{line}");
    }
    for view in View::ALL {
        let _ = writeln!(text, "\n{}", view.name());
        view.table(&between).lines().iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    Ok(text)
}
