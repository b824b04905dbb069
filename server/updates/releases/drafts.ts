import type { BodyOf } from '../../../contract/core/endpoint'
import type { createRelease, updateRelease } from '../../../contract/updates/releases'
import type { Author } from '../../../contract/core/shapes'
import type { Tx } from '../../core/database/tx'
import { isEditable } from './transitions'
import { newRow } from '../../core/database/row'
import { refuse, refuseField } from '../../core/http/refuse'
import { findNeededBundle } from './needed-bundle'
import { assetsOf, highestVersion, insertRelease, type ReleaseRow, updateReleases } from './repository'

type New = NonNullable<BodyOf<typeof createRelease>>
type Change = NonNullable<BodyOf<typeof updateRelease>>

const noHooks = { pre_install: null, post_install: null, post_reboot: null }

/** The version never decreases for any of the models. */
export const checkVersion = async (
  tx: Tx,
  row: Pick<ReleaseRow, 'projectId' | 'version' | 'hardwareModels'>,
  except?: string,
) => {
  const highest = await highestVersion(tx, row.projectId, { models: row.hardwareModels, ...(except !== undefined && { except }) })
  if (row.version <= highest) refuseField('version', 'not_higher', `Version must be higher than ${highest}`)
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

const returnList = (versions: readonly number[] | null) => versions && distinct(versions).toSorted((a, b) => a - b)

const checkReturnList = ({ version, mayReturnTo }: Pick<ReleaseRow, 'version' | 'mayReturnTo'>) => {
  const wrong = mayReturnTo?.find((listed) => listed >= version)
  if (wrong !== undefined)
    refuseField('may_return_to', 'not_lower', `May return to lists versions below ${version}; ${wrong} is not`)
}

export const createDraft = async (tx: Tx, projectId: string, body: New, maker: Author, now: Date): Promise<string> => {
  const row = {
    ...newRow(now),
    projectId,
    createdBy: maker,
    name: body.name,
    version: body.version,
    displayVersion: body.display_version ?? null,
    type: body.type,
    description: body.description ?? '',
    notes: body.notes ?? '',
    hardwareModels: distinct(body.hardware_models),
    minInstalledVersion: body.min_installed_version ?? null,
    rollbackVersion: body.rollback_version ?? null,
    secureBootBundleId: body.secure_boot_bundle_id ?? null,
    allowDowngradeFrom: distinct(body.allow_downgrade_from ?? []),
    mayReturnTo: returnList(body.may_return_to ?? null),
    hooks: noHooks,
    reboot: body.reboot ?? (body.type === 'rootfs' || body.type === 'bundle' ? 'after_install' : 'never'),
    state: 'draft',
  } as const
  await checkVersion(tx, row)
  await findNeededBundle(tx, row)
  checkReturnList(row)
  await insertRelease(tx, row)
  return row.id
}

const checkHooks = async (tx: Tx, releaseId: string, hooks: NonNullable<Change['hooks']>) => {
  const known = new Map((await assetsOf(tx, [releaseId])).map((asset) => [asset.id, asset]))
  for (const [name, id] of Object.entries(hooks))
    if (id && known.get(id)?.kind !== 'hook')
      refuseField(`hooks.${name}`, 'not_a_hook', 'Choose a file of kind hook of this release')
}

const always = new Set(['description', 'notes'])
const columnsOf = (row: ReleaseRow, body: Change) => ({
  name: body.name ?? row.name,
  version: body.version ?? row.version,
  type: body.type ?? row.type,
  description: body.description ?? row.description,
  notes: body.notes ?? row.notes,
  reboot: body.reboot ?? row.reboot,
  hardwareModels: distinct(body.hardware_models ?? row.hardwareModels),
  allowDowngradeFrom: distinct(body.allow_downgrade_from ?? row.allowDowngradeFrom),
  // Null is a value: it removes the stored one.
  displayVersion: body.display_version === undefined ? row.displayVersion : body.display_version,
  minInstalledVersion: body.min_installed_version === undefined ? row.minInstalledVersion : body.min_installed_version,
  rollbackVersion: body.rollback_version === undefined ? row.rollbackVersion : body.rollback_version,
  secureBootBundleId: body.secure_boot_bundle_id === undefined ? row.secureBootBundleId : body.secure_boot_bundle_id,
  mayReturnTo: body.may_return_to === undefined ? row.mayReturnTo : returnList(body.may_return_to),
  hooks: { ...row.hooks, ...body.hooks },
})

/** Changes any field of a draft; later only the fields that are not signed. */
export const changeRelease = async (tx: Tx, row: ReleaseRow, body: Change, now: Date): Promise<void> => {
  const given = Object.keys(body)
  if (!isEditable(row.state) && given.some((field) => !always.has(field)))
    refuse(409, 'not_a_draft', {
      message:
        row.state === 'awaiting_signature'
          ? 'The manifest is built. Reopen the release to change it'
          : 'A signed release cannot be changed. Create a new release',
      about: { state: row.state },
    })
  const columns = columnsOf(row, body)
  if (body.version !== undefined || body.hardware_models !== undefined)
    await checkVersion(tx, { ...columns, projectId: row.projectId }, row.id)
  if (body.secure_boot_bundle_id !== undefined || body.hardware_models !== undefined)
    await findNeededBundle(tx, { ...columns, projectId: row.projectId })
  if (body.may_return_to !== undefined || body.version !== undefined) checkReturnList(columns)
  if (body.hooks) await checkHooks(tx, row.id, body.hooks)
  await updateReleases(tx, [row.id], columns, now)
}
