import * as contract from '../../../contract/updates/secure-boot/devices'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { formatTimestampOrNull } from '../../core/timestamps'
import { getDevice } from '../../fleet/devices/repository'
import { countApplied, listAppliedDevices } from './applied.repository'
import { findDrift } from './drift'
import { type BundleRow, findBundleOfProject, findExpectedBundle } from './repository'

const named = (row: BundleRow | undefined) =>
  row ? { id: row.id, name: row.name, version: row.version, state: row.state, rollback_version: row.rollbackVersion } : null

export const deviceSecureBootRoutes = (api: Api): void => {
  route(api, contract.deviceSecureBoot, async ({ tx, params }) => {
    const device = await getDevice(tx, params.deviceId)
    const { secureBootState: state, rollbackVersion, secureBootBundleId: bundleId, secureBootKeyHash: keyHash } = device
    const bundle = bundleId === null ? undefined : await findBundleOfProject(tx, device.projectId, bundleId)
    const expected = await findExpectedBundle(tx, device)
    return {
      state,
      rollback_version: rollbackVersion,
      bundle_id: bundleId,
      key_hash: keyHash,
      bundle: named(bundle),
      expected: named(expected),
      drift: findDrift(device, bundle, expected),
    }
  })

  route(api, contract.bundleDevices, async ({ tx, project, params }) => {
    const rows = await listAppliedDevices(tx, params.bundleId, contract.maxBundleDevices)
    const applied = await countApplied(tx, project.id, [params.bundleId])
    const bundle = await findBundleOfProject(tx, project.id, params.bundleId)
    const expected = new Map<string, BundleRow | undefined>()
    for (const hardwareModel of new Set(rows.map((device) => device.hardwareModel)))
      expected.set(hardwareModel, await findExpectedBundle(tx, { projectId: project.id, hardwareModel }))
    return {
      total: applied.get(params.bundleId)?.devices ?? 0,
      devices: rows.map((device) => ({
        id: device.id,
        name: device.name,
        state: device.secureBootState,
        rollback_version: device.rollbackVersion,
        last_seen_at: formatTimestampOrNull(device.lastSeenAt),
        drift: findDrift(device, bundle, expected.get(device.hardwareModel)),
      })),
    }
  })
}
