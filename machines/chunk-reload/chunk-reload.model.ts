import { model } from '../model'
import { chunkReloadMachine } from './chunk-reload.machine'

export const chunkReloadModel = model(
  {},
  {
    machine: chunkReloadMachine,
    starts: { first: { reloaded: false }, again: { reloaded: true } },
    events: {
      'chunk.missing': [{ type: 'chunk.missing' }],
      'work.began': [{ type: 'work.began' }],
      'work.ended': [{ type: 'work.ended' }],
      'reload.asked': [{ type: 'reload.asked' }],
    },
    answers: {},
  },
)
