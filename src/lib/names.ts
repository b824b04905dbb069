/** The first letter of the e-mail, uppercased; a question mark when there is none (§2). */
export const initialOf = (email: string | null | undefined): string => {
  const first = (email ?? '').trim().codePointAt(0)
  return first === undefined ? '?' : String.fromCodePoint(first).toUpperCase()
}

/** A fingerprint in groups of four; `figures` cuts it, but never under eight. */
export const groupFingerprint = (hex: string, figures = hex.length): string =>
  (hex.slice(0, Math.max(8, figures)).match(/.{1,4}/g) ?? []).join(' ')

/** Shortens an id in the middle, so that both ends can still be compared. */
export const truncateMiddle = (id: string, length: number): string => {
  if (id.length <= length) return id
  const kept = Math.max(2, length - 1)
  return `${id.slice(0, Math.ceil(kept / 2))}…${id.slice(id.length - Math.floor(kept / 2))}`
}
