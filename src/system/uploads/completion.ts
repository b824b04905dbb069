import { upload } from '../../../contract/updates/uploads'
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

/** A refusal after the last byte: has a status like a refused call, so that the chart needs no other case. */
export class UploadRefused extends Error {
  readonly status = 422
  override name = 'UploadRefused'
}

/** The server verifies the whole file; the upload is complete only after that. */
export const completion = async (api: Api, uploadId: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const { state, error } = await api(upload, { uploadId }, { signal })
    if (state === 'complete') return
    if (state === 'failed' || state === 'expired') throw new UploadRefused(error ?? state)
    await pause(signal)
  }
}
