import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate'
import { expect, test } from 'vitest'
import { uploadOf, uploadPanelMachine } from '../../machines/upload-panel/upload-panel.machine'
import { type UploadFacts, uploadMachine } from '../../machines/upload-panel/upload/upload.machine'
import { listTagged } from '../../src/system/uploads/tagged-uploads'

const file: UploadFacts = { id: 'a', name: 'a.bin', size: 100, type: '', purpose: 'release_asset', targetId: 't' }
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** The panel with real uploads whose ports answer at once; `line` lets the test send progress events. */
const together = () => {
  const line: { tell: (event: { type: string; status?: number }) => void } = { tell: () => {} }
  const upload = uploadMachine.provide({
    actors: {
      reading: fromPromise(() => Promise.resolve({ fingerprint: 'f' })),
      place: fromPromise(() => Promise.resolve({ uploadId: 'u', offset: 0 })),
      completion: fromPromise(() => Promise.resolve()),
      bytes: fromCallback(({ sendBack }) => {
        line.tell = sendBack
      }),
    },
  })
  const panel = createActor(
    uploadPanelMachine.provide({ actors: { upload, unfinished: fromPromise<UploadFacts[], void>(() => Promise.resolve([])) } }),
    { clock: new SimulatedClock() },
  ).start()
  const ends: string[] = []
  panel.on('upload.ended', ({ id, end }) => ends.push(`${id} ${end}`))
  return { panel, line, ends }
}

test('the panel is busy from the first byte to the last, and is notified of the end once', async () => {
  const { panel, line, ends } = together()
  panel.send({ type: 'files.chosen', files: [file] })
  await settled()
  expect(panel.getSnapshot().hasTag('busy')).toBe(true)
  line.tell({ type: 'bytes.ended' })
  await settled()
  expect(panel.getSnapshot().hasTag('busy')).toBe(false)
  expect(ends).toEqual(['a done'])
})

test('an upload that runs hidden continues, and is removed at its end', async () => {
  const { panel, line, ends } = together()
  panel.send({ type: 'files.chosen', files: [file] })
  await settled()
  panel.send({ type: 'panel.closed' })
  expect(panel.getSnapshot().children.a).toBeDefined()
  line.tell({ type: 'bytes.ended' })
  await settled()
  expect(ends).toEqual(['a done'])
  expect(panel.getSnapshot().children.a).toBeUndefined()
  expect(panel.getSnapshot().hasTag('visible')).toBe(false)
})

test('an upload that fails hidden is kept hidden until it is chosen again, and can then be retried', async () => {
  const { panel, line, ends } = together()
  panel.send({ type: 'files.chosen', files: [file] })
  await settled()
  panel.send({ type: 'panel.closed' })
  line.tell({ type: 'bytes.broken', status: 422 })
  await settled()
  expect(ends).toEqual(['a failed'])
  expect([panel.getSnapshot().hasTag('visible'), panel.getSnapshot().hasTag('busy')]).toEqual([false, false])
  expect(listTagged(panel, 'failed')).toEqual([file])
  panel.send({ type: 'files.chosen', files: [{ ...file, id: 'b' }] })
  panel.send({ type: 'panel.closed' })
  expect(listTagged(panel, 'failed')).toEqual([file])
  panel.send({ type: 'files.chosen', files: listTagged(panel, 'failed') })
  panel.getSnapshot().children.a?.send({ type: 'retry.asked' })
  await settled()
  expect(uploadOf(panel.getSnapshot(), 'a')?.getSnapshot().hasTag('sending')).toBe(true)
})

test('uploads interrupted by a lost connection continue when it returns', async () => {
  const { panel, line } = together()
  panel.send({ type: 'files.chosen', files: [file] })
  await settled()
  line.tell({ type: 'bytes.broken', status: 0 })
  await settled()
  expect(uploadOf(panel.getSnapshot(), 'a')?.getSnapshot().hasTag('waiting')).toBe(true)
  panel.send({ type: 'connection.restored' })
  await settled()
  expect(uploadOf(panel.getSnapshot(), 'a')?.getSnapshot().hasTag('sending')).toBe(true)
})

test('a paused upload is found although the panel was closed, and is shown again with the next file', async () => {
  const { panel, line } = together()
  panel.send({ type: 'files.chosen', files: [file] })
  await settled()
  panel.getSnapshot().children.a?.send({ type: 'upload.paused' })
  panel.send({ type: 'panel.closed' })
  expect(listTagged(panel, 'paused')).toEqual([file])
  panel.send({ type: 'files.chosen', files: [...listTagged(panel, 'paused'), { ...file, id: 'b' }] })
  expect(panel.getSnapshot().context.entries.map(({ file: { id }, shown }) => [id, shown])).toEqual([
    ['a', true],
    ['b', true],
  ])
  panel.getSnapshot().children.a?.send({ type: 'upload.resumed' })
  await settled()
  line.tell({ type: 'bytes.ended' })
  expect(listTagged(panel, 'paused')).toEqual([])
})
