import { type AnyEventObject, fromCallback } from 'xstate'
import { sessionHeader } from '../../../contract/accounts/sessions'
import type { UploadLocation } from '../../../machines/upload-panel/upload/upload.machine'
import { fetchPart } from '../page/lazy'
import type { Files } from './files'
import type { Identities } from './identities'
import { createRate } from './rate'
import { identityHeaders, type UploadConnection, reportRefusal, uploadUrl } from './tus'

/** At most ten redraws a second. */
const step = 100

const statusOf = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  'originalResponse' in error &&
  typeof error.originalResponse === 'object' &&
  error.originalResponse !== null &&
  'getStatus' in error.originalResponse &&
  typeof error.originalResponse.getStatus === 'function'
    ? Number(error.originalResponse.getStatus())
    : 0

/** The port `bytes`: one streaming PATCH from the server's offset. The library loads with the first file. */
export const sendBytes = (line: UploadConnection, files: Files, identities: Identities) =>
  fromCallback<AnyEventObject, { id: string } & UploadLocation>(({ input, sendBack }) => {
    const file = files.get(input.id)
    const rate = createRate()
    let heard = -step
    let over = false
    let stop = () => {}
    const broken = (status: number) => {
      if (over) return
      reportRefusal(line, status)
      sendBack({ type: 'bytes.broken', status })
    }
    const progress = (sent: number) => {
      const at = performance.now()
      if (over || (at - heard < step && sent < (file?.size ?? 0))) return
      heard = at
      sendBack({ type: 'bytes.sent', sent, rate: rate(sent) })
    }
    const begin = async () => {
      if (!file) return broken(410)
      // A read error is reported at the end, where the hash is awaited.
      identities.sha256(input.id).catch(() => {})
      const { Upload } = await fetchPart(() => import('tus-js-client'))
      if (over) return
      const token = line.token()
      const upload = new Upload(file, {
        uploadUrl: uploadUrl(line.base, input.uploadId),
        headers: { ...identityHeaders(identities.fingerprint(input.id)), ...(token !== null && { [sessionHeader]: token }) },
        chunkSize: Number.POSITIVE_INFINITY,
        // The chart decides about retries, and the server's offset where to continue.
        retryDelays: null,
        storeFingerprintForResuming: false,
        onProgress: progress,
        onError: (error) => broken(statusOf(error)),
        onSuccess: () => {
          if (!over) sendBack({ type: 'bytes.ended' })
        },
      })
      stop = () => void upload.abort()
      upload.start()
    }
    void begin()
    // No byte is sent after this.
    return () => {
      over = true
      stop()
    }
  })
