// Words that people's passwords are made of. A password that is one of them, repeated, counted up or turned into figures, is common.
const words = (
  'password passwort passphrase letmein welcome admin administrator qwerty qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm ' +
  'qwertyuiop iloveyou monkey dragon sunshine princess football baseball superman batman master shadow michael jordan ' +
  'trustno secret changeme default teasel firmware device devices embedded raspberry arduino system root toor guest test testing ' +
  'login access computer internet summer winter spring autumn january february march april june july august september october ' +
  'november december monday friday abcdef abcdefgh abc qazwsx hello freedom whatever starwars pokemon cheese'
).split(' ')

const figures: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' }

const known = new RegExp(`^(?:${words.toSorted((a, b) => b.length - a.length).join('|')})+$`)
const isRun = (text: string) => {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)))
  return (
    steps.size <= 1 || [...steps].every((step) => [1, -9].includes(step)) || [...steps].every((step) => [-1, 9].includes(step))
  )
}
const isRepeat = (text: string) => /^(.{1,6})\1+.?.?$/su.test(text)

const lettersOf = (text: string) => text.replace(/[\d\W_]+/g, '')

const isCommon = (password: string): boolean => {
  const plain = password.toLowerCase()
  // What is counted up at the end goes first: 'p4ssw0rd!2026' is read as 'password'.
  const read = plain.replace(/[\d\W_]+$/, '').replace(/[013457@$!]/g, (figure) => figures[figure] ?? '')
  const isDateOrNumber = /^[\d\W_]+$/.test(plain) && plain.replace(/\D/g, '').length < 16 && /\d{6}|\d\D\d/.test(plain)
  return isRun(plain) || isRepeat(plain) || isDateOrNumber || known.test(lettersOf(plain)) || known.test(lettersOf(read))
}

/** product.md 4.2: 12 to 128 characters and not a common one; no rule on kinds of characters. The message, or undefined. */
export const passwordProblem = (password: string, about: readonly string[] = []): string | undefined => {
  const length = Array.from(password).length
  if (length < 12) return 'Password must be at least 12 characters'
  if (length > 128) return 'Password must be 128 characters or less'
  const plain = password.toLowerCase()
  const own = about.some((fact) => fact.length >= 4 && plain.replace(fact.toLowerCase(), '').length < 6)
  if (isCommon(password) || own) return 'This password is easy to guess. Take a few words that do not belong together'
  return undefined
}
