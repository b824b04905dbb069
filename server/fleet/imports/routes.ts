import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/fleet/device-imports'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { toAuthor } from '../../core/http/author'
import { notFound, refuse } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { nextId } from '../../core/ids'
import { formatTimestamp } from '../../core/timestamps'
import { hashOfAttributes, maxAttributes, toAttributes } from '../devices/attributes'
import { requireDeviceCapacity } from '../devices/capacity'
import { checkRows, type NewDevice } from './check-rows'
import { readRows } from './read-file'
import {
  deleteUnseenDevices,
  insertDeviceImport,
  insertImportedDevices,
  listDeviceImports,
  lockDeviceImport,
  type NewImportedDevice,
} from './repository'

const mostImports = 100
// Every statement stays well below the limit of its time, and a client that goes away is noticed between two of them.
const devicesAtOnce = 2000

const toInsert = async ({ row, name, hardwareModel, tokenHash, tagIds }: NewDevice, now: Date): Promise<NewImportedDevice> => {
  const attributes = Object.fromEntries(Object.entries(toAttributes(row.attributes ?? {})).slice(0, maxAttributes))
  return {
    id: nextId(now),
    name,
    serial_number: row.controller_id,
    hardware_model: hardwareModel,
    attributes,
    attributes_hash: row.attributes ? await hashOfAttributes(attributes) : null,
    // The beginning of a short token would tell too much of it.
    token: tokenHash === null ? null : { hash: tokenHash, prefix: '' },
    tag_ids: tagIds,
  }
}

type Insertion = { projectId: string; importId: string; created: readonly NewDevice[]; now: Date; isGone: () => boolean }

/** In one transaction: a client that goes away before the end has imported nothing. */
const insertAll = async (tx: Tx, { projectId, importId, created, now, isGone }: Insertion): Promise<void> => {
  for (let from = 0; from < created.length; from += devicesAtOnce) {
    // The end of the connection is an event: it needs its turn.
    await setImmediate()
    if (isGone()) refuse(408, 'cancelled', { message: 'The import was cancelled. No device was imported' })
    const batch = await Promise.all(created.slice(from, from + devicesAtOnce).map((one) => toInsert(one, now)))
    await insertImportedDevices(tx, { projectId, importId, batch, now })
  }
}

const isWeak = ({ row: { security_token } }: NewDevice) =>
  security_token !== undefined && security_token.length < contract.strongTokenLength

export const deviceImportRoutes = (api: Api): void => {
  routeWithPreparation(
    api,
    contract.importDevices,
    async ({ raw, request, deps }) => {
      const isCsv = /^\s*text\/csv/i.test(request.headers['content-type'] ?? '')
      return readRows(Buffer.isBuffer(raw) ? raw : Buffer.alloc(0), isCsv, deps.log)
    },
    async (call, rows) => {
      const { tx, project, query, user, now, reply } = call
      const { hardware_model, file_name = null, dry_run = false } = query
      await lockProject(tx, project.id)
      const { created, unchanged, errors } = await checkRows(tx, project, rows, hardware_model)
      if (created.length > 0) await requireDeviceCapacity(tx, project.id, project.plan, created.length)
      const result = {
        dry_run,
        import_id: null,
        lines: rows.length,
        created: created.length,
        unchanged,
        failed: rows.length - created.length - unchanged,
        weak_tokens: created.filter(isWeak).length,
        without_token: created.filter(({ tokenHash }) => tokenHash === null).length,
        errors: errors.slice(0, contract.importLimits.errors),
      }
      if (dry_run || created.length === 0) {
        call.skipAudit()
        return result
      }
      const made = { projectId: project.id, fileName: file_name, createdBy: toAuthor(user) }
      const importId = await insertDeviceImport(tx, made, now)
      await insertAll(tx, { projectId: project.id, importId, created, now, isGone: () => reply.raw.destroyed })
      call.audit({
        target: { kind: 'device_import', id: importId, name: file_name },
        changes: [{ field: 'devices', before: 0, after: created.length }],
      })
      return { ...result, import_id: importId }
    },
  )

  route(api, contract.deviceImports, async ({ tx, project }) => ({
    imports: (await listDeviceImports(tx, project.id, mostImports)).map(({ row, devices, seen }) => ({
      id: row.id,
      created_at: formatTimestamp(row.createdAt),
      created_by: row.createdBy,
      file_name: row.fileName,
      devices,
      seen,
    })),
  }))

  route(api, contract.undoDeviceImport, async ({ tx, project, params, now, audit, skipAudit }) => {
    const row = (await lockDeviceImport(tx, project.id, params.deviceImportId)) ?? notFound()
    const deleted = await deleteUnseenDevices(tx, row.id, now)
    if (deleted === 0) skipAudit()
    else
      audit({
        target: { kind: 'device_import', id: row.id, name: row.fileName },
        changes: [{ field: 'devices', before: deleted, after: 0 }],
        reason: 'Devices of an import that had never contacted the server',
      })
    return { deleted }
  })
}
