import { describe, expect, it } from 'vitest'
import type { UpdateState } from '../device/update-events'
import { executions, finishes } from './api'
import {
  clientOfAgent,
  endsAction,
  failureCodeOf,
  type Meaning,
  meaningsOf,
  type Report,
  type ReportingClient,
  stopsUpdate,
} from './feedback'

const report = (execution: Report['execution'], facts: Partial<Report> = {}): Report => ({
  execution,
  finished: 'none',
  progress: null,
  details: [],
  ...facts,
})

it.each([
  ['libcurl-agent/1.0', 'swupdate'],
  ['rauc-hawkbit-c-agent/1.0', 'rauc'],
  ['curl/8.5.0', 'other'],
  ['', 'other'],
  [undefined, 'other'],
] as const)('the client of %j is %s', (agent, client) => expect(clientOfAgent(agent)).toBe(client))

/** Texts as the clients write them. */
const texts: [ReportingClient, UpdateState, string, Meaning[]][] = [
  ['swupdate', 'offered', 'Update is initiated', [{ type: 'update_accepted' }]],
  ['swupdate', 'offered', 'Downloaded 7%', [{ type: 'update_accepted' }, { type: 'download_progress', progress_percent: 7 }]],
  ['swupdate', 'downloading', 'Downloaded 100%', [{ type: 'download_progress', progress_percent: 100 }]],
  ['swupdate', 'downloading', 'Downloaded 700%', [{ type: 'download_progress' }]],
  ['swupdate', 'downloading', 'Installed Chunk.', [{ type: 'install_progress' }]],
  ['swupdate', 'installing', 'All Chunks Installed.', [{ type: 'reboot_requested' }]],
  ['swupdate', 'installing', 'All Chunks Installed. Really', []],
  ['swupdate', 'installing', 'Something else', []],
  ['rauc', 'offered', 'Starting download', [{ type: 'update_accepted' }]],
  ['rauc', 'downloading', 'Download complete. 1.50 MB/s', [{ type: 'download_completed' }]],
  ['rauc', 'downloaded', 'File checksum OK.', [{ type: 'verification_started' }]],
  ['rauc', 'verifying', 'installing', [{ type: 'install_progress' }]],
  ['rauc', 'installing', '20% Checking bundle', [{ type: 'install_progress', progress_percent: 20 }]],
  ['rauc', 'installing', 'LastError: signature verification failed', [{ type: 'install_progress' }]],
  ['rauc', 'installing', 'idle', []],
  ['rauc', 'installing', 'All Chunks Installed.', []],
  ['other', 'offered', 'anything', [{ type: 'update_accepted' }]],
  ['other', 'downloading', 'anything', [{ type: 'install_progress' }]],
]

describe('a progress report', () => {
  it.each(texts)('of %s while %s: %j', (client, state, text, meanings) =>
    expect(meaningsOf(report('proceeding', { details: [text] }), client, state)).toEqual(meanings),
  )

  it('keeps the order of its lines, and the percentage of an unknown client', () => {
    const details = ['Downloaded 100%', 'Installed Chunk.']
    expect(meaningsOf(report('proceeding', { details }), 'swupdate', 'downloading').map(({ type }) => type)).toEqual([
      'download_progress',
      'install_progress',
    ])
    expect(meaningsOf(report('proceeding', { progress: 40 }), 'other', 'installing')).toEqual([
      { type: 'install_progress', progress_percent: 40 },
    ])
  })
})

describe('the other reports', () => {
  it.each([
    ['scheduled', 'none', 'update_accepted'],
    ['resumed', 'none', 'update_accepted'],
    ['download', 'none', 'download_started'],
    ['downloaded', 'none', 'download_completed'],
    ['closed', 'success', 'update_claimed'],
    ['closed', 'none', 'update_claimed'],
    ['closed', 'failure', 'update_failed'],
    ['canceled', 'success', 'update_cancelled'],
    ['rejected', 'none', 'update_deferred'],
  ] as const)('%s/%s is %s', (execution, finished, type) =>
    expect(meaningsOf(report(execution, { finished }), 'swupdate', 'installing').map((one) => one.type)).toEqual([type]),
  )

  it('a failure of SWUpdate after the restart is a rollback, of others a failure', () => {
    const failure = report('closed', { finished: 'failure', details: ['Update Failed.'] })
    const of = (client: ReportingClient, state: UpdateState) => meaningsOf(failure, client, state).map(({ type }) => type)
    expect([of('swupdate', 'rebooting'), of('swupdate', 'installing'), of('rauc', 'rebooting')]).toEqual([
      ['rollback_completed'],
      ['update_failed'],
      ['update_failed'],
    ])
  })

  it('no report means that an update has succeeded', () => {
    for (const execution of executions)
      for (const finished of finishes)
        for (const client of ['swupdate', 'rauc', 'other'] as const)
          for (const state of ['offered', 'installing', 'rebooting'] as const)
            for (const { type } of meaningsOf(report(execution, { finished, details: ['All Chunks Installed.'] }), client, state))
              expect(type).not.toBe('update_confirmed')
  })
})

it.each([
  ['[ERROR] : SWUPDATE failed [0] ERROR corelib/verify_signature: Signature verification failed', 'signature_invalid'],
  ['Failed to install software bundle: signature verification failed', 'signature_invalid'],
  ['HASH mismatch : aa <--> bb', 'hash_mismatch'],
  ['Invalid checksum: expected a, got b', 'hash_mismatch'],
  ['File size 7 exceeds available space: not enough free space', 'no_space'],
  ['No space left on device', 'no_space'],
  ['Download failed: Connection refused', 'network_error'],
  ['Something broke', 'install_failed'],
])('%j fails with %s', (text, code) => expect(failureCodeOf(['before', text])).toBe(code))

it('closed, canceled and rejected end an action for its client', () => {
  expect(executions.filter((execution) => endsAction({ execution }))).toEqual(['closed', 'canceled', 'rejected'])
})

it.each([
  ['closed', 'success', true],
  ['closed', 'none', true],
  ['closed', 'failure', false],
  ['canceled', 'none', true],
  ['rejected', 'none', false],
  ['proceeding', 'none', null],
] as const)('the answer %s/%s to a cancellation stops the update: %j', (execution, finished, stops) =>
  expect(stopsUpdate({ execution, finished })).toBe(stops),
)
