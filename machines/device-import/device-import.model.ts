import { failed, model } from '../model'
import { deviceImportMachine, ports } from './device-import.machine'

export const deviceImportModel = model(ports, {
  machine: deviceImportMachine,
  starts: { fresh: undefined },
  events: {
    'source.changed': [{ type: 'source.changed' }],
    'check.asked': [{ type: 'check.asked' }],
    'import.asked': [{ type: 'import.asked' }],
    'request.cancelled': [{ type: 'request.cancelled' }],
  },
  answers: {
    check: { done: [undefined], error: [failed(0), failed(413)] },
    import: { done: [undefined], error: [failed(0), failed(409), failed(503)] },
  },
})
