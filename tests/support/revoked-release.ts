import type { Tx } from '../../server/core/database/tx'
import { nextId } from '../../server/core/ids'
import { newRow } from '../../server/core/database/row'
import { releases } from '../../server/updates/schema/releases'

/** A release that was revoked, as its row: for tests of the devices that run it. */
export const insertRevokedRelease = async (tx: Tx, projectId: string, now: Date, id = nextId(now)): Promise<string> => {
  const row = { ...newRow(now), id }
  await tx.insert(releases).values({
    ...row,
    projectId,
    name: 'Firmware 2',
    version: 2,
    type: 'file',
    hardwareModels: ['gw'],
    hooks: { pre_install: null, post_install: null, post_reboot: null },
    reboot: 'never',
    state: 'revoked',
    stateReason: 'It leaks a key',
  })
  return row.id
}
