import { failed } from '../../../machines/model'
import type { OrganizationEvent } from '../../../machines/organization/organization.machine'
import { done, failing } from '../moves'
import { after, always, type Behaviour, count, did } from './behaviour'

const enter = (scope: string | null | undefined): OrganizationEvent => ({ type: 'route.entered', scope })
const choose = (scope: string | null): OrganizationEvent => ({ type: 'organization.chosen', scope })
const refuse = (scope: string): OrganizationEvent => ({ type: 'organization.refused', scope })
const grants = done('grants', undefined)
const alive = done('session', undefined)
const choices = (stored: string | null | undefined, ...organizations: string[]) => done('choices', { stored, organizations })
const inA = [enter('a'), grants]
const losing = [...inA, refuse('a'), alive]

export const organization: Behaviour<OrganizationEvent> = {
  stories: [
    {
      title: 'the URL rules',
      moves: inA,
      ends: 'ready.member.current',
      does: ['remember'],
      holds: { scope: 'a' },
      asks: { scope: 'a', fresh: false },
    },
    {
      title: 'the personal space asks for nothing',
      moves: [enter(null)],
      ends: 'ready.personal',
      does: ['remember'],
      holds: { scope: null },
    },
    {
      title: 'without one in the URL the stored one is chosen',
      moves: [enter(undefined), choices('b', 'a', 'b')],
      ends: 'verifying',
      does: [],
      holds: { scope: 'b' },
    },
    {
      title: 'a stored one that no longer exists is not chosen',
      moves: [enter(undefined), choices('gone', 'a', 'b')],
      ends: 'verifying',
      holds: { scope: 'a' },
    },
    {
      title: 'nothing stored: the first',
      moves: [enter(undefined), choices(undefined, 'a', 'b')],
      ends: 'verifying',
      holds: { scope: 'a' },
    },
    {
      title: 'no organization at all: the personal space',
      moves: [enter(undefined), choices(undefined)],
      ends: 'ready.personal',
      holds: { scope: null },
    },
    {
      title: 'the personal space can be the stored one',
      moves: [enter(undefined), choices(null, 'a')],
      ends: 'ready.personal',
      holds: { scope: null },
    },
    {
      title: 'no list: an error page, and Try again requests it again',
      moves: [enter(undefined), failing('choices', failed(500)), { type: 'retry.asked' }],
      ends: 'choosing',
    },
    {
      title: 'no permissions: an error page, and Try again requests them again',
      moves: [enter('a'), failing('grants', failed(500)), { type: 'retry.asked' }],
      ends: 'verifying',
      does: [],
      holds: { scope: 'a' },
    },
    {
      title: 'choosing shows the projects of the chosen one',
      moves: [...inA, choose('b'), grants, enter('b')],
      ends: 'ready.member.current',
      does: ['remember', 'organization.opened', 'remember'],
      holds: { scope: 'b' },
    },
    {
      title: 'choosing the present one shows its projects and asks nothing',
      moves: [...inA, choose('a')],
      ends: 'ready.member.current',
      does: ['remember', 'organization.opened'],
    },
    {
      title: 'entering a page of another organization verifies it',
      moves: [...inA, enter('b')],
      ends: 'verifying',
      does: ['remember'],
      holds: { scope: 'b' },
    },
    {
      title: 'a page without an organization keeps the present one',
      moves: [...inA, enter(undefined)],
      ends: 'ready.member.current',
      holds: { scope: 'a' },
    },
    {
      title: 'already choosing: entering a page without one waits',
      moves: [enter(undefined), enter(undefined)],
      ends: 'choosing',
    },
    { title: 'while choosing, the personal page has priority', moves: [enter(undefined), enter(null)], ends: 'ready.personal' },
    {
      title: 'a refusal about another organization is ignored',
      moves: [...inA, refuse('b')],
      ends: 'ready.member.current',
      does: ['remember'],
    },
    {
      title: 'R1: a 401 of the session is not a loss',
      moves: [...inA, refuse('a'), failing('session', failed(401))],
      ends: 'idle',
      does: ['remember'],
      holds: { scope: null, refused: [] },
    },
    {
      title: 'a session that cannot be asked is an error page',
      moves: [...inA, refuse('a'), failing('session', failed(500))],
      ends: 'failed.verifying',
      does: ['remember'],
    },
    {
      title: 'the first other organization takes over, with one notice',
      moves: [...losing, choices('a', 'a', 'b'), done('trial', undefined)],
      ends: 'ready.member.current',
      does: ['remember', 'organization.lost', 'remember'],
      holds: { scope: 'b', lost: 'a', refused: ['a'], candidates: [] },
    },
    {
      title: 'every organization refuses: the personal space, with one notice',
      moves: [...losing, choices('a', 'a', 'b', 'c'), failing('trial', failed(404)), failing('trial', failed(403))],
      ends: 'ready.personal',
      does: ['remember', 'organization.lost', 'remember'],
      holds: { scope: null, refused: ['a', 'b', 'c'], lost: 'a' },
    },
    {
      title: 'a candidate that fails for another reason is skipped and can be chosen later',
      moves: [...losing, choices('a', 'a', 'b', 'c'), failing('trial', failed(500)), after('timeout')],
      ends: 'ready.personal',
      holds: { refused: ['a'] },
    },
    {
      title: 'the trial is of the first candidate',
      moves: [...losing, choices('a', 'a', 'b', 'c')],
      ends: 'fallingBack.trying',
      asks: { scope: 'b' },
    },
    {
      title: 'permissions refused: falling back',
      moves: [enter('a'), failing('grants', failed(403))],
      ends: 'fallingBack.probing',
      holds: { lost: 'a', refused: ['a'] },
    },
    {
      title: 'R22: any 403 requests the permissions again, once',
      moves: [...inA, { type: 'permissions.stale' }, { type: 'permissions.stale' }],
      ends: 'ready.member.renewing',
      does: ['remember'],
      asks: { scope: 'a', fresh: true },
    },
    {
      title: 'R22: renewed',
      moves: [...inA, { type: 'permissions.stale' }, grants],
      ends: 'ready.member.current',
      does: ['remember'],
    },
    {
      title: 'an error while renewing fails closed',
      moves: [...inA, { type: 'permissions.stale' }, failing('grants', failed(500))],
      ends: 'failed.verifying',
    },
    {
      title: 'refused while renewing: falling back',
      moves: [...inA, { type: 'permissions.stale' }, failing('grants', failed(404))],
      ends: 'fallingBack.probing',
    },
    {
      title: 'removed from the organization',
      moves: [...inA, { type: 'organizations.changed', organizations: ['b'] }],
      ends: 'fallingBack.probing',
    },
    {
      title: 'a list that still has it changes nothing',
      moves: [...inA, { type: 'organizations.changed', organizations: ['a', 'b'] }],
      ends: 'ready.member.current',
    },
    {
      title: 'one that refused is never chosen again by itself',
      moves: [
        ...losing,
        choices('a', 'a', 'b'),
        failing('trial', failed(500)),
        enter('b'),
        failing('grants', failed(500)),
        enter(undefined),
        choices('a', 'a', 'b'),
      ],
      ends: 'verifying',
      holds: { scope: 'b', refused: ['a'] },
    },
    {
      title: 'a user who navigates while falling back gets no notice',
      moves: [...losing, enter('b'), grants],
      ends: 'ready.member.current',
      does: ['remember', 'remember'],
      holds: { scope: 'b' },
    },
    {
      title: 'signing out forgets',
      moves: [...losing, { type: 'session.closed' }],
      ends: 'idle',
      holds: { scope: null, lost: null, refused: [], candidates: [] },
    },
  ],
  invariants: [
    always(
      'a member has an organization, the personal space has none',
      ({ after: s }) => (!s.hasTag('member') || s.context.scope !== null) && (!s.hasTag('personal') || s.context.scope === null),
    ),
    always(
      'one that refused is never chosen automatically',
      (step) =>
        !did(step, 'organization.lost') ||
        step.after.context.scope === null ||
        !step.before.context.refused.includes(step.after.context.scope),
    ),
    always(
      'a choice from the store never takes one that refused',
      ({ before, after: s, move }) =>
        !before.matches('choosing') ||
        move?.actorId !== 'choices' ||
        s.context.scope === null ||
        !s.matches('verifying') ||
        !s.context.refused.includes(s.context.scope),
    ),
    {
      says: 'one loss, at most one notice',
      holds: (steps) =>
        count(steps, 'organization.lost') <=
        steps.filter(({ before, after: s }) => !before.matches('fallingBack') && s.matches('fallingBack')).length,
    },
    always(
      'a loss that is told settles at once',
      (step) =>
        !did(step, 'organization.lost') || (step.after.hasTag('settled') && step.after.context.lost !== step.after.context.scope),
    ),
    always(
      'falling back ends: every answer of a trial leaves fewer candidates',
      ({ before, move, after: s }) =>
        !before.matches({ fallingBack: 'trying' }) ||
        move?.actorId !== 'trial' ||
        !s.matches({ fallingBack: 'trying' }) ||
        s.context.candidates.length < before.context.candidates.length,
    ),
    always(
      'a refusal about another scope is ignored',
      ({ before, move, after: s, effects }) =>
        move?.type !== 'organization.refused' ||
        Reflect.get(move, 'scope') === before.context.scope ||
        (JSON.stringify(s.value) === JSON.stringify(before.value) && effects.length === 0),
    ),
    always(
      'nothing is offered before permissions are there',
      ({ before, move, after: s }) =>
        !s.hasTag('member') || before.hasTag('member') || ['grants', 'trial'].includes(move?.actorId ?? ''),
    ),
    always(
      'the page is moved only by a choice or a loss',
      (step) => !did(step, 'organization.opened') || step.move?.type === 'organization.chosen',
    ),
  ],
}
