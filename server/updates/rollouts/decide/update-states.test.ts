import { expect, test } from 'vitest'
import { createClient } from '../../../core/database/clients'
import { endStates } from '../../../../contract/device/update-events'
import { deviceUpdateMoves } from '../../../../machines/device-update/device-update.machine'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import { createDatabase } from '../../../../tests/support/database'

/** The body of a function of the database as the migrations leave it. */
const readFunction = async (name: string): Promise<string> => {
  const database = await createDatabase()
  const client = createClient({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ prosrc: string }>('select prosrc from pg_proc where proname = $1', [name])
    return rows[0]?.prosrc ?? ''
  } finally {
    await client.end()
    await database.drop()
  }
}

const listAfter = (body: string, column: string) =>
  body
    .match(new RegExp(`${column} in\\s*\\(([^)]*)\\)`))?.[1]
    ?.split(', ')
    .map((state) => state.slice(1, -1))
    .toSorted()

test('the database rule for the shown update lists the states of the chart', async () => {
  const body = await readFunction('copy_update_to_devices')
  const [active, waiting] = [deviceUpdateMoves.withTag('active'), deviceUpdateMoves.withTag('waiting')]
  expect(listAfter(body, 'changed\\.state')).toEqual(active.toSorted())
  expect(listAfter(body, 'devices\\.update_state')).toEqual(
    [...waiting, ...deviceUpdateMoves.withTag('held'), ...endStates].toSorted(),
  )
})

test('the database counts as running the updates that the chart has as active', async () => {
  expect(listAfter(await readFunction('holds_slot'), 'state')).toEqual(deviceUpdateMoves.withTag('active').toSorted())
})

test('changed devices are noted for the phases of the chart from which a rollout can offer again', async () => {
  const offering = rolloutMoves.withTag('offering')
  const underway = rolloutMoves.withTag('underway').filter((phase) => phase !== 'scheduled')
  const returning = underway.filter((phase) =>
    (['rollout.resumed', 'wave.continued'] as const).some(
      (move) => rolloutMoves.canMove(phase, move) && offering.includes(rolloutMoves.next(phase, move)),
    ),
  )
  const listed = listAfter(await readFunction('joinable_rollouts'), 'rollouts\\.phase')
  expect(listed).toEqual([...new Set([...offering, ...returning])].toSorted())
})

test('an update has ended when it succeeded, failed or is excluded', () => {
  const ended = (['succeeded', 'failed', 'excluded'] as const).flatMap(deviceUpdateMoves.withTag)
  expect(ended.toSorted()).toEqual(endStates.toSorted())
})
