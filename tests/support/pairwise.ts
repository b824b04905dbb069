type Factors = Readonly<Record<string, readonly unknown[]>>
type Row<F extends Factors> = { [Name in keyof F]: F[Name][number] }

/** Rows in which each two values of two factors are together at least once: far fewer than all combinations. */
export const pairwise = <F extends Factors>(factors: F): Row<F>[] => {
  const names = Object.keys(factors)
  const key = (a: number, x: number, b: number, y: number) => (a < b ? `${a}.${x} ${b}.${y}` : `${b}.${y} ${a}.${x}`)
  const places = (index: number) => (factors[names[index] ?? ''] ?? []).map((_, place) => place)
  const all = names.flatMap((_, a) =>
    names.flatMap((__, b) => (a < b ? places(a).flatMap((x) => places(b).map((y) => ({ a, x, b, y }))) : [])),
  )
  const open = new Map(all.map((pair) => [key(pair.a, pair.x, pair.b, pair.y), pair]))
  const rows: Row<F>[] = []
  for (let [first] = open.values(); first; [first] = open.values()) {
    const chosen = new Map([
      [first.a, first.x],
      [first.b, first.y],
    ])
    const gain = (index: number, place: number) =>
      [...chosen].filter(([other, value]) => open.has(key(index, place, other, value))).length
    for (const index of names.keys())
      if (!chosen.has(index))
        chosen.set(
          index,
          places(index).reduce((best, place) => (gain(index, place) > gain(index, best) ? place : best), 0),
        )
    for (const [a, x] of chosen) for (const [b, y] of chosen) if (a !== b) open.delete(key(a, x, b, y))
    const row = Object.fromEntries(names.map((name, index) => [name, factors[name]?.[chosen.get(index) ?? 0]]))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each factor has one of its values
    rows.push(row as Row<F>)
  }
  return rows
}
