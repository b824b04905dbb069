import { isByServer, Refused } from '../api-client/http'

/** An answer that cannot be the file, such as the page of a network between. None of its bytes are kept. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

/** Where an answer puts its bytes: from `start` on, and none at `end` or after it. */
export type Place = { start: number; end: number }

const isPlain = ({ headers }: Response) => ['', 'identity'].includes(headers.get('content-encoding')?.trim() ?? '')

const lengthOf = ({ headers }: Response): number | null => {
  const length = headers.get('content-length')
  return length === null ? null : Number(length)
}

/** Whether the end of the body is the end of what was sent; without a length, a cut looks the same. */
export const isDelimited = (response: Response): boolean =>
  lengthOf(response) !== null || response.headers.get('transfer-encoding')?.includes('chunked') === true

const isOfOtherFile = ({ headers }: Response, sha256: string) => {
  const tag = headers.get('etag')
  return tag !== null && /^"sha256-[0-9a-f]{64}"$/.test(tag) && tag !== `"sha256-${sha256}"`
}

/**
 * Where the bytes of an answer belong, of which `done` are there; null if it cannot be the file. A range counts only with its place and
 * the size of the whole file; one of an encoded file names bytes of another one.
 */
export const placeOf = (response: Response, expected: { size: number; sha256: string }, done: number): Place | null => {
  const { size } = expected
  const length = isPlain(response) ? lengthOf(response) : null
  if (response.body === null || isOfOtherFile(response, expected.sha256)) return null
  if (response.status === 200 || response.status === 203) return (length ?? size) === size ? { start: 0, end: size } : null
  const [, first, last, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(response.headers.get('content-range') ?? '') ?? []
  if (response.status !== 206 || !isPlain(response) || Number(total) !== size) return null
  const [start, end] = [Number(first), Number(last) + 1]
  const isWanted = (start === done || start === 0) && start < end && end <= size
  return isWanted && (length ?? end - start) === end - start ? { start, end } : null
}

/** Where bytes came from, for the people who look for what has changed them. */
export const sourceOf = (response: Response, address: string): string => {
  const type = response.headers.get('content-type') ?? 'no type'
  const encoding = isPlain(response) ? '' : `, ${response.headers.get('content-encoding')}`
  return `${response.status}, ${type}${encoding}, ${lengthOf(response) ?? 'unknown'} bytes, from ${address}`
}

/** Waiting that the server asks for is no failure. */
export const asksToWait = (error: unknown): error is Refused =>
  error instanceof Refused && (error.status === 429 || (error.status === 503 && error.retryAfterMs !== null))

/** Refusals that a retry cannot change. */
export const isFinal = (error: Refused): boolean =>
  isByServer(error) && error.status < 500 && ![408, 416, 425, 429].includes(error.status)
