import { expect, it } from 'vitest'
import { checkInBody, enrollBody } from '../../../tests/support/devices'
import { type CheckInFacts, compareReported, compareRunning, toEnrolledColumns } from './reported'

const body = checkInBody()
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row without a value: every column that is reported differs
const blank = {} as CheckInFacts
const row = Object.assign(blank, compareReported(blank, body), compareRunning(blank, body))
const word = { bank: 1, word: 3, value_hex: '2000000' }
const reporting = (words: (typeof word)[]) => checkInBody({ secure_boot: { state: 'unknown', rollback_version: 0, words } })

it('a check-in that reports what the row has changes no column', () => {
  expect(row).toMatchObject({ bootId: body.boot_id, keyListCounter: 0, clientName: 'teasel-agent', installedVersion: null })
  expect([compareReported(row, body), compareRunning(row, body)]).toEqual([{}, {}])
})

it('a check-in changes the columns whose values differ, and no other', () => {
  const facts = { trusted_keys: ['0'.repeat(64)], secure_boot: { state: 'open', rollback_version: 0 } } as const
  const changed = compareReported(row, checkInBody({ ...facts, trusted_keys: [...facts.trusted_keys] }))
  expect(changed).toEqual({ trustedKeys: ['0'.repeat(64)], secureBootState: 'open' })
})

it('no fuse words and an empty list of them are the same', () => {
  expect(compareReported(row, reporting([]))).toEqual({})
  expect(compareReported({ ...row, fuseWords: [] }, body)).toEqual({})
  expect(compareReported(row, reporting([word]))).toEqual({ fuseWords: [word] })
  expect(compareReported({ ...row, fuseWords: [{ ...word }] }, reporting([word]))).toEqual({})
  expect(compareReported({ ...row, fuseWords: [word] }, body)).toEqual({ fuseWords: null })
})

it('a check-in without a client keeps the last one, and one without an installed release says that none runs', () => {
  const { client: _, ...withoutClient } = body
  expect(compareReported(row, withoutClient)).toEqual({})
  const running = { reportedReleaseId: '01K00000000000000000000000', installedVersion: 4, installedSlot: 'a' } as const
  expect(compareRunning({ ...row, ...running, installedConfirmed: true }, body)).toEqual({
    reportedReleaseId: null,
    installedVersion: null,
    installedSlot: null,
    installedConfirmed: false,
  })
})

it('an enrollment writes the keys and the client, and leaves the counter of the key list', () => {
  const { trusted_keys, client } = enrollBody()
  expect(toEnrolledColumns(enrollBody())).toEqual({
    trustedKeys: trusted_keys,
    clientName: client.name,
    clientVersion: client.version,
    clientConfigHash: client.config_hash,
  })
})
