import { randomUUID } from 'node:crypto'
import { titles } from '../../../contract/core/errors'
import { createAsset } from '../../../contract/updates/release-assets'
import { type chunkReloadMachine } from '../../../machines/chunk-reload/chunk-reload.machine'
import { chunkReloadModel } from '../../../machines/chunk-reload/chunk-reload.model'
import { addFiles, type Draft, draftOf, fileOf } from '../support/draft'
import { newUser, type Visitor } from '../support/hosts'
import { bytesCall as bytes } from './files'
import type { Gestures } from './gestures'
import { openTestPage, type TestPage } from './test-page'
import { moveTime } from './clock'
import { type Call, callOf, pageAt, scriptOf } from './request-script'

type Cast = { person: Visitor; draft: Draft }
type World = TestPage & { reload: Call }

const lost = scriptOf('devices-page')
const asset = callOf(createAsset)

const deferred = (world: TestPage) =>
  world.page.getByText('A new app version is available. It loads when your changes are saved and your uploads are done.')
const stuck = (world: TestPage) => world.page.getByText('reloading did not help')
const updating = (world: TestPage) => world.page.getByRole('heading', { name: titles.updating })
const reloadNow = (world: TestPage) => world.page.getByRole('button', { name: 'Reload now' })
/** Opens the page with the missing chunk. */
const follow = (world: TestPage) => world.page.getByRole('link', { name: 'Devices', exact: true }).first().click()

/** The one reload of this build: real, with the missing chunk restored. */
const reloadOnce = async (world: TestPage) => {
  await world.wire.always(lost, 404)
  await follow(world)
  await updating(world).waitFor()
  await world.wire.free(lost)
  await Promise.all([world.page.waitForEvent('domcontentloaded'), moveTime(world.page, 1500).catch(() => {})])
}

export const chunkReload = {
  model: chunkReloadModel,
  prepare: async (hosts): Promise<Cast> => {
    const person = await newUser(hosts)
    return { person, draft: await draftOf(hosts, person) }
  },
  open: async (console, { person, draft: { url } }, start): Promise<World> => {
    const stage = await openTestPage(await console.open(person))
    const reload = pageAt(console.hosts().console)
    await stage.page.goto(url)
    if (start === 'again') {
      await reloadOnce(stage)
      await stage.page.goto(url)
    }
    stage.wire.hold(asset, bytes)
    // The reload shows no page, so that the current one can be checked.
    await stage.wire.always(reload, 204)
    await addFiles(stage.page, [fileOf(`${randomUUID()}.bin`), fileOf(`${randomUUID()}.bin`)])
    await stage.wire.held(asset)
    return { ...stage, reload }
  },
  // The page reports only changes of whether work is running.
  possible: ({ context }, { type }) => (type === 'work.began' ? !context.working : type !== 'work.ended' || context.working),
  events: {
    'chunk.missing': async (world) => {
      await world.wire.always(lost, 404)
      await follow(world)
    },
    // The server creates an upload for the next file, and its bytes are sent.
    'work.began': async ({ wire }) => {
      await wire.pass(asset)
      await wire.held(bytes)
    },
    'work.ended': ({ wire }) => wire.pass(bytes),
    'reload.asked': (world) => reloadNow(world).click(),
  },
  answers: {},
  states: {
    current: async (world) => {
      await world.page.getByRole('link', { name: 'Devices', exact: true }).first().waitFor()
      await Promise.all([deferred, stuck, updating].map((one) => one(world).waitFor({ state: 'detached' })))
    },
    deferring: async (world) => {
      await deferred(world).waitFor()
      await reloadNow(world).waitFor()
    },
    announcing: async (world) => {
      await updating(world).waitFor()
      await world.page.getByText(titles.newVersion).waitFor()
      await world.wire.asked(world.reload, 0)
    },
    'reloading.begun': async (world, _, did) => {
      await world.wire.asked(world.reload, did('reload.due'))
      await updating(world).waitFor()
      await reloadNow(world).waitFor({ state: 'detached' })
    },
    'reloading.hanging': async (world, _, did) => {
      await world.wire.asked(world.reload, did('reload.due'))
      await reloadNow(world).waitFor()
    },
    stuck: async (world) => {
      await stuck(world).waitFor()
      await reloadNow(world).waitFor()
    },
  },
} satisfies Gestures<typeof chunkReloadMachine, {}, World, Cast>
