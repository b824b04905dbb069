import { ofetch } from 'ofetch'
import { sessionHeader, tagOf } from '../../../contract/sessions'
import type { Place, UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import type { Refusal } from '../../api/client'
import { refused, unanswered } from '../../api/failure'

const version = { 'Tus-Resumable': '1.0.0' }

export type Line = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }

/** The address of an upload; the id is the last part of what the server calls its location. */
export const uploadUrl = (base: string, uploadId: string) => `${base}/uploads/${encodeURIComponent(uploadId)}`

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
const metadataOf = ({ name, purpose, targetId }: UploadFacts) =>
  Object.entries({ filename: name, purpose, target_id: targetId })
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',')

/** A 401 during an upload is a 401 like any other. */
export const tell = ({ token, onRefused }: Line, status: number) => {
  const held = token()
  if (status !== 401 && status !== 403) return
  onRefused({ status, sessionTag: held === null ? null : tagOf(held), handledBy: undefined, organizationId: undefined })
}

type Asked = { headers?: Record<string, string>; signal?: AbortSignal }

const call = async (line: Line, method: 'POST' | 'HEAD' | 'DELETE', url: string, { headers, signal }: Asked = {}) => {
  const held = line.token()
  const response = await ofetch
    .raw(url, {
      method,
      headers: { ...version, ...headers, ...(held !== null && { [sessionHeader]: held }) },
      retry: false,
      ignoreResponseError: true,
      ...(signal && { signal }),
    })
    .catch((cause: unknown) => Promise.reject(unanswered('network_error', cause)))
  if (response.status < 400) return response
  tell(line, response.status)
  throw refused(response, response._data)
}

const offsetOf = (response: Response) => {
  const offset = Number(response.headers.get('upload-offset'))
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : 0
}

/** tus creation: the server makes the upload and says where it is. */
const create = async (line: Line, facts: UploadFacts, signal: AbortSignal): Promise<Place> => {
  const headers = { 'Upload-Length': String(facts.size), 'Upload-Metadata': metadataOf(facts) }
  const response = await call(line, 'POST', `${line.base}/uploads`, { headers, signal })
  const uploadId = response.headers.get('location')?.split('/').findLast(Boolean)
  if (uploadId === undefined) throw unanswered('network_error', new Error('The upload has no location'))
  return { uploadId: decodeURIComponent(uploadId), offset: offsetOf(response) }
}

type Wanted = { facts: UploadFacts; uploadId: string | null; signal: AbortSignal }

/** Where the server stopped, or a new upload. Whoever pauses or cancels meanwhile gives the call up. */
export const placeOf = async (line: Line, { facts, uploadId, signal }: Wanted): Promise<Place> => {
  if (uploadId === null) return create(line, facts, signal)
  return { uploadId, offset: offsetOf(await call(line, 'HEAD', uploadUrl(line.base, uploadId), { signal })) }
}

/** tus termination. */
export const discard = async (line: Line, uploadId: string): Promise<void> => {
  await call(line, 'DELETE', uploadUrl(line.base, uploadId))
}
