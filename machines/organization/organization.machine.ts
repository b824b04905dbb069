import { assign, emit, setup } from 'xstate'
import { port, statusOf } from '../port'

/** An organization's public id; null is the personal space, whose path segment is `none` (R4). */
export type Scope = string | null
/**
 * `stored`: this user's last organization, undefined when nothing is stored (R23). `organizations`: public ids in the order
 * shown.
 */
export type Choices = { stored: Scope | undefined; organizations: string[] }

export const ports = {
  choices: port<Choices>('choices'),
  /** The member's permissions in a scope; `fresh` bypasses the cache. */
  grants: port<void, { scope: string; fresh: boolean }>('grants'),
  /** Permissions and projects list of a scope, to test whether it is accessible. */
  trial: port<void, { scope: string }>('trial'),
  session: port<void>('session'),
}

type Context = { scope: Scope; lost: Scope; refused: string[]; candidates: string[] }

export type OrganizationEvent =
  | { type: 'route.entered'; scope: Scope | undefined }
  | { type: 'organization.chosen'; scope: Scope }
  | { type: 'organization.refused'; scope: Scope }
  | { type: 'organizations.changed'; organizations: string[] }
  | { type: 'permissions.stale' }
  | { type: 'retry.asked' }
  | { type: 'session.closed' }

export type OrganizationAnnouncement =
  /** The user chose it: show its projects list, query string kept. */
  | { type: 'organization.opened'; scope: Scope }
  /** §4: notice and the projects list of `scope`, query string kept. */
  | { type: 'organization.lost'; lost: Scope; scope: Scope }

export type OrganizationTag = 'busy' | 'settled' | 'ready' | 'personal' | 'member' | 'failed'

const withScope = (scopes: string[], scope: Scope) => (scope === null || scopes.includes(scope) ? scopes : [...scopes, scope])

export const organizationMachine = setup({
  types: {
    context: {} as Context,
    events: {} as OrganizationEvent,
    emitted: {} as OrganizationAnnouncement,
    tags: {} as OrganizationTag,
  },
  actors: ports,
  delays: { timeout: 15_000 },
  guards: {
    isPersonal: ({ context }) => context.scope === null,
    isUnnamed: (_, p: { scope: Scope | undefined }) => p.scope === undefined,
    isCurrent: ({ context }, p: { scope: Scope | undefined }) => p.scope === context.scope,
    isCurrentOrUnnamed: ({ context }, p: { scope: Scope | undefined }) => p.scope === undefined || p.scope === context.scope,
    isMissing: ({ context }, p: { organizations: string[] }) =>
      context.scope !== null && !p.organizations.includes(context.scope),
    isEnded: (_, p: { error: unknown }) => statusOf(p.error) === 401,
    isRefused: (_, p: { error: unknown }) => [401, 403, 404].includes(statusOf(p.error)),
    noneLeft: ({ context }) => context.candidates.length === 0,
  },
  actions: {
    enter: assign({ scope: ({ context }, p: { scope: Scope | undefined }) => (p.scope === undefined ? context.scope : p.scope) }),
    // §4: the stored one, otherwise the first, otherwise the personal space; never one that refused during this visit.
    choose: assign({
      scope: ({ context }, p: Choices) =>
        p.stored === null
          ? null
          : ([p.stored, ...p.organizations].find(
              (scope) => scope && p.organizations.includes(scope) && !context.refused.includes(scope),
            ) ?? null),
    }),
    noteLoss: assign({
      lost: ({ context }) => context.scope,
      refused: ({ context }) => withScope(context.refused, context.scope),
    }),
    listCandidates: assign({
      candidates: ({ context }, p: Choices) => p.organizations.filter((scope) => !context.refused.includes(scope)),
    }),
    noteRefusal: assign({ refused: ({ context }) => withScope(context.refused, context.candidates[0] ?? null) }),
    dropCandidate: assign({ candidates: ({ context }) => context.candidates.slice(1) }),
    takeCandidate: assign({ scope: ({ context }) => context.candidates[0] ?? null, candidates: [] }),
    forget: assign({ scope: null, lost: null, refused: [], candidates: [] }),
    /** The application provides it: stores the default of the next visit, per user id (R23). */
    remember: () => {},
    announceOpened: emit(({ context }) => ({ type: 'organization.opened', scope: context.scope })),
    announceLoss: emit(({ context }) => ({ type: 'organization.lost', lost: context.lost, scope: context.scope })),
  },
}).createMachine({
  id: 'organization',
  context: { scope: null, lost: null, refused: [], candidates: [] },
  initial: 'idle',
  on: {
    'session.closed': { target: '.idle', actions: 'forget' },
    'route.entered': [
      { guard: { type: 'isCurrentOrUnnamed', params: ({ event }) => event } },
      { target: '.deciding', actions: { type: 'enter', params: ({ event }) => event } },
    ],
    'organization.chosen': { target: '.deciding', actions: [{ type: 'enter', params: ({ event }) => event }, 'announceOpened'] },
  },
  states: {
    idle: {
      on: {
        'route.entered': [
          { guard: { type: 'isUnnamed', params: ({ event }) => event }, target: 'choosing' },
          { target: 'deciding', actions: { type: 'enter', params: ({ event }) => event } },
        ],
      },
    },
    choosing: {
      tags: 'busy',
      invoke: {
        id: 'choices',
        src: 'choices',
        onDone: { target: 'deciding', actions: { type: 'choose', params: ({ event }) => event.output } },
        onError: 'failed.choosing',
      },
      after: { timeout: 'failed.choosing' },
      on: {
        'route.entered': [
          { guard: { type: 'isUnnamed', params: ({ event }) => event } },
          { target: 'deciding', actions: { type: 'enter', params: ({ event }) => event } },
        ],
      },
    },
    deciding: {
      tags: 'busy',
      // The personal space requests no permissions: there "no list" means that everything is visible (R7).
      always: [{ guard: 'isPersonal', target: 'ready.personal' }, { target: 'verifying' }],
    },
    verifying: {
      tags: 'busy',
      invoke: {
        id: 'grants',
        src: 'grants',
        input: ({ context }) => ({ scope: context.scope ?? '', fresh: false }),
        onDone: 'ready.member',
        onError: [
          { guard: { type: 'isRefused', params: ({ event }) => ({ error: event.error }) }, target: 'fallingBack' },
          { target: 'failed.verifying' },
        ],
      },
      after: { timeout: 'failed.verifying' },
      on: {
        'organization.refused': { guard: { type: 'isCurrent', params: ({ event }) => event }, target: 'fallingBack' },
      },
    },
    ready: {
      tags: ['settled', 'ready'],
      entry: 'remember',
      on: {
        'organization.chosen': [
          { guard: { type: 'isCurrent', params: ({ event }) => event }, actions: 'announceOpened' },
          { target: 'deciding', actions: [{ type: 'enter', params: ({ event }) => event }, 'announceOpened'] },
        ],
      },
      initial: 'personal',
      states: {
        personal: { tags: 'personal' },
        member: {
          tags: 'member',
          on: {
            'organization.refused': {
              guard: { type: 'isCurrent', params: ({ event }) => event },
              target: '#organization.fallingBack',
            },
            'organizations.changed': {
              guard: { type: 'isMissing', params: ({ event }) => event },
              target: '#organization.fallingBack',
            },
          },
          initial: 'current',
          states: {
            current: { on: { 'permissions.stale': 'renewing' } },
            // R22: any 403 requests the permissions again, one request at a time; the page stays, and an error fails closed.
            renewing: {
              invoke: {
                id: 'grants',
                src: 'grants',
                input: ({ context }) => ({ scope: context.scope ?? '', fresh: true }),
                onDone: 'current',
                onError: [
                  {
                    guard: { type: 'isRefused', params: ({ event }) => ({ error: event.error }) },
                    target: '#organization.fallingBack',
                  },
                  { target: '#organization.failed.verifying' },
                ],
              },
              after: { timeout: '#organization.failed.verifying' },
            },
          },
        },
      },
    },
    fallingBack: {
      tags: 'busy',
      entry: 'noteLoss',
      initial: 'probing',
      states: {
        // R1: a 401 here ends the session, which the auth chart handles.
        probing: {
          invoke: {
            id: 'session',
            src: 'session',
            onDone: 'listing',
            onError: [
              {
                guard: { type: 'isEnded', params: ({ event }) => ({ error: event.error }) },
                target: '#organization.idle',
                actions: 'forget',
              },
              { target: '#organization.failed.verifying' },
            ],
          },
          after: { timeout: '#organization.failed.verifying' },
        },
        listing: {
          invoke: {
            id: 'choices',
            src: 'choices',
            onDone: { target: 'picking', actions: { type: 'listCandidates', params: ({ event }) => event.output } },
            onError: '#organization.failed.verifying',
          },
          after: { timeout: '#organization.failed.verifying' },
        },
        picking: {
          always: [
            { guard: 'noneLeft', target: '#organization.ready.personal', actions: ['takeCandidate', 'announceLoss'] },
            { target: 'trying' },
          ],
        },
        trying: {
          invoke: {
            id: 'trial',
            src: 'trial',
            input: ({ context }) => ({ scope: context.candidates[0] ?? '' }),
            onDone: { target: '#organization.ready.member', actions: ['takeCandidate', 'announceLoss'] },
            onError: [
              {
                guard: { type: 'isRefused', params: ({ event }) => ({ error: event.error }) },
                target: 'picking',
                actions: ['noteRefusal', 'dropCandidate'],
              },
              { target: 'picking', actions: 'dropCandidate' },
            ],
          },
          after: { timeout: { target: 'picking', actions: 'dropCandidate' } },
        },
      },
    },
    failed: {
      tags: ['settled', 'failed'],
      on: {
        'route.entered': [
          { guard: { type: 'isUnnamed', params: ({ event }) => event }, target: 'choosing' },
          { target: 'deciding', actions: { type: 'enter', params: ({ event }) => event } },
        ],
      },
      initial: 'verifying',
      states: {
        choosing: { on: { 'retry.asked': '#organization.choosing' } },
        verifying: { on: { 'retry.asked': '#organization.deciding' } },
      },
    },
  },
})
