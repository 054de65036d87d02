//! Proposing, applying and reading again.

use super::folder::named_from;
use super::ledger::Ledger;
use super::proposal::{Proposal, TextEdit};
use super::round::{Problem, Round};
use super::{Edit, Repair, RepairOptions, Repairs};
use crate::description::{Robot, SourceText, Sources};
use crate::document;
use crate::error::{Error, ErrorCause};
use crate::file_format::FileFormat;
use crate::load::read_over;
use crate::location::{LineIndex, Source};
use crate::mjcf;
use crate::resolve::Bounds;
use crate::warning::Severity;
use crate::xacro::{self, Expanded};
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The most rounds: each repairs something that the ones before uncovered.
const MAX_ROUNDS: usize = 64;

/// The most repairs: their cost grows with the length of the text.
const MAX_REPAIRS: usize = 4096;

/// The repairs of a text, and of those that it includes.
pub(super) fn propose(main: SourceText, options: &RepairOptions) -> Repairs {
    match expanded(&main, options) {
        None => propose_plain(main, options),
        Some(Err(error)) => Repairs {
            files: vec![main],
            repairs: Vec::new(),
            outcome: Err(error),
            is_expanded: false,
        },
        Some(Ok(expanded)) => {
            let mut options = options.clone();
            options.load.xacro_arguments.clear();
            let mut repairs = propose_plain(expanded.text, &options);
            repairs.is_expanded = true;
            if let Ok(robot) = &mut repairs.outcome {
                robot.warnings.splice(0..0, expanded.warnings);
            }
            repairs
        }
    }
}

/// The expansion of a text, if it is written in xacro.
fn expanded(main: &SourceText, options: &RepairOptions) -> Option<Result<Expanded, Error>> {
    let document = document::parse(main).ok()?;
    let is_xacro = xacro::is_xacro(Element::root(&document, 0));
    let expand = || xacro::expand(&main.text, main.path.as_deref(), &options.load);
    is_xacro.then(expand)
}

/// The repairs of a text without xacro, and of those that it includes.
fn propose_plain(main: SourceText, options: &RepairOptions) -> Repairs {
    let mut work = Work::new(main, options);
    for _ in 0..MAX_ROUNDS {
        if !work.round() {
            break;
        }
    }
    work.name_files();
    work.finish()
}

/// An accepted repair, apart from its edits.
#[derive(Clone)]
struct Accepted {
    proposal: Proposal,
    /// The file, and the byte in it as it was.
    place: (usize, usize),
}

impl Accepted {
    fn key(&self) -> (&'static str, (usize, usize)) {
        (self.proposal.problem.code, self.place)
    }
}

/// The files of a robot while they are repaired.
struct Work<'o> {
    options: &'o RepairOptions,
    /// As they were.
    files: Vec<SourceText>,
    ledgers: Vec<Ledger>,
    accepted: Vec<Accepted>,
    /// The repairs proposed so far, by code and position; nothing is proposed twice.
    seen: HashSet<(&'static str, (usize, usize))>,
    outcome: Result<Robot, Error>,
}

impl<'o> Work<'o> {
    fn new(main: SourceText, options: &'o RepairOptions) -> Self {
        let (text, path) = (main.text.clone(), main.path.as_deref());
        Self {
            options,
            outcome: read_over(text, path, &options.load, &HashMap::new()),
            ledgers: vec![Ledger::new(&main.text)],
            files: vec![main],
            accepted: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// The robot of the files with the changes of the ledgers.
    fn read(&self, ledgers: &[Ledger]) -> Result<Robot, Error> {
        let main = ledgers[0].text().to_owned();
        let path = self.files[0].path.as_deref();
        read_over(main, path, &self.options.load, &self.written(ledgers))
    }

    fn written(&self, ledgers: &[Ledger]) -> HashMap<PathBuf, String> {
        let files = self.files.iter().zip(ledgers).skip(1);
        let changed = files.filter(|(_, ledger)| !ledger.changes().is_empty());
        changed
            .filter_map(|(file, ledger)| Some((file.path.clone()?, ledger.text().to_owned())))
            .collect()
    }

    /// Proposes and accepts repairs of the texts as they are; returns whether there were any.
    fn round(&mut self) -> bool {
        let mut new = self.proposals();
        new.retain(|it| !self.seen.contains(&it.key()));
        // All at once; if something else goes wrong, the first that does no harm. The other repairs
        // are proposed again by the next round.
        let ones = new.iter().map(std::slice::from_ref);
        let attempts: Vec<&[Accepted]> = match new.len() {
            0 | 1 => ones.collect(),
            _ => std::iter::once(&new[..]).chain(ones).collect(),
        };
        for attempt in attempts {
            let Some((ledgers, made)) = self.with(attempt) else {
                continue;
            };
            let outcome = self.read(&ledgers);
            let mut codes = made.iter().map(|it| it.proposal.problem.code);
            let is_spelling = codes.all(|it| it.starts_with("misspelt-"));
            let is_worse = is_worse(&self.outcome, &outcome, is_spelling);
            if !is_worse || made.len() == 1 {
                self.seen.extend(made.iter().map(Accepted::key));
            }
            if !is_worse {
                (self.ledgers, self.outcome) = (ledgers, outcome);
                self.accepted.extend(made);
                return true;
            }
        }
        false
    }

    /// The robot's file with the changes of its ledger.
    fn edited(&self) -> SourceText {
        let mut main = self.files[0].clone();
        self.ledgers[0].text().clone_into(&mut main.text);
        main
    }

    /// Names the files of the robot from the folder that its text is written to.
    fn name_files(&mut self) {
        let source = self.files[0].path.as_deref().and_then(Path::parent);
        let (Some(folder), Some(source)) = (&self.options.folder, source) else {
            return;
        };
        let main = self.edited();
        let Ok(document) = document::parse(&main) else {
            return;
        };
        let edits = named_from(Element::root(&document, 0), source, folder);
        let Some(first) = edits.first().map(|it| it.range.start) else {
            return;
        };
        let problem = Problem::new("mesh-folder", Severity::Note, Source::new(0, first));
        let name_them = match edits.len() {
            1 => "name a file".to_owned(),
            count => format!("name {count} files"),
        };
        let reason = format!(
            "the text is written to another folder: {name_them} from there, so that the same files are found"
        );
        let proposal = problem.proposal(reason, edits);
        let place = (0, self.ledgers[0].original(first));
        // The outcome stays: the text is no more one of a file in the old folder.
        if let Some((ledgers, made)) = self.with(&[Accepted { proposal, place }]) {
            self.ledgers = ledgers;
            self.accepted.extend(made);
        }
    }

    /// The ledgers with the edits of proposals, and the proposals whose edits do not overlap those
    /// of others; none if nothing is left.
    fn with(&self, proposals: &[Accepted]) -> Option<(Vec<Ledger>, Vec<Accepted>)> {
        let mut made: Vec<Accepted> = Vec::new();
        let mut edits: Vec<(&TextEdit, usize)> = Vec::new();
        // The ends of pieces, by text and beginning; two insertions at one place overlap.
        let mut taken: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let end = |edit: &TextEdit| edit.range.end.max(edit.range.start + 1);
        let most = MAX_REPAIRS.saturating_sub(self.accepted.len());
        for one in proposals.iter().take(most) {
            let own = &one.proposal.edits;
            let overlaps = own.iter().any(|edit| {
                let mut before = taken.range((edit.text, 0)..(edit.text, end(edit)));
                before
                    .next_back()
                    .is_some_and(|(_, end)| *end > edit.range.start)
            });
            if !overlaps {
                let index = self.accepted.len() + made.len();
                taken.extend(own.iter().map(|it| ((it.text, it.range.start), end(it))));
                edits.extend(own.iter().map(|edit| (edit, index)));
                made.push(one.clone());
            }
        }
        if made.is_empty() {
            return None;
        }
        // From the end, so that the places of the others stay what they are.
        edits.sort_by_key(|(edit, _)| std::cmp::Reverse((edit.text, edit.range.start)));
        let mut ledgers = self.ledgers.clone();
        for (edit, repair) in edits {
            let ledger = ledgers.get_mut(edit.text)?;
            ledger.replace(edit.range.clone(), &edit.new, repair);
        }
        Some((ledgers, made))
    }

    /// The proposals for the texts as they are, with their places in the texts as they were.
    fn proposals(&mut self) -> Vec<Accepted> {
        let main = self.edited();
        let Ok(document) = document::parse(&main) else {
            return Vec::new();
        };
        let root = Element::root(&document, 0);
        let (mut texts, mut at) = (vec![main.clone()], HashMap::new());
        if FileFormat::of_root(root.tag()) == Some(FileFormat::Mjcf) {
            // Files that can't be included are an error that no repair is known for.
            let written = self.written(&self.ledgers);
            let bounds = Bounds::new(main.path.as_deref(), &self.options.load);
            if let Ok(included) = mjcf::gather(main.clone(), &written, &bounds) {
                (texts, at) = (included.texts, included.at);
            }
        }
        let sources = Sources::new(texts);
        let Ok(documents) = mjcf::documents(sources.texts()) else {
            return Vec::new();
        };
        // A file that is attached may be there several times, under names that it does not have.
        let attached = attached(&documents, &at);
        let own = sources.texts().iter().zip(attached);
        let indices = own.map(|(it, is_attached)| (!is_attached).then(|| self.index(it)));
        let indices: Vec<Option<usize>> = indices.collect();
        let round = Round {
            sources: &sources,
            elements: elements(&documents),
            included: mjcf::Texts::new(sources.texts(), &documents, &at),
            outcome: &self.outcome,
            options: self.options,
        };
        let proposals = round.proposals().into_iter().filter_map(|mut proposal| {
            for edit in &mut proposal.edits {
                edit.text = (*indices.get(edit.text)?)?;
            }
            let (text, offset) = proposal.problem.place.position()?;
            let file = (*indices.get(text)?)?;
            let place = (file, self.ledgers[file].original(offset));
            (!proposal.edits.is_empty()).then_some(Accepted { proposal, place })
        });
        proposals.collect()
    }

    /// The index of a file, which is added if it is new.
    fn index(&mut self, text: &SourceText) -> usize {
        let known = self.files.iter().position(|it| it.path == text.path);
        known.unwrap_or_else(|| {
            self.files.push(text.clone());
            self.ledgers.push(Ledger::new(&text.text));
            self.files.len() - 1
        })
    }

    fn finish(self) -> Repairs {
        let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); self.accepted.len()];
        for (file, ledger) in self.ledgers.iter().enumerate() {
            if ledger.changes().is_empty() {
                continue;
            }
            let lines = LineIndex::new(&self.files[file].text);
            for change in ledger.changes() {
                edits[change.repair].push(Edit {
                    file,
                    start: lines.position(change.range.start),
                    end: lines.position(change.range.end),
                    range: change.range.clone(),
                    text: change.text.clone(),
                });
            }
        }
        let places = self.accepted.iter().map(|it| it.place);
        let places: Vec<Source> = places.map(|(file, at)| Source::new(file, at)).collect();
        let sources = Sources::new(self.files.clone());
        let locations = sources.locations(&places);
        let repairs = self.accepted.into_iter().zip(locations).zip(edits);
        let repairs = repairs.map(|((accepted, location), edits)| Repair {
            code: accepted.proposal.problem.code,
            severity: accepted.proposal.problem.severity,
            reason: accepted.proposal.reason,
            location,
            edits,
        });
        Repairs {
            repairs: repairs.collect(),
            files: self.files,
            outcome: self.outcome,
            is_expanded: false,
        }
    }
}

/// Whether each text is one that is attached, or included by such a one.
fn attached(documents: &[Document<'_>], at: &HashMap<Source, usize>) -> Vec<bool> {
    let mut attached = vec![false; documents.len()];
    for (index, document) in documents.iter().enumerate() {
        for element in Element::root(document, index).descendants() {
            if let Some(&text) = at.get(&element.source()) {
                // A text stands after the one that names it.
                attached[text] = attached[index] || element.tag() == "attach";
            }
        }
    }
    attached
}

/// The elements of each text, in its order.
fn elements<'a>(documents: &'a [Document<'a>]) -> Vec<Vec<Element<'a>>> {
    let documents = documents.iter().enumerate();
    let roots = documents.map(|(index, document)| Element::root(document, index));
    roots.map(|root| root.descendants().collect()).collect()
}

/// Whether a repair did harm: the robot is no longer read, or there are more warnings of a kind; or
/// whether it did nothing about any error. Warnings of what is read once it is spelt right are no
/// harm.
fn is_worse(
    before: &Result<Robot, Error>,
    after: &Result<Robot, Error>,
    is_spelling: bool,
) -> bool {
    match (before, after) {
        (Ok(_), Err(_)) => true,
        (Err(_), Ok(_)) => false,
        (Err(before), Err(after)) => {
            let is_xml = matches!(after.cause(), ErrorCause::Xml(_));
            is_xml || errors(before).is_subset(&errors(after))
        }
        (Ok(_), Ok(_)) if is_spelling => false,
        (Ok(before), Ok(after)) => {
            let before = warnings(before);
            let mut after = warnings(after).into_iter();
            after.any(|(code, count)| count > before.get(code).copied().unwrap_or(0))
        }
    }
}

/// The errors of a reading, with their places.
fn errors(error: &Error) -> HashSet<(String, Option<String>)> {
    let shown = error
        .all()
        .map(|it| (it.cause().to_string(), it.location().element.clone()));
    shown.collect()
}

/// How many warnings of each kind a robot has.
fn warnings(robot: &Robot) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    let warnings = robot.warnings.iter();
    for warning in warnings.filter(|it| it.severity() == Severity::Warning) {
        *counts.entry(warning.cause.code()).or_insert(0) += 1;
    }
    counts
}
