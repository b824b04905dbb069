import { uploads } from '../../../contract/uploads'
import type { Api } from '../../api/client'

const between = 500
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, between)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** What the server refuses after the last byte: a status like that of a refused call, so that the chart asks nobody else. */
export class UploadRefused extends Error {
  readonly status = 422
  override name = 'UploadRefused'
}

/** The whole file is checked on the server; until it says so, the file is not there. */
export const completion = async (api: Api, uploadId: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const answer = await api(uploads, {}, { signal })
    const upload = answer.uploads.find((one) => one.id === uploadId)
    if (upload?.state === 'complete') return
    if (!upload || upload.state === 'failed' || upload.state === 'expired') throw new UploadRefused(upload?.error ?? 'expired')
    await pause(signal)
  }
}
