//! Which shapes of a description may touch, and what their contact is like.

use super::{Description, Motion, PairSurface, Source, Tree};
use crate::error::Error;
use crate::options::SiblingOrder;
use crate::report::Report;
use std::collections::{HashMap, HashSet};

/// The name of a root link that is the world around robots, and no part of one of them.
pub(crate) const WORLD: &str = "world";

/// Which shapes of a description may touch, and friction and restitution where they do.
///
/// Two shapes may touch if all of these hold:
///
/// * they are shapes that touch, of links that can move against each other;
/// * neither link is the parent of the other. Links that are fixed to each other count as one, and
///   a link without collision shapes counts as part of its joint. The world (a root link `world`)
///   is nobody's parent, and a free joint makes none. Links that a loop joint connects are like
///   parent and child;
/// * no [exclusion](super::ContactExclusion) names their links, and no
///   [rule](super::ContactRule) keeps them apart;
/// * their [masks](super::ContactMask) have a bit in common;
/// * none of the links is disabled by default by the semantics, unless the pair is enabled there.
///
/// Shapes of an explicit [pair](super::ContactPair) may touch in any case.
///
/// ```
/// let scene = "[ground]\n[[body]]\nname = 'ball'\nsphere = 0.1\n";
/// let scene = featherline_formats::load_str(scene)?;
/// let rules = scene.description.contact_rules()?;
/// assert!(rules.may_touch(0, 1));
/// assert_eq!(rules.surface(0, 1).friction, 0.8);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ContactRules<'d> {
    description: &'d Description,
    /// The joint that moves each link; none for the root and what is fixed to it.
    carrier: Vec<Option<usize>>,
    /// The first of the links that are fixed to each other.
    cluster: Vec<usize>,
    /// Clusters that are parent and child.
    adjacent: HashSet<[usize; 2]>,
    /// Links whose shapes do not touch.
    excluded: HashSet<[usize; 2]>,
    /// Explicit pairs of shapes, with their index.
    pairs: HashMap<[usize; 2], usize>,
    disabled: HashSet<usize>,
    enabled: HashSet<[usize; 2]>,
    /// The rules that name each link, and on which sides.
    rules: HashMap<usize, Vec<(usize, [bool; 2])>>,
}

fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

impl Description {
    /// The indices of shapes that touch, or that an explicit pair names, in their order.
    pub(super) fn collision_geometry(&self) -> impl Iterator<Item = usize> {
        let pairs = self.contact_pairs.iter().flat_map(|it| it.geometry);
        let in_pairs: HashSet<usize> = pairs.collect();
        let touches =
            move |index: &usize| self.geometry[*index].is_collision || in_pairs.contains(index);
        (0..self.geometry.len()).filter(touches)
    }

    /// Which shapes may touch, and their contact. Cost: linear in the number of parts.
    ///
    /// # Errors
    /// [`Error`] if links and joints are no tree.
    pub fn contact_rules(&self) -> Result<ContactRules<'_>, Error> {
        ContactRules::new(self)
    }
}

impl<'d> ContactRules<'d> {
    fn new(description: &'d Description) -> Result<Self, Error> {
        let report = Report::new(&description.sources);
        let tree = Tree::new(description, SiblingOrder::Document, &report);
        let tree = tree.map_err(|fault| report.error(*fault))?;
        let links = description.links.len();
        let world = (description.links[tree.root].name == WORLD).then_some(tree.root);
        let mut carrier = vec![None; links];
        let mut cluster: Vec<usize> = (0..links).collect();
        for &i in &tree.joints {
            let joint = &description.joints[i];
            if joint.motion != Motion::Fixed {
                carrier[joint.child] = Some(i);
                continue;
            }
            carrier[joint.child] = carrier[joint.parent];
            if world != Some(joint.parent) {
                cluster[joint.child] = cluster[joint.parent];
            }
        }
        let pairs = description.contact_pairs.iter().enumerate();
        let pairs: HashMap<_, _> = pairs
            .map(|(i, it)| (ordered(it.geometry[0], it.geometry[1]), i))
            .collect();
        let mut touches = vec![false; links];
        for geometry in description.collision_geometry() {
            if let Some(&cluster) = cluster.get(description.geometry[geometry].link) {
                touches[cluster] = true;
            }
        }
        let mut adjacent = HashSet::new();
        let filters_parents = !description.disabled.parent_filter;
        for &i in tree.joints.iter().filter(|_| filters_parents) {
            let joint = &description.joints[i];
            if joint.motion == Motion::Fixed || joint.motion.kind().nv() == 6 {
                continue;
            }
            let mut above = joint.parent;
            // A link without shapes is part of the joint.
            while !touches[cluster[above]]
                && let Some(next) = carrier[above]
                && description.joints[next].motion.kind().nv() < 6
            {
                above = description.joints[next].parent;
            }
            if world != Some(above) {
                adjacent.insert(ordered(cluster[above], cluster[joint.child]));
            }
        }
        let semantics = &description.semantics;
        let mut rules: HashMap<usize, Vec<(usize, [bool; 2])>> = HashMap::new();
        for (index, rule) in description.contact_rules.iter().enumerate() {
            for side in 0..2 {
                for &link in &rule.links[side] {
                    let own = rules.entry(link).or_default();
                    match own.last_mut().filter(|(last, _)| *last == index) {
                        Some((_, sides)) => sides[side] = true,
                        None => own.push((index, [side == 0, side == 1])),
                    }
                }
            }
        }
        for closing in &description.loops {
            let (a, b) = (closing.predecessor.0, closing.successor.0);
            if a < links && b < links && world.is_none_or(|it| it != a && it != b) {
                adjacent.insert(ordered(cluster[a], cluster[b]));
            }
        }
        let exclusions = description.contact_exclusions.iter();
        let excluded = exclusions.map(|it| ordered(it.links[0], it.links[1]));
        let enabled = semantics.enabled_collisions.iter();
        let enabled = enabled.map(|it| ordered(it.links[0], it.links[1]));
        Ok(Self {
            description,
            carrier,
            cluster,
            adjacent,
            excluded: excluded.collect(),
            pairs,
            disabled: semantics.disabled_by_default.iter().copied().collect(),
            enabled: enabled.collect(),
            rules,
        })
    }

    /// Whether two shapes may touch, by their indices in
    /// [`Description::geometry`]; false for indices of no shape. Cost O(1), times the number of
    /// rules that name the links.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        let geometry = &self.description.geometry;
        let (Some(first), Some(second)) = (geometry.get(a), geometry.get(b)) else {
            return false;
        };
        if a == b || !self.can_approach(first.link, second.link) {
            return false;
        }
        self.pairs.contains_key(&ordered(a, b))
            || (first.is_collision
                && second.is_collision
                && first.mask.allows(second.mask)
                && self.links_may_touch(first.link, second.link))
    }

    /// Friction and restitution of two shapes, by their indices in [`Description::geometry`]: what
    /// an explicit pair says, else the last rule that names their links, else both surfaces
    /// [combined](super::ContactDefaults::combine).
    pub fn surface(&self, a: usize, b: usize) -> PairSurface {
        let of = |index: usize| self.description.geometry.get(index);
        let (first, second) = (of(a), of(b));
        let surface = |it: Option<&'d super::Geometry>| it.and_then(|it| it.surface.as_ref());
        let defaults = &self.description.contact_defaults;
        let mut contact = defaults.combine(surface(first), surface(second));
        if let (Some(first), Some(second)) = (first, second) {
            for rule in self.rules_of(first.link, second.link) {
                contact = contact.overridden_by(&rule.surface);
            }
        }
        let pair = self.pairs.get(&ordered(a, b));
        match pair.and_then(|&it| self.description.contact_pairs[it].surface) {
            Some(surface) => contact.overridden_by(&surface),
            None => contact,
        }
    }

    /// Where the dimension of a contact of two shapes is stated: at an explicit pair, or at the
    /// shape whose surface has it.
    pub(super) fn dimension_source(&self, a: usize, b: usize) -> Source {
        let Description {
            geometry,
            contact_pairs,
            ..
        } = self.description;
        let dimension = |it: usize| geometry[it].surface.and_then(|it| it.dimension);
        match self.pairs.get(&ordered(a, b)) {
            Some(&pair) => contact_pairs[pair].source,
            None if dimension(a) == Some(self.surface(a, b).dimension) => geometry[a].source,
            None => geometry[b].source,
        }
    }

    /// Whether shapes of two links never touch, because of the joints alone: the links make one
    /// body, both stand still in the world, or they are parent and child. By their indices in
    /// [`Description::links`]; false for indices of no link. Cost O(1).
    ///
    /// ```
    /// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
    /// let link = |name| format!("<link name='{name}'>{ball}</link>");
    /// let joint = |a, b| {
    ///     let ends = format!("<parent link='{a}'/><child link='{b}'/>");
    ///     format!("<joint name='to_{b}' type='continuous'>{ends}</joint>")
    /// };
    /// let links = [link("base"), link("arm"), link("hand")].concat();
    /// let joints = [joint("base", "arm"), joint("arm", "hand")].concat();
    /// let text = format!("<robot name='r'>{links}{joints}</robot>");
    /// let arm = featherline_formats::load_str(&text)?;
    /// let rules = arm.description.contact_rules()?;
    /// assert!(rules.are_adjacent(0, 1) && !rules.are_adjacent(0, 2));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn are_adjacent(&self, a: usize, b: usize) -> bool {
        let count = self.cluster.len();
        if a.max(b) >= count || a == b {
            return false;
        }
        let clusters = ordered(self.cluster[a], self.cluster[b]);
        !self.can_approach(a, b) || self.adjacent.contains(&clusters)
    }

    /// Whether two links can move against each other.
    fn can_approach(&self, a: usize, b: usize) -> bool {
        match (self.carrier.get(a), self.carrier.get(b)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    /// Whether shapes of two links may touch, if their masks allow it.
    fn links_may_touch(&self, a: usize, b: usize) -> bool {
        let pair = ordered(a, b);
        let is_disabled = self.disabled.contains(&a) || self.disabled.contains(&b);
        !self.are_adjacent(a, b)
            && !self.excluded.contains(&pair)
            && (!is_disabled || self.enabled.contains(&pair))
            && self.rules_of(a, b).last().is_none_or(|it| it.collides)
    }

    /// The rules that name two links, in their order.
    fn rules_of(&self, a: usize, b: usize) -> impl Iterator<Item = &'d super::ContactRule> {
        let none: &[(usize, [bool; 2])] = &[];
        let of = |link| self.rules.get(&link).map_or(none, |it| &it[..]);
        let (first, second) = (of(a), of(b));
        let both = first.iter().filter(move |(rule, sides)| {
            let found = second.binary_search_by_key(rule, |it| it.0);
            let others = found.map_or([false; 2], |at| second[at].1);
            (sides[0] && others[1]) || (sides[1] && others[0])
        });
        both.map(|(rule, _)| &self.description.contact_rules[*rule])
    }
}
