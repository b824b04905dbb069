import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { type UploadFacts, uploadMachine } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'
import { Notices } from '../../../src/features/shell/notices'
import { UploadPanel } from '../../../src/features/uploads/upload-panel'
import type { LoadedUploads } from '../../../src/system/uploads/uploads'
import { toaster } from '../../../src/ui/overlay/toast'
import { makeSystem, mount } from './system'

const factsOf = (name: string): UploadFacts => ({
  id: name,
  name,
  size: 100,
  type: '',
  purpose: 'release_asset',
  targetId: 't',
})

/** The panel with uploads of these files whose bytes never end. */
const show = (names: string[], read = () => Promise.resolve()) => {
  const upload = uploadMachine.provide({
    actors: {
      reading: fromPromise(() => read().then(() => ({ fingerprint: 'f' }))),
      place: fromPromise(() => Promise.resolve({ uploadId: 'u', offset: 0 })),
      bytes: fromCallback(() => {}),
    },
  })
  const panel = createActor(uploadPanelMachine.provide({ actors: { upload } })).start()
  onTestFinished(() => {
    panel.stop()
    toaster.remove()
  })
  const loaded: LoadedUploads = { panel, add: () => {}, give: () => {} }
  const system = makeSystem()
  const uploads = { ...system.uploads, subscribe: () => () => {}, current: () => loaded }
  mount(
    { ...system, uploads },
    <>
      <UploadPanel />
      <Notices />
    </>,
  )
  panel.send({ type: 'files.chosen', files: names.map(factsOf) })
  return panel
}
const dock = page.getByRole('region', { name: 'Upload Progress' })
const button = (name: string) => page.getByRole('button', { name, exact: true })

it('closing the panel with a paused upload leaves a notice that leads back to it', async () => {
  show(['one.bin', 'two.bin'])
  await button('Pause two.bin').click()
  await button('close file upload progress').click()
  await expect.element(dock).not.toBeInTheDocument()
  await expect.element(page.getByText('The upload of two.bin is paused')).toBeVisible()
  await button('Show').click()
  await expect.element(button('Resume two.bin')).toBeVisible()
  await expect.element(page.getByText('one.bin')).not.toBeInTheDocument()
})

it('closing the panel while nothing is paused leaves no notice', async () => {
  const panel = show(['three.bin'])
  await button('Pause three.bin').click()
  await button('Resume three.bin').click()
  await button('close file upload progress').click()
  await expect.element(dock).not.toBeInTheDocument()
  expect(panel.getSnapshot().hasTag('busy')).toBe(true)
  await expect.element(button('Show')).not.toBeInTheDocument()
})

it('closing the panel while a file is still read leaves a notice that leads back to it, and it is then uploaded', async () => {
  let letRead = () => {}
  const read = new Promise<void>((resolve) => (letRead = resolve))
  const panel = show(['five.bin'], () => read)
  await expect.element(button('Cancel five.bin')).toBeVisible()
  await button('close file upload progress').click()
  await expect.element(dock).not.toBeInTheDocument()
  await expect.element(page.getByText('The upload of five.bin has not begun')).toBeVisible()
  await button('Show').click()
  letRead()
  await expect.element(button('Pause five.bin')).toBeVisible()
  expect(panel.getSnapshot().hasTag('busy')).toBe(true)
})

it('an upload that fails while the panel is closed leaves a notice that leads to its row with the retry', async () => {
  let refuse = () => {}
  const held = new Promise<Response>((resolve) => (refuse = () => resolve(new Response('{}', { status: 422 }))))
  const sent = vi.spyOn(window, 'fetch').mockReturnValue(held)
  onTestFinished(() => sent.mockRestore())
  const system = makeSystem()
  mount(
    system,
    <>
      <UploadPanel />
      <Notices />
    </>,
  )
  system.uploads.add([{ file: new File(['bytes'], 'four.bin'), purpose: 'release_asset', targetId: 't' }])
  await expect.poll(() => sent.mock.calls.length).toBe(1)
  await button('close file upload progress').click()
  refuse()
  await expect.element(page.getByText('The upload of four.bin failed')).toBeVisible()
  await expect.element(dock).not.toBeInTheDocument()
  await button('Show').click()
  await button('Retry four.bin').click()
  await expect.poll(() => sent.mock.calls.length).toBe(2)
})
