/** Words that begin a family name of several words ('van der Berg'). With a capital letter they may be a given name. */
const particles = new Set(
  'af al av bin da dal de del della den der di do dos du el ibn la le los mac of ten ter van vom von zu zum zur'.split(' '),
)

/**
 * A full name as given name and family name: 'Last, First' by its comma, otherwise the last word with the particles before it.
 */
export const splitName = (fullName: string): { first_name: string; last_name: string } => {
  const [before = '', ...after] = fullName.trim().replace(/\s+/g, ' ').split(/ ?, ?/)
  if (after.length === 1 && before !== '' && after[0] !== '') return { first_name: after[0] ?? '', last_name: before }
  const words = fullName.trim().split(/\s+/)
  let start = Math.max(1, words.length - 1)
  while (start > 1 && particles.has(words[start - 1] ?? '')) start -= 1
  return { first_name: words.slice(0, start).join(' '), last_name: words.slice(start).join(' ') }
}
