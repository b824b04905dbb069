import { createReadStream } from 'node:fs'
import { DetailedError, Upload } from 'tus-js-client'
import { pathOf } from '../../contract/core/endpoint'
import { createUpload, deleteUpload, sendUpload, uploads } from '../../contract/updates/uploads'
import { type Api, toRefused } from '../core/api'
import { causeOf, Unreachable } from '../core/errors'
import { note } from '../core/print'
import { progressBar } from '../core/progress'
import type { LocalFile } from './local-file'

/** Pauses before the server is asked again how much it has; they begin anew after each byte that arrived. */
const usualDelays = [200, 1000, 3000, 5000, 10_000]

const failureOf = (error: Error, sent: number): Error => {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (response && response.getStatus() > 0) return toRefused(response.getStatus(), response.getBody())
  const cause = error instanceof DetailedError && error.causingError ? error.causingError : error
  return new Unreachable(`The upload broke after ${sent} bytes: ${causeOf(cause)}. Run the command again to go on from there`)
}

type UploadedFile = Pick<LocalFile, 'path' | 'name' | 'size' | 'sha256'>
type Asked = { assetId: string; uploadUrl: string | null; retryDelays: readonly number[] }

const send = (api: Api, file: UploadedFile, { assetId, uploadUrl, retryDelays }: Asked) =>
  new Promise<void>((resolve, reject) => {
    const progress = progressBar(file.name, file.size)
    let sent = 0
    const upload: Upload = new Upload(createReadStream(file.path), {
      endpoint: `${api.origin}${createUpload.path}`,
      uploadUrl,
      headers: api.headers,
      metadata: { filename: file.name, purpose: 'release_asset', target_id: assetId, sha256: file.sha256 },
      retryDelays: [...retryDelays],
      onProgress: (bytes) => {
        sent = bytes
        progress.update(bytes)
      },
      onError: (error) => {
        progress.end()
        reject(failureOf(error, sent))
      },
      onSuccess: () => {
        progress.end()
        resolve()
      },
    })
    upload.start()
  })

/** Uploads a file of a draft. An unfinished upload of the same bytes goes on where it stopped; one of other bytes is ended. */
export const uploadAsset = async (
  api: Api,
  file: UploadedFile,
  assetId: string,
  retryDelays: readonly number[] = usualDelays,
): Promise<void> => {
  const { uploads: open } = await api.call(uploads, {}, { query: { state: 'open' } })
  const begun = open.find(({ target_id: target }) => target === assetId)
  if (begun && begun.sha256 !== file.sha256) await api.call(deleteUpload, { uploadId: begun.id })
  const isSame = begun?.sha256 === file.sha256
  if (isSame && begun.offset > 0) note(`${file.name}: goes on after ${begun.offset} of ${file.size} bytes`)
  const uploadUrl = isSame ? `${api.origin}${pathOf(sendUpload.path, { uploadId: begun.id })}` : null
  await send(api, file, { assetId, uploadUrl, retryDelays })
}
