import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endStates } from '../../../contract/device/update-events'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'

const rules = readFileSync('server/core/database/rules/rollouts.sql', 'utf8')

const listAfter = (column: string) =>
  rules
    .match(new RegExp(`${column} in\\s*\\(([^)]*)\\)`))?.[1]
    ?.split(', ')
    .map((state) => state.slice(1, -1))
    .toSorted()

test('the database rule for the shown update lists the states of the chart', () => {
  const active = deviceUpdateMoves.withTag('active')
  expect(listAfter('changed\\.state')).toEqual(active.toSorted())
  expect(listAfter('devices\\.update_state')).toEqual([...deviceUpdateMoves.withTag('waiting'), ...endStates].toSorted())
})

test('an update has ended when it succeeded, failed or is excluded', () => {
  const ended = (['succeeded', 'failed', 'excluded'] as const).flatMap(deviceUpdateMoves.withTag)
  expect(ended.toSorted()).toEqual(endStates.toSorted())
})
