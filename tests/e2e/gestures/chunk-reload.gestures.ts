import { titles } from '../../../contract/errors'
import { createPersonalProject } from '../../../contract/projects'
import { createAsset, createRelease } from '../../../contract/releases'
import { type chunkReloadMachine } from '../../../machines/chunk-reload/chunk-reload.machine'
import { chunkReloadModel } from '../../../machines/chunk-reload/chunk-reload.model'
import { call } from '../support/call'
import { type Hosts, newcomer, type Visitor } from '../support/hosts'
import type { Gestures } from './gestures'
import { openStage, type Stage } from './stage'
import { moveTime } from './clock'
import { type Call, callOf, pageAt, scriptOf } from './wire'

type Cast = { person: Visitor; projectId: string }
type World = Stage & { reload: Call }

const lost = scriptOf('devices-page')
const asset = callOf(createAsset)
/** The bytes of an upload, which is the work that a reload would throw away. */
const bytes: Call = {
  name: 'PATCH /uploads',
  is: (request) => request.method() === 'PATCH' && request.url().includes('/uploads/'),
}

const deferred = (world: Stage) => world.page.getByText('A new app version is available. It loads when your work is done.')
const stuck = (world: Stage) => world.page.getByText('reloading did not bring it')
const updating = (world: Stage) => world.page.getByRole('heading', { name: titles.updating })
const reloadNow = (world: Stage) => world.page.getByRole('button', { name: 'Reload now' })
/** The page of the missing part is asked for. */
const follow = (world: Stage) => world.page.getByRole('link', { name: 'Devices', exact: true }).first().click()

const release = async (hosts: Hosts, { person, projectId }: Cast) => {
  const body = { name: 'Gateway', version: Date.now(), type: 'file' as const, hardware_models: ['gw'] }
  return (await call(hosts.api, createRelease, { projectId }, { as: person.token, body })).body.id
}

/** The reload that this build has had: real, and with what was missing back again. */
const reloadOnce = async (world: Stage) => {
  await world.wire.always(lost, 404)
  await follow(world)
  await updating(world).waitFor()
  await world.wire.free(lost)
  await Promise.all([world.page.waitForEvent('domcontentloaded'), moveTime(world.page, 1500).catch(() => {})])
}

export const chunkReload = {
  model: chunkReloadModel,
  prepare: async (hosts): Promise<Cast> => {
    const person = await newcomer(hosts)
    const project = await call(hosts.api, createPersonalProject, {}, { as: person.token, body: { name: 'Orchard' } })
    return { person, projectId: project.body.id }
  },
  open: async (console, cast, start): Promise<World> => {
    const hosts = console.hosts()
    const stage = await openStage(await console.open(cast.person))
    const list = `${hosts.console}/organizations/none/projects/${cast.projectId}/releases/list`
    const files = `${list}/${await release(hosts, cast)}/assets`
    const reload = pageAt(hosts.console)
    await stage.page.goto(files)
    if (start === 'again') {
      await reloadOnce(stage)
      await stage.page.goto(files)
    }
    stage.wire.hold(asset, bytes)
    // No page comes, so that what stands here can be looked at.
    await stage.wire.always(reload, 204)
    const chosen = ['one.bin', 'two.bin'].map((name) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(name),
    }))
    await stage.page.locator('input[type=file]').setInputFiles(chosen)
    await stage.wire.held(asset)
    return { ...stage, reload }
  },
  // Something runs or nothing does: the page tells only what has changed.
  possible: ({ context }, { type }) => (type === 'work.began' ? !context.working : type !== 'work.ended' || context.working),
  events: {
    'chunk.missing': async (world) => {
      await world.wire.always(lost, 404)
      await follow(world)
    },
    // The server makes a place for the next file, and its bytes go out.
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
