import type { SnapshotFrom } from 'xstate'
import type { uploadMachine } from '../../../machines/upload-panel/upload/upload.machine'
import { messages } from '../../../contract/core/error-messages'
import { maxUploadBytes } from '../../../contract/core/limits'
import { percent } from '../../lib/amounts'
import { formatBytes } from '../../lib/bytes'
import type { ShapeName } from '../../ui/layout/shape'

type Snapshot = SnapshotFrom<typeof uploadMachine>

/** §5: different messages for one file and several. */
const refusals = {
  too_large: (several: boolean) => `${several ? 'Each file' : 'File size'} must be less than ${formatBytes(maxUploadBytes)}`,
  empty: () => 'The file is empty',
  not_a_file: () => 'This file cannot be read',
  other_file: () => 'This is a different file',
  other_content: () => messages.other_content,
} as const

const left = (seconds: number) => (seconds < 90 ? `${Math.ceil(seconds)} s left` : `${Math.ceil(seconds / 60)} min left`)

/** Floored, and 100 only when it is finished. */
export const percentOf = (snapshot: Snapshot): number => {
  const { sent, file } = snapshot.context
  return snapshot.hasTag('done') ? 100 : Math.min(99, percent(sent, file.size))
}

const sendingWords = (snapshot: Snapshot) => {
  const { sent, file } = snapshot.context
  return `${formatBytes(sent)} of ${formatBytes(file.size)} · ${percentOf(snapshot)} %`
}

/** Rate and remaining time; undefined while unknown. */
export const paceOf = (snapshot: Snapshot): { rate: string; left: string } | undefined => {
  const { sent, rate, file } = snapshot.context
  if (!snapshot.hasTag('sending') || rate <= 0) return undefined
  return { rate: `${formatBytes(Math.round(rate))}/s`, left: left((file.size - sent) / rate) }
}

const failureWords = (status: number | null, wasSent: boolean) => {
  if (status === 403) return 'Your role no longer allows uploads to this project.'
  if (status === 412) return refusals.other_content()
  if (status === 409) return 'Another upload of this file has begun, or its release is no draft any more. Look at the release.'
  if (status === 410) return 'This upload was ended: the file is sent by another one, or was removed.'
  if (status === 422 && wasSent) return 'The uploaded data differs from this file and was discarded. Upload the file again.'
  if (status === 413) return refusals.too_large(false)
  if (status === 507) return 'There is no space left to store this'
  if (status === 422) return 'The server refused the file'
  return status ? `The upload failed (${status})` : 'The upload failed'
}

/** The state as shape and text. */
export const describe = (snapshot: Snapshot, several: boolean): { shape: ShapeName; words: string } => {
  const { reason, status, file, sent } = snapshot.context
  const is = (tag: Parameters<Snapshot['hasTag']>[0]) => snapshot.hasTag(tag)
  if (is('rejected')) return { shape: 'error', words: refusals[reason ?? 'not_a_file'](several) }
  if (is('failed')) return { shape: 'error', words: failureWords(status, sent >= file.size) }
  if (is('cancelled')) return { shape: 'none', words: 'cancelled' }
  if (is('done')) return { shape: 'success', words: formatBytes(file.size) }
  if (is('offered'))
    return { shape: 'paused', words: reason === null ? 'Choose the file again to continue' : refusals[reason](several) }
  if (is('waiting')) return { shape: 'paused', words: navigator.onLine ? 'trying again' : 'offline, trying again' }
  if (is('paused')) return { shape: 'paused', words: `paused · ${percentOf(snapshot)} %` }
  if (is('finishing')) return { shape: 'running', words: 'verifying' }
  return { shape: 'running', words: is('sending') ? sendingWords(snapshot) : 'starting' }
}
