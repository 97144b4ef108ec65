import type { Mend } from './mend.ts';

const PLAIN_TITLES = String.raw`def sheet_title(name, taken):
    return name
`;

const SAFE_TITLES = String.raw`def sheet_title(name, taken):
    """Excel takes 31 characters, none of []:*?/\\, no quote at either end, and no name twice."""
    safe = " ".join(re.sub(r"[\[\]:*?/\\\x00-\x1f]+", " ", name).split()).strip(" '") or "Table"
    title, copy = safe[:31].strip(" '"), 2
    while title.lower() in taken:
        tail = f" ({copy})"
        title, copy = safe[: 31 - len(tail)].strip(" '") + tail, copy + 1
    return title
`;

const PLAIN_TEXT = String.raw`def clean(text):
    return text
`;

const SAFE_TEXT = String.raw`def clean(text):
    """A cell holds no control characters and 32767 characters at most."""
    return ILLEGAL_CHARACTERS_RE.sub(" ", text)[:32767]
`;

/** The mend for names that no sheet can have. */
export const MAKE_TITLES_SAFE: Mend = { oldText: PLAIN_TITLES, newText: SAFE_TITLES };

/** The mend for characters that no cell can have. */
export const MAKE_TEXT_SAFE: Mend = { oldText: PLAIN_TEXT, newText: SAFE_TEXT };

/**
 * The first version of the program: it takes names and texts as they are, and stops where Excel does not.
 * A file that cannot be read is named in the summary and keeps none of the others back.
 */
export const GATHER_PROGRAM = String.raw`"""Gathers PDFs and tables into outputs/gathered.xlsx; writes outputs/summary.md and work/result.json."""
import csv
import json
import re
import sys
import warnings
from itertools import islice
from pathlib import Path

import openpyxl
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font
from PyPDF2 import PdfReader

warnings.simplefilter("ignore")
csv.field_size_limit(2**31 - 1)
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,14})(\.\d{1,10})?")
TEXT_PIECE = 30_000


${PLAIN_TITLES}

${PLAIN_TEXT}

class Unreadable(Exception):
    pass


# --- reading: each reader yields (name of the table, its records) --------------------------------

def encoding_of(path):
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


def delimiter_of(lines):
    best, best_score = "\x1f", 0
    for delimiter in ("\t", ";", "|", ","):
        records = [r for r in islice(csv.reader(lines, delimiter=delimiter, skipinitialspace=True), 300) if any(r)]
        if not records or len(records[0]) < 2:
            continue
        score = sum(len(r) == len(records[0]) for r in records) / len(records)
        if score > best_score + 0.001:
            best, best_score = delimiter, score
    return best


def text_table(path):
    encoding = encoding_of(path)
    with open(path, encoding=encoding, newline="") as file:
        lines = file.read(1 << 20).splitlines(keepends=True)
    if "\0" in "".join(lines[:100]):
        raise Unreadable("it is binary, not a table of text")
    if not any(line.strip() for line in lines):
        raise Unreadable("it is empty")
    stated = re.fullmatch(r"sep=(.)\s*", lines[0])
    delimiter = stated.group(1) if stated else delimiter_of(lines)

    def records():
        with open(path, encoding=encoding, newline="") as file:
            if stated:
                file.readline()
            try:
                for record in csv.reader(file, delimiter=delimiter, skipinitialspace=True):
                    if any(cell.strip() for cell in record):
                        yield [number_or_text(cell.strip()) for cell in record]
            except (csv.Error, UnicodeError) as error:
                raise Unreadable(f"it could be read in part only ({error})") from error

    yield path.stem, records(), ""


def number_or_text(text):
    """Numbers that any program reads alike; the rest, such as 007 or 1.234,5, stays as it was written."""
    if not NUMBER.fullmatch(text):
        return text or None
    return float(text) if "." in text else int(text)


def workbook_tables(path):
    try:
        values = openpyxl.load_workbook(path, read_only=True, data_only=True)
        formulas = openpyxl.load_workbook(path, read_only=True)
    except Exception as error:
        raise Unreadable(f"it is not a workbook that can be opened ({error or type(error).__name__})") from error
    for sheet in values.worksheets:
        missing = []
        yield sheet.title, sheet_records(sheet, formulas[sheet.title], missing), missing


def sheet_records(sheet, formulas, missing):
    """Values as Excel last computed them; a formula without one is kept as text and counted."""
    blank, pairs = [], zip(sheet.iter_rows(values_only=True), formulas.iter_rows(values_only=True))
    while True:
        try:
            row, sources = next(pairs)
        except StopIteration:
            return
        except Exception as error:
            raise Unreadable(f"its sheet {sheet.title} could be read in part only ({error})") from error
        record = list(row)
        for index, source in enumerate(sources):
            if index < len(record) and record[index] is None and isinstance(source, str) and source.startswith("="):
                record[index] = source
                missing.append(1)
        while record and record[-1] is None:
            record.pop()
        if not record:
            blank.append([])
            continue
        yield from blank
        blank.clear()
        yield record


def pdf_pages(path):
    try:
        reader = PdfReader(str(path), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("it is protected by a password")
        return [page.extract_text() or "" for page in reader.pages]
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"it is not a PDF that can be read ({error or type(error).__name__})") from error


# --- writing -------------------------------------------------------------------------------------

def cell_for(sheet, value):
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=clean(value))
    cell.data_type = "s"  # a text that begins with "=" is no formula of ours
    return cell


def bold(sheet, values):
    cells = [WriteOnlyCell(sheet, value=value) for value in values]
    for cell in cells:
        cell.font = Font(bold=True)
    return cells


class Gathered:
    def __init__(self):
        self.book = openpyxl.Workbook(write_only=True)
        self.summary = self.new_sheet("Summary", [30, 12, 32, 8, 10, 10, 12, 60])
        self.pages = None

    def new_sheet(self, name, widths=()):
        taken = {title.lower() for title in self.book.sheetnames}
        title = sheet_title(name, taken)
        if len(title) > 31:
            sys.exit(f"Excel refuses sheet names of more than 31 characters: {title}")
        sheet = self.book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for index, width in enumerate(widths):
            sheet.column_dimensions[openpyxl.utils.get_column_letter(index + 1)].width = width
        return sheet

    def add_table(self, name, records):
        sheet, rows, columns, cut = self.new_sheet(name), 0, 0, False
        for record in records:
            cut = cut or rows == MOST_ROWS or len(record) > MOST_COLUMNS
            if rows == MOST_ROWS:
                break
            sheet.append([cell_for(sheet, value) for value in record[:MOST_COLUMNS]])
            rows, columns = rows + 1, max(columns, len(record))
        return sheet.title, rows, columns, cut

    def add_pages(self, source, pages):
        if self.pages is None:
            self.pages = self.new_sheet("PDF text", [30, 8, 120])
            self.pages.append(bold(self.pages, ["Source", "Page", "Text"]))
        for number, text in enumerate(pages, 1):
            for start in range(0, max(1, len(text)), TEXT_PIECE):
                piece = cell_for(self.pages, text[start : start + TEXT_PIECE])
                self.pages.append([cell_for(self.pages, source), number, piece])


def kind_of(path):
    with open(path, "rb") as file:
        start = file.read(8)
    if b"%PDF" in start:
        return "pdf"
    if start.startswith(b"PK\x03\x04"):
        return "workbook"
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable("it is a workbook in the old .xls format; save it as .xlsx")
    return "table"


def gather(path, gathered):
    """One source's entries of the summary, one for each of its tables or for the PDF."""
    kind = kind_of(path)
    if kind == "pdf":
        pages = pdf_pages(path)
        characters = sum(map(len, pages))
        gathered.add_pages(path.name, pages)
        note = "" if characters else "it holds no text; it may be a scan"
        yield {"kind": kind, "sheet": gathered.pages.title, "pages": len(pages), "characters": characters, "note": note}
        return
    for name, records, missing in (workbook_tables if kind == "workbook" else text_table)(path):
        title = name if kind == "table" else f"{path.stem} {name}"
        sheet, rows, columns, cut = gathered.add_table(title, records)
        notes = [f"formulas without a computed value, kept as text: {len(missing)}"] if missing else []
        notes += ["it was cut at Excel's limit of rows or columns"] if cut else []
        notes += ["it is empty"] if not rows else []
        yield {"kind": kind, "sheet": sheet, "rows": max(0, rows - 1), "columns": columns, "note": "; ".join(notes)}


def main():
    gathered, entries = Gathered(), []
    for path in map(Path, sys.argv[1:]):
        try:
            entries += [{"source": path.name, "problem": False, **entry} for entry in gather(path, gathered)]
        except Unreadable as error:
            entries.append({"source": path.name, "problem": True, "kind": "unreadable", "note": str(error)})

    fields = ["source", "kind", "sheet", "pages", "rows", "columns", "characters", "note"]
    sheet = gathered.summary
    sheet.append(bold(sheet, [field.capitalize() for field in fields]))
    for entry in entries:
        sheet.append([cell_for(sheet, entry.get(field) or None) if field == "note" else cell_for(sheet, entry.get(field)) for field in fields])

    Path("outputs").mkdir(exist_ok=True)
    gathered.book.save("outputs/gathered.xlsx")

    def row(values):
        return "| " + " | ".join(" ".join(str(v if v is not None else "").split()).replace("|", "\\|") for v in values) + " |"

    lines = ["# What was gathered", "", row(field.capitalize() for field in fields), "|" + " --- |" * len(fields)]
    lines += [row(entry.get(field) for field in fields) for entry in entries]
    Path("outputs/summary.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tables = [entry for entry in entries if entry["kind"] in ("table", "workbook")]
    facts = {
        "tables": len(tables),
        "rows": sum(entry["rows"] for entry in tables),
        "pages": sum(entry.get("pages", 0) for entry in entries),
        "problems": sum(entry["problem"] for entry in entries),
    }
    body = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries[:200])
    head = json.dumps(facts, ensure_ascii=False)[:-1]
    Path("work/result.json").write_text(f'{head}, "sources": [\n{body}\n]}}\n', encoding="utf-8")
    print(f"{facts['tables']} tables with {facts['rows']} rows, {facts['pages']} PDF pages, {facts['problems']} files not read")


main()
`;
