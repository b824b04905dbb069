import { model } from '../model'
import { type Modal, modalsMachine } from './modals.machine'

const plain: Modal = { id: 'plain', kind: 'plain' }
const confirm: Modal = { id: 'confirm', kind: 'confirm' }
const staying: Modal = { id: 'staying', kind: 'confirm', stays: true }

export const modalsModel = model(
  {},
  {
    machine: modalsMachine,
    starts: { empty: undefined },
    events: {
      'modal.opened': [
        { type: 'modal.opened', modal: plain },
        { type: 'modal.opened', modal: confirm },
        { type: 'modal.opened', modal: staying },
      ],
      'modal.updated': [{ type: 'modal.updated', id: 'plain', title: 'Changed' }],
      'modal.closed': [
        { type: 'modal.closed', id: 'plain' },
        { type: 'modal.closed', id: 'confirm' },
      ],
      'modals.closed': [{ type: 'modals.closed' }],
      'confirm.accepted': [
        { type: 'confirm.accepted', id: 'confirm' },
        { type: 'confirm.accepted', id: 'staying' },
        { type: 'confirm.accepted', id: 'plain' },
      ],
      'confirm.declined': [
        { type: 'confirm.declined', id: 'confirm' },
        { type: 'confirm.declined', id: 'staying' },
      ],
    },
    answers: {},
  },
)
