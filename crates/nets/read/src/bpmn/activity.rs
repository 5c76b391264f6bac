//! The steps of activities: tasks, sub-processes, their boundary events, and the error events inside.
//!
//! A task is one step, since no other step depends on what happens inside. A sub-process is active between two steps.
//! A non-interrupting timer fires at most once while its activity is active, so that an activity with such timers has
//! a place for each set of timers that have fired.

use super::check::is_beside;
use super::net::{Last, Step};
use super::nodes::Nodes;
use super::tree::{Kind, NodeId, Res, ScopeId, Tree};
use model::PlaceId;
use std::ops::Range;

/// An activity that is being translated.
struct Activity {
    id: NodeId,
    inside: Option<ScopeId>,
    /// Non-interrupting timers.
    timers: Vec<NodeId>,
    /// The places before the activity ends, by set of timers that have fired. The only one of a task without timers
    /// is that before the task.
    phases: Vec<Vec<PlaceId>>,
}

impl Nodes<'_, '_> {
    pub(super) fn activity(&mut self, id: NodeId) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(id);
        let inside = if let Kind::Sub(inside) = node.kind { Some(inside) } else { None };
        let timers: Vec<NodeId> = node.boundary.iter().copied().filter(|n| is_beside(tree.node(*n))).collect();
        let is_active = inside.is_some() || !timers.is_empty();
        let mut phases = vec![self.takes(id)];
        if is_active {
            phases = self.phases(id, &timers)?;
            self.enter(id, inside, &phases[0])?;
        }
        let activity = Activity { id, inside, timers, phases };
        self.complete(&activity)?;
        for event in &node.boundary {
            if !self.caught.contains(event) {
                self.boundary(&activity, *event)?;
            }
        }
        if let Some(inside) = inside {
            self.active.insert(inside.0, activity.phases.concat());
        }
        Ok(())
    }

    /// Adds the places of an active activity.
    fn phases(&mut self, id: NodeId, timers: &[NodeId]) -> Res<Vec<Vec<PlaceId>>> {
        let tree = self.builder.tree;
        let node = tree.node(id);
        let mut phases = Vec::new();
        for fired in 0..1u32 << timers.len() {
            let after = after(tree, timers, fired);
            let (name, called) = (format!("active {}{}", node.id, after.0), format!("{} active{}", node.name, after.1));
            phases.push(vec![self.builder.place(&name, &called, Some(node.scope))?]);
        }
        Ok(phases)
    }

    fn enter(&mut self, id: NodeId, inside: Option<ScopeId>, phase: &[PlaceId]) -> Res<()> {
        let node = self.builder.tree.node(id);
        let (name, called) = (format!("enter {}", node.id), format!("enter {}", node.name));
        let starts = inside.map_or(Vec::new(), |inside| self.starts_of(inside).to_vec());
        let (takes, puts) = (self.takes(id), [phase, &starts].concat());
        self.builder.step(Step { id: name, called, is_silent: true, takes, puts, ..Step::default() })
    }

    /// Adds the steps that end the activity. A sub-process ends when no token inside is left but those at ends.
    fn complete(&mut self, activity: &Activity) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(activity.id);
        let end = activity.inside.map(|inside| (inside, self.end_of(inside)));
        if let Some((_, None)) = end {
            return Ok(());
        }
        let (mut puts, mail) = (self.puts(activity.id), self.mail.get(&activity.id).copied());
        puts.extend(self.sent.get(&activity.id).into_iter().flatten());
        for (fired, phase) in (0..).zip(&activity.phases) {
            let mut takes: Vec<PlaceId> = phase.iter().copied().chain(mail).collect();
            let mut last = None;
            if let Some((inside, Some(end))) = end {
                takes.push(end);
                let scopes = Some(tree.inside(inside));
                last = tree.has_forks(inside).then(|| Last { scopes, ends: vec![end], is_single: false });
            }
            let after = after(tree, &activity.timers, fired);
            let complete = if activity.inside.is_some() { "complete " } else { "" };
            let id = format!("{complete}{}{}", node.id, after.0);
            let called = format!("{complete}{}{}", node.name, after.1);
            let (is_silent, puts) = (activity.inside.is_some(), puts.clone());
            self.builder.step(Step { id, called, is_silent, takes, puts, last, ..Step::default() })?;
        }
        Ok(())
    }

    fn boundary(&mut self, activity: &Activity, event: NodeId) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(event);
        let timer = activity.timers.iter().position(|timer| *timer == event);
        for (fired, phase) in (0u32..).zip(&activity.phases) {
            let mut puts = self.puts(event);
            if let Some(timer) = timer {
                if fired & 1 << timer != 0 {
                    continue;
                }
                let next = fired as usize | 1 << timer;
                puts.extend(&activity.phases[next]);
            }
            let takes = phase.iter().chain(self.mail.get(&event)).copied().collect();
            let clears = self.interrupted(activity, timer.is_some());
            let after = after(tree, &activity.timers, fired);
            let (id, called) = (format!("{}{}", node.id, after.0), format!("{}{}", node.name, after.1));
            self.builder.step(Step { id, called, takes, puts, clears, ..Step::default() })?;
        }
        Ok(())
    }

    /// The scopes that an event at the boundary clears.
    fn interrupted(&self, activity: &Activity, is_beside: bool) -> Range<usize> {
        match activity.inside {
            Some(inside) if !is_beside => self.builder.tree.inside(inside),
            _ => 0..0,
        }
    }

    /// Adds the step of an error event: the sub-process that catches the error ends.
    pub(super) fn error(&mut self, id: NodeId, error: Option<&String>) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(id);
        let Some(catcher) = tree.catcher(node.scope, error) else { return Ok(()) };
        let Kind::Boundary { host, .. } = tree.node(catcher).kind else { return Ok(()) };
        let Kind::Sub(inside) = tree.node(host).kind else { return Ok(()) };
        let clears_too = self.active.get(&inside.0).cloned().unwrap_or_default();
        let (takes, puts, clears) = (self.takes(id), self.puts(catcher), tree.inside(inside));
        let called = format!("{} -> {}", node.name, tree.node(catcher).name);
        self.builder.step(Step { id: node.id.clone(), called, takes, puts, clears, clears_too, ..Step::default() })
    }
}

/// What is added to ids and names after these timers have fired.
fn after(tree: &Tree, timers: &[NodeId], fired: u32) -> (String, String) {
    let fired = timers.iter().enumerate().filter(|(t, _)| fired & 1 << t != 0).map(|(_, timer)| tree.node(*timer));
    let (ids, names): (Vec<&str>, Vec<&str>) = fired.map(|node| (node.id.as_str(), node.name.as_str())).unzip();
    if ids.is_empty() {
        return Default::default();
    }
    (format!(" after {}", ids.join(", ")), format!(" (after {})", names.join(", ")))
}
