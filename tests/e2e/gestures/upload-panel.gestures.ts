import { uploads } from '../../../contract/updates/uploads'
import type { ports, uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'
import { uploadPanelModel } from '../../../machines/upload-panel/upload-panel.model'
import { addFiles, beginUpload, type Draft, draftOf, endUploads, fileOf, projectOf } from '../support/draft'
import { type Hosts, newUser, type Visitor } from '../support/hosts'
import { reconnect, signOutElsewhere } from './second-tab'
import { bytesCall as bytes, letRead, reading, slowDisk } from './files'
import type { Gestures } from './gestures'
import { openTestPage, type TestPage } from './test-page'
import { type Call, callOf } from './request-script'

type Cast = { person: Visitor; projectId: string }
type World = TestPage & { hosts: Hosts; person: Visitor; draft: Draft }

const unfinished: Call = {
  name: 'GET /uploads?state=open',
  is: (request) => callOf(uploads).is(request) && request.url().endsWith('?state=open'),
}

const install = () => {
  let rests = false
  const waiting: (() => void)[] = []
  const rest = () => {
    rests = true
    for (const run of waiting.splice(0)) run()
  }
  Object.assign(window, { rest, requestIdleCallback: (run: () => void) => (rests ? run() : waiting.push(run)) })
}
/** Simulates a busy browser: unfinished uploads are not requested before it is idle. */
const busyBrowser = ({ context }: TestPage) => context.addInitScript(install)
const letRest = ({ page }: TestPage) => page.evaluate(() => Reflect.get(window, 'rest')())

const panel = ({ page }: TestPage) => page.getByRole('region', { name: 'Upload Progress' })
const row = (world: TestPage, name: string) => panel(world).getByRole('listitem').filter({ hasText: name })
const control = (world: TestPage, name: string) => panel(world).getByRole('button', { name, exact: true })
const hidden = (world: TestPage) => panel(world).waitFor({ state: 'detached' })

/** Checks whether a browser would ask before this page is closed. */
const asksBeforeLeaving = (world: TestPage, asks: boolean) =>
  world.page.waitForFunction(
    (expected) => window.dispatchEvent(new Event('beforeunload', { cancelable: true })) !== expected,
    asks,
  )

export const uploadPanel = {
  model: uploadPanelModel,
  prepare: async (hosts): Promise<Cast> => {
    const person = await newUser(hosts)
    return { person, projectId: await projectOf(hosts, person) }
  },
  open: async (console, { person, projectId }): Promise<World> => {
    const hosts = console.hosts()
    await endUploads(hosts, person)
    const draft = await draftOf(hosts, person, projectId)
    const stage = await openTestPage(await console.open(person), { callsEnd: false })
    await slowDisk(stage.context)
    await busyBrowser(stage)
    stage.wire.hold(unfinished, bytes)
    await stage.page.goto(draft.url)
    await stage.page.getByLabel('Add files').waitFor()
    return { ...stage, hosts, person, draft }
  },
  possible: ({ context: { entries } }, move) => {
    switch (move.type) {
      // In a page every selected file is its own upload, and an empty selection fires no event.
      case 'files.chosen':
        return entries.length === 0 && 'files' in move && new Set(Object.values(move.files as object)).size === 2
      // They start and end in the order of selection.
      case 'upload.began':
        return 'id' in move && entries.find(({ running }) => !running)?.file.id === move.id
      case 'upload.ended':
        return 'id' in move && entries.find(({ running }) => running)?.file.id === move.id
      // Only the requested list can contain them.
      case 'uploads.found':
        return false
      default:
        return true
    }
  },
  events: {
    'files.chosen': async ({ page }, { files }) => {
      await addFiles(
        page,
        files.map(({ name, size }) => fileOf(name, size)),
      )
      await reading(page, files.length)
    },
    'upload.began': async ({ page, wire }) => {
      await letRead(page)
      await wire.held(bytes)
    },
    'upload.ended': ({ wire }, { end }) => (end === 'done' ? wire.pass(bytes) : wire.refuse(bytes, 507)),
    'uploads.found': () => Promise.reject(new Error('The list that was asked for brings them')),
    'panel.closed': (world) => control(world, 'close file upload progress').click(),
    'panel.collapsed': (world) => control(world, 'Hide the files').click(),
    'panel.expanded': (world) => control(world, 'Show the files').click(),
    'connection.restored': reconnect,
    'session.opened': letRest,
    'session.closed': (world) => signOutElsewhere(world, world.hosts),
  },
  answers: {
    unfinished: {
      done: async ({ wire, hosts, person, draft }, files) => {
        for (const { name } of files) await beginUpload(hosts, person, draft, name)
        await wire.pass(unfinished)
      },
      error: ({ wire }, status) => wire.refuse(unfinished, status),
    },
  },
  states: {
    'sight.hidden': hidden,
    'sight.visible.expanded': async (world, { context }) => {
      await control(world, 'Hide the files').waitFor()
      for (const { file, shown } of context.entries)
        await row(world, file.name).waitFor({ state: shown ? 'visible' : 'detached' })
    },
    'sight.visible.collapsed': async (world) => {
      await control(world, 'Show the files').waitFor()
      await panel(world).getByRole('list').waitFor({ state: 'detached' })
    },
    'sight.closed': hidden,
    'work.resting': (world) => asksBeforeLeaving(world, false),
    'work.running': (world) => asksBeforeLeaving(world, true),
    'past.unasked': ({ wire }) => wire.held(unfinished, 0),
    'past.asking': ({ wire }) => wire.held(unfinished),
    // Once for each session, also when there was no answer.
    'past.asked': ({ wire }) => wire.asked(unfinished, 1),
  },
} satisfies Gestures<typeof uploadPanelMachine, typeof ports, World, Cast>
