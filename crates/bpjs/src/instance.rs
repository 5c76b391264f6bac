//! `instanceof`, for known classes. Events and event sets are objects of Java in BPjs, and so of no
//! class of JavaScript. No object is made by a function of the program with `new`.

use super::heap::Heap;
use super::names;
use super::value::{Cell, Stop, Value, unsupported};

type Res<T> = Result<T, Stop>;

impl Heap {
    pub(super) fn instance_of(&mut self, value: &Value, class: &Value) -> Res<Value> {
        let path = match class {
            Value::Native(path) => *path,
            Value::Ref(at) if matches!(self.get(*at), Cell::Closure(..)) => return Ok(Value::Bool(false)),
            Value::Ref(_) => return Err(unsupported("the right side of `instanceof` is no class", "name a class")),
            _ => return Err(self.type_error("Can't use 'instanceof' on a non-object.")),
        };
        let hint = "`instanceof` is read for `Array`, `Object`, `Function`, and for classes of errors without objects";
        let refused = || unsupported(format!("whether this is an instance of `{path}` is not read"), hint);
        if !matches!(
            path,
            "Array"
                | "Object"
                | "Function"
                | "Map"
                | "Set"
                | "Number"
                | "String"
                | "Boolean"
                | "Error"
                | "TypeError"
                | "RangeError"
        ) {
            let hint = "events have one class: test the name, as `e.name === \"move\"`";
            return Err(if path.ends_with("Event") {
                unsupported("`instanceof` of events is not read", hint)
            } else {
                refused()
            });
        }
        let is_error = path.ends_with("Error");
        let is_instance = match value {
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(_) => matches!(path, "Array" | "Object"),
                Cell::Closure(..) => matches!(path, "Function" | "Object"),
                // Errors are plain objects here.
                Cell::Object(_) if is_error => return Err(refused()),
                Cell::Object(_) | Cell::Regex(..) => path == "Object",
                Cell::Map(_, is_set) => path == "Object" || path == if *is_set { "Set" } else { "Map" },
                _ => false,
            },
            Value::Native(function) if names::is_function(function) => matches!(path, "Function" | "Object"),
            Value::Native(_) => return Err(refused()),
            _ => false,
        };
        Ok(Value::Bool(is_instance))
    }
}
