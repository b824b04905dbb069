import * as contract from '../../../contract/fleet/simulated-devices'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { notFound, refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { nextId } from '../../core/ids'
import { requireDeviceCapacity } from '../devices/capacity'
import { createEnrollmentToken } from '../enrollment/create-token'
import { insertTag, listTagsByName } from '../tags/repository'
import { fleetClasses, listAcceptedClasses } from './classes'
import { writeFleet } from './directory'
import { findFleet, isAlive, simulatedToJson } from './read'

const { simulatedDeviceCount: devices, simulatedTag: tag } = contract

const ensureTag = async (tx: Tx, projectId: string, now: Date) => {
  if ((await listTagsByName(tx, projectId, [tag])).length > 0) return
  await insertTag(tx, projectId, { name: tag, colour: 'iris', description: 'Simulated devices of this machine' }, now)
}

const requireClasses = (settings: Parameters<typeof listAcceptedClasses>[0]): string[] => {
  const classes = listAcceptedClasses(settings)
  if (classes.length > 0) return classes
  const models = Object.values(fleetClasses).join(', ')
  return refuse(409, 'no_simulated_model', { message: `Add one of these hardware models in the project settings: ${models}` })
}

export const simulatedDeviceRoutes = (api: Api): void => {
  const requireLocal = () => void (api.deps.config.loopbackOnly || notFound())

  route(api, contract.simulatedDevices, async ({ tx, project, deps, now }) => {
    requireLocal()
    return simulatedToJson(await findFleet(tx, deps, project.id, now))
  })

  route(api, contract.addSimulatedDevices, async ({ tx, project, deps, now, audit, skipAudit }) => {
    requireLocal()
    // A second press waits here, and finds the fleet of the first.
    await lockProject(tx, project.id)
    const known = await findFleet(tx, deps, project.id, now)
    if (known && isAlive(known)) {
      skipAudit()
      return simulatedToJson(known)
    }
    const classes = requireClasses(project.settings)
    await requireDeviceCapacity(tx, project.id, project.plan, devices)
    await ensureTag(tx, project.id, now)
    const body = { name: 'Simulated devices', kind: 'group' as const, max_uses: devices, default_tags: [tag] }
    const { row, token } = await createEnrollmentToken({ tx, project, now }, body)
    // The fleet starts once this transaction has ended: before, its token is unknown.
    await writeFleet(deps, project.id, { seed: nextId(now).slice(-6), devices, classes, enrollment_token: token })
    audit({
      target: { kind: 'enrollment_token', id: row.id, name: row.name },
      changes: [{ field: 'devices', before: 0, after: devices }],
    })
    return { devices, added: 0, online: 0, waiting: 0, starting: true }
  })
}
