import { assign, sendTo, setup } from 'xstate'
import { maxUploadBytes } from '../../../contract/core/limits'
import type { Upload } from '../../../contract/updates/uploads'
import { eventPort, port, statusOf } from '../../port'

/** The facts of a file in a chart; the file itself is in a map of the system under `id`. */
export type UploadFacts = {
  id: string
  name: string
  size: number
  type: string
  purpose: Upload['purpose']
  targetId: string
  /** Set if the server knows the upload already: then the user must select the file again. */
  uploadId?: string
  offset?: number
  /** The server's fingerprint of the file; null if the upload was created without one. */
  fingerprint?: string | null
}

/** The upload's id at the server and its received bytes. */
export type UploadLocation = { uploadId: string; offset: number }
export type RejectReason = 'not_a_file' | 'empty' | 'too_large'
type OfferReason = 'not_a_file' | 'other_file' | 'other_content'

type BytesFact =
  | { type: 'bytes.sent'; sent: number; rate: number }
  | { type: 'bytes.ended' }
  | { type: 'bytes.broken'; status: number }

export const ports = {
  /** Reads both ends of the file; fails for a folder or an unreadable file. */
  reading: port<{ fingerprint: string }, { id: string }>('reading'),
  /** Creates the upload, or asks for its offset when `uploadId` is known. */
  place: port<UploadLocation, { id: string; uploadId: string | null }>('place'),
  /** Sends from `offset` on until it is stopped. */
  bytes: eventPort<BytesFact, { id: string } & UploadLocation>('bytes'),
  /** Sends the hash of the whole file, and waits until the server has compared it. */
  completion: port<void, { id: string; uploadId: string }>('completion'),
}

type Context = {
  file: UploadFacts
  uploadId: string | null
  /** The server's offset of the next byte. */
  offset: number
  /** The most bytes sent so far, shown by the progress bar. */
  sent: number
  /** Bytes per second, 0 while unknown. */
  rate: number
  attempts: number
  reason: RejectReason | OfferReason | null
  status: number | null
}

export type UploadEvent =
  | BytesFact
  | { type: 'upload.paused' }
  | { type: 'upload.resumed' }
  | { type: 'upload.cancelled' }
  | { type: 'retry.asked' }
  | { type: 'file.given'; name: string; size: number }
  | { type: 'connection.restored' }

export type UploadEnd = 'done' | 'failed' | 'cancelled' | 'rejected'
/** Events to the panel. */
export type UploadReport = { type: 'upload.began'; id: string } | { type: 'upload.ended'; id: string; end: UploadEnd }

export type UploadTag =
  | 'offered'
  | 'busy'
  | 'sending'
  | 'waiting'
  | 'paused'
  | 'finishing'
  | 'ended'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'rejected'

const mendable = [408, 423, 425, 429]
const canMend = (status: number) => (status === 0 || status >= 500 ? status !== 507 : mendable.includes(status))
const reportOf = (id: string, is: 'begun' | UploadEnd): UploadReport =>
  is === 'begun' ? { type: 'upload.began', id } : { type: 'upload.ended', id, end: is }

export const uploadMachine = setup({
  types: {
    context: {} as Context,
    input: {} as UploadFacts,
    events: {} as UploadEvent,
    tags: {} as UploadTag,
  },
  actors: ports,
  delays: {
    timeout: 30_000,
    /** No total limit, only a minute without a byte. */
    silence: 60_000,
    verification: 600_000,
    backOff: ({ context }) => Math.min(30_000, 1000 * 2 ** (context.attempts - 1)),
  },
  guards: {
    isKnown: ({ context }) => context.uploadId !== null,
    isEmpty: ({ context }) => !(context.file.size > 0),
    isTooLarge: ({ context }) => context.file.size > maxUploadBytes,
    isSameFile: ({ context }, p: { name: string; size: number }) => p.name === context.file.name && p.size === context.file.size,
    /** An upload without a fingerprint takes that of the first file that continues it. */
    isSameContent: ({ context }, p: { fingerprint: string }) => (context.file.fingerprint ?? p.fingerprint) === p.fingerprint,
    hasOtherContent: ({ context }) => context.reason === 'other_content',
    canMend: (_, p: { status: number }) => canMend(p.status),
  },
  actions: {
    reject: assign({ reason: (_, p: { reason: RejectReason | OfferReason }) => p.reason }),
    accept: assign({ reason: null }),
    resumeAt: assign({
      uploadId: (_, p: UploadLocation) => p.uploadId,
      offset: (_, p) => p.offset,
      sent: ({ context }, p) => Math.max(context.sent, p.offset),
    }),
    move: assign({
      sent: ({ context }, p: { sent: number; rate: number }) => Math.min(context.file.size, Math.max(context.sent, p.sent)),
      rate: (_, p) => p.rate,
      attempts: 0,
    }),
    countAttempt: assign({ attempts: ({ context }) => Math.min(6, context.attempts + 1), rate: 0 }),
    fail: assign({ status: (_, p: { status: number }) => p.status, rate: 0 }),
    startOver: assign({ uploadId: null, offset: 0, sent: 0, rate: 0, attempts: 0, status: null }),
    /** The application provides it: deletes the upload at the server. */
    discard: () => {},
    /** Sends to the panel, if there is one. */
    report: sendTo(
      ({ self }) => self._parent ?? self,
      ({ context }, p: { is: 'begun' | UploadEnd }) => reportOf(context.file.id, p.is),
    ),
  },
}).createMachine({
  id: 'upload',
  context: ({ input }) => ({
    file: input,
    uploadId: input.uploadId ?? null,
    offset: input.offset ?? 0,
    sent: input.offset ?? 0,
    rate: 0,
    attempts: 0,
    reason: null,
    status: null,
  }),
  initial: 'arriving',
  states: {
    arriving: {
      always: [
        { guard: 'isKnown', target: 'offered' },
        { guard: 'isEmpty', target: 'rejected', actions: { type: 'reject', params: { reason: 'empty' } } },
        { guard: 'isTooLarge', target: 'rejected', actions: { type: 'reject', params: { reason: 'too_large' } } },
        { target: 'checking' },
      ],
    },
    offered: {
      tags: 'offered',
      on: {
        'file.given': [
          {
            guard: { type: 'isSameFile', params: ({ event }) => event },
            target: 'comparing',
            actions: 'accept',
          },
          { actions: { type: 'reject', params: { reason: 'other_file' } } },
        ],
        'retry.asked': { guard: 'hasOtherContent', target: 'working', actions: ['discard', 'startOver', 'accept'] },
        'upload.cancelled': 'cancelled',
      },
    },
    comparing: {
      tags: 'busy',
      invoke: {
        id: 'reading',
        src: 'reading',
        input: ({ context }) => ({ id: context.file.id }),
        onDone: [
          { guard: { type: 'isSameContent', params: ({ event }) => event.output }, target: 'working' },
          { target: 'offered', actions: { type: 'reject', params: { reason: 'other_content' } } },
        ],
        onError: { target: 'offered', actions: { type: 'reject', params: { reason: 'not_a_file' } } },
      },
      after: { timeout: { target: 'offered', actions: { type: 'reject', params: { reason: 'not_a_file' } } } },
      on: { 'upload.cancelled': 'cancelled' },
    },
    checking: {
      tags: 'busy',
      invoke: {
        id: 'reading',
        src: 'reading',
        input: ({ context }) => ({ id: context.file.id }),
        onDone: 'working',
        onError: { target: 'rejected', actions: { type: 'reject', params: { reason: 'not_a_file' } } },
      },
      after: { timeout: { target: 'rejected', actions: { type: 'reject', params: { reason: 'not_a_file' } } } },
      on: { 'upload.cancelled': 'cancelled' },
    },
    working: {
      tags: 'busy',
      entry: { type: 'report', params: { is: 'begun' } },
      on: { 'upload.cancelled': 'cancelled' },
      initial: 'creating',
      states: {
        creating: {
          invoke: {
            id: 'place',
            src: 'place',
            input: ({ context }) => ({ id: context.file.id, uploadId: context.uploadId }),
            onDone: { target: 'sending', actions: { type: 'resumeAt', params: ({ event }) => event.output } },
            onError: [
              { guard: { type: 'canMend', params: ({ event }) => ({ status: statusOf(event.error) }) }, target: 'waiting' },
              {
                target: '#upload.failed',
                actions: { type: 'fail', params: ({ event }) => ({ status: statusOf(event.error) }) },
              },
            ],
          },
          after: { timeout: 'waiting' },
          on: { 'upload.paused': 'paused' },
        },
        sending: {
          tags: 'sending',
          invoke: {
            id: 'bytes',
            src: 'bytes',
            input: ({ context }) => ({ id: context.file.id, uploadId: context.uploadId ?? '', offset: context.offset }),
          },
          on: {
            'bytes.ended': 'finishing',
            'bytes.broken': [
              { guard: { type: 'canMend', params: ({ event }) => event }, target: 'waiting' },
              { target: '#upload.failed', actions: { type: 'fail', params: ({ event }) => event } },
            ],
            'upload.paused': 'paused',
          },
          initial: 'flowing',
          states: {
            // Entered again with every received progress event, so that only silence ends it.
            flowing: {
              after: { silence: '#upload.working.waiting' },
              on: {
                'bytes.sent': {
                  target: 'flowing',
                  reenter: true,
                  actions: { type: 'move', params: ({ event }) => event },
                },
              },
            },
          },
        },
        waiting: {
          tags: 'waiting',
          entry: 'countAttempt',
          after: { backOff: 'creating' },
          on: { 'connection.restored': 'creating', 'upload.paused': 'paused' },
        },
        paused: { tags: 'paused', on: { 'upload.resumed': 'creating' } },
        finishing: {
          tags: 'finishing',
          invoke: {
            id: 'completion',
            src: 'completion',
            input: ({ context }) => ({ id: context.file.id, uploadId: context.uploadId ?? '' }),
            onDone: '#upload.done',
            onError: [
              { guard: { type: 'canMend', params: ({ event }) => ({ status: statusOf(event.error) }) }, target: 'waiting' },
              {
                target: '#upload.failed',
                actions: { type: 'fail', params: ({ event }) => ({ status: statusOf(event.error) }) },
              },
            ],
          },
          after: { verification: 'waiting' },
        },
      },
    },
    done: { tags: ['ended', 'done'], entry: { type: 'report', params: { is: 'done' } } },
    failed: {
      tags: ['ended', 'failed'],
      entry: { type: 'report', params: { is: 'failed' } },
      on: { 'retry.asked': { target: 'working', actions: ['discard', 'startOver'] }, 'upload.cancelled': 'cancelled' },
    },
    cancelled: { tags: ['ended', 'cancelled'], entry: ['discard', { type: 'report', params: { is: 'cancelled' } }] },
    rejected: { tags: ['ended', 'rejected'], entry: { type: 'report', params: { is: 'rejected' } } },
  },
})
