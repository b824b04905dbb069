import { expect, test } from 'vitest'
import { isDeployable, isEditable, releaseStates } from '../contract/updates/releases'
import { releaseMoves } from './release/release.machine'
import { rolloutMoves, rolloutStateOf } from './rollout/rollout.machine'
import { fuseStepMoves } from './secure-boot/fuse-step/fuse-step.machine'
import { bundleMoves } from './secure-boot/secure-boot.machine'

test('moves of a state include those of the boxes around it', () => {
  expect(rolloutMoves.moves('soaking')).toContain('gate.passed')
  expect(rolloutMoves.moves('soaking')).toContain('rollout.paused')
  expect(rolloutMoves.moves('soaking')).toContain('rollout.cancelled')
  expect(rolloutMoves.canMove('filling', 'gate.passed')).toBe(false)
})

test('an event without a transition never changes the state', () => {
  expect(releaseMoves.next('awaiting_signature', 'rollout.started')).toBe('awaiting_signature')
  expect(releaseMoves.next('awaiting_signature', 'rollout.started')).toBe('awaiting_signature')
  expect(releaseMoves.next('ready', 'rollout.started')).toBe('released')
})

test('boxes are entered at their first state', () => {
  expect(rolloutMoves.next('draft', 'rollout.started')).toBe('filling')
  expect(rolloutMoves.next('pending_approval', 'rollout.approved')).toBe('scheduled')
  expect(rolloutStateOf(rolloutMoves.next('paused', 'rollout.resumed'))).toBe('running')
})

test('a tag of a state is one of the states inside it', () => {
  expect(rolloutMoves.withTag('offering')).toEqual(['filling', 'soaking'])
  expect(rolloutMoves.hasTag('soaking', 'underway')).toBe(true)
  expect(rolloutMoves.hasTag('pending_approval', 'underway')).toBe(false)
  expect(rolloutMoves.withTag('open')).toEqual([
    'draft',
    'pending_approval',
    'scheduled',
    'filling',
    'soaking',
    'waiting_for_user',
    'paused',
    'halted',
  ])
})

test('a state may have several tags', () => {
  expect(releaseMoves.withTag('deployable')).toEqual(['ready', 'released', 'superseded'])
  expect(releaseMoves.withTag('offered')).toEqual(['released', 'superseded'])
})

test('a state that the chart does not have is an error, not a guess', () => {
  expect(() => releaseMoves.moves('lost' as never)).toThrow("The chart 'release' has no state 'lost'")
})

test('the contract names the editable and the deployable states of a release as the chart does', () => {
  expect(releaseStates.filter(isEditable).toSorted()).toEqual(releaseMoves.withTag('editable').toSorted())
  expect(releaseStates.filter(isDeployable).toSorted()).toEqual(releaseMoves.withTag('deployable').toSorted())
})

test('a bundle is usable only after a check, and a step of its plan is over only by what the device has', () => {
  expect(bundleMoves.withTag('usable')).toEqual(['ready', 'in_use'])
  expect(bundleMoves.canMove('in_use', 'bundle.edited')).toBe(false)
  expect(bundleMoves.next('ready', 'bundle.edited')).toBe('draft')
  expect(fuseStepMoves.next('written', 'value.incomplete')).toBe('pending')
  expect(fuseStepMoves.moves('mismatch')).not.toContain('step.confirmed')
})
