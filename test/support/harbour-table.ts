/** A table with sums that are known, since they were added up while it was made. */
export function makeTable() {
  const berths = ['North quay', 'South quay', 'Old basin'];
  const lines = ['day,berth,ships,dues'];
  const cents = new Map<string, number>();
  let ships = 0;
  for (let row = 0; row < 240; row += 1) {
    const berth = berths[(row * 7) % berths.length] ?? '';
    const count = (row * 37) % 23;
    const due = (row * 7_919 + 1_234) % 98_765;
    ships += count;
    cents.set(berth, (cents.get(berth) ?? 0) + due);
    const day = new Date(Date.UTC(2026, 0, 1 + row)).toISOString().slice(0, 10);
    lines.push(`${day},${berth},${count},${(due / 100).toFixed(2)}`);
  }
  const all = [...cents.values()].reduce((sum, each) => sum + each, 0);
  return {
    text: `${lines.join('\n')}\n`,
    rows: lines.length - 1,
    ships,
    dues: all / 100,
    byBerth: [...cents].map(([berth, sum]) => [berth, (sum / 100).toFixed(2).replace(/\.?0+$/, '')] as const),
  };
}
