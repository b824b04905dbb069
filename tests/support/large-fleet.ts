import { sql } from 'drizzle-orm'
import { rebuildCounts } from '../../server/fleet/devices/counts.repository'
import { createEnrollmentToken } from '../../contract/access'
import { databaseOf } from '../../server/core/database/open'
import { withClient } from '../../server/core/database/roles'
import { issueDeviceToken } from '../../server/fleet/devices/device-token.repository'
import { insertTag } from '../../server/fleet/tags/repository'
import { seedDevices, settle } from '../../server/seed/large.repository'
import { createBundleFixture } from './bundle-fixture'
import { createTestApi, type TestApi } from './api'
import type { Person } from './people'
import { createRolloutFixture } from './rollout-fixture'

/** A project with so many devices: a rollout to all of them, their newest metrics, and some log lines and events of each. */
export type LargeFleet = {
  api: TestApi
  ann: Person
  projectId: string
  deviceId: string
  releaseId: string
  rolloutId: string
  signingKeyId: string
  tagId: string
  enrollmentTokenId: string
  bundleId: string
  /** Of the device. */
  token: string
}

// No statement may take longer than the server allows.
const atOnce = 2000

export const createLargeFleet = async (count: number): Promise<LargeFleet> => {
  const api = await createTestApi()
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const time = now.toISOString()
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, now)
  const { maker, release, start } = await createRolloutFixture(api, ann, projectId, 20)
  const { id: rolloutId } = await start()
  const { fingerprint } = maker.key.publicKey
  await seedDevices(api.db, { projectId, devices: count, now, trustedKeys: [fingerprint] })
  const { rows } = await api.db.execute<{ id: string }>(sql`select id from devices where name = 'Device 000001'`)
  const deviceId = rows[0]?.id ?? ''
  const { rows: keys } = await api.db.execute<{ id: string }>(sql`select id from signing_keys where project_id = ${projectId}`)

  const devices = sql`(select id, name, right(name, 6)::int as n from devices where enrollment = 'simulated') as d`
  for (let from = 0; from < count; from += atOnce) {
    const some = sql`${devices} where d.n > ${from}::int and d.n <= ${from + atOnce}::int`
    await api.db.execute(sql`
      insert into device_tags (project_id, device_id, tag_id) select ${projectId}, d.id, ${tagId} from ${some} and d.n % 4 = 0`)
    // The devices already have the columns that triggers on the rows of rollouts write.
    await api.ownerDb.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`)
      await tx.execute(sql`
        insert into rollout_devices (project_id, rollout_id, device_id, name, wave, state, since, offered_at)
        select ${projectId}, ${rolloutId}, d.id, d.name, 1,
          (array['succeeded', 'succeeded', 'succeeded', 'succeeded', 'queued', 'queued', 'installing', 'failed'])[1 + d.n % 8],
          ${time}::timestamptz - interval '1 hour', case when d.n % 8 not in (4, 5) then ${time}::timestamptz - interval '2 hours' end
        from ${some}`)
      await tx.execute(sql`
        insert into latest_metrics (project_id, name, device_id, unit, at, value)
        select ${projectId}, metric.name, d.id, metric.unit, ${time}, d.n % 100
        from ${devices}, (values ('cpu.usage_percent', '%'), ('memory.used_percent', '%'), ('storage.used_percent', '%'),
          ('cpu.temperature_celsius', '°C'), ('net.requests_total', null), ('app.queue_length', null)) as metric (name, unit)
        where d.n > ${from}::int and d.n <= ${from + atOnce}::int`)
    })
    await api.db.execute(sql`
      insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
      select ${projectId}, d.id, line, 1, ${time}, 4, 'app', 'line ' || line, '{}'
      from ${devices}, generate_series(1, 3) as line where d.n > ${from}::int and d.n <= ${from + atOnce}::int`)
    await api.db.execute(sql`
      insert into update_events (project_id, device_id, id, event_id, rollout_id, attempt, type, ts_ms, received_at, source)
      select ${projectId}, d.id, d.id, d.id, ${rolloutId}, 1, 'offered', 1, ${time}, 'server' from ${some}`)
  }
  await withClient(api.ownerUrl, (client) => databaseOf(client).transaction(rebuildCounts))
  await settle(api.db, now)
  // The sizes that the planner and the visibility map go by do not depend on the moment of an automatic run.
  await withClient(api.ownerUrl, (client) => client.query('vacuum analyze'))
  const { id: bundleId } = await createBundleFixture(api, ann, projectId).create()
  const enrollment = { name: 'Line', kind: 'group' } as const
  const { body: made } = await api.call(createEnrollmentToken, { projectId }, { as: ann, body: enrollment })
  const token = await issueDeviceToken(api.db, { projectId, deviceId }, now)
  const ids = { projectId, deviceId, releaseId: release.id, rolloutId, signingKeyId: keys[0]?.id ?? '', tagId, bundleId }
  return { api, ann, ...ids, enrollmentTokenId: made.id, token }
}
