import type { ChunkReloadEvent } from '../../../machines/chunk-reload/chunk-reload.machine'
import { after, always, type Behaviour, count, did } from './behaviour'

const missing: ChunkReloadEvent = { type: 'chunk.missing' }
const began: ChunkReloadEvent = { type: 'work.began' }
const ended: ChunkReloadEvent = { type: 'work.ended' }
const asked: ChunkReloadEvent = { type: 'reload.asked' }

export const chunkReload: Behaviour<ChunkReloadEvent> = {
  stories: [
    {
      title: '§8: says so, and reloads after 1500 ms',
      moves: [missing, after('reloadDelay')],
      ends: 'reloading.begun',
      does: ['reload.announced', 'reload.due'],
      holds: { reloaded: true },
    },
    {
      title: 'shows the new version before anything else',
      moves: [missing, missing],
      ends: 'announcing',
      does: ['reload.announced'],
    },
    { title: 'R11: waits for running work', moves: [began, missing], ends: 'deferring', does: [] },
    {
      title: 'R11: reloads when the work has ended',
      moves: [began, missing, ended],
      ends: 'announcing',
      does: ['reload.announced'],
      holds: { working: false },
    },
    {
      title: 'R11: reloads when a person asks for it',
      moves: [began, missing, asked],
      ends: 'announcing',
      does: ['reload.announced'],
    },
    { title: 'work that ended before does not defer', moves: [began, ended, missing], ends: 'announcing' },
    {
      title: 'work that begins meanwhile defers',
      moves: [missing, began],
      ends: 'deferring',
      does: ['reload.announced'],
      holds: { working: true },
    },
    { title: 'R11: one reload per build', start: 'again', moves: [missing], ends: 'stuck', does: [] },
    {
      title: 'a reload by hand is always possible',
      start: 'again',
      moves: [missing, asked, after('timeout'), asked],
      ends: 'reloading.begun',
      does: ['reload.due', 'reload.due'],
    },
  ],
  invariants: [
    always(
      'never reloads before the delay has passed, unless by hand',
      (step) =>
        !did(step, 'reload.due') ||
        step.move?.type === 'reload.asked' ||
        (step.before.matches('announcing') && step.move?.type.startsWith('xstate.after.reloadDelay') === true),
    ),
    {
      says: 'never twice by itself for one build',
      holds: (steps) =>
        count(
          steps.filter(({ move }) => move?.type !== 'reload.asked'),
          'reload.due',
        ) <= (steps[0]?.after.context.reloaded ? 0 : 1),
    },
    always(
      'never over running work by itself',
      (step) =>
        !(step.after.matches('announcing') && !step.before.matches('announcing')) ||
        !step.after.context.working ||
        step.move?.type === 'reload.asked',
    ),
    always(
      'every reload is announced first, unless by hand',
      (step) => !did(step, 'reload.due') || step.before.matches('announcing') || step.move?.type === 'reload.asked',
    ),
  ],
}
