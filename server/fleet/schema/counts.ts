import { bigint, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import type { UpdateState } from '../../../contract/device/update-events'
import type { Connectivity, Device } from '../../../contract/fleet/devices'

const counted = () => ({
  projectId: text('project_id').notNull(),
  lifecycle: text('lifecycle').$type<Device['lifecycle']>().notNull(),
  healthStatus: text('health_status').$type<Device['health']['status']>().notNull(),
  updateState: text('update_state').$type<UpdateState>(),
  installedVersion: bigint('installed_version', { mode: 'number' }),
  installedDisplayVersion: text('installed_display_version'),
  installedReleaseId: text('installed_release_id'),
  pollingIntervalS: integer('polling_interval_s'),
  contact: text('contact').$type<Connectivity>().notNull(),
  n: bigint('n', { mode: 'number' }).notNull(),
})
const countedTag = () => ({ tagId: text('tag_id').notNull(), n: bigint('n', { mode: 'number' }).notNull() })

/**
 * How many devices that are not deleted have which values: `n` of a combination here, with the sum of its changes that are not
 * added yet.
 */
export const deviceCounts = pgTable('device_counts', counted(), (table) => [
  unique('device_counts_values')
    .on(
      table.projectId,
      table.lifecycle,
      table.healthStatus,
      table.updateState,
      table.installedVersion,
      table.installedDisplayVersion,
      table.installedReleaseId,
      table.pollingIntervalS,
      table.contact,
    )
    .nullsNotDistinct(),
])

/** Triggers on devices add a row per change, so that no transaction waits for another one; a job adds them to the counts. */
export const deviceCountChanges = pgTable('device_count_changes', counted(), (table) => [
  index('device_count_changes_project').on(table.projectId),
])

/** How many devices that are not deleted have a tag, kept in the same way. */
export const tagCounts = pgTable('tag_counts', countedTag(), (table) => [unique('tag_counts_tag').on(table.tagId)])
export const tagCountChanges = pgTable('tag_count_changes', countedTag(), (table) => [
  index('tag_count_changes_tag').on(table.tagId),
])

const countedValue = () => ({
  projectId: text('project_id').notNull(),
  kind: text('kind').$type<ValueKind>().notNull(),
  value: text('value').notNull(),
  n: bigint('n', { mode: 'number' }).notNull(),
})

/**
 * What is counted by one value, with the form of the value:
 * - `model`: the hardware model of devices that are not deleted;
 * - `release`: the id of the release that they have installed;
 * - `bundle`: the id of the secure-boot bundle that they report, followed by ` closed` if their part is closed;
 * - `import`: the id of the import that created them, followed by ` seen` if they have contacted the server;
 * - `keys`: the fingerprints that those of them trust which are active and verify manifests themselves, with a space between;
 * - `metric`: the name and unit of the newest values of metrics, as a JSON array, also of deleted devices.
 */
export type ValueKind = 'model' | 'release' | 'bundle' | 'import' | 'keys' | 'metric'

/** How many rows have a value, kept as the counts above. */
export const valueCounts = pgTable('value_counts', countedValue(), (table) => [
  unique('value_counts_value').on(table.projectId, table.kind, table.value),
])
export const valueCountChanges = pgTable('value_count_changes', countedValue(), (table) => [
  index('value_count_changes_value').on(table.projectId, table.kind, table.value),
])
