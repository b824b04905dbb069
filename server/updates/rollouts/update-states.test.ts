import { Client } from 'pg'
import { expect, test } from 'vitest'
import { endStates } from '../../../contract/device/update-events'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { createDatabase } from '../../../tests/support/database'

/** The body of the trigger function as the migrations leave it. */
const readTrigger = async (): Promise<string> => {
  const database = await createDatabase()
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ prosrc: string }>("select prosrc from pg_proc where proname = 'copy_update_to_devices'")
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
  const body = await readTrigger()
  const [active, waiting] = [deviceUpdateMoves.withTag('active'), deviceUpdateMoves.withTag('waiting')]
  expect(listAfter(body, 'changed\\.state')).toEqual(active.toSorted())
  expect(listAfter(body, 'devices\\.update_state')).toEqual(
    [...waiting, ...deviceUpdateMoves.withTag('held'), ...endStates].toSorted(),
  )
})

test('an update has ended when it succeeded, failed or is excluded', () => {
  const ended = (['succeeded', 'failed', 'excluded'] as const).flatMap(deviceUpdateMoves.withTag)
  expect(ended.toSorted()).toEqual(endStates.toSorted())
})
