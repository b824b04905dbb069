/** The parts of a list that is separated by commas. */
export const readCommaList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
