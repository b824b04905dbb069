import { sql } from 'drizzle-orm'
import { rebuildCounts } from '../../server/fleet/devices/state/counts.repository'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { databaseOf } from '../../server/core/database/open'
import { withClient } from '../../server/core/database/roles'
import { issueDeviceToken } from '../../server/fleet/devices/device-token.repository'
import { rollUp } from '../../server/fleet/telemetry/roll-up.repository'
import { insertTag } from '../../server/fleet/tags/repository'
import { seedDevices, settle } from '../../server/seed/large.repository'
import { createBundleFixture } from './bundle-fixture'
import { createTestApi, type TestApi } from './api'
import type { Person } from './people'
import { insertRevokedRelease } from './revoked-release'
import { createRolloutFixture } from './rollout-fixture'
import { createTestObjects } from './test-objects'

/**
 * A project of an organization with so many devices: a rollout to all of them, their newest metrics, some log lines and events of each,
 * and an entry of the audit log for each, half of them of another project.
 */
export type LargeFleet = {
  api: TestApi
  ann: Person
  /** Public. */
  organizationId: string
  /** Ann. */
  memberId: string
  projectId: string
  deviceId: string
  releaseId: string
  rolloutId: string
  signingKeyId: string
  tagId: string
  enrollmentTokenId: string
  /** A job over all devices. */
  jobId: string
  bundleId: string
  /** With a delivery for each device. */
  webhookId: string
  /** Of the device. */
  token: string
}

/** Of one in 25 entries of the audit log, and of one in 50; a second is between two entries, and the newest is made at the present time. */
export const audited = { actorId: 'A'.repeat(26), targetId: 'T'.repeat(26) } as const

/** The revoked release that one in nine devices runs. */
export const revokedReleaseId = 'R'.repeat(26)

// No statement may take longer than the server allows.
const atOnce = 2000

export const createLargeFleet = async (count: number): Promise<LargeFleet> => {
  const api = await createTestApi()
  const ann = await api.person()
  const { id: chainId, publicId: organizationId } = await api.organization(ann)
  const projectId = await api.project({ organizationId: chainId })
  const otherId = await api.project({ organizationId: chainId }, 'Other')
  const now = api.deps.clock()
  const time = now.toISOString()
  const tagId = await insertTag(api.db, projectId, { name: 'field', colour: 'sky' }, now)
  const { maker, release, start } = await createRolloutFixture(api, ann, projectId, 20)
  const { id: rolloutId } = await start()
  const { fingerprint } = maker.key.publicKey
  await seedDevices(api.db, { projectId, devices: count, now, trustedKeys: [fingerprint] })
  await insertRevokedRelease(api.db, projectId, now, revokedReleaseId)
  const { rows } = await api.db.execute<{ id: string }>(sql`select id from devices where name = 'Device 000001'`)
  const deviceId = rows[0]?.id ?? ''
  const { rows: keys } = await api.db.execute<{ id: string }>(sql`select id from signing_keys where project_id = ${projectId}`)

  const objects = createTestObjects(api.deps)
  const jobId = await objects.deviceJob(projectId, ann.id)
  const { webhookId } = await objects.webhook(projectId)
  const { rows: entries } = await api.db.execute<{ n: number }>(sql`
    select sequence::int as n from audit_chains where id = ${chainId}`)
  const written = entries[0]?.n ?? 0
  const devices = sql`(select id, name, right(name, 6)::int as n from devices where enrollment = 'simulated') as d`
  // A quarter of the devices is tagged, whatever their other values.
  for (let from = 0; from < count; from += atOnce) {
    const some = sql`${devices} where d.n > ${from}::int and d.n <= ${from + atOnce}::int`
    await api.db.execute(sql`
      insert into device_tags (project_id, device_id, tag_id) select ${projectId}, d.id, ${tagId} from ${some} and hashint4(d.n) % 4 = 0`)
    await api.db.execute(sql`
      update devices set installed_release_id = ${revokedReleaseId} where id in (select id from ${some} and d.n % 9 = 0)`)
    await api.db.execute(sql`
      insert into device_job_rows (job_id, position, device_id, name, result)
      select ${jobId}, d.n, d.id, d.name, case when d.n % 10 = 0 then 'failed' else 'done' end from ${some}`)
    await api.db.execute(sql`
      insert into webhook_deliveries (id, project_id, webhook_id, event_id, type, at, data, created_at, state, attempts)
      select d.id, ${projectId}, ${webhookId}, d.id, 'device.offline', ${time}, '{}',
        ${time}::timestamptz - d.n * interval '1 second', 'succeeded', 1
      from ${some}`)
    await api.db.execute(sql`
      insert into notifications (id, user_id, project_id, kind, topic, at, data, read_at)
      select d.id, ${ann.id}, ${projectId}, 'devices.offline', 'devices', ${time}, '{"count": 1, "sample": []}',
        case when d.n % 100 <> 0 then ${time}::timestamptz end
      from ${some}`)
    // The devices already have the columns that triggers on the rows of rollouts write.
    await api.ownerDb.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`)
      await tx.execute(sql`
        insert into audit_entries (chain_id, sequence, id, occurred_at, action, result, actor, credential, request_id, project_id, target,
          changes, prev_hash, hash)
        select ${chainId}, ${written}::int + d.n, d.id, ${time}::timestamptz - (${count}::int - d.n) * interval '1 second',
          case when d.n % 50 < 2 then 'device.disable' else 'device.enroll' end, case when d.n % 200 < 2 then 'denied' else 'success' end,
          case when d.n % 50 < 2 then jsonb_build_object('kind', 'user', 'id', ${audited.actorId}::text, 'name', 'Ines Quist', 'email', null)
            else '{"kind": "system", "id": null, "name": null, "email": null}' end,
          '{"kind": "none", "id": null, "prefix": null}', d.id, case when d.n % 2 = 0 then ${projectId} else ${otherId} end,
          case when d.n % 100 < 2 then jsonb_build_object('kind', 'tag', 'id', ${audited.targetId}::text, 'name', 'Field')
            else jsonb_build_object('kind', 'device', 'id', d.id, 'name', d.name) end, '[]', '', ''
        from ${some} order by d.n`)
      await tx.execute(
        sql`update audit_chains set sequence = ${written + Math.min(count, from + atOnce)}::int where id = ${chainId}`,
      )
      await tx.execute(sql`
        insert into rollout_devices (project_id, rollout_id, device_id, name, wave, state, since, offered_at)
        select ${projectId}, ${rolloutId}, d.id, d.name, 1,
          (array['succeeded', 'succeeded', 'succeeded', 'succeeded', 'queued', 'queued', 'installing', 'failed'])[1 + d.n % 8],
          ${time}::timestamptz - interval '1 hour', case when d.n % 8 not in (4, 5) then ${time}::timestamptz - interval '2 hours' end
        from ${some}`)
      await tx.execute(sql`
        insert into latest_metrics (project_id, device_id, metrics, readings)
        select ${projectId}, d.id, jsonb_agg(jsonb_build_array(metric.name, metric.unit)),
          json_agg(json_build_array(${now.getTime()}::bigint, d.n % 100))
        from ${devices}, (values ('cpu.usage_percent', '%'), ('memory.used_percent', '%'), ('storage.used_percent', '%'),
          ('cpu.temperature_celsius', '°C'), ('net.requests_total', null), ('app.queue_length', null)) as metric (name, unit)
        where d.n > ${from}::int and d.n <= ${from + atOnce}::int group by d.n, d.id`)
    })
    await api.db.execute(sql`
      insert into metric_batches (project_id, device_id, names, times, amounts)
      select ${projectId}, d.id, array['app.queue_length'], array['epoch'::timestamptz + d.n % 600 * interval '1 second'], array[d.n % 100]
      from ${some}`)
    await api.db.execute(sql`
      insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
      select ${projectId}, d.id, line, 1, ${time}, 4, 'app', 'line ' || line, '{}'
      from ${devices}, generate_series(1, 3) as line where d.n > ${from}::int and d.n <= ${from + atOnce}::int`)
    await api.db.execute(sql`
      insert into update_events (project_id, device_id, id, event_id, rollout_id, attempt, type, ts_ms, received_at, source)
      select ${projectId}, d.id, d.id, d.id, ${rolloutId}, 1, 'offered', 1, ${time}, 'server' from ${some}`)
  }
  await withClient(api.ownerUrl, (client) => databaseOf(client).transaction(rebuildCounts))
  await rollUp(api.db, now)
  await settle(api.db, now)
  // The sizes that the planner and the visibility map go by do not depend on the moment of an automatic run.
  await withClient(api.ownerUrl, (client) => client.query('vacuum analyze'))
  const { id: bundleId } = await createBundleFixture(api, ann, projectId).create()
  const enrollment = { name: 'Line', kind: 'group' } as const
  const { body: made } = await api.call(createEnrollmentToken, { projectId }, { as: ann, body: enrollment })
  const token = await issueDeviceToken(api.db, { projectId, deviceId }, now)
  const ids = {
    organizationId,
    memberId: ann.id,
    projectId,
    deviceId,
    releaseId: release.id,
    rolloutId,
    signingKeyId: keys[0]?.id ?? '',
    tagId,
    bundleId,
    jobId,
    webhookId,
  }
  return { api, ann, ...ids, enrollmentTokenId: made.id, token }
}
