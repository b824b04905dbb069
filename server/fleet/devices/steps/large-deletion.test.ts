import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importDevices, undoDeviceImport } from '../../../../contract/fleet/device-imports'
import { devices as listDevices } from '../../../../contract/fleet/devices'
import { deleteProject } from '../../../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { projects } from '../../../accounts/schema/projects'
import { devices } from '../../schema/devices'
import { deviceSlice, purgeDevicesDeletedBefore } from '../repository'

const fleet = 2 * deviceSlice + 500
let api: TestApi
let ann: Person
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  // A time limit says little on a fast machine: no statement may change more rows than a slice.
  await api.ownerDb.execute(
    sql.raw(`
      create function limit_slice() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > ${deviceSlice} then raise exception 'one statement changes too many devices'; end if;
        return null;
      end $$;
      create trigger limit_deleted after delete on devices referencing old table as gone
        for each statement execute function limit_slice();
      create trigger limit_updated after update on devices referencing old table as gone
        for each statement execute function limit_slice();`),
  )
})
afterAll(() => api.close())

const fill = async () => {
  const projectId = await api.project({ ownerId: ann.id })
  const text = Array.from({ length: fleet }, (_, n) => `{"controller_id":"${projectId}-${n}"}`).join('\n')
  const rows = { text, type: 'application/x-ndjson' as const }
  const made = await api.call(importDevices, { projectId }, { as: ann, rows, query: { hardware_model: 'gw' } })
  expect(made.body, made.text).toMatchObject({ created: fleet })
  return { projectId, deviceImportId: made.body.import_id ?? '' }
}
const countRows = async (projectId: string) => await api.db.$count(devices, eq(devices.projectId, projectId))

it('the deletion of a project deletes a large fleet in slices', async () => {
  const { projectId } = await fill()
  const [project] = await api.db.select().from(projects).where(eq(projects.id, projectId))
  const gone = await api.call(
    deleteProject,
    { projectId },
    { as: ann, body: { confirm_name: project?.name ?? '' }, headers: { 'if-match': `"${project?.revision}"` } },
  )
  expect(gone.status, gone.text).toBe(204)
  expect(await countRows(projectId)).toBe(0)
})

it('the undo of a large import and the deletion of its devices after their time are done in slices', async () => {
  const { projectId, deviceImportId } = await fill()
  const undone = await api.call(undoDeviceImport, { projectId, deviceImportId }, { as: ann })
  expect(undone.body, undone.text).toEqual({ deleted: fleet })
  const read = await api.call(listDevices, { projectId }, { as: ann })
  expect(read.body.total).toBe(0)
  expect(await countRows(projectId)).toBe(fleet)
  const later = new Date(api.deps.clock().getTime() + 1)
  await purgeDevicesDeletedBefore(api.db, later)
  expect(await countRows(projectId)).toBe(0)
})
