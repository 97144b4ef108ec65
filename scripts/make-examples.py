"""Makes the example files of the sample agents anew: python3 scripts/make-examples.py

Needs openpyxl. The figures are made up and the same each time.
"""

import random
from datetime import date, datetime, timedelta
from pathlib import Path

import openpyxl
from openpyxl.styles import Font

SAMPLES = Path(__file__).resolve().parent.parent / "main" / "library" / "samples" / "@slipway"


def euros(cents):
    whole = f"{cents // 100:,}".replace(",", ".")
    return f"{whole},{cents % 100:02d} €"


def market_stall(path):
    """A table as a spreadsheet in much of Europe saves it: semicolons, decimal commas, a euro sign."""
    chance = random.Random(20250501)
    stands = ["Fish quay", "Station square", "Old harbour"]
    goods = {"Smoked mackerel": 650, "Pickled herring": 420, "Crab rolls": 890, "Fish soup": 575, "Cod fritters": 720}
    lines = ["Date;Stand;Goods;Quantity;Price;Takings;Discount;Remark"]
    days = [date(2025, 5, 1) + timedelta(days=number) for number in range(31)]
    for day in (day for day in days if day.weekday() in (4, 5)):
        for stand in stands:
            for name in chance.sample(list(goods), 3):
                quantity = chance.randint(8, 160)
                discount = chance.choice([0, 0, 0, 5, 12.5])
                takings = round(quantity * goods[name] * (100 - discount) / 100)
                remark = chance.choice(["", "", "", "", "rain", "school trip", '"regatta;\nlong queue"'])
                percent = f"{discount:g} %".replace(".", ",") if discount else ""
                lines.append(f"{day};{stand};{name};{quantity};{euros(goods[name])};{euros(takings)};{percent};{remark}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")


def moorings(path):
    chance = random.Random(7)
    lines = ["Berth,Length (m),Depth (m),Boat,Since"]
    names = ["Alma", "Skylark", "", "Petrel", "Northern Star", "", "Mizzen", "Gannet", "Old Tom", "Sandpiper"]
    for number, name in enumerate(names, 1):
        since = date(2019 + chance.randint(0, 5), chance.randint(1, 12), 1) if name else ""
        lines.append(f"N{number:02d},{chance.choice([8, 10, 12, 15])},{chance.randint(18, 42) / 10},{name},{since}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")


def harbour_dues(path):
    chance = random.Random(11)
    book = openpyxl.Workbook()
    dues = book.active
    dues.title = "Dues 2025"
    dues.append(["Boat", "Month", "Berth", "Amount", "Paid on"])
    for month in range(1, 7):
        for boat, berth, amount in [("Alma", "N01", 84.5), ("Skylark", "N02", 84.5), ("Petrel", "N04", 126.0)]:
            paid = date(2025, month, chance.randint(3, 27)) if chance.random() > 0.15 else None
            dues.append([boat, date(2025, month, 1), berth, amount, paid])
    rates = book.create_sheet("Rates")
    rates.append(["Length up to (m)", "A month", "A year"])
    for length, rate in [(8, 62.0), (10, 84.5), (12, 104.0), (15, 126.0)]:
        rates.append([length, rate, rate * 11])
    for sheet in book:
        for cell in sheet[1]:
            cell.font = Font(bold=True)
        sheet.freeze_panes = "A2"
    book.properties.created = book.properties.modified = datetime(2025, 7, 1)
    book.save(path)


def ferry_timetable(path):
    """Two pages of plain text, as a PDF of the fewest objects a reader needs."""
    crossings = [("Mainland", "Island", ["06:40", "08:10", "10:30", "13:00", "15:20", "17:45", "20:15"])]
    crossings.append(("Island", "Mainland", ["07:20", "09:00", "11:20", "14:10", "16:30", "18:40", "21:00"]))
    pages = []
    for origin, target, times in crossings:
        lines = [f"Ferry timetable: {origin} to {target}", "Valid from 1 May to 30 September 2025", ""]
        lines += ["Departure    Arrival    Runs"]
        for index, time in enumerate(times):
            hour, minute = map(int, time.split(":"))
            arrival = f"{(hour * 60 + minute + 25) // 60:02d}:{(minute + 25) % 60:02d}"
            lines.append(f"{time}        {arrival}      {'Mon-Sat' if index == 0 else 'daily'}")
        pages.append([*lines, "", "Bicycles travel free of charge outside July and August."])
    path.write_bytes(pdf_of(pages))


def pdf_of(pages):
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"]
    kids = []
    for lines in pages:
        shown = " T* ".join(f"({escape(line)}) Tj" for line in lines)
        content = f"BT /F1 12 Tf 16 TL 72 770 Td {shown} ET"
        objects.append(f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream")
        resources = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {resources} /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    data, offsets = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode("ascii")


def escape(text):
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


market_stall(SAMPLES / "csv-report" / "examples" / "market-stall.csv")
moorings(SAMPLES / "gather" / "examples" / "Moorings [north pier].csv")
harbour_dues(SAMPLES / "gather" / "examples" / "Harbour dues.xlsx")
ferry_timetable(SAMPLES / "gather" / "examples" / "Ferry timetable.pdf")
