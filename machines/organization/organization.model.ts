import { failed, model } from '../model'
import { organizationMachine, ports } from './organization.machine'

export const organizationModel = model(ports, {
  machine: organizationMachine,
  starts: { fresh: undefined },
  events: {
    'route.entered': [
      { type: 'route.entered', scope: undefined },
      { type: 'route.entered', scope: null },
      { type: 'route.entered', scope: 'a' },
      { type: 'route.entered', scope: 'b' },
    ],
    'organization.chosen': [
      { type: 'organization.chosen', scope: null },
      { type: 'organization.chosen', scope: 'a' },
      { type: 'organization.chosen', scope: 'b' },
    ],
    'organization.refused': [
      { type: 'organization.refused', scope: 'a' },
      { type: 'organization.refused', scope: 'b' },
    ],
    'organizations.changed': [
      { type: 'organizations.changed', organizations: ['a', 'b'] },
      { type: 'organizations.changed', organizations: ['b'] },
    ],
    'permissions.stale': [{ type: 'permissions.stale' }],
    'retry.asked': [{ type: 'retry.asked' }],
    'session.closed': [{ type: 'session.closed' }],
  },
  answers: {
    choices: {
      done: [
        { stored: 'b', organizations: ['a', 'b'] },
        { stored: undefined, organizations: ['a', 'b'] },
        { stored: null, organizations: ['a'] },
        { stored: 'gone', organizations: [] },
      ],
      error: [failed(500)],
    },
    grants: { done: [undefined], error: [failed(403), failed(500)] },
    trial: { done: [undefined], error: [failed(404), failed(500)] },
    session: { done: [undefined], error: [failed(401), failed(500)] },
  },
})
