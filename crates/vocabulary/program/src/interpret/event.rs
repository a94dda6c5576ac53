//! What a step does besides changing the state: what is printed, which messages travel.

use super::evaluate::{View, evaluate};
use crate::expression::Expression;
use crate::fault::Fault;

/// Something that happens in a step. Processes and channels are numbered as in the state before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nobody could move, so `timeout` became true.
    Timeout,
    /// A process prints a text.
    Printed {
        /// The process that prints.
        process: u8,
        /// The text, with the values in it.
        text: String,
    },
    /// A message is put into a channel.
    Sent {
        /// The sending process.
        process: u8,
        /// Into which channel.
        channel: i32,
        /// Its fields.
        message: Vec<i32>,
        /// Its position in the channel.
        position: usize,
    },
    /// A message is taken from a channel, or looked at in it.
    Received {
        /// The receiving process.
        process: u8,
        /// From which channel.
        channel: i32,
        /// Its fields.
        message: Vec<i32>,
        /// Its position in the channel.
        position: usize,
        /// It stays in the channel.
        keep: bool,
    },
    /// Sender and receiver meet.
    Met {
        /// The sending process.
        sender: u8,
        /// The receiving process.
        receiver: u8,
        /// Where.
        channel: i32,
        /// The fields of the message.
        message: Vec<i32>,
    },
}

impl View<'_> {
    pub(super) fn record(&self, event: Event) {
        if let Some(log) = self.log {
            log.borrow_mut().push(event);
        }
    }

    /// Prints a text; values are evaluated even if nobody listens, because that may fail.
    pub(super) fn print(&self, text: &str, values: &[Expression]) -> Result<(), Fault> {
        let values: Result<Vec<i32>, Fault> = values.iter().map(|value| evaluate(self, value)).collect();
        let values = values?;
        if !text.is_empty() {
            self.record(Event::Printed {
                process: self.process as u8,
                text: formatted(text, &values, &self.program.message_names),
            });
        }
        Ok(())
    }
}

/// A text with values in the places of `%d` and the like, as `printf` has it.
fn formatted(text: &str, values: &[i32], names: &[String]) -> String {
    let mut out = String::new();
    let mut values = values.iter().copied();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            '%' => match letters.next() {
                Some('%') => out.push('%'),
                Some(directive) => match values.next() {
                    Some(value) => out.push_str(&directed(directive, value, names)),
                    None => out.extend(['%', directive]),
                },
                None => out.push('%'),
            },
            letter => out.push(letter),
        }
    }
    out
}

fn directed(directive: char, value: i32, names: &[String]) -> String {
    match directive {
        'c' => char::from(value as u8).to_string(),
        'u' => (value as u32).to_string(),
        'x' => format!("{value:x}"),
        'o' => format!("{value:o}"),
        'e' => match usize::try_from(value)
            .ok()
            .filter(|&at| at > 0)
            .and_then(|at| names.get(at))
        {
            Some(name) => name.clone(),
            None => value.to_string(),
        },
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::formatted;

    #[test]
    fn values_are_printed_as_their_directives_say() {
        let names = ["".to_owned(), "ack".to_owned()];
        let text = formatted(
            r"%d %u %x %o %c %e %e%%\t%d\n",
            &[-1, -1, 255, 8, 65, 1, 9],
            &names,
        );
        assert_eq!(text, "-1 4294967295 ff 10 A ack 9%\t%d\n");
    }
}
