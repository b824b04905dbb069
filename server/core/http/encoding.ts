export type Encoding = 'br' | 'gzip' | 'identity'

/** The best encoding that a client accepts. */
export const encodingFor = (accept: string | undefined): Encoding => {
  const accepted = (accept ?? '').split(',').flatMap((part) => {
    const [name = '', quality] = part.trim().split(/\s*;\s*q=/)
    return Number(quality ?? 1) > 0 ? [name] : []
  })
  return accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity'
}
