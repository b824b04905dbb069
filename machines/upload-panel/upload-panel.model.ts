import { failed, model } from '../model'
import { ports, uploadPanelMachine } from './upload-panel.machine'
import type { UploadFacts } from './upload/upload.machine'

const file = (id: string): UploadFacts => ({
  id,
  name: `${id}.bin`,
  size: 100,
  type: '',
  purpose: 'release_asset',
  targetId: 't',
})

export const uploadPanelModel = model(ports, {
  machine: uploadPanelMachine,
  starts: { fresh: undefined },
  events: {
    'upload.began': [
      { type: 'upload.began', id: 'a' },
      { type: 'upload.began', id: 'b' },
    ],
    'upload.ended': [
      { type: 'upload.ended', id: 'a', end: 'done' },
      { type: 'upload.ended', id: 'b', end: 'failed' },
    ],
    'files.chosen': [
      { type: 'files.chosen', files: [file('a'), file('b')] },
      { type: 'files.chosen', files: [file('b'), file('b')] },
      { type: 'files.chosen', files: [] },
    ],
    'uploads.found': [
      { type: 'uploads.found', files: [file('c')] },
      { type: 'uploads.found', files: [] },
    ],
    'panel.closed': [{ type: 'panel.closed' }],
    'panel.collapsed': [{ type: 'panel.collapsed' }],
    'panel.expanded': [{ type: 'panel.expanded' }],
    'connection.restored': [{ type: 'connection.restored' }],
    'session.opened': [{ type: 'session.opened' }],
    'session.closed': [{ type: 'session.closed' }],
  },
  answers: { unfinished: { done: [[file('c')], []], error: [failed(500)] } },
})
