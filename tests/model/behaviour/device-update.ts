import { updatePath } from '../../../contract/device/update-events'
import type { DeviceUpdateEvent } from '../../../machines/device-update/device-update.machine'
import { always, type Behaviour, leavesOf } from './behaviour'

const way = (...states: string[]): DeviceUpdateEvent[] =>
  states.map((state) => ({ type: `update.${state}` }) as DeviceUpdateEvent)
const all = updatePath.slice(1)
const place = (leaf = '') => (updatePath as readonly string[]).indexOf(leaf.split('.').at(-1) ?? '')

export const deviceUpdate: Behaviour<DeviceUpdateEvent> = {
  stories: [
    ...all.map((state, at) => ({
      title: `step by step to ${state}`,
      moves: way(...all.slice(0, at + 1)),
      ends: state === 'succeeded' ? state : `open.${state}`,
    })),
    ...all.map((state) => ({
      title: `reports lost, then ${state}`,
      moves: way(state),
      ends: state === 'succeeded' ? state : `open.${state}`,
    })),
    { title: 'held while the device is disabled', moves: way('held', 'freed', 'offered'), ends: 'open.offered' },
    { title: 'held while it runs, then finished', moves: way('installing', 'held', 'succeeded'), ends: 'succeeded' },
    { title: 'deferred by the device', moves: way('offered', 'deferred'), ends: 'open.deferred' },
    { title: 'and offered again', moves: way('deferred', 'offered'), ends: 'open.offered' },
    { title: 'deferred, and the time is over', moves: way('deferred', 'freed'), ends: 'open.queued' },
    { title: 'skipped', moves: way('held', 'skipped'), ends: 'skipped' },
    { title: 'nothing that runs is skipped', moves: way('offered', 'skipped'), ends: 'open.offered' },
    { title: 'a late report changes nothing', moves: way('installing', 'downloading'), ends: 'open.installing' },
    { title: 'failed, then rolled back', moves: way('installing', 'failed', 'rolled_back'), ends: 'rolled_back' },
    { title: 'claimed before the restart', moves: way('installing', 'claimed', 'rebooting'), ends: 'open.claimed' },
    { title: 'claimed and confirmed', moves: way('rebooting', 'claimed', 'succeeded'), ends: 'succeeded' },
    { title: 'claimed, but it fell back', moves: way('claimed', 'rolled_back'), ends: 'rolled_back' },
    { title: 'claimed and never confirmed', moves: way('claimed', 'timed_out'), ends: 'timed_out' },
    { title: 'boot failed', moves: way('validating', 'rolled_back'), ends: 'rolled_back' },
    { title: 'tried again', moves: way('failed', 'retried'), ends: 'open.queued' },
    { title: 'silent for too long, tried again', moves: way('offered', 'timed_out', 'retried'), ends: 'open.queued' },
    { title: 'silent for too long, then confirmed', moves: way('validating', 'timed_out', 'succeeded'), ends: 'succeeded' },
    { title: 'silent for too long, then at work', moves: way('offered', 'timed_out', 'installing'), ends: 'timed_out' },
    { title: 'rolled back, tried again', moves: way('rolled_back', 'retried'), ends: 'open.queued' },
    { title: 'success is final', moves: way('succeeded', 'failed'), ends: 'succeeded' },
    { title: 'cancelled is final', moves: way('cancelled', 'downloading', 'retried'), ends: 'cancelled' },
  ],
  invariants: [
    always(
      'a claim alone is no success',
      ({ before, move, after: s }) => move?.type !== 'update.claimed' || before.matches('succeeded') || !s.matches('succeeded'),
    ),
    always('no report moves an update back', ({ before, move, after: s }) => {
      const [from, to] = [place(leavesOf(before)[0]), place(leavesOf(s)[0])]
      return from < 0 || to < 0 || to >= from || move?.type === 'update.retried'
    }),
    always(
      'what succeeded, was cancelled or skipped stays so',
      ({ before, after: s }) =>
        !['succeeded', 'cancelled', 'skipped'].some((end) => before.matches(end)) || s.value === before.value,
    ),
  ],
}
