//! Scripts for yosys, as far as they say what is read and what the top module is.
//!
//! Entail has passes of its own between reading a design and checking it, so passes that only prepare a design are passed over. A pass that changes
//! what the design does is an error, unless the result of the passes is what is asked about, as in eqy projects: there all are run, once the design is read.

use super::{Word, told, unread, wrong};
use entail_source::Diagnostic;

/// What is done with what a script does besides reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Passes {
    /// It prepares the design for another tool.
    #[default]
    PassedOver,
    /// It is run; the commands, in order.
    Run(Vec<String>),
}

/// What a script reads.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The files, in order.
    pub files: Vec<Word>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<Word>,
    /// Folders of files that are included.
    pub includes: Vec<Word>,
    /// The top module.
    pub top: Option<Word>,
    /// Parameters of the top module: names and values.
    pub parameters: Vec<(Word, Word)>,
    /// Every clock is a signal like others.
    pub multiclock: bool,
    /// What is done besides.
    pub passes: Passes,
}

/// Passes that prepare a design for a checker, and do not change what it does.
const PREPARING: [&str; 22] = [
    "proc",
    "flatten",
    "opt",
    "memory",
    "async2sync",
    "check",
    "stat",
    "dffunmap",
    "dffinit",
    "clean",
    "autoname",
    "rename",
    "log",
    "tee",
    "wreduce",
    "peepopt",
    "simplemap",
    "uniquify",
    "fsm",
    "share",
    "pmuxtree",
    "alumacc",
];

/// Passes that only tell something, and what Entail does with every design itself.
const TELLING: [&str; 9] = [
    "check", "stat", "log", "tee", "logger", "debug", "echo", "ls", "show",
];

/// Commands that reach out of yosys: they read or write files, or start programs.
const REACHING_OUT: [&str; 11] = [
    "exec", "shell", "script", "plugin", "tcl", "source", "sim", "dump", "design", "bugpoint", "exit",
];
const REACHING_OUT_BEGINNINGS: [&str; 2] = ["read", "!"];

/// Beginnings of the names of such passes.
const PREPARING_BEGINNINGS: [&str; 4] = ["opt_", "memory_", "proc_", "write_"];

impl Reading {
    /// Reads a line of a script.
    pub(crate) fn line(&mut self, words: &[Word], warnings: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
        let mut rest = words;
        while let Some(at) = rest
            .iter()
            .position(|word| word.text == ";" || word.text.ends_with(';'))
        {
            let mut command: Vec<Word> = rest[..=at].to_vec();
            if let Some(last) = command.last_mut() {
                last.text = last.text.trim_end_matches(';').to_owned();
            }
            command.retain(|word| !word.text.is_empty());
            self.command(&command, warnings)?;
            rest = &rest[at + 1..];
        }
        self.command(rest, warnings)
    }

    fn command(&mut self, words: &[Word], warnings: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(());
        };
        let passes = std::mem::take(&mut self.passes);
        if let Passes::Run(mut commands) = passes {
            let result = self.is_run(words, &mut commands);
            self.passes = Passes::Run(commands);
            if result? {
                return Ok(());
            }
        }
        match name.text.as_str() {
            "read" | "read_verilog" | "read_slang" | "verilog_defines" | "read_verilog_file_list" => {
                self.reads(&name.text, arguments)
            }
            "prep" | "hierarchy" => self.hierarchy(arguments),
            "chparam" => self.parameter(arguments, name),
            "clk2fflogic" => {
                self.multiclock = true;
                Ok(())
            }
            "setundef" if arguments.iter().any(|word| word.text.starts_with("-any")) => Ok(()),
            known
                if PREPARING.contains(&known)
                    || PREPARING_BEGINNINGS.iter().any(|one| known.starts_with(one)) =>
            {
                warnings.push(told(
                    format!("`{known}` is passed over: it prepares the design for another tool"),
                    name.span,
                ));
                Ok(())
            }
            "verific" => Err(unread(
                "`verific` is not read; `read -sv` reads the files",
                name.span,
            )),
            other => Err(unread(
                format!("the pass `{other}` is not read: it may change the design"),
                name.span,
            )),
        }
    }

    /// Adds a command to those that are run; says whether it is one.
    fn is_run(&mut self, words: &[Word], commands: &mut Vec<String>) -> Result<bool, Diagnostic> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(false);
        };
        let text = name.text.as_str();
        if matches!(
            text,
            "read" | "read_verilog" | "read_slang" | "verilog_defines" | "read_verilog_file_list"
        ) {
            return match commands.is_empty() {
                true => Ok(false),
                false => Err(unread("files are read before other passes are run", name.span)),
            };
        }
        if matches!(text, "hierarchy" | "chparam" | "clk2fflogic" | "verific") {
            return Ok(false);
        }
        if TELLING.contains(&text) || text.starts_with("write_") {
            return Ok(true);
        }
        let reaches_out = REACHING_OUT.contains(&text)
            || REACHING_OUT_BEGINNINGS.iter().any(|one| text.starts_with(one))
            || arguments
                .iter()
                .any(|word| matches!(word.text.as_str(), "-exe" | "-script"));
        if reaches_out {
            let message = format!("`{text}` is not run: it reaches out of the design");
            return Err(unread(message, name.span));
        }
        // (What the passes behind it need, and what names the top module.)
        if (text.starts_with("synth") || text == "prep")
            && let Some(at) = arguments.iter().position(|word| word.text == "-top")
        {
            self.top = arguments.get(at + 1).cloned();
        }
        let quoted = words
            .iter()
            .map(|word| match word.text.contains(char::is_whitespace) {
                true => format!("\"{}\"", word.text),
                false => word.text.clone(),
            });
        commands.push(quoted.collect::<Vec<String>>().join(" "));
        Ok(true)
    }

    /// `read -formal a.sv` and the like.
    fn reads(&mut self, command: &str, arguments: &[Word]) -> Result<(), Diagnostic> {
        let mut arguments = arguments.iter();
        let mut defining = command == "verilog_defines";
        while let Some(word) = arguments.next() {
            let text = word.text.as_str();
            let mut value = |joined: &str| match joined.is_empty() {
                false => Ok(Word {
                    text: joined.to_owned(),
                    span: word.span,
                }),
                true => arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| wrong(format!("`{text}` needs a value"), word.span)),
            };
            match text {
                "-sv" | "-sv2005" | "-sv2009" | "-sv2012" | "-sv2017" | "-formal" | "-vlog95" | "-vlog2k"
                | "-icells" | "-defer" | "-noautowire" | "-nolatches" | "-overwrite" | "-quiet"
                | "--quiet" => {}
                "-define" => defining = true,
                "-incdir" => self.includes.push(value("")?),
                "--top" | "-top" => self.top = Some(value("")?),
                "-noassert" | "-noassume" | "-norestrict" | "-assume-asserts" | "-assert-assumes"
                | "-setattr" | "-lib" | "-specify" | "-undef" => {
                    return Err(unread(format!("`{command} {text}` is not read"), word.span));
                }
                _ if text.starts_with("-D") => self.defines.push(value(&text[2..])?),
                _ if text.starts_with("-I") => self.includes.push(value(&text[2..])?),
                _ if text.starts_with('-') => {
                    return Err(unread(format!("`{command} {text}` is not read"), word.span));
                }
                _ if defining => self.defines.push(word.clone()),
                _ => self.files.push(word.clone()),
            }
        }
        Ok(())
    }

    /// `prep -top TOP`, `hierarchy -check -top TOP -chparam W 8`.
    fn hierarchy(&mut self, arguments: &[Word]) -> Result<(), Diagnostic> {
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| wrong(format!("`{}` needs a value", word.text), word.span))
            };
            match word.text.as_str() {
                "-top" => self.top = Some(value()?),
                "-chparam" => {
                    let name = value()?;
                    self.parameters.push((name, value()?));
                }
                "-check" | "-simcheck" | "-auto-top" | "-flatten" | "-nordff" | "-rdff" | "-nomem"
                | "-ifx" | "-memx" | "-nokeepdc" | "-smtcheck" | "-keep_positionals" | "-keep_portwidths" => {
                }
                other => return Err(unread(format!("`{other}` is not read here"), word.span)),
            }
        }
        Ok(())
    }

    /// `chparam -set W 8 TOP`.
    fn parameter(&mut self, arguments: &[Word], name: &Word) -> Result<(), Diagnostic> {
        let mut arguments = arguments;
        while let [set, parameter, value, rest @ ..] = arguments {
            if set.text != "-set" {
                break;
            }
            self.parameters.push((parameter.clone(), value.clone()));
            arguments = rest;
        }
        match arguments {
            [] => Ok(()),
            [module] if !module.text.starts_with('-') => match &self.top {
                Some(top) if top.text != module.text => {
                    let message = "parameters are given to the top module alone";
                    Err(unread(message, module.span))
                }
                _ => {
                    self.top = Some(module.clone());
                    Ok(())
                }
            },
            _ => Err(unread("this `chparam` is not read", name.span)),
        }
    }
}
