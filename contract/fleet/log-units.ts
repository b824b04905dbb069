/** The units that the filter `unit` of a log lists. A known unit may have a comma in its name: the longest name counts. */
export const parseLogUnits = (text: string, known: readonly string[]): string[] => {
  const parts = text.split(',')
  const units: string[] = []
  for (let from = 0; from < parts.length;) {
    let until = parts.length
    while (until > from + 1 && !known.includes(parts.slice(from, until).join(','))) until -= 1
    units.push(parts.slice(from, until).join(','))
    from = until
  }
  return units
}
