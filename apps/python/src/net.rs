//! Nets that are made in Python.

use crate::errors::failure;
use crate::number::Natural;
use crate::problem::Problem;
use model::{Net, Place, PlaceId, Range, Transition};
use num_bigint::BigUint;
use pyo3::prelude::*;
use std::sync::Arc;

/// A place: its name, the least number of initial tokens, and the greatest (`None`: any).
type PlaceSpec = (String, Natural, Option<Natural>);
/// Arcs: numbers of places, and weights.
type Arcs = Vec<(u32, Natural)>;

/// Makes a net. A transition is its name, its input arcs and its output arcs. `finals` are final markings.
///
/// # Errors
/// `Failure` for names that repeat and places that do not exist.
#[pyfunction]
pub(crate) fn net(
    name: String,
    places: Vec<PlaceSpec>,
    transitions: Vec<(String, Arcs, Arcs)>,
    finals: Vec<Arcs>,
) -> PyResult<Problem> {
    let count = places.len();
    let place = |(name, at_least, at_most): PlaceSpec| Place {
        name,
        initial: Range { at_least: at_least.0, at_most: at_most.map(|most| most.0) },
    };
    let arcs = |arcs: Arcs| -> PyResult<Vec<(PlaceId, BigUint)>> {
        match arcs.iter().find(|(place, _)| *place as usize >= count) {
            Some((place, _)) => Err(failure(format!("there is no place {place}"))),
            None => Ok(arcs.into_iter().map(|(place, weight)| (PlaceId(place), weight.0)).collect()),
        }
    };
    let transition = |(name, inputs, outputs): (String, Arcs, Arcs)| -> PyResult<Transition> {
        Ok(Transition::from_arcs(name, &arcs(inputs)?, &arcs(outputs)?))
    };
    let transitions = transitions.into_iter().map(transition).collect::<PyResult<Vec<_>>>()?;
    let finals = finals.into_iter().map(arcs).collect::<PyResult<Vec<_>>>()?;
    let net =
        Net::new(places.into_iter().map(place).collect(), transitions).map_err(|error| failure(error.to_string()))?;
    let net = if finals.is_empty() { net } else { net.with_finals(finals) };
    Ok(Problem::made(model::Problem::of_net(Arc::new(net)), name))
}
