"""The style of all pictures: colours for light and dark pages, and rules that hold only inside.

Jupyter says by an attribute of the page which theme it has, and so do VS Code and documentation
themes. Elsewhere the setting of the system holds. Colours of text and background are those of
Jupyter's theme, if there is one.
"""

from __future__ import annotations

from .svg import tag

_LIGHT = """color-scheme:light;--ip-fg:var(--jp-content-font-color1,#1f2328);
--ip-soft:var(--jp-content-font-color2,#59636e);--ip-bg:var(--jp-layout-color0,#fff);
--ip-panel:#f3f5f8;--ip-border:#c4ccd5;--ip-line:#6b7683;--ip-accent:#0b62c4;--ip-on:#dcebfd;
--ip-safe:#18773a;--ip-unsafe:#c3242f;--ip-unknown:#8f5f00;--ip-plain:#3b5f9e;
--ip-bad:#fde3e2;--ip-warm:#fdf0d3;"""
_DARK = """color-scheme:dark;--ip-fg:var(--jp-content-font-color1,#e4e9ef);
--ip-soft:var(--jp-content-font-color2,#a0a9b4);--ip-bg:var(--jp-layout-color0,#15181d);
--ip-panel:#242a32;--ip-border:#4a535f;--ip-line:#8d99a7;--ip-accent:#6cb2ff;--ip-on:#17365c;
--ip-safe:#1d7d40;--ip-unsafe:#c93540;--ip-unknown:#946200;--ip-plain:#4668a8;
--ip-bad:#4d1f22;--ip-warm:#43340f;"""

_DARK_PAGES = (
    '[data-jp-theme-light="false"]',
    '[data-theme="dark"]',
    ".vscode-dark",
    ".vscode-high-contrast",
)
_LIGHT_PAGES = ('[data-jp-theme-light="true"]', '[data-theme="light"]', ".vscode-light")

_RULES = """
{--ip-code:var(--jp-code-font-family,ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace)}
{font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
color:var(--ip-fg);background:var(--ip-bg);padding:8px 10px;text-align:left}
*{box-sizing:border-box}
code.ip-code{font:12px/1.4 var(--ip-code);
background:none;color:inherit;padding:0;border:0;white-space:pre-wrap;overflow-wrap:anywhere}
.ip-head-line{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;margin:0 0 8px}
.ip-name{font-weight:600;font-size:14px;overflow-wrap:anywhere}
.ip-soft{color:var(--ip-soft)}
p{margin:4px 0}
.ip-note{color:var(--ip-soft);margin:4px 0}
.ip-badge{display:inline-block;border-radius:10px;padding:1px 9px;font-size:11px;font-weight:700;
letter-spacing:.04em;color:#fff;background:var(--ip-plain);white-space:nowrap}
.ip-safe{background:var(--ip-safe)}
.ip-unsafe{background:var(--ip-unsafe)}
.ip-unknown{background:var(--ip-unknown)}
.ip-scroll,.ip-picture{overflow-x:auto;max-width:100%}
.ip-picture svg{display:block;max-width:none}
.ip-parts{display:flex;flex-wrap:wrap;gap:10px;align-items:flex-start}
.ip-part{border:1px solid var(--ip-border);border-radius:6px;padding:4px 8px;max-width:100%}
table.ip-table{border-collapse:collapse;margin:4px 0;border:0;font-size:13px;color:inherit;
table-layout:auto}
.ip-table th,.ip-table td{text-align:left;vertical-align:top;padding:3px 14px 3px 0;border:0;
border-bottom:1px solid var(--ip-border);background:none;max-width:34em;white-space:normal}
.ip-table th{font-weight:600;color:var(--ip-soft);white-space:nowrap}
table.ip-table tbody tr,table.ip-table tbody tr:hover{background:none}
.ip-table tr.ip-now td{background:var(--ip-on)}
.ip-table tr.ip-loop td:first-child{box-shadow:inset 3px 0 var(--ip-accent);padding-left:8px}
details{margin:6px 0}
summary{cursor:pointer;color:var(--ip-fg);font-weight:600}
.ip-tall{max-height:22em;overflow:auto}
svg text{font:12px var(--ip-code);
fill:var(--ip-fg)}
svg text.ip-small{font-size:11px;fill:var(--ip-soft)}
svg text.ip-middle{text-anchor:middle}
svg text.ip-strong{font-weight:700}
.ip-edge{fill:none;stroke:var(--ip-line);stroke-width:1.3}
.ip-waits{stroke-dasharray:5 4}
.ip-head{fill:var(--ip-line);stroke:none}
.ip-box,.ip-place,.ip-bar{fill:var(--ip-panel);stroke:var(--ip-line);stroke-width:1.3}
.ip-ring{fill:none;stroke:var(--ip-line);stroke-width:1}
.ip-box.ip-bad{fill:var(--ip-bad);stroke:var(--ip-unsafe)}
.ip-box.ip-hot{fill:var(--ip-warm);stroke:var(--ip-unknown)}
.ip-box.ip-from{stroke:var(--ip-accent);stroke-width:2;fill:var(--ip-on)}
.ip-under{fill:var(--ip-bg);stroke:none}
.ip-token{fill:var(--ip-fg);stroke:none}
.ip-lane{stroke:var(--ip-border);stroke-width:1}
.ip-join{stroke:var(--ip-line);stroke-width:1.3}
.ip-dot{fill:var(--ip-accent);stroke:var(--ip-bg);stroke-width:1.5}
.ip-loop-area{fill:var(--ip-on);opacity:.55;stroke:none}
.ip-loop-line{fill:none;stroke:var(--ip-accent);stroke-width:1.6}
.ip-loop-tip{fill:var(--ip-accent);stroke:none}
.ip-changed .ip-place,.ip-fired .ip-bar{stroke:var(--ip-accent);stroke-width:2.4}
.ip-fired .ip-bar{fill:var(--ip-on)}
.ip-can{cursor:pointer}
.ip-can .ip-bar{stroke:var(--ip-accent);stroke-width:2;fill:var(--ip-on)}
.ip-can:focus-visible .ip-bar{stroke-width:3.5}
.ip-can:focus{outline:none}
.ip-controls{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:4px 0}
.ip-controls[hidden]{display:none}
.ip-controls button{font:inherit;min-width:2.4em;padding:2px 9px;border-radius:5px;
border:1px solid var(--ip-border);background:var(--ip-panel);color:var(--ip-fg);cursor:pointer}
.ip-controls button:disabled{opacity:.45;cursor:default}
.ip-controls input{width:min(280px,40vw);accent-color:var(--ip-accent)}
.ip-controls output{min-width:12em;font:inherit;color:inherit}
"""


def _scoped(rules: str) -> str:
    """The rules, each selector under the class of the outermost element."""
    lines = []
    for rule in rules.replace("\n", " ").split("}"):
        if "{" in rule:
            selectors, body = rule.split("{")
            names = [f".impasse-html {each.strip()}".strip() for each in selectors.split(",")]
            lines.append(",".join(names) + "{" + body.strip() + "}")
    return "\n".join(lines)


def _pages(pages: tuple[str, ...], colours: str) -> str:
    return ",".join(f"{page} .impasse-html" for page in pages) + "{" + colours + "}"


STYLE = "\n".join(
    (
        ".impasse-html{" + _LIGHT + "}",
        "@media (prefers-color-scheme:dark){.impasse-html{" + _DARK + "}}",
        _pages(_LIGHT_PAGES, _LIGHT),
        _pages(_DARK_PAGES, _DARK),
        _scoped(_RULES),
    )
)


def page_part(*content: str) -> str:
    """What one output shows, with its style."""
    return tag("div", tag("style", STYLE), *content, class_="impasse-html")
