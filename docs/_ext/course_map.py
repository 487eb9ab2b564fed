"""The directive ``course-map``: rows of docs/course_map.yaml as tables, one a package.

Options: ``:alive:`` shows only rows that work, ``:package:`` only those of one package.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from inducer.cli import _course_map
from inducer.cli._course_map import Row

HEADS = ("what", "from", "at", "proof")


class CourseMap(SphinxDirective):
    """Render the course map, or a part of it."""

    option_spec: ClassVar[dict[str, Any]] = {
        "alive": directives.flag,
        "package": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Return the tables, with a section for each package unless only one is asked for."""
        self.env.note_dependency(str(_course_map.source_file()))
        package = self.options.get("package")
        shown = [
            row
            for row in _course_map.rows()
            if package in (None, row.package) and (row.alive or "alive" not in self.options)
        ]
        found: list[nodes.Node] = []
        for name, group in groupby(shown, key=lambda row: row.package):
            rows = list(group)
            alive = sum(row.alive for row in rows)
            table = self._table(rows)
            if package is not None:
                found.append(table)
                continue
            section = nodes.section(ids=[f"map-{name}"])
            section += nodes.title(text=name)
            section += nodes.paragraph(text=f"{alive} of {len(rows)} alive.")
            section += table
            found.append(section)
        return found

    def _table(self, rows: list[Row]) -> nodes.table:
        table = nodes.table()
        group = nodes.tgroup(cols=len(HEADS))
        group += [nodes.colspec(colwidth=width) for width in (40, 20, 25, 15)]
        group += nodes.thead("", _line([nodes.Text(head) for head in HEADS]))
        body = nodes.tbody()
        for row in rows:
            proof = nodes.literal(text=row.test) if row.alive else nodes.Text("to come")
            body += _line([nodes.Text(row.what), nodes.Text(row.source), *self._names(row), proof])
        group += body
        table += group
        return table

    def _names(self, row: Row) -> list[nodes.Node]:
        """Return one node: the public names, linked to their pages where they are alive."""
        names = nodes.inline()
        for at in row.at:
            if names.children:
                names += nodes.Text(", ")
            literal = nodes.literal(text=at.removeprefix("inducer."))
            if not row.alive or at == f"inducer.{row.package}":  # a package has no object page
                names += literal
                continue
            link = addnodes.pending_xref(
                "", literal, refdomain="py", reftype="obj", reftarget=at, refexplicit=True
            )
            names += link
        return [names]


def _line(cells: list[nodes.Node]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        row += nodes.entry("", nodes.paragraph("", "", cell))
    return row


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("course-map", CourseMap)
    return {"parallel_read_safe": True}
