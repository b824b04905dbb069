import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ImportError, ImportRow } from '../../../contract/fleet/device-imports'
import type { FieldError } from '../../../contract/core/field-errors'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import { hashOfImported, isToken } from '../../core/tokens/token'
import { listTagsByName } from '../tags/repository'
import type { ReadRow } from './read-rows'
import { listDevicesBySerial, listTakenNames, listTokenOwners, listTokensOfOthers } from './repository'

export type NewDevice = { row: ImportRow; name: string; hardwareModel: string; tokenHash: string | null; tagIds: string[] }
type Checked = { created: NewDevice[]; unchanged: number; errors: ImportError[] }

type Project = { id: string; settings: ProjectSettings }
/** So many lines are compared before other requests get their turn. */
const atOnce = 1000

type Line = { line: number; row: ImportRow; name: string; hardwareModel: string | undefined; tokenHash: string | null }

const isOwnToken = (secret: string) => (['dvc', 'dvs', 'enr', 'ens'] as const).some((kind) => isToken(kind, secret))

const toLine = (line: number, row: ImportRow, hardwareModel: string | undefined): Line => ({
  line,
  row,
  name: row.name ?? Array.from(row.controller_id).slice(0, 100).join(''),
  hardwareModel: row.hardware_model ?? hardwareModel,
  tokenHash: row.security_token === undefined ? null : hashOfImported(row.controller_id, row.security_token),
})

/** What the project knows of the lines, in five queries. */
const findKnown = async (tx: Tx, projectId: string, lines: readonly Line[]) => {
  const tagNames = [...new Set(lines.flatMap(({ row }) => row.tags ?? []))]
  const existing = await listDevicesBySerial(
    tx,
    projectId,
    lines.map(({ row }) => row.controller_id),
  )
  const tags = await listTagsByName(tx, projectId, tagNames)
  const hashes = lines.flatMap(({ tokenHash }) => tokenHash ?? [])
  return {
    devices: new Map(existing.map((device) => [device.serialNumber, device])),
    names: await listTakenNames(
      tx,
      projectId,
      lines.map(({ name }) => name.toLowerCase()),
    ),
    tokens: await listTokenOwners(tx, projectId, hashes),
    tokensOfOthers: await listTokensOfOthers(tx, projectId, hashes),
    tags: new Map(tags.map(({ id, name }) => [name, id])),
  }
}
type Known = Awaited<ReturnType<typeof findKnown>>

const fault = (field: keyof ImportRow, code: string, message: string): FieldError => ({ field, code, message })

/** Why an existing device is not the one of this line; undefined if it is. */
const differenceOf = (
  device: { id: string; protocol: string; hardwareModel: string; lifecycle: string },
  { hardwareModel, tokenHash }: Line,
  { tokens }: Known,
): FieldError | undefined => {
  if (device.lifecycle === 'decommissioned')
    return fault('controller_id', 'decommissioned', 'The device exists and is decommissioned. Delete it to import it again')
  if (device.protocol !== 'ddi')
    return fault('controller_id', 'taken', 'A device with this serial number runs the agent, not a hawkBit client')
  if (hardwareModel !== undefined && hardwareModel !== device.hardwareModel)
    return fault('hardware_model', 'differs', `The device exists already with the model ${device.hardwareModel}`)
  if (tokenHash !== null && tokens.get(tokenHash)?.deviceId !== device.id)
    return fault('security_token', 'differs', 'The device exists already with another token')
  return undefined
}

const faultOf = ({ row, name, hardwareModel, tokenHash }: Line, { hardware_models }: ProjectSettings, known: Known) => {
  if (row.security_token !== undefined && isOwnToken(row.security_token))
    return fault('security_token', 'own_token', 'This token was issued by this product; add the device by itself')
  if (hardwareModel === undefined) return fault('hardware_model', 'required', 'Hardware model is required')
  if (hardware_models.length > 0 && !hardware_models.some(({ id }) => id === hardwareModel))
    return fault('hardware_model', 'not_listed', 'The project has no such hardware model')
  const tag = row.tags?.find((one) => !known.tags.has(one))
  if (tag !== undefined) return fault('tags', 'unknown_tag', `The project has no tag ${tag}`)
  if (known.names.has(name.toLowerCase()))
    return fault('name', 'taken', 'A device with this name exists already. Without a name, the controller id is the name')
  const owner = tokenHash === null ? undefined : known.tokens.get(tokenHash)
  if (owner && !owner.isFree)
    return fault('security_token', 'known', 'A device of another project has this controller id and token')
  if (tokenHash !== null && known.tokensOfOthers.has(tokenHash))
    return fault('security_token', 'known', 'This token is one of another project. Import the device there, and move it')
  return undefined
}

/** Compares the lines with the project and with each other: of two lines for one device, or with one name, the first counts. */
export const checkRows = async (
  tx: Tx,
  { id: projectId, settings }: Project,
  rows: readonly ReadRow[],
  standardModel: string | undefined,
): Promise<Checked> => {
  const lines: Line[] = []
  for (const [index, one] of rows.entries()) {
    if ('row' in one) lines.push(toLine(one.line, one.row, standardModel))
    if (index % atOnce === 0) await nextTurn()
  }
  const known = await findKnown(tx, projectId, lines)
  const errors = rows.flatMap((one) => ('errors' in one ? one.errors : []))
  const created: NewDevice[] = []
  const [serials, names] = [new Map<string, number>(), new Map<string, number>()]
  let unchanged = 0
  for (const [index, one] of lines.entries()) {
    if (index % atOnce === 0) await nextTurn()
    const { line, row, name, tokenHash } = one
    const device = known.devices.get(row.controller_id)
    const sameSerial = serials.get(row.controller_id)
    const sameName = device ? undefined : names.get(name.toLowerCase())
    const wrong =
      sameSerial !== undefined
        ? fault('controller_id', 'duplicate', `Line ${sameSerial} has this controller id already`)
        : sameName !== undefined
          ? fault('name', 'duplicate', `Line ${sameName} has this name already`)
          : device
            ? differenceOf(device, one, known)
            : faultOf(one, settings, known)
    if (wrong) {
      errors.push({ line, controller_id: row.controller_id, ...wrong })
      continue
    }
    serials.set(row.controller_id, line)
    if (device) unchanged += 1
    else {
      names.set(name.toLowerCase(), line)
      const tagIds = [...new Set(row.tags ?? [])].flatMap((tag) => known.tags.get(tag) ?? [])
      created.push({ row, name, hardwareModel: one.hardwareModel ?? '', tokenHash, tagIds })
    }
  }
  return { created, unchanged, errors: errors.toSorted((a, b) => a.line - b.line) }
}
