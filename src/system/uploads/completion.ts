import { upload } from '../../../contract/uploads'
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
    const { state, error } = await api(upload, { uploadId }, { signal })
    if (state === 'complete') return
    if (state === 'failed' || state === 'expired') throw new UploadRefused(error ?? state)
    await pause(signal)
  }
}
