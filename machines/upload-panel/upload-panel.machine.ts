import { type ActorRefFrom, assign, emit, enqueueActions, raise, setup, type SnapshotFrom } from 'xstate'
import { port } from '../port'
import { type UploadEnd, type UploadFacts, uploadMachine, type UploadReport } from './upload/upload.machine'

export const ports = {
  /** The uploads of this user that are still open at the server. */
  unfinished: port<UploadFacts[]>('unfinished'),
}

/** One file; its progress is in the child actor of the same id. Only a `shown` one has a row. */
export type UploadEntry = { file: UploadFacts; shown: boolean; running: boolean }
type Context = { entries: UploadEntry[] }

export type UploadPanelEvent =
  | UploadReport
  | { type: 'files.chosen'; files: UploadFacts[] }
  | { type: 'uploads.found'; files: UploadFacts[] }
  | { type: 'panel.closed' }
  | { type: 'panel.collapsed' }
  | { type: 'panel.expanded' }
  | { type: 'connection.restored' }
  | { type: 'session.opened' }
  | { type: 'session.closed' }

export type UploadPanelAnnouncement = { type: 'upload.ended'; id: string; end: UploadEnd }
/** `busy`: leaving the page would lose something, so it asks first. */
export type UploadPanelTag = 'visible' | 'expanded' | 'closed' | 'busy'

const isKnown = (entries: UploadEntry[], id: string) => entries.some(({ file }) => file.id === id)
/** A file that is selected again while it is uploaded without a row is shown again. */
const withFiles = (entries: UploadEntry[], files: UploadFacts[]): UploadEntry[] =>
  files.reduce(
    (all, file) =>
      isKnown(all, file.id)
        ? all.map((entry) => (entry.file.id === file.id ? { ...entry, shown: true } : entry))
        : [...all, { file, shown: true, running: false }],
    entries,
  )
const marked = (entries: UploadEntry[], id: string, running: boolean) =>
  entries.map((entry) => (entry.file.id === id ? { ...entry, running } : entry))

export const uploadPanelMachine = setup({
  types: {
    context: {} as Context,
    events: {} as UploadPanelEvent,
    emitted: {} as UploadPanelAnnouncement,
    tags: {} as UploadPanelTag,
  },
  actors: { ...ports, upload: uploadMachine },
  delays: { timeout: 15_000 },
  guards: {
    hasFiles: (_, p: { files: UploadFacts[] }) => p.files.length > 0,
    isKnown: ({ context }, p: { id: string }) => isKnown(context.entries, p.id),
    isLast: ({ context }, p: { id: string }) => context.entries.every(({ file, running }) => file.id === p.id || !running),
  },
  actions: {
    add: enqueueActions(({ context, enqueue }, p: { files: UploadFacts[] }) => {
      const entries = withFiles(context.entries, p.files)
      enqueue.assign({ entries })
      for (const { file } of entries.slice(context.entries.length)) enqueue.spawnChild('upload', { id: file.id, input: file })
    }),
    noteBegun: assign({ entries: ({ context }, p: { id: string }) => marked(context.entries, p.id, true) }),
    /** Without a row a failed upload stays: it can be shown and retried. */
    noteEnded: enqueueActions(({ context, enqueue }, p: { id: string; end: UploadEnd }) => {
      const isLetGo = (entry: UploadEntry) => entry.file.id === p.id && !entry.shown && p.end !== 'failed'
      if (context.entries.some(isLetGo)) enqueue.stopChild(p.id)
      enqueue.assign({ entries: marked(context.entries, p.id, false).filter((entry) => !isLetGo(entry)) })
    }),
    /** §4: closing clears the statuses; running uploads, and those that failed unseen, continue without being shown. */
    clear: enqueueActions(({ context, enqueue }) => {
      const isKept = ({ running, shown }: UploadEntry) => running || !shown
      for (const entry of context.entries) if (!isKept(entry)) enqueue.stopChild(entry.file.id)
      enqueue.assign({ entries: context.entries.filter(isKept).map((entry) => ({ ...entry, shown: false })) })
    }),
    stopAll: enqueueActions(({ context, enqueue }) => {
      for (const { file } of context.entries) enqueue.stopChild(file.id)
      enqueue.assign({ entries: [] })
    }),
    tellAll: enqueueActions(({ context, enqueue }) => {
      for (const { file, running } of context.entries) if (running) enqueue.sendTo(file.id, { type: 'connection.restored' })
    }),
    offer: raise((_, p: { files: UploadFacts[] }) => ({ type: 'uploads.found', files: p.files })),
    announceEnded: emit((_, p: { id: string; end: UploadEnd }) => ({ type: 'upload.ended', id: p.id, end: p.end })),
  },
}).createMachine({
  id: 'uploadPanel',
  context: { entries: [] },
  type: 'parallel',
  on: { 'connection.restored': { actions: 'tellAll' } },
  states: {
    sight: {
      initial: 'hidden',
      on: {
        'files.chosen': {
          guard: { type: 'hasFiles', params: ({ event }) => event },
          target: '.visible',
          actions: { type: 'add', params: ({ event }) => event },
        },
        'session.closed': { target: '.hidden', actions: 'stopAll' },
      },
      states: {
        hidden: {
          on: {
            'uploads.found': {
              guard: { type: 'hasFiles', params: ({ event }) => event },
              target: 'visible',
              actions: { type: 'add', params: ({ event }) => event },
            },
          },
        },
        visible: {
          tags: 'visible',
          on: {
            'panel.closed': { target: 'closed', actions: 'clear' },
            'uploads.found': { actions: { type: 'add', params: ({ event }) => event } },
          },
          initial: 'expanded',
          states: {
            expanded: { tags: 'expanded', on: { 'panel.collapsed': 'collapsed' } },
            collapsed: { on: { 'panel.expanded': 'expanded' } },
          },
        },
        // §4: the user closed it, so only an upload started by the user shows it again.
        closed: { tags: 'closed' },
      },
    },
    work: {
      initial: 'resting',
      on: { 'session.closed': '.resting' },
      states: {
        resting: {
          on: { 'upload.began': { guard: { type: 'isKnown', params: ({ event }) => event }, target: 'running' } },
        },
        running: {
          tags: 'busy',
          on: {
            'upload.ended': { guard: { type: 'isLast', params: ({ event }) => event }, target: 'resting' },
          },
        },
      },
    },
    // Counts running uploads and drops those that have ended and are not shown, except failed ones.
    count: {
      on: {
        'upload.began': { actions: { type: 'noteBegun', params: ({ event }) => event } },
        'upload.ended': {
          guard: { type: 'isKnown', params: ({ event }) => event },
          actions: [
            { type: 'noteEnded', params: ({ event }) => event },
            { type: 'announceEnded', params: ({ event }) => event },
          ],
        },
      },
    },
    past: {
      initial: 'unasked',
      on: { 'session.closed': '.unasked' },
      states: {
        unasked: { on: { 'session.opened': 'asking' } },
        asking: {
          invoke: {
            id: 'unfinished',
            src: 'unfinished',
            onDone: { target: 'asked', actions: { type: 'offer', params: ({ event }) => ({ files: event.output }) } },
            onError: 'asked',
          },
          after: { timeout: 'asked' },
        },
        asked: {},
      },
    },
  },
})

/** The child of a row. All children except the port `unfinished` are uploads, which the types cannot express by id. */
export const uploadOf = (panel: SnapshotFrom<typeof uploadPanelMachine>, id: string) =>
  panel.children[id] as ActorRefFrom<typeof uploadMachine> | undefined
