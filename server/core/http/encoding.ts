export type Encoding = 'br' | 'gzip' | 'identity'

/** Browsers send 30 characters. */
const mostCharacters = 1024

/** The best encoding that a client accepts. */
export const encodingFor = (accept: string | undefined): Encoding => {
  if (accept === undefined || accept.length > mostCharacters) return 'identity'
  const accepted = accept.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return Number(quality ?? 1) > 0 ? [name] : []
  })
  return accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity'
}
