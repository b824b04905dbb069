import { failed } from '../../../machines/model'
import type { UploadEvent } from '../../../machines/upload-panel/upload/upload.machine'
import { done, failing } from '../moves'
import { after, always, type Behaviour } from './behaviour'

const read = done('reading', { fingerprint: 'f' })
const readOther = done('reading', { fingerprint: 'g' })
const place = (offset: number) => done('place', { uploadId: 'u', offset })
const sent = (bytes: number): UploadEvent => ({ type: 'bytes.sent', sent: bytes, rate: 10 })
const broken = (status: number): UploadEvent => ({ type: 'bytes.broken', status })
const cancel: UploadEvent = { type: 'upload.cancelled' }
const given = (name: string, size: number): UploadEvent => ({ type: 'file.given', name, size })
const sending = [read, place(0)]
const asked = { id: 'a', uploadId: 'u', offset: 0 }

export const upload: Behaviour<UploadEvent> = {
  stories: [
    {
      title: 'a file goes all the way',
      moves: [...sending, sent(50), sent(100), { type: 'bytes.ended' }, done('completion', undefined)],
      ends: 'done',
      does: ['upload.began', 'upload.ended'],
      holds: { sent: 100, rate: 10, status: null },
    },
    { title: 'an empty file is rejected at once', start: 'empty', moves: [], ends: 'rejected', holds: { reason: 'empty' } },
    { title: '§5, R12: exactly 3.5 GiB is accepted', start: 'largest', moves: [], ends: 'checking', holds: { reason: null } },
    { title: '§5: one byte more is not', start: 'tooLarge', moves: [], ends: 'rejected', holds: { reason: 'too_large' } },
    {
      title: '§5: what cannot be read is not a file',
      moves: [failing('reading', failed(0))],
      ends: 'rejected',
      holds: { reason: 'not_a_file' },
    },
    { title: 'an upload is created for a new file', moves: [read], ends: 'working.creating', asks: { id: 'a', uploadId: null } },
    {
      title: 'bytes go out from the offset of the server',
      moves: [read, place(40)],
      ends: 'working.sending.flowing',
      asks: { ...asked, offset: 40 },
      holds: { sent: 40, offset: 40, uploadId: 'u' },
    },
    {
      title: 'T-15: a refused creation fails with its status',
      moves: [read, failing('place', failed(404))],
      ends: 'failed',
      holds: { status: 404 },
    },
    {
      title: 'a creation without a connection is retried',
      moves: [read, failing('place', failed(0))],
      ends: 'working.waiting',
      holds: { attempts: 1, status: null },
    },
    {
      title: 'F: a lost connection waits and resumes where the server stopped',
      moves: [...sending, sent(50), broken(0), after('backOff'), place(40)],
      ends: 'working.sending.flowing',
      holds: { sent: 50, offset: 40 },
      asks: { ...asked, offset: 40 },
    },
    {
      title: 'a slow connection keeps the bar where it was',
      moves: [...sending, sent(50), sent(20)],
      ends: 'working.sending.flowing',
      holds: { sent: 50 },
    },
    {
      title: 'more bytes than the file has are not shown',
      moves: [...sending, sent(500)],
      ends: 'working.sending.flowing',
      holds: { sent: 100 },
    },
    { title: 'a conflict is for good', moves: [...sending, broken(409)], ends: 'failed', holds: { status: 409, rate: 0 } },
    { title: 'a server without space is for good', moves: [...sending, broken(507)], ends: 'failed', holds: { status: 507 } },
    { title: 'a busy server is tried again', moves: [...sending, broken(429)], ends: 'working.waiting' },
    {
      title: 'a minute without data is a lost connection',
      moves: [...sending, sent(50), after('silence')],
      ends: 'working.waiting',
      holds: { rate: 0, attempts: 1 },
    },
    {
      title: 'each wait is counted, and a byte resets the count',
      moves: [...sending, broken(0), after('backOff'), failing('place', failed(0)), after('backOff'), place(0)],
      ends: 'working.sending.flowing',
      holds: { attempts: 2 },
    },
    {
      title: 'a byte resets the count of waits',
      moves: [...sending, broken(0), after('backOff'), place(0), sent(20)],
      ends: 'working.sending.flowing',
      holds: { attempts: 0 },
    },
    {
      title: 'connection restored: at once',
      moves: [...sending, broken(0), { type: 'connection.restored' }],
      ends: 'working.creating',
      asks: { id: 'a', uploadId: 'u' },
    },
    {
      title: 'paused and resumed',
      moves: [...sending, { type: 'upload.paused' }, { type: 'upload.resumed' }, place(40)],
      ends: 'working.sending.flowing',
    },
    {
      title: 'cancelled while sending: deleted on the server',
      moves: [...sending, cancel],
      ends: 'cancelled',
      does: ['upload.began', 'discard', 'upload.ended'],
    },
    {
      title: 'the checksum differs',
      moves: [...sending, { type: 'bytes.ended' }, failing('completion', failed(422))],
      ends: 'failed',
      holds: { status: 422 },
    },
    {
      title: 'the check is repeated when the connection is lost',
      moves: [...sending, { type: 'bytes.ended' }, failing('completion', failed(503))],
      ends: 'working.waiting',
    },
    {
      title: 'Retry starts from 0',
      moves: [read, place(40), broken(409), { type: 'retry.asked' }],
      ends: 'working.creating',
      does: ['upload.began', 'upload.ended', 'discard', 'upload.began'],
      holds: { sent: 0, offset: 0, uploadId: null, status: null, attempts: 0 },
      asks: { id: 'a', uploadId: null },
    },
    { title: 'an unfinished one is offered again', start: 'unfinished', moves: [], ends: 'offered', holds: { sent: 40 } },
    {
      title: 'and continues with the same file',
      start: 'unfinished',
      moves: [given('b.bin', 100), given('a.bin', 100), read],
      ends: 'working.creating',
      holds: { reason: null },
      asks: { id: 'a', uploadId: 'u' },
    },
    {
      title: 'a file that is given again is compared first',
      start: 'unfinished',
      moves: [given('a.bin', 100)],
      ends: 'comparing',
      does: [],
      asks: { id: 'a' },
    },
    {
      title: 'another file of the same name and size sends nothing',
      start: 'unfinished',
      moves: [given('a.bin', 100), readOther],
      ends: 'offered',
      does: [],
      holds: { reason: 'other_content', uploadId: 'u', offset: 40 },
    },
    {
      title: 'after another file the original continues',
      start: 'unfinished',
      moves: [given('a.bin', 100), readOther, given('a.bin', 100), read, place(40)],
      ends: 'working.sending.flowing',
      holds: { reason: null, offset: 40 },
    },
    {
      title: 'the other file is sent from 0 on request, and the previous bytes are deleted on the server',
      start: 'unfinished',
      moves: [given('a.bin', 100), readOther, { type: 'retry.asked' }],
      ends: 'working.creating',
      does: ['discard', 'upload.began'],
      holds: { reason: null, uploadId: null, offset: 0, sent: 0 },
      asks: { id: 'a', uploadId: null },
    },
    {
      title: 'nothing is sent from 0 before another file was given',
      start: 'unfinished',
      moves: [given('b.bin', 100), { type: 'retry.asked' }],
      ends: 'offered',
      does: [],
      holds: { reason: 'other_file' },
    },
    {
      title: 'a file that cannot be read again is asked for again',
      start: 'unfinished',
      moves: [given('a.bin', 100), failing('reading', failed(0))],
      ends: 'offered',
      holds: { reason: 'not_a_file' },
    },
    {
      title: 'a file that is not read in time is asked for again',
      start: 'unfinished',
      moves: [given('a.bin', 100), after('timeout')],
      ends: 'offered',
      holds: { reason: 'not_a_file' },
    },
    {
      title: 'an upload started without a fingerprint continues with a file of its name and size',
      start: 'unknown',
      moves: [given('a.bin', 100), readOther],
      ends: 'working.creating',
    },
    {
      title: 'the hash is named for the file of the upload',
      moves: [...sending, { type: 'bytes.ended' }],
      ends: 'working.finishing',
      asks: { id: 'a', uploadId: 'u' },
    },
    {
      title: 'but not with one of another name',
      start: 'unfinished',
      moves: [given('b.bin', 100)],
      ends: 'offered',
      holds: { reason: 'other_file' },
    },
    {
      title: 'nor with one of another size',
      start: 'unfinished',
      moves: [given('a.bin', 99)],
      ends: 'offered',
      holds: { reason: 'other_file' },
    },
  ],
  invariants: [
    always(
      'the bar never goes back but by Retry',
      ({ before, move, after: s }) => s.context.sent >= before.context.sent || move?.type === 'retry.asked',
    ),
    always(
      'never more bytes than the file has',
      ({ after: s }) => s.context.sent <= Math.max(s.context.file.size, s.context.offset),
    ),
    always('no byte is sent after cancel', (step) => !step.before.matches('cancelled') || step.effects.length === 0),
    always('bytes go out only while sending, and from the offset of the server', ({ after: s, effects }) =>
      effects.every(
        ({ type, id, input }) =>
          type !== 'asks' ||
          id !== 'bytes' ||
          (s.matches({ working: 'sending' }) && Reflect.get(Object(input), 'offset') === s.context.offset),
      ),
    ),
    always(
      'leaving the sending state stops the line',
      (step) =>
        !step.before.matches({ working: 'sending' }) ||
        step.after.matches({ working: 'sending' }) ||
        step.effects.some(({ type, id }) => type === 'stops' && id === 'bytes'),
    ),
    always(
      'done only when the server has checked the file',
      ({ before, move, after: s }) =>
        !s.matches('done') || before.matches('done') || move?.type === 'xstate.done.actor.completion',
    ),
    always('the panel hears of every beginning and every end', ({ before, move, after: s, effects }) => {
      const entered = (state: string) => s.matches(state) && (move === null || !before.matches(state))
      const heard = effects
        .filter(({ type }) => type.startsWith('upload.'))
        .map(({ type, end }) => (typeof end === 'string' ? end : type))
      const expected = ['working', 'done', 'failed', 'cancelled', 'rejected'].filter(entered)
      return heard.join() === expected.map((state) => (state === 'working' ? 'upload.began' : state)).join()
    }),
    always(
      'back-off is 1 to 30 s',
      ({ after: s, effects }) =>
        !s.matches({ working: 'waiting' }) ||
        effects.every(({ type, delay }) => type !== 'waits' || delay === Math.min(30_000, 1000 * 2 ** (s.context.attempts - 1))),
    ),
  ],
}
