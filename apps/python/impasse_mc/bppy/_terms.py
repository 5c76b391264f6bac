"""Z3 formulas as terms of the format of programs."""

from __future__ import annotations

from typing import Any

from ._errors import BppyError


def enumeration(sort: Any) -> list[str] | None:
    """The values of an enumeration sort, or None."""
    import z3

    if not isinstance(sort, z3.DatatypeSortRef):
        return None
    makers = [sort.constructor(i) for i in range(sort.num_constructors())]
    return [m.name() for m in makers] if all(m.arity() == 0 for m in makers) else None


class Printer:
    """Writes Z3 formulas as terms of the format, and collects their constants."""

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.constants: dict[str, Any] = {}
        self._plain = {
            z3.Z3_OP_AND: "and",
            z3.Z3_OP_OR: "or",
            z3.Z3_OP_NOT: "not",
            z3.Z3_OP_IMPLIES: "=>",
            z3.Z3_OP_XOR: "xor",
            z3.Z3_OP_EQ: "=",
            z3.Z3_OP_IFF: "=",
            z3.Z3_OP_DISTINCT: "distinct",
            z3.Z3_OP_ITE: "ite",
            z3.Z3_OP_LE: "<=",
            z3.Z3_OP_LT: "<",
            z3.Z3_OP_GE: ">=",
            z3.Z3_OP_GT: ">",
            z3.Z3_OP_ADD: "+",
            z3.Z3_OP_SUB: "-",
            z3.Z3_OP_UMINUS: "-",
            z3.Z3_OP_MUL: "*",
            z3.Z3_OP_IDIV: "div",
            z3.Z3_OP_MOD: "mod",
            z3.Z3_OP_TRUE: "true",
            z3.Z3_OP_FALSE: "false",
        }

    def sort(self, t: Any) -> Any:
        """The sort of a term in the format."""
        if self.z3.is_bool(t):
            return "Bool"
        if self.z3.is_int(t):
            return "Int"
        values = enumeration(t.sort())
        if values is None:
            raise BppyError(f"{t} has the sort {t.sort()}; Int, Bool and enumerations are supported")
        return values

    def text(self, t: Any) -> str:
        """A term as text."""
        z3 = self.z3
        if not z3.is_app(t):
            raise BppyError(f"{t} is a formula with quantifiers, which are not supported")
        self.sort(t)
        kind = t.decl().kind()
        if z3.is_int_value(t):
            value = t.as_long()
            return str(value) if value >= 0 else f"(- {-value})"
        if kind == z3.Z3_OP_UNINTERPRETED and t.num_args() == 0:
            return self._constant(t)
        if kind == z3.Z3_OP_DT_CONSTRUCTOR:
            return '"' + str(t.decl().name()).replace('"', '""') + '"'
        if kind in (z3.Z3_OP_DT_IS, z3.Z3_OP_DT_RECOGNISER):
            sort = t.arg(0).sort()
            for i in range(sort.num_constructors()):
                if sort.recognizer(i).eq(t.decl()):
                    return f"(= {self.text(t.arg(0))} {self.text(sort.constructor(i)())})"
        word = self._plain.get(kind)
        if word is None:
            raise BppyError(f"the operator {t.decl().name()} in {t} is not supported")
        if t.num_args() == 0:
            return str(word)
        arguments = [self.text(a) for a in t.children()]
        if len(arguments) == 1 and word in ("and", "or", "+", "*"):
            return arguments[0]
        return f"({word} {' '.join(arguments)})"

    def _constant(self, t: Any) -> str:
        name = str(t.decl().name())
        known = self.constants.setdefault(name, t)
        if not known.eq(t):
            raise BppyError(f"two constants have the name {name} and different sorts")
        if "|" in name or "\\" in name:
            raise BppyError(f"the name {name!r} of a constant cannot be written")
        return f"|{name}|"
