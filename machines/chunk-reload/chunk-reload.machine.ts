import { assign, emit, setup } from 'xstate'

export type ChunkReloadEvent =
  | { type: 'chunk.missing' }
  /** An upload runs or a form has unsaved changes; later, none of them any more. */
  | { type: 'work.began' }
  | { type: 'work.ended' }
  | { type: 'reload.asked' }

export type ChunkReloadAnnouncement =
  /** §8: 'A new app version is available. Reloading…' */
  | { type: 'reload.announced' }
  /** Record that this build was reloaded, then reload. */
  | { type: 'reload.due' }

export type ChunkReloadTag = 'deferred' | 'updating' | 'hanging' | 'stuck'

export const chunkReloadMachine = setup({
  types: {
    context: {} as { reloaded: boolean; working: boolean },
    /** `reloaded`: the running build has been reloaded for a missing chunk before. */
    input: {} as { reloaded: boolean },
    events: {} as ChunkReloadEvent,
    emitted: {} as ChunkReloadAnnouncement,
    tags: {} as ChunkReloadTag,
  },
  delays: {
    // §9
    reloadDelay: 1500,
    timeout: 10_000,
  },
  guards: {
    wasReloaded: ({ context }) => context.reloaded,
    isWorking: ({ context }) => context.working,
  },
  actions: {
    noteWork: assign({ working: true }),
    noteRest: assign({ working: false }),
    noteReload: assign({ reloaded: true }),
    announceReload: emit({ type: 'reload.announced' }),
    reload: emit({ type: 'reload.due' }),
  },
}).createMachine({
  id: 'chunkReload',
  context: ({ input }) => ({ reloaded: input.reloaded, working: false }),
  initial: 'current',
  on: { 'work.began': { actions: 'noteWork' }, 'work.ended': { actions: 'noteRest' } },
  states: {
    current: {
      on: {
        'chunk.missing': [
          { guard: 'wasReloaded', target: 'stuck' },
          { guard: 'isWorking', target: 'deferring' },
          { target: 'announcing' },
        ],
      },
    },
    deferring: {
      tags: 'deferred',
      on: { 'work.ended': { target: 'announcing', actions: 'noteRest' }, 'reload.asked': 'announcing' },
    },
    announcing: {
      tags: 'updating',
      entry: 'announceReload',
      after: { reloadDelay: 'reloading' },
      on: { 'work.began': { target: 'deferring', actions: 'noteWork' } },
    },
    reloading: {
      tags: 'updating',
      entry: ['noteReload', 'reload'],
      initial: 'begun',
      states: {
        begun: { after: { timeout: 'hanging' } },
        // The host does not answer, or the browser's Stop button ended the reload.
        hanging: { tags: 'hanging', on: { 'reload.asked': { target: '#chunkReload.reloading', reenter: true } } },
      },
    },
    stuck: { tags: 'stuck', on: { 'reload.asked': 'reloading' } },
  },
})
