import { array, boolean, nullable, string, type } from 'superstruct'
import { endpoint, onObject, session } from '../core/endpoint'
import { Id, Timestamp } from '../core/shapes'

export const Session = type({
  id: Id,
  current: boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp,
  ip: nullable(string()),
  user_agent: nullable(string()),
  expires_at: Timestamp,
})

export const listSessions = endpoint({
  method: 'GET',
  path: '/sessions',
  summary: 'List the open sessions of the caller.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ sessions: array(Session) }),
})

export const deleteSession = endpoint({
  method: 'DELETE',
  path: '/sessions/:sessionId',
  summary: 'End one session of the caller.',
  needs: { kind: 'self', scope: onObject('session', 'sessionId') },
  audit: 'session.delete',
  rate: 'write',
  answer: 'none',
})
