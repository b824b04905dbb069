import { failed, model } from '../model'
import { ports, questionnaireMachine } from './questionnaire.machine'

export const questionnaireModel = model(ports, {
  machine: questionnaireMachine,
  starts: { fresh: undefined },
  events: {
    'session.opened': [{ type: 'session.opened' }],
    'session.closed': [{ type: 'session.closed' }],
    'stage.taken': [{ type: 'stage.taken' }],
    'stage.freed': [{ type: 'stage.freed' }],
    'role.chosen': [
      { type: 'role.chosen', role: 'student' },
      { type: 'role.chosen', role: 'other' },
    ],
    'customRole.typed': [
      { type: 'customRole.typed', length: 100 },
      { type: 'customRole.typed', length: 101 },
    ],
    'questionnaire.submitted': [{ type: 'questionnaire.submitted' }],
    'questionnaire.dismissed': [{ type: 'questionnaire.dismissed' }],
  },
  answers: {
    standing: { done: ['due', 'seen', 'dismissed'], error: [failed(500)] },
    recording: { done: [undefined], error: [failed(500)] },
    saving: { done: [undefined], error: [failed(422)] },
  },
})
