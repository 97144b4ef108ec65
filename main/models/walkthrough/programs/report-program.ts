import type { Mend } from './mend.ts';

const PLAIN_ENCODING = String.raw`def encoding_of(path):
    return "utf-8-sig"
`;

const FOUND_ENCODING = String.raw`def encoding_of(path):
    with open(path, "rb") as file:
        if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            return "utf-16"
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            with open(path, encoding=encoding, newline="") as file:
                while file.read(1 << 20):
                    pass
            return encoding
        except UnicodeDecodeError:
            continue
    return "latin-1"
`;

const PLAIN_NUMBERS = String.raw`NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,2})?")


def decimal_mark_in(text):
    return None


def parse_number(text, mark):
    return Decimal(text) if NUMBER.fullmatch(text) else None


def unit_of(text):
    return ""


def check_unread(columns):
    """A number that is not understood would be missing from every total."""
    lines = [f"  {column.name}: {', '.join(column.unread)}" for column in columns if column.unread]
    if lines:
        sys.exit("These look like numbers and were not understood:\n" + "\n".join(lines))
`;

const ALL_NUMBERS = String.raw`NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,2})?")
SPACES = " \u00a0\u202f\u2009'’"


def core_of(text):
    """The digits and separators of a written number, and whether it is negative; None if it is no number."""
    core = text.strip()
    negative = core.startswith("(") and core.endswith(")")
    if negative:
        core = core[1:-1].strip()
    for _ in range(2):
        core = re.sub(rf"^(?:{UNIT})\s*|\s*(?:{UNIT})$", "", core).strip()
        if core[:1] in "+-−" and core:
            negative = negative or core[0] != "+"
            core = core[1:].strip()
        if core[-1:] in "-−" and len(core) > 1:
            negative, core = True, core[:-1].strip()
    if not re.fullmatch(rf"[\d.,{SPACES}]*\d[.,]?", core) or re.fullmatch(r"0\d+", core):
        return None
    return core, negative


def decimal_mark_in(text):
    """The decimal mark a cell proves by itself; None where it could be either."""
    found = core_of(text)
    if not found:
        return None
    core = found[0]
    if "," in core and "." in core:
        return max(",.", key=core.rfind)
    for mark, other in (",.", ".,"):
        if core.count(mark) > 1:
            return other
        if mark in core:
            whole, part = core.split(mark)
            groups = len(part) == 3 and re.fullmatch(rf"[1-9]\d{{0,2}}", whole)
            return None if groups else mark
    return None


def parse_number(text, mark):
    if NUMBER.fullmatch(text) and (mark == "." or "." not in text or decimal_mark_in(text) == "."):
        return Decimal(text)
    found = core_of(text)
    if not found:
        return None
    core, negative = found
    mark = decimal_mark_in(text) or mark
    grouping = "." if mark == "," else ","
    whole, _, part = core.partition(mark)
    for separator in SPACES + grouping:
        if separator in whole:
            if not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(separator)}\d{{2,3}})*{re.escape(separator)}\d{{3}}", whole):
                return None
            whole = whole.replace(separator, "")
    if not re.fullmatch(r"\d*", whole) or not re.fullmatch(r"\d*", part):
        return None
    value = Decimal(f"{whole or 0}.{part or 0}")
    return -value if negative else value


def unit_of(text):
    found = re.search(UNIT, text)
    return found.group(0).strip() if found else ""


def check_unread(columns):
    """What still looks like a number, such as a version or an address, is text; the report says so."""
`;

/** The mend for a file that is not UTF-8. */
export const FIND_ENCODING: Mend = { oldText: PLAIN_ENCODING, newText: FOUND_ENCODING };

/** The mend for numbers with decimal commas, separators, currencies, percents or brackets. */
export const READ_ALL_NUMBERS: Mend = { oldText: PLAIN_NUMBERS, newText: ALL_NUMBERS };

/**
 * The first version of the program: it reads UTF-8 and plain numbers, and stops where a file has others.
 * It ends with code 4 when there is no table to report on.
 */
export const REPORT_PROGRAM = String.raw`"""Reads one table; writes outputs/report.md, outputs/chart.svg and work/result.json."""
import argparse
import csv
import json
import re
import sys
from collections import Counter
from decimal import Decimal, getcontext
from functools import lru_cache
from html import escape
from itertools import islice
from pathlib import Path

getcontext().prec = 60
csv.field_size_limit(2**31 - 1)
MISSING = {"", "-", "–", "—", "n/a", "na", "#n/a", "nan", "null", "none", "?", "."}
UNIT = r"%|[$€£¥₹₽₩₺₴₫฿]|(?<![A-Za-z])(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|INR|kr|zł|Kč)(?![A-Za-z])"
LOOKS = re.compile(rf"[(+−-]?\s*(?:(?:{UNIT})\s*)?[+−-]?\s*(?!0\d+\s*$)[\d.,'’\s]*\d[\d.,]*\s*(?:{UNIT})?\s*[)−-]?")
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?")
IDENTIFIER = re.compile(r"(.*[\s_-])?(id|no|nr|number|code|year|month|day|zip|plz|row|index)\.?", re.I)
MOST_COLUMNS = 100


def no_table(reason):
    print(f"NO TABLE: {reason}")
    sys.exit(4)


# --- reading -------------------------------------------------------------------------------------

${PLAIN_ENCODING}

def open_table(path, encoding):
    return open(path, encoding=encoding, newline="")


def delimiter_of(sample):
    """The separator that cuts most records into as many fields as the first has."""
    best, best_score = "\x1f", 0
    for delimiter in ("\t", ";", "|", ","):
        records = [r for r in islice(csv.reader(sample, delimiter=delimiter, skipinitialspace=True), 300) if any(r)]
        if not records or len(records[0]) < 2:
            continue
        score = sum(len(r) == len(records[0]) for r in records) / len(records)
        if score > best_score + 0.001:
            best, best_score = delimiter, score
    return best


def sample_of(path, encoding):
    with open_table(path, encoding) as file:
        lines = file.read(1 << 20).splitlines(keepends=True)
    stated = re.fullmatch(r"sep=(.)\s*", lines[0]) if lines else None
    return lines[1:] if stated else lines, stated and stated.group(1)


def records_of(path, encoding, delimiter, skip):
    """Every record that is not blank."""
    with open_table(path, encoding) as file:
        if skip:
            file.readline()
        for record in csv.reader(file, delimiter=delimiter, skipinitialspace=True):
            if any(cell.strip() for cell in record):
                yield record


def names_of(header):
    names, seen = [], Counter()
    for index, cell in enumerate(header):
        name = " ".join(cell.split()) or f"column {index + 1}"
        seen[name.lower()] += 1
        names.append(name if seen[name.lower()] == 1 else f"{name} ({seen[name.lower()]})")
    return names


def is_header(record):
    """A first line of nothing but numbers is data, unless the numbers are years."""
    cells = [cell.strip() for cell in record if cell.strip()]
    return any(not LOOKS.fullmatch(c) and not DATE.fullmatch(c) for c in cells) or all(re.fullmatch(r"(19|20)\d\d", c) for c in cells)


# --- numbers -------------------------------------------------------------------------------------

${PLAIN_NUMBERS}

@lru_cache(1 << 16)
def facts_of(text):
    """What a cell is by itself: its kind, its decimal mark where it tells, its unit, and if it has a comma."""
    if text.lower() in MISSING:
        return "missing", None, "", False
    if not re.search(r"\d", text):
        return "text", None, "", False
    if DATE.fullmatch(text):
        return "date", None, "", False
    if NUMBER.fullmatch(text) and not text.isdigit() and "." not in text:
        return "number", None, "", False
    if LOOKS.fullmatch(text) and (sum(map(str.isdigit, text)) <= 15 or re.search(r"[.,]\d", text)):
        mark = decimal_mark_in(text)
        kind = "unread" if parse_number(text, mark or ".") is None else "number"
        return kind, mark, unit_of(text), "," in text
    return "text", None, "", False


@lru_cache(1 << 16)
def value_of(text, mark):
    return None if facts_of(text)[0] in ("missing", "date", "text") else parse_number(text, mark)


class Column:
    def __init__(self, name):
        self.name = name
        self.cells = self.missing = self.readable = self.dates = self.counted = self.skipped = self.longest = 0
        self.marks, self.units, self.unread, self.has_comma = Counter(), Counter(), [], False
        self.mark, self.total, self.least, self.most = ".", Decimal(0), None, None

    def look(self, text):
        """First pass: what kind of values are these?"""
        kind, mark, unit, comma = facts_of(text)
        self.missing += kind == "missing"
        self.cells += kind != "missing"
        self.dates += kind == "date"
        self.readable += kind == "number"
        if kind in ("number", "unread"):
            self.marks[mark] += mark is not None
            self.units[unit] += 1
            self.has_comma = self.has_comma or comma
        if kind == "unread" and len(self.unread) < 3 and text not in self.unread:
            self.unread.append(text[:40])
        if "\n" in text:
            self.longest = max(self.longest, text.count("\n"))

    def add(self, text):
        """Second pass: the sums."""
        value = value_of(text, self.mark)
        if value is None:
            self.skipped += facts_of(text)[0] != "missing"
            return None
        self.counted += 1
        self.total += value
        self.least = value if self.least is None else min(self.least, value)
        self.most = value if self.most is None else max(self.most, value)
        return value

    @property
    def is_numeric(self):
        return self.readable > 0 and self.readable >= 0.9 * self.cells

    @property
    def unit(self):
        units = [unit for unit in self.units if unit]
        return units[0] if len(units) == 1 else ""

    @property
    def kind(self):
        if self.cells == 0:
            return "empty"
        if self.is_numeric:
            return {"": "number", "%": "percent"}.get(self.unit, "money")
        return "date" if self.dates >= 0.9 * self.cells else "text"

    def result(self):
        numeric = self.is_numeric and self.counted > 0
        return {
            "name": self.name[:80],
            "kind": self.kind,
            "unit": self.unit or None,
            "total": plain(self.total) if numeric else None,
            "mean": plain(self.total / self.counted) if numeric else None,
            "min": plain(self.least) if numeric else None,
            "max": plain(self.most) if numeric else None,
            "missing": self.missing,
            "skipped": self.skipped if numeric else 0,
        }


def plain(value):
    whole = value == value.to_integral_value() and abs(value) < 2**53
    return int(value) if whole else float(value)


def decide_marks(columns, delimiter):
    """Cells such as 1,234 say nothing alone: the rest of the column decides, then the rest of the file."""
    everywhere = sum((column.marks for column in columns), Counter())
    usual = max(",.", key=lambda m: everywhere[m]) if +everywhere else "," if delimiter == ";" else "."
    for column in columns:
        column.mark = max(",.", key=lambda m: column.marks[m]) if +column.marks else usual


# --- writing -------------------------------------------------------------------------------------

def show(value, unit=""):
    if value is None:
        return ""
    usual = value == 0 or 0.01 <= abs(value) < 1e15
    text = f"{value:,.2f}".rstrip("0").rstrip(".") if usual else f"{value:.3g}"
    return f"{text} {unit}".strip()


def xml(text):
    return escape(re.sub(r"[\x00-\x1f\ufffe\uffff]+", " ", text))


def counted(number, noun):
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def cell(text):
    return " ".join(str(text).split()).replace("\\", "\\\\").replace("|", "\\|") or " "


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]


def chart(title, bars, note):
    """Horizontal bars; greys in the middle of the scale are read on white and on black."""
    left, width, row = 220, 420, 34
    height = 76 + row * max(1, len(bars)) + (26 if note else 0)
    low, high = min([0, *(v for _, v, _ in bars)]), max([0, *(v for _, v, _ in bars)])
    scale = width / float(high - low or 1)
    zero = left - float(low) * scale
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" role="img" aria-labelledby="t"',
        '     font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="14">',
        f'  <title id="t">{xml(title)}</title>',
        f'  <text x="24" y="38" font-size="18" font-weight="600" fill="#808792">{xml(title)}</text>',
    ]
    for index, (name, value, label) in enumerate(bars):
        y = 62 + index * row
        length = abs(float(value)) * scale
        x = zero - length if value < 0 else zero
        short = name if len(name) <= 26 else name[:25] + "…"
        out += [
            f'  <text x="{left - 12}" y="{y + 17}" text-anchor="end" fill="#808792">{xml(short)}</text>',
            f'  <rect x="{x:.1f}" y="{y + 2}" width="{max(length, 1):.1f}" height="22" rx="3" fill="#3f7fd9"/>',
            f'  <text x="{max(zero, x + length) + 10:.1f}" y="{y + 17}" fill="#808792">{xml(label)}</text>',
        ]
    out.append(f'  <line x1="{zero:.1f}" x2="{zero:.1f}" y1="58" y2="{58 + row * max(1, len(bars))}" stroke="#808792"/>')
    if note:
        out.append(f'  <text x="24" y="{height - 12}" font-size="12" fill="#808792">{xml(note)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("--title", default="")
    parser.add_argument("--group-by", default="")
    given = parser.parse_args()
    path = Path(given.table)

    start = path.read_bytes()[:4] if path.stat().st_size < 5 else path.open("rb").read(4)
    if path.stat().st_size == 0:
        no_table("the file is empty")
    if start.startswith((b"PK\x03\x04", b"%PDF", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")):
        no_table("the file is a workbook, a PDF or an archive and not a table of text")

    encoding = encoding_of(path)
    sample, stated = sample_of(path, encoding)
    if "\0" in "".join(sample[:100]):
        no_table("the file is binary and not a table of text")
    delimiter = stated or delimiter_of(sample)
    records = records_of(path, encoding, delimiter, stated)
    first = next(records, None)
    if first is None:
        no_table("the file holds nothing but blank lines")
    has_header = is_header(first)
    columns = [Column(name) for name in names_of(first if has_header else [""] * len(first))]

    def rows():
        every = records_of(path, encoding, delimiter, stated)
        return islice(every, 1, None) if has_header else every

    count = overlong = 0
    for record in rows():
        count += 1
        overlong += len(record) > len(columns)
        for index, column in enumerate(columns):
            column.look(record[index].strip() if index < len(record) else "")
    check_unread(columns)
    decide_marks(columns, delimiter)

    numeric = [(index, column) for index, column in enumerate(columns) if column.is_numeric]
    wanted = given.group_by.strip().lower()
    group = next((i for i, c in enumerate(columns) if wanted and c.name.lower() == wanted), None)
    groups = {}
    for record in rows():
        key = (record[group].strip() if group < len(record) else "") or "(blank)" if group is not None else None
        sums = groups.setdefault(key, [0, Counter()]) if group is not None else None
        if sums:
            sums[0] += 1
        for index, column in numeric:
            value = column.add(record[index].strip() if index < len(record) else "")
            if sums and value is not None:
                sums[1][index] += value

    notes = []
    if not has_header:
        notes.append("The first line holds numbers only, so it was counted as data and the columns were numbered.")
    if wanted and group is None:
        notes.append(f"There is no column \"{given.group_by.strip()}\" to group by.")
    if overlong:
        notes.append(f"{counted(overlong, 'row')} longer than the header: the cells beyond it were left out.")
    for column in columns:
        if column.is_numeric and column.skipped:
            notes.append(f"{column.name}: {counted(column.skipped, 'cell')} without a number, left out of its sums.")
        if len([unit for unit in column.units if unit]) > 1:
            notes.append(f"{column.name} mixes {', '.join(sorted(u for u in column.units if u))}; they were added as they stand.")
        if column.longest > 50:
            notes.append(f"{column.name} has a cell of {column.longest} lines: a closing quote may be missing.")
    commas = [column.name for column in columns if column.is_numeric and column.has_comma]
    for mark, name in ((",", "decimal mark"), (".", "thousands separator")):
        read = [column.name for column in columns if column.name in commas and column.mark == mark]
        if read:
            notes.append(f"The comma was read as the {name} in {', '.join(read)}.")
    if not numeric:
        notes.append("No column holds numbers, so there is nothing to add up.")

    title = given.title.strip() or path.stem.replace("_", " ").replace("-", " ").strip().capitalize()
    measures = [(i, c) for i, c in numeric if c.kind != "percent" and not IDENTIFIER.fullmatch(c.name)]
    measures = measures or numeric
    main = max(measures, key=lambda item: (item[1].kind == "money", abs(item[1].total)), default=None)
    by_group = sorted(groups.items(), key=lambda item: -item[1][1][main[0]] if main else -item[1][0])
    if group is not None and main:
        index, measure = main
        name = f"{measure.name} by {columns[group].name}"
        bars = [(key, sums[index], show(sums[index], measure.unit)) for key, (_, sums) in by_group]
    elif measures:
        name = "Totals by column"
        bars = [(c.name, c.total, show(c.total, c.unit)) for _, c in measures]
    else:
        name = "Filled cells by column"
        bars = [(c.name, c.cells, show(c.cells)) for c in columns]
    rest = len(bars) - 12
    note = f"and {rest} more, in the report" if rest > 0 else ""

    results = [column.result() for column in columns]
    lines = [f"# {cell(title)}", "", f"{counted(count, 'row')} and {counted(len(columns), 'column')} of {cell(path.name)}.", ""]
    lines += [f"![{cell(name).translate({91: 40, 93: 41})}](chart.svg)", "", "## Columns", ""]
    lines += table(
        ["Column", "Kind", "Total", "Mean", "Min", "Max", "Missing"],
        [
            [c.name, r["kind"], show(r["total"], c.unit), *(show(r[key]) for key in ("mean", "min", "max")), r["missing"]]
            for c, r in zip(columns, results)
        ],
    )
    if group is not None:
        lines += ["", f"## By {cell(columns[group].name)}", ""]
        head = [columns[group].name, "Rows", *(c.name for _, c in measures)]
        body = [[key, n, *(show(sums[i], c.unit) for i, c in measures)] for key, (n, sums) in by_group[:200]]
        lines += table([cell(text) for text in head], body)
    if notes:
        lines += ["", "## How it was read", "", *(f"- {cell(text)}" for text in notes)]

    outputs = Path("outputs")
    outputs.mkdir(exist_ok=True)
    (outputs / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (outputs / "chart.svg").write_text(chart(f"{title}: {name}" if title else name, bars[:12], note), encoding="utf-8")
    facts = {"rows": count, "column_count": len(columns), "delimiter": delimiter if delimiter != "\x1f" else "none"}
    facts |= {"encoding": encoding, "numeric": len(numeric), "notes": notes[:20]}
    body = ",\n".join(json.dumps(r, ensure_ascii=False) for r in results[:MOST_COLUMNS])
    head = json.dumps(facts, ensure_ascii=False)[:-1]
    Path("work/result.json").write_text(f'{head}, "columns": [\n{body}\n]}}\n', encoding="utf-8")
    print(f"{count} rows, {len(columns)} columns, {len(numeric)} of them with numbers")


main()
`;
