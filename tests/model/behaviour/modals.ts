import type { Modal, ModalsEvent } from '../../../machines/modals/modals.machine'
import { after, always, type Behaviour, did } from './behaviour'

const plain: Modal = { id: 'plain', kind: 'plain' }
const confirm: Modal = { id: 'confirm', kind: 'confirm' }
const staying: Modal = { id: 'staying', kind: 'confirm', stays: true }
const open = (modal: Modal): ModalsEvent => ({ type: 'modal.opened', modal })
const close = (id: string): ModalsEvent => ({ type: 'modal.closed', id })
const accept = (id: string): ModalsEvent => ({ type: 'confirm.accepted', id })
const decline = (id: string): ModalsEvent => ({ type: 'confirm.declined', id })

export const modals: Behaviour<ModalsEvent> = {
  stories: [
    { title: 'opened', moves: [open(plain)], ends: 'showing', does: ['stage.taken'], holds: { stack: [plain] } },
    {
      title: 'one over the other',
      moves: [open(plain), open(confirm)],
      ends: 'showing',
      does: ['stage.taken'],
      holds: { stack: [plain, confirm] },
    },
    { title: 'the same one is there once', moves: [open(plain), open(plain)], ends: 'showing', holds: { stack: [plain] } },
    {
      title: 'updated',
      moves: [open(plain), { type: 'modal.updated', id: 'plain', title: 'New' }],
      ends: 'showing',
      holds: { stack: [{ ...plain, title: 'New' }] },
    },
    {
      title: 'the upper one closed',
      moves: [open(plain), open(confirm), close('confirm')],
      ends: 'showing',
      holds: { stack: [plain], leaving: [confirm] },
    },
    {
      title: 'and its slot removed',
      moves: [open(plain), open(confirm), close('confirm'), after('slot')],
      ends: 'showing',
      holds: { stack: [plain], leaving: [] },
    },
    {
      title: 'the last one closed: its slot goes for 200 ms',
      moves: [open(plain), close('plain')],
      ends: 'leaving',
      does: ['stage.taken', 'stage.freed'],
      holds: { stack: [], leaving: [plain] },
    },
    { title: 'and is removed', moves: [open(plain), close('plain'), after('slot')], ends: 'empty', holds: { leaving: [] } },
    {
      title: 'opened again while closing',
      moves: [open(plain), close('plain'), open(plain)],
      ends: 'showing',
      does: ['stage.taken', 'stage.freed', 'stage.taken'],
      holds: { stack: [plain], leaving: [] },
    },
    {
      title: 'all closed at once',
      moves: [open(plain), open(confirm), { type: 'modals.closed' }],
      ends: 'leaving',
      holds: { stack: [], leaving: [plain, confirm] },
    },
    {
      title: 'a confirm closes on confirm',
      moves: [open(confirm), accept('confirm')],
      ends: 'leaving',
      does: ['stage.taken', 'confirm.accepted', 'stage.freed'],
      holds: { stack: [], leaving: [confirm] },
    },
    {
      title: 'and on cancel',
      moves: [open(confirm), decline('confirm')],
      ends: 'leaving',
      does: ['stage.taken', 'confirm.declined', 'stage.freed'],
      holds: { stack: [], leaving: [confirm] },
    },
    {
      title: 'unless it stays',
      moves: [open(staying), accept('staying'), decline('staying')],
      ends: 'showing',
      does: ['stage.taken', 'confirm.accepted', 'confirm.declined'],
      holds: { stack: [staying] },
    },
    {
      title: 'a confirm over another modal leaves that one',
      moves: [open(plain), open(confirm), accept('confirm')],
      ends: 'showing',
      does: ['stage.taken', 'confirm.accepted'],
      holds: { stack: [plain], leaving: [confirm] },
    },
    {
      title: 'the same on cancel',
      moves: [open(plain), open(confirm), decline('confirm')],
      ends: 'showing',
      does: ['stage.taken', 'confirm.declined'],
      holds: { stack: [plain], leaving: [confirm] },
    },
    {
      title: 'a closed confirm answers nothing',
      moves: [open(plain), open(confirm), close('confirm'), accept('confirm')],
      ends: 'showing',
      does: ['stage.taken'],
    },
    {
      title: 'a modal that is no confirm answers nothing',
      moves: [open(plain), accept('plain')],
      ends: 'showing',
      does: ['stage.taken'],
    },
  ],
  invariants: [
    always(
      'something is on the stack exactly while a modal shows',
      ({ after: s }) => s.hasTag('visible') === s.context.stack.length > 0,
    ),
    always(
      'no modal is there twice',
      ({ after: s }) => new Set(s.context.stack.map(({ id }: Modal) => id)).size === s.context.stack.length,
    ),
    always(
      'a closed modal never answers',
      (step) =>
        !(did(step, 'confirm.accepted') || did(step, 'confirm.declined')) ||
        step.before.context.stack.some(({ id }: Modal) => id === Reflect.get(step.move ?? {}, 'id')),
    ),
    always(
      'the stage is taken and freed in turn',
      (step) =>
        did(step, 'stage.taken') === (!step.before.hasTag('visible') && step.after.hasTag('visible')) &&
        did(step, 'stage.freed') === (step.before.hasTag('visible') && !step.after.hasTag('visible')),
    ),
  ],
}
