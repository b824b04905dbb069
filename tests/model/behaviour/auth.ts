import type { AuthEvent } from '../../../machines/auth/auth.machine'
import { failed } from '../../../machines/model'
import { done, failing } from '../moves'
import { after, always, type Behaviour, did } from './behaviour'

const token = done('arrival', { found: 'token', sessionTag: 'aaaaaa' })
const nothing = done('arrival', { found: 'nothing' })
const self = done('self', undefined)
const refused: AuthEvent = { type: 'session.refused', sessionTag: 'aaaaaa' }
const free = done('departure', { storage: 'works', rounds: 0 })
const clearing = ['session.closed', 'clearToken', 'forgetEverything', 'resetAnalytics']

export const auth: Behaviour<AuthEvent> = {
  stories: [
    {
      title: 'a stored token is verified and opens the session',
      moves: [token, self],
      ends: 'holding.signedIn',
      does: ['session.opened'],
      holds: { sessionTag: 'aaaaaa' },
    },
    {
      title: 'without a token the browser goes to sign-in',
      moves: [nothing, free],
      ends: 'gone',
      does: ['signIn.left'],
      holds: { automatic: true },
    },
    {
      title: 'a code is redeemed and leads back to the path asked for',
      moves: [done('arrival', { found: 'code' }), done('exchange', { sessionTag: 'bbbbbb' }), self],
      ends: 'holding.signedIn',
      does: ['signIn.returned', 'session.opened'],
      holds: { sessionTag: 'bbbbbb' },
    },
    {
      title: 'a code that is refused never loops',
      moves: [done('arrival', { found: 'code' }), failing('exchange', failed(400))],
      ends: 'stuck',
      does: [],
      holds: { reason: 'exchange' },
    },
    {
      title: 'storage that cannot be read is reported',
      moves: [failing('arrival', failed(0))],
      ends: 'stuck',
      holds: { reason: 'storage' },
    },
    {
      title: 'F: the API is down at start, the token stays',
      moves: [token, failing('self', failed(0))],
      ends: 'holding.unreachable',
      does: [],
      holds: { sessionTag: 'aaaaaa' },
    },
    {
      title: 'an API that does not answer is treated as down',
      moves: [token, after('timeout')],
      ends: 'holding.unreachable',
      does: [],
    },
    {
      title: 'a 401 at the start clears the session and leaves',
      moves: [token, failing('self', failed(401)), free],
      ends: 'gone',
      does: ['clearToken', 'forgetEverything', 'resetAnalytics', 'signIn.left'],
      holds: { sessionTag: null, automatic: true },
    },
    {
      title: 'ten parallel 401s cause one redirect',
      moves: [token, self, ...Array.from({ length: 10 }, () => refused), free, refused],
      ends: 'gone',
      does: ['session.opened', ...clearing, 'signIn.left'],
      holds: { sessionTag: null },
    },
    {
      title: 'a 401 of an older token changes nothing',
      moves: [token, self, { type: 'session.refused', sessionTag: 'older0' }],
      ends: 'holding.signedIn',
      does: ['session.opened'],
    },
    {
      title: 'T-11: signing out clears the session, whatever DELETE answers',
      moves: [token, self, { type: 'signOut.asked' }, failing('signOut', failed(500)), free],
      ends: 'gone',
      does: ['session.opened', ...clearing, 'signIn.left'],
      holds: { automatic: false },
    },
    {
      title: 'signing out waits 3 s for DELETE and no longer',
      moves: [token, self, { type: 'signOut.asked' }, after('signOutLimit')],
      ends: 'leaving',
      does: ['session.opened', ...clearing],
    },
    {
      title: 'T-27: sign-out in one tab signs out the other',
      moves: [token, self, { type: 'token.removedElsewhere' }, free],
      ends: 'gone',
      does: ['session.opened', ...clearing, 'signIn.left'],
      holds: { automatic: false },
    },
    {
      title: 'another user in another tab: everything is cleared and requested again',
      moves: [token, self, { type: 'token.changedElsewhere', sessionTag: 'bbbbbb' }],
      ends: 'holding.verifying',
      does: ['session.opened', 'session.closed', 'forgetEverything'],
      holds: { sessionTag: 'bbbbbb' },
    },
    {
      title: 'the same token again is no change',
      moves: [token, self, { type: 'token.changedElsewhere', sessionTag: 'aaaaaa' }],
      ends: 'holding.signedIn',
      does: ['session.opened'],
    },
    {
      title: 'a third automatic round within a minute stops',
      moves: [nothing, done('departure', { storage: 'works', rounds: 2 })],
      ends: 'stuck',
      does: [],
      holds: { reason: 'loop' },
    },
    { title: 'the second round still goes', moves: [nothing, done('departure', { storage: 'works', rounds: 1 })], ends: 'gone' },
    {
      title: 'no automatic round when storage cannot be written',
      moves: [nothing, done('departure', { storage: 'blocked', rounds: 0 })],
      ends: 'stuck',
      does: [],
      holds: { reason: 'storage' },
    },
    {
      title: 'a person may start a third redirect',
      moves: [
        nothing,
        done('departure', { storage: 'works', rounds: 2 }),
        { type: 'signIn.asked' },
        done('departure', { storage: 'works', rounds: 2 }),
      ],
      ends: 'gone',
      does: ['signIn.left'],
      holds: { automatic: false },
    },
    {
      title: 'an automatic round after one by hand counts again',
      moves: [
        nothing,
        done('departure', { storage: 'works', rounds: 2 }),
        { type: 'signIn.asked' },
        free,
        { type: 'page.returned' },
        nothing,
      ],
      ends: 'leaving',
      holds: { automatic: true },
    },
    {
      title: 'a 401 after signing in by hand is automatic again',
      moves: [
        nothing,
        done('departure', { storage: 'blocked', rounds: 0 }),
        { type: 'signIn.asked' },
        failing('departure', failed(0)),
        { type: 'token.changedElsewhere', sessionTag: 'aaaaaa' },
        self,
        refused,
      ],
      ends: 'leaving',
      holds: { automatic: true },
    },
  ],
  invariants: [
    always('nobody is signed in without a token', ({ after: s }) => !s.matches('holding') || s.context.sessionTag !== null),
    always(
      'a 401 of another token than the stored one changes nothing',
      ({ before, move, after: s, effects }) =>
        move?.type !== 'session.refused' ||
        Reflect.get(move, 'sessionTag') === before.context.sessionTag ||
        (s.value === before.value && effects.length === 0),
    ),
    always(
      'leaving a held token clears token and cache',
      (step) =>
        !(step.before.matches('holding') || step.before.matches('signingOut')) ||
        !step.after.matches('leaving') ||
        (step.after.context.sessionTag === null &&
          did(step, 'clearToken') &&
          did(step, 'forgetEverything') &&
          did(step, 'resetAnalytics')),
    ),
    always(
      'a third automatic round never leaves by itself',
      ({ before, move, after: s }) =>
        !(before.matches('leaving') && before.context.automatic && Reflect.get(Object(move?.output), 'rounds') === 2) ||
        s.matches('stuck'),
    ),
    always(
      'signing out is one event away from every held token',
      ({ before, move, after: s }) => !before.matches('holding') || move?.type !== 'signOut.asked' || s.matches('signingOut'),
    ),
    always(
      'a session is opened exactly on the way into signedIn, and closed on the way out',
      (step) =>
        did(step, 'session.opened') ===
          (!step.before.matches({ holding: 'signedIn' }) && step.after.matches({ holding: 'signedIn' })) &&
        did(step, 'session.closed') ===
          (step.before.matches({ holding: 'signedIn' }) && !step.after.matches({ holding: 'signedIn' })),
    ),
    {
      says: 'one expiry, one redirect: between two redirects the page came back',
      holds: (steps) => {
        let gone = false
        return steps.every((step) => {
          if (step.move?.type === 'page.returned') gone = false
          if (!did(step, 'signIn.left')) return true
          const once = !gone
          gone = true
          return once
        })
      },
    },
  ],
}
