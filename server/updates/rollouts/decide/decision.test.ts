import { describe, expect, it } from 'vitest'
import { noUpdateReasons } from '../../../../contract/device/api'
import { aManifest, theDevice } from '../../../../contract/device/manifest.fixture'
import { checkApplicability } from '../../../../contract/device/verify'
import { eligibilityChecks } from './checks'
import { checkEligibility, checkOffer, reasonOf } from './decision'
import type { OfferFacts } from './decision-facts'

const now = new Date('2026-06-03T21:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const key = 'a'.repeat(64)

const good: OfferFacts = {
  now,
  device: {
    protocol: 'teasel',
    lifecycle: 'active',
    deleted: false,
    updatesEnabled: true,
    pausedUntil: null,
    quarantine: null,
    hardwareModel: 'gw',
    board: null,
    installs: null,
    installed: { releaseId: 'old', version: 4, displayVersion: '1.1.0', mayReturnTo: null },
    rollbackVersion: 2,
    trustedKeys: [key],
    timezone: 'Europe/Berlin',
  },
  project: { active: true },
  release: {
    id: 'new',
    type: 'file',
    version: 5,
    displayVersion: '1.2.0',
    state: 'released',
    hardwareModels: ['gw', 'gw-lte'],
    minInstalledVersion: 3,
    rollbackVersion: 2,
    allowDowngradeFrom: [],
    expiresAt: later(86_400),
    signedBy: [key],
    unavailableFiles: [],
  },
  rollout: {
    name: 'Gateway 1.4.0',
    includesDevice: true,
    allowsDowngrade: false,
    phase: 'filling',
    stateReason: null,
    currentWave: 1,
    window: { days: ['wed'], from: '22:00', to: '04:00', zone: 'device' },
    retries: 3,
    startAt: null,
    maxConcurrent: 10,
    activeUpdates: 9,
    ratePerMinute: 5,
    startedLastMinute: 4,
  },
  update: { wave: 1, state: 'queued', attempt: 1, notBefore: null },
}

type Installed = NonNullable<OfferFacts['device']['installed']>
const runs = (version: number, more: Partial<Installed> = {}): Installed => ({
  releaseId: 'x',
  version,
  displayVersion: version === 9 ? '1.3.0' : null,
  mayReturnTo: null,
  ...more,
})

type Changes = { [K in Exclude<keyof OfferFacts, 'now'>]?: Partial<OfferFacts[K]> } & { now?: Date }
const facts = (changes: Changes): OfferFacts => ({
  now: changes.now ?? now,
  device: { ...good.device, ...changes.device },
  project: { ...good.project, ...changes.project },
  release: { ...good.release, ...changes.release },
  rollout: { ...good.rollout, ...changes.rollout },
  update: { ...good.update, ...changes.update },
})

const names = [
  'lifecycle_active',
  'project_active',
  'updates_enabled',
  'not_quarantined',
  'rollout_matches',
  'hardware_matches',
  'not_already_installed',
  'version_newer',
  'min_version_met',
  'rollback_number_ok',
  'key_trusted',
  'signature_valid_and_unexpired',
  'rollout_running',
  'wave_open',
  'window_open',
  'retries_left_and_backoff_over',
  'slot_free',
  'rate_ok',
]

it('offers when all 18 pass, in their order', () => {
  const { offer, checks } = checkOffer(good)
  expect(offer).toBe(true)
  expect(checks.map(({ name }) => name)).toEqual(names)
  expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(['pass']))
  expect(checkEligibility(good).checks.map(({ name }) => name)).toEqual(names.slice(0, 12))
})

const cases: [string, Changes, string, string, Date | null][] = [
  ['pending', { device: { lifecycle: 'pending' } }, 'lifecycle_active', 'pending_acceptance', null],
  ['disabled', { device: { lifecycle: 'disabled' } }, 'lifecycle_active', 'disabled', null],
  ['deleted', { device: { deleted: true } }, 'lifecycle_active', 'disabled', null],
  ['project ended', { project: { active: false } }, 'project_active', 'disabled', null],
  ['switched off', { device: { updatesEnabled: false } }, 'updates_enabled', 'disabled', null],
  ['paused', { device: { pausedUntil: later(60) } }, 'updates_enabled', 'paused', later(60)],
  ['quarantined', { device: { quarantine: { until: later(9), releaseId: 'new' } } }, 'not_quarantined', 'paused', later(9)],
  ['not aimed at', { rollout: { includesDevice: false } }, 'rollout_matches', 'not_targeted', null],
  [
    'a board that the model does not list',
    { device: { protocol: 'ddi', board: { reported: 'rev-c', fitting: ['rev-a', 'rev-b'] } } },
    'hardware_matches',
    'not_targeted',
    null,
  ],
  ['other hardware', { device: { hardwareModel: 'cam' } }, 'hardware_matches', 'not_targeted', null],
  ['an agent of a bundle', { release: { type: 'bundle' } }, 'hardware_matches', 'not_targeted', null],
  ['an agent that writes whole images', { device: { installs: 'images' } }, 'hardware_matches', 'not_targeted', null],
  ['an agent of files', { device: { installs: 'files' }, release: { type: 'rootfs' } }, 'hardware_matches', 'not_targeted', null],
  ['installed', { device: { installed: runs(5, { releaseId: 'new' }) } }, 'not_already_installed', 'up_to_date', null],
  ['older', { device: { installed: runs(6) } }, 'version_newer', 'up_to_date', null],
  ['below the minimum', { device: { installed: runs(2) } }, 'min_version_met', 'not_targeted', null],
  ['burned higher', { device: { rollbackVersion: 3 } }, 'rollback_number_ok', 'not_targeted', null],
  ['no key', { device: { trustedKeys: ['b'.repeat(64)] } }, 'key_trusted', 'key_not_trusted', null],
  ['key revoked', { release: { signedBy: [] } }, 'key_trusted', 'key_not_trusted', null],
  ['expired this instant', { release: { expiresAt: now } }, 'signature_valid_and_unexpired', 'not_targeted', null],
  ['release revoked', { release: { state: 'revoked' } }, 'signature_valid_and_unexpired', 'not_targeted', null],
  ['a file is damaged', { release: { unavailableFiles: ['app.bin'] } }, 'signature_valid_and_unexpired', 'not_targeted', null],
  ['paused rollout', { rollout: { phase: 'paused' } }, 'rollout_running', 'paused', null],
  ['scheduled', { rollout: { phase: 'scheduled', startAt: later(7) } }, 'rollout_running', 'paused', later(7)],
  ['halted', { rollout: { phase: 'halted' } }, 'rollout_running', 'paused', null],
  ['later wave', { update: { wave: 2 } }, 'wave_open', 'waiting_for_wave', null],
  ['window closed', { now: new Date('2026-06-03T19:00:00Z') }, 'window_open', 'window_closed', new Date('2026-06-03T20:00:00Z')],
  ['backing off', { update: { attempt: 2, notBefore: later(300) } }, 'retries_left_and_backoff_over', 'paused', later(300)],
  ['no retry left', { update: { attempt: 5 } }, 'retries_left_and_backoff_over', 'paused', null],
  ['ended', { update: { state: 'failed' } }, 'retries_left_and_backoff_over', 'paused', null],
  ['no slot', { rollout: { activeUpdates: 10 } }, 'slot_free', 'slot_busy', null],
  ['too fast', { rollout: { startedLastMinute: 5 } }, 'rate_ok', 'slot_busy', later(60)],
]

describe('the first failed check decides', () => {
  it.each(cases)('%s', (_, changes, name, reason, until) => {
    const { offer, failed, checks } = checkOffer(facts(changes))
    expect([offer, failed?.name, failed && reasonOf(failed), failed?.until]).toEqual([false, name, reason, until])
    const place = names.indexOf(name)
    expect(checks.map(({ result }) => result)).toEqual(
      names.map((_name, n) => (n < place ? 'pass' : n === place ? 'fail' : 'not_reached')),
    )
    expect(failed?.text).not.toBe('')
  })

  it('every check has a case', () => expect(new Set(cases.map(([, , name]) => name))).toEqual(new Set(names)))
  it('every reason is one that devices know', () => {
    for (const [, changes] of cases) expect(noUpdateReasons).toContain(reasonOf(checkOffer(facts(changes)).failed!))
  })
})

describe('values at the limit that pass', () => {
  it.each<[string, Changes]>([
    ['a pause that has just ended', { device: { pausedUntil: now } }],
    ['a quarantine of another release', { device: { quarantine: { until: later(9), releaseId: 'old' } } }],
    ['nothing installed', { device: { installed: null }, release: { minInstalledVersion: null } }],
    ['back-off that has just ended', { update: { attempt: 4, notBefore: now } }],
    ['no window', { rollout: { window: null } }],
    ['no rate', { rollout: { ratePerMinute: null, startedLastMinute: 1000 } }],
    ['an earlier wave', { rollout: { currentWave: 3 } }],
    ['soaking', { rollout: { phase: 'soaking' } }],
  ])('%s', (_, changes) => expect(checkOffer(facts(changes)).offer).toBe(true))

  it('T-17: a downgrade needs both the signed list and the permission of the rollout', () => {
    const device = { installed: runs(9) }
    const verdicts = [false, true].flatMap((allowsDowngrade) =>
      [[], [9]].map(
        (allowDowngradeFrom) =>
          checkOffer(facts({ device, rollout: { allowsDowngrade }, release: { allowDowngradeFrom } })).offer,
      ),
    )
    expect(verdicts).toEqual([false, false, false, true])
  })

  it('T-17: a downgrade along the list of the installed release also needs the permission of the rollout', () => {
    const verdicts = [false, true].flatMap((allowsDowngrade) =>
      [null, [], [4], [5]].map(
        (mayReturnTo) =>
          checkOffer(facts({ device: { installed: runs(9, { mayReturnTo }) }, rollout: { allowsDowngrade } })).offer,
      ),
    )
    expect(verdicts).toEqual([false, false, false, false, false, false, false, true])
  })
})

it('T-17: a rollout that allows downgrades includes exactly the devices that would accept its manifest', () => {
  const lists = [[], [4], [5], [4, 5, 6]]
  const versions = [4, 5, 6]
  const compared = versions.flatMap((installed) =>
    lists.flatMap((mayReturnTo) =>
      lists.map((allowDowngradeFrom) => {
        const device = { installed: runs(installed, { mayReturnTo }) }
        const release = { allowDowngradeFrom, minInstalledVersion: null }
        const { version_newer } = eligibilityChecks
        const served = version_newer(facts({ device, release, rollout: { allowsDowngrade: true } })).pass
        const manifest = aManifest({ version: 5, allow_downgrade_from: allowDowngradeFrom })
        const taken = checkApplicability(manifest, theDevice({ installedVersion: installed, mayReturnTo })) === null
        return { installed, mayReturnTo, allowDowngradeFrom, served, taken }
      }),
    ),
  )
  expect(compared.filter(({ served, taken }) => served !== taken)).toEqual([])
  expect(new Set(compared.map(({ served }) => served))).toEqual(new Set([true, false]))
})

describe('a device that runs a newer version gets the reason why it is not offered the release', () => {
  it.each<[string, Changes, string]>([
    [
      'the rollout alone',
      { device: { installed: runs(9, { mayReturnTo: [5] }) } },
      'The device runs a newer version. This rollout does not allow a downgrade',
    ],
    [
      'the list of the installed release',
      { device: { installed: runs(9, { mayReturnTo: [4] }) }, rollout: { allowsDowngrade: true } },
      'The device runs a newer version. 1.3.0 does not list 1.2.0 as a version to return to',
    ],
    [
      'a release from before the list',
      { device: { installed: runs(9) }, rollout: { allowsDowngrade: true } },
      'The device runs a newer version. 1.3.0 was signed before releases listed what they may return to',
    ],
    [
      'a release that the server does not know',
      { device: { installed: runs(9, { releaseId: null }) } },
      'The device runs a newer version. 1.3.0 is not a release of this project',
    ],
  ])('%s', (_, changes, text) => expect(checkOffer(facts(changes)).failed?.text).toBe(text))
})

it('only a check that stops an update says why: the others have no text, and versions have the names that people know', () => {
  const stopped = checkOffer(facts({ device: { installed: runs(9) } })).checks
  expect(stopped.filter(({ text }) => text !== '').map(({ name, result }) => [name, result])).toEqual([['version_newer', 'fail']])
  expect(stopped.flatMap(({ observed, required }) => [observed, required]).filter((shown) => /\bv\d/.test(shown))).toEqual([])
  const unnamed = facts({ device: { installed: runs(9, { displayVersion: null }) } })
  expect(checkOffer(unnamed).failed?.observed).toBe('v9')
})
