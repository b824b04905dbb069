import { model } from '../model'
import { secureBootMachine } from './secure-boot.machine'

export const secureBootModel = model(
  {},
  {
    machine: secureBootMachine,
    starts: { draft: undefined },
    events: {
      'artifact.added': [{ type: 'artifact.added' }],
      'artifact.removed': [{ type: 'artifact.removed' }],
      'bundle.edited': [{ type: 'bundle.edited' }],
      'check.started': [{ type: 'check.started' }],
      'check.passed': [{ type: 'check.passed' }],
      'check.failed': [{ type: 'check.failed' }],
      'check.expired': [{ type: 'check.expired' }],
      'private_key.found': [{ type: 'private_key.found' }],
      'bundle.applied': [{ type: 'bundle.applied' }],
      'bundle.revoked': [{ type: 'bundle.revoked' }],
      'bundle.archived': [{ type: 'bundle.archived' }],
      'bundle.restored': [{ type: 'bundle.restored' }],
    },
    answers: {},
  },
)
