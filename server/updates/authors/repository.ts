import { and, eq, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { projects } from '../../accounts/schema/projects'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Tx } from '../../core/database/tx'
import { releases, releaseSignatures } from '../schema/releases'
import { rollouts, rolloutTimeline } from '../schema/rollouts'
import { secureBootBundles } from '../schema/secure-boot'

const isBy = (column: PgColumn, userId: string) => sql`${column} ->> 'id' = ${userId}`
const named = (column: PgColumn, name: string) => sql`${column} || jsonb_build_object('name', ${name}::text)`

/** Entries have the name only: those of the same time and project as an entry of the person in the audit log are theirs. */
const forgetInTimelines = async (tx: Tx, userId: string, name: string): Promise<void> => {
  const steps = tx
    .selectDistinct({ projectId: auditEntries.projectId, at: auditEntries.occurredAt })
    .from(projects)
    .innerJoin(
      auditEntries,
      and(
        sql`audit_term(${auditEntries.projectId}, 'actor', ${auditEntries.actor} ->> 'id') = audit_term(${projects.id}, 'actor', ${userId})`,
        eq(auditEntries.projectId, projects.id),
        isBy(auditEntries.actor, userId),
      ),
    )
    .as('steps')
  await tx
    .update(rolloutTimeline)
    .set({ by: name })
    .from(steps)
    .where(
      and(
        eq(rolloutTimeline.projectId, steps.projectId),
        eq(rolloutTimeline.at, steps.at),
        sql`${rolloutTimeline.by} is not null`,
      ),
    )
}

/** Writes another name on the releases, signatures, secure-boot bundles and rollouts of a person. */
export const forgetAuthorInUpdates = async (tx: Tx, userId: string, name: string): Promise<void> => {
  await tx
    .update(releases)
    .set({ createdBy: named(releases.createdBy, name) })
    .where(isBy(releases.createdBy, userId))
  await tx
    .update(releaseSignatures)
    .set({ signedBy: named(releaseSignatures.signedBy, name) })
    .where(isBy(releaseSignatures.signedBy, userId))
  await tx
    .update(secureBootBundles)
    .set({ createdBy: named(secureBootBundles.createdBy, name) })
    .where(isBy(secureBootBundles.createdBy, userId))
  await tx
    .update(rollouts)
    .set({ createdBy: named(rollouts.createdBy, name) })
    .where(isBy(rollouts.createdBy, userId))
  for (const part of ['asked', 'decided'] as const) {
    const approval = sql`jsonb_set(${rollouts.approval}, ${sql.raw(`'{${part},name}'`)}, to_jsonb(${name}::text))`
    await tx
      .update(rollouts)
      .set({ approval })
      .where(sql`${rollouts.approval} #>> ${sql.raw(`'{${part},id}'`)} = ${userId}`)
  }
  await forgetInTimelines(tx, userId, name)
}
