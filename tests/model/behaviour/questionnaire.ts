import { failed } from '../../../machines/model'
import type { QuestionnaireEvent } from '../../../machines/questionnaire/questionnaire.machine'
import { done, failing } from '../moves'
import { after, always, type Behaviour, did } from './behaviour'

const opened: QuestionnaireEvent = { type: 'session.opened' }
const taken: QuestionnaireEvent = { type: 'stage.taken' }
const submit: QuestionnaireEvent = { type: 'questionnaire.submitted' }
const other: QuestionnaireEvent = { type: 'role.chosen', role: 'other' }
const typed = (length: number): QuestionnaireEvent => ({ type: 'customRole.typed', length })
const due = done('standing', 'due')
const recorded = done('recording', undefined)
const open = [opened, due]

export const questionnaire: Behaviour<QuestionnaireEvent> = {
  stories: [
    { title: 'opens once the user is known', moves: open, ends: 'open.listed' },
    { title: 'never for a user who has seen it', moves: [opened, done('standing', 'seen')], ends: 'seen' },
    { title: 'R10: nor again in a session that dismissed it', moves: [opened, done('standing', 'dismissed')], ends: 'seen' },
    { title: 'a list that fails is silent', moves: [opened, failing('standing', failed(500))], ends: 'seen', does: [] },
    { title: 'a list that does not come is silent', moves: [opened, after('timeout')], ends: 'seen' },
    { title: 'waits for the other modal', moves: [taken, ...open], ends: 'waiting' },
    { title: 'and opens when the other modal has closed', moves: [taken, ...open, { type: 'stage.freed' }], ends: 'open.listed' },
    { title: 'the role other asks for words', moves: [...open, other], ends: 'open.other.fitting' },
    {
      title: 'and takes the question back',
      moves: [...open, other, { type: 'role.chosen', role: 'student' }],
      ends: 'open.listed',
    },
    { title: '§5: 100 characters are fine', moves: [...open, other, typed(100)], ends: 'open.other.fitting' },
    {
      title: '§5: 101 are not, and nothing is sent',
      moves: [...open, other, typed(101), submit],
      ends: 'open.other.tooLong',
      does: [],
    },
    { title: '§5: shortened again', moves: [...open, other, typed(101), typed(5)], ends: 'open.other.fitting' },
    {
      title: 'a text that is too long stays so after another role was chosen',
      moves: [...open, other, typed(101), { type: 'role.chosen', role: 'student' }, other],
      ends: 'open.other.tooLong',
    },
    {
      title: 'a new sign-in starts blank',
      moves: [...open, other, typed(101), { type: 'session.closed' }, ...open, other],
      ends: 'open.other.fitting',
      holds: { length: 0 },
    },
    {
      title: '§4: first that it was seen, then the answers',
      moves: [...open, submit, recorded],
      ends: 'submitting.saving',
      does: ['keepDraft'],
    },
    { title: '§4: closes when saved', moves: [...open, submit, recorded, done('saving', undefined)], ends: 'closed' },
    {
      title: '§4: closes when the answers are refused',
      moves: [...open, submit, recorded, failing('saving', failed(422))],
      ends: 'closed',
      does: ['keepDraft'],
    },
    {
      title: '§4: closes when the recording fails, and saves nothing',
      moves: [...open, submit, failing('recording', failed(500))],
      ends: 'closed',
    },
    { title: 'closes without an answer', moves: [...open, submit, after('timeout')], ends: 'closed' },
    {
      title: 'closes without a second answer',
      moves: [...open, submit, recorded, after('timeout')],
      ends: 'closed',
    },
    {
      title: '§4: Dismiss closes and posts nothing',
      moves: [...open, { type: 'questionnaire.dismissed' }],
      ends: 'closed',
      does: ['rememberDismissal'],
    },
  ],
  invariants: [
    always(
      'never opens for a user who has seen it',
      ({ before, after: s }) =>
        !s.hasTag('visible') || before.hasTag('visible') || before.matches('checking') || before.matches('waiting'),
    ),
    always(
      'never saves before recording',
      ({ move, effects }) =>
        !effects.some(({ type, id }) => type === 'asks' && id === 'saving') || move?.type === 'xstate.done.actor.recording',
    ),
    always(
      'one recording for one submit',
      ({ move, effects }) =>
        effects.filter(({ type, id }) => type === 'asks' && id === 'recording').length === 0 ||
        move?.type === 'questionnaire.submitted',
    ),
    always(
      'every outcome of both calls closes it, or goes on to the second',
      ({ before, move, after: s }) =>
        !before.matches('submitting') ||
        move?.actorId === undefined ||
        s.matches('closed') ||
        s.matches({ submitting: 'saving' }),
    ),
    always(
      'opens only while no other modal is open',
      ({ before, after: s }) => !s.matches('open') || before.matches('open') || s.context.free,
    ),
    always(
      'Dismiss posts nothing',
      (step) => !did(step, 'rememberDismissal') || step.effects.every(({ type }) => type !== 'asks'),
    ),
  ],
}
