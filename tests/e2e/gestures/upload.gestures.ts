import { messages } from '../../../contract/core/error-messages'
import { maxUploadBytes } from '../../../contract/core/limits'
import { createUpload, deleteUpload, upload as uploadEndpoint, uploadOffset } from '../../../contract/updates/uploads'
import type { ports, uploadMachine } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadModel } from '../../../machines/upload-panel/upload/upload.model'
import { addFiles, assetsOf, type Draft, draftOf, endUploads, projectOf } from '../support/draft'
import { type Hosts, newUser, type Visitor } from '../support/hosts'
import { reconnect } from './second-tab'
import { bytesCall as bytes, letRead, reading, removeFile, slowDisk, sparseFile } from './files'
import type { Gestures } from './gestures'
import { passing } from './passing'
import { openTestPage, type TestPage } from './test-page'
import { type Call, callOf } from './request-script'

type Cast = { person: Visitor; projectId: string }
type World = TestPage & {
  hosts: Hosts
  person: Visitor
  draft: Draft
  path: string
  keep: () => void
  discarded: number
  isSent: boolean
}

const name = 'a.bin'
const sizes: Readonly<Record<string, number>> = { empty: 0, largest: maxUploadBytes, tooLarge: maxUploadBytes + 1 }

const create = callOf(createUpload)
/** The console's request for the offset; its tus client sends another one itself. */
const offset: Call = {
  name: 'HEAD /uploads',
  is: (request) => callOf(uploadOffset).is(request) && request.resourceType() === 'fetch',
}
const verdict = callOf(uploadEndpoint)
const discard = callOf(deleteUpload)
const place = (uploadId: string | null) => (uploadId === null ? create : offset)

const row = ({ page }: TestPage) =>
  page.getByRole('region', { name: 'Upload Progress' }).getByRole('listitem').filter({ hasText: name })
const says = (world: TestPage, words: string | RegExp) => row(world).getByText(words).waitFor()
const control = (world: TestPage, verb: string) =>
  row(world).getByRole('button', { name: verb === 'Start' ? `Start ${name} again` : `${verb} ${name}` })
const offers = async (world: TestPage, ...verbs: string[]) => {
  for (const verb of ['Pause', 'Resume', 'Retry', 'Start', 'Cancel'])
    await control(world, verb).waitFor({ state: verbs.includes(verb) ? 'visible' : 'detached' })
}
const click = (verb: string) => (world: TestPage) => control(world, verb).click()

/** Holds the server's answers from now on: requests arrive, but the page gets no answer. */
const keepAnswers = async ({ context, page }: TestPage): Promise<() => void> => {
  let keeping = false
  const session = await context.newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId }) => {
    // A closed page waits for no answer.
    if (!keeping) session.send('Fetch.continueRequest', { requestId }).catch(() => {})
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/uploads/*', requestStage: 'Response' }] })
  return () => {
    keeping = true
  }
}

/** Reloads the page in the middle of an upload, although it asks. */
const leaveUnfinished = async (world: TestPage, meanwhile: () => Promise<void>) => {
  const { page, wire } = world
  await letRead(page)
  await wire.pass(create)
  await wire.held(bytes)
  await meanwhile()
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await wire.held(bytes, 0)
}

const refusals = {
  empty: 'The file is empty',
  too_large: 'File size must be less than 3.5 GB',
  not_a_file: 'This file cannot be read',
  other_file: 'This is a different file',
  other_content: messages.other_content,
} as const

export const upload = {
  model: uploadModel,
  prepare: async (hosts): Promise<Cast> => {
    const person = await newUser(hosts)
    return { person, projectId: await projectOf(hosts, person) }
  },
  open: async (console, { person, projectId }, start): Promise<World> => {
    const hosts = console.hosts()
    await endUploads(hosts, person)
    const draft = await draftOf(hosts, person, projectId)
    // The check of 3.5 GiB reports progress for minutes: moving the time must not end held calls.
    const stage = await openTestPage(await console.open(person), { callsEnd: false })
    await slowDisk(stage.context)
    const keep = await keepAnswers(stage)
    stage.wire.hold(create, offset, bytes, verdict, discard)
    await stage.page.goto(draft.url)
    const path = await sparseFile(name, sizes[start] ?? 100)
    await addFiles(stage.page, path)
    if (sizes[start] === undefined) await reading(stage.page, 1)
    if (start === 'unfinished' || start === 'unknown')
      await leaveUnfinished(stage, async () => {
        // Created by a version without fingerprints.
        if (start === 'unknown') await hosts.sql(`update uploads set fingerprint = null where state = 'open'`)
      })
    return { ...stage, hosts, person, draft, path, keep, discarded: 0, isSent: false }
  },
  possible: (at, move) =>
    // Progress is reported after sending, and a file this small is sent at once.
    move.type !== 'bytes.sent' || at.context.sent === at.context.offset,
  events: {
    'bytes.sent': (world) => {
      world.keep()
      world.isSent = true
      return world.wire.pass(bytes)
    },
    'bytes.ended': ({ wire }) => wire.pass(bytes),
    'bytes.broken': ({ wire }, { status }) => wire.refuse(bytes, status),
    'upload.paused': click('Pause'),
    'upload.resumed': click('Resume'),
    'upload.cancelled': click('Cancel'),
    // A new upload of the same file waits until the server has deleted the old one.
    'retry.asked': async (world, _, at) => {
      await click(at.matches('offered') ? 'Start' : 'Retry')(world)
      if (at.context.uploadId === null) return
      world.discarded += 1
      await world.wire.pass(discard)
    },
    'file.given': async (world, given) => {
      world.path = await sparseFile(given.name, given.size)
      await world.page.getByLabel(`Choose ${name} again`).setInputFiles(world.path)
    },
    'connection.restored': reconnect,
  },
  answers: {
    reading: {
      done: ({ page }, { fingerprint }, at) => letRead(page, at.matches('comparing') && fingerprint !== 'f'),
      // The file was deleted since it was selected.
      error: async ({ page, path }) => {
        await removeFile(path)
        await letRead(page)
      },
    },
    place: {
      done: (world, _, { context }) => {
        world.isSent = false
        return world.wire.pass(place(context.uploadId))
      },
      error: ({ wire }, status, { context }) => wire.refuse(place(context.uploadId), status),
    },
    completion: {
      done: ({ wire }) => wire.free(verdict),
      error: async ({ wire, hosts }, status) => {
        if (status !== 422) return wire.refuse(verdict, status)
        // The server received other bytes than were announced.
        await hosts.sql(`update uploads set state = 'failed', error = 'sha256_mismatch' where state in ('verifying', 'complete')`)
        await wire.pass(verdict)
      },
    },
  },
  states: {
    arriving: passing,
    offered: async (world, { context }) => {
      await says(world, context.reason === null ? 'Choose the file again to continue' : refusals[context.reason])
      await offers(world, ...(context.reason === 'other_content' ? ['Start', 'Cancel'] : ['Cancel']))
      await world.wire.held(offset, 0)
    },
    comparing: async (world) => {
      await reading(world.page, 1)
      await says(world, 'starting')
      await offers(world, 'Cancel')
      await world.wire.held(offset, 0)
    },
    checking: async (world) => {
      await reading(world.page, 1)
      await says(world, 'starting')
      await offers(world, 'Cancel')
      await world.wire.asked(create, 0)
    },
    'working.creating': async (world, { context }) => {
      await world.wire.held(place(context.uploadId))
      await says(world, 'starting')
      await offers(world, 'Pause', 'Cancel')
    },
    'working.sending.flowing': async (world) => {
      if (world.isSent) await says(world, '100 Bytes of 100 Bytes · 99 %')
      else await world.wire.held(bytes)
      await says(world, / of 100 Bytes · \d+ %/)
      await offers(world, 'Pause', 'Cancel')
      await world.wire.held(verdict, 0)
    },
    'working.waiting': async (world) => {
      await says(world, 'trying again')
      await offers(world, 'Pause', 'Cancel')
      await world.wire.held(bytes, 0)
    },
    'working.paused': async (world) => {
      await says(world, /paused · \d+ %/)
      await offers(world, 'Resume', 'Cancel')
      await world.wire.held(bytes, 0)
    },
    'working.finishing': async (world) => {
      await world.wire.held(verdict)
      await says(world, 'verifying')
      await offers(world, 'Cancel')
    },
    done: async (world) => {
      await says(world, '100 Bytes')
      await world.page.getByText('1 of 1 done').waitFor()
      await offers(world)
      const [state] = Object.values(await assetsOf(world.hosts, world.person, world.draft))
      if (state !== 'ready') throw new Error(`The server has the file as ${state}`)
    },
    failed: async (world, { context: { status } }) => {
      const words = {
        409: 'Another upload of this file has begun, or its release is no draft any more. Look at the release.',
        410: 'This upload was ended: the file is sent by another one, or was removed.',
        422: 'The uploaded data differs from this file and was discarded. Upload the file again.',
        507: 'There is no space left to store this',
      }[Number(status)]
      await says(world, words ?? `The upload failed (${status})`)
      await offers(world, 'Retry', 'Cancel')
    },
    // No byte is sent after it, and the server deletes its upload.
    cancelled: async (world, { context }) => {
      await says(world, 'cancelled')
      await offers(world)
      await world.wire.held(bytes, 0)
      await world.wire.asked(discard, world.discarded + (context.uploadId === null ? 0 : 1))
    },
    rejected: async (world, { context }) => {
      await says(world, refusals[context.reason ?? 'not_a_file'])
      await offers(world)
      await world.wire.asked(create, 0)
    },
  },
} satisfies Gestures<typeof uploadMachine, typeof ports, World, Cast>
