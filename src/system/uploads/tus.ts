import { ofetch } from 'ofetch'
import { type Endpoint, pathOf } from '../../../contract/core/endpoint'
import { sessionHeader, tagOf } from '../../../contract/accounts/sessions'
import { createUpload, deleteUpload, sendUpload, uploadOffset } from '../../../contract/updates/uploads'
import type { UploadLocation, UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import type { Refusal } from '../../api/client'
import { refused, unanswered } from '../../api/failure'

const version = { 'Tus-Resumable': '1.0.0' }

export type UploadConnection = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }

/** The URL to send bytes to; the id is the last segment of the server's Location. */
export const uploadUrl = (base: string, uploadId: string) => `${base}${pathOf(sendUpload.path, { uploadId })}`

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
const metadata = (values: Record<string, string | undefined>) =>
  Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${base64(value)}`]))
    .join(',')

/** Identifies the sent file in every call, so that the server refuses the bytes of another one. */
export const identityHeaders = (fingerprint: string | undefined): Record<string, string> =>
  fingerprint === undefined ? {} : { 'Upload-Metadata': metadata({ fingerprint }) }

/** A 401 during an upload is handled like any other. */
export const reportRefusal = ({ token, onRefused }: UploadConnection, status: number) => {
  const held = token()
  if (status !== 401 && status !== 403) return
  onRefused({ status, sessionTag: held === null ? null : tagOf(held), handledBy: undefined, organizationId: undefined })
}

const codeOf = (error: unknown) => (error instanceof Object && 'status' in error ? error.status : undefined)

type Asked = { uploadId?: string; headers?: Record<string, string>; signal?: AbortSignal }

const call = async (line: UploadConnection, { method, path }: Endpoint, { uploadId, headers, signal }: Asked) => {
  const held = line.token()
  const response = await ofetch
    .raw(`${line.base}${pathOf(path, uploadId === undefined ? {} : { uploadId })}`, {
      method,
      headers: { ...version, ...headers, ...(held !== null && { [sessionHeader]: held }) },
      retry: false,
      ignoreResponseError: true,
      ...(signal && { signal }),
    })
    .catch((cause: unknown) => Promise.reject(unanswered('network_error', cause)))
  if (response.status < 400) return response
  reportRefusal(line, response.status)
  throw refused(response, response._data)
}

const offsetOf = (response: Response) => {
  const offset = Number(response.headers.get('upload-offset'))
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : 0
}

type Wanted = { facts: UploadFacts; uploadId: string | null; fingerprint: string | undefined; signal: AbortSignal }

/** tus creation: the server creates the upload and returns its location. */
const create = async (line: UploadConnection, { facts, fingerprint, signal }: Wanted): Promise<UploadLocation> => {
  const { name, size, purpose, targetId } = facts
  const said = metadata({ filename: name, purpose, target_id: targetId, fingerprint })
  const headers = { 'Upload-Length': String(size), 'Upload-Metadata': said }
  const response = await call(line, createUpload, { headers, signal })
  const uploadId = response.headers.get('location')?.split('/').findLast(Boolean)
  if (uploadId === undefined) throw unanswered('network_error', new Error('The upload has no location'))
  return { uploadId: decodeURIComponent(uploadId), offset: offsetOf(response) }
}

/** The server's offset, or a new upload. Pausing or cancelling aborts the call. */
export const findUploadLocation = async (line: UploadConnection, wanted: Wanted): Promise<UploadLocation> => {
  const { uploadId, fingerprint, signal } = wanted
  if (uploadId === null) return create(line, wanted)
  const asked = { uploadId, headers: identityHeaders(fingerprint), signal }
  return { uploadId, offset: offsetOf(await call(line, uploadOffset, asked)) }
}

type Named = { uploadId: string; size: number; sha256: string; signal: AbortSignal }

/** A PATCH without bytes after the last one: sends the hash for the server's comparison. */
export const nameHash = async (line: UploadConnection, { uploadId, size, sha256, signal }: Named): Promise<void> => {
  const headers = {
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(size),
    'Upload-Metadata': metadata({ sha256 }),
  }
  await call(line, sendUpload, { uploadId, headers, signal })
}

/** tus termination. An upload that has already ended counts as success. */
export const discard = async (line: UploadConnection, uploadId: string): Promise<void> => {
  await call(line, deleteUpload, { uploadId }).catch((error: unknown) => {
    if (![404, 410].some((status) => status === codeOf(error))) throw error
  })
}
