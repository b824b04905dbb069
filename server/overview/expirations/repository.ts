import { type SQL, sql } from 'drizzle-orm'
import { type Expiration, expirationKinds, expiredForDays } from '../../../contract/overview/expirations'
import { isSentByInviter } from '../../accounts/invites/repository'
import { accessTokens } from '../../accounts/schema/access-tokens'
import { subscriptions } from '../../accounts/schema/billing'
import { invites } from '../../accounts/schema/invites'
import { signingKeys } from '../../fleet/schema/keys'
import { enrollmentTokens } from '../../fleet/schema/devices'
import { releases } from '../../updates/schema/releases'
import { bundleArtifacts, secureBootBundles } from '../../updates/schema/secure-boot'
import type { Tx } from '../../core/database/tx'
import { daysAfter, daysBefore } from '../../core/days'
import { paging } from '../../core/http/paging'

/** The ids whose objects are looked at: only those that the caller may see. */
export type Visible = {
  /** Projects whose keys, tokens, manifests and certificates are listed. */
  projects: readonly string[]
  /** Personal projects whose invites are listed. */
  guestProjects: readonly string[]
  /** Organizations whose invites are listed. */
  inviting: readonly string[]
  /** Organizations whose subscription is listed. */
  subscribed: readonly string[]
  /** The person whose own subscription is listed. */
  userId: string | null
}

const list = (ids: readonly string[]) =>
  sql`array[${sql.join(
    ids.map((id) => sql`${id}`),
    sql`, `,
  )}]::text[]`
const none = sql`null::text`

type Source = {
  kind: Expiration['kind']
  table: unknown
  /** Of the row `e`. */
  name: SQL
  where: SQL
  project?: SQL
  organization?: SQL
  expiresAt?: SQL
  /** Since when it has been valid, for what is made for a time. */
  startedAt?: SQL
  /** The parent object that its page shows, or what decides which page that is. */
  detail?: SQL
}

/**
 * One page of what expires, by date. Each kind gives at most one page of each project, read in the order of its own index, so that
 * the cost depends on the number of projects and not on what they contain.
 */
export const listExpirations = async (
  tx: Tx,
  visible: Visible,
  query: { limit?: number; cursor?: string; withinDays: number },
  now: Date,
) => {
  const page = paging(query, { expires_at: sql`expires_at` }, sql`id`, 'expires_at', { expires_at: 'time' })
  const [from, until] = [daysBefore(now, expiredForDays).toISOString(), daysAfter(now, query.withinDays).toISOString()]

  const branch = ({
    kind,
    table,
    name,
    where,
    project = none,
    organization = none,
    expiresAt,
    startedAt,
    detail = none,
  }: Source) => {
    const end = expiresAt ?? sql`e.expires_at`
    const position = page.position && sql`and (${end}, e.id) > (${page.position[0]}::timestamptz, ${page.position[1]})`
    return sql`(select ${kind}::text as kind, e.id, ${name} as name, ${project} as project_id, ${organization} as organization_id,
      ${detail} as detail, ${end} as expires_at, ${startedAt ?? sql`null::timestamptz`} as started_at
      from ${table} as e where ${where} and ${end} > ${from}::timestamptz and ${end} <= ${until}::timestamptz ${position ?? sql``}
      order by ${end}, e.id limit ${page.take})`
  }
  const ofProject = { project: sql`e.project_id`, name: sql`e.name` }
  const inProject = sql`e.project_id = p.id`
  const perProject = [
    branch({
      kind: 'signing_key',
      table: signingKeys,
      where: sql`${inProject} and e.state = 'active' and e.expires_at is not null`,
      ...ofProject,
      detail: sql`e.purpose`,
    }),
    branch({
      kind: 'access_token',
      table: accessTokens,
      where: sql`${inProject} and e.revoked_at is null and e.replaced_at is null and e.expires_at is not null`,
      ...ofProject,
      startedAt: sql`e.created_at`,
    }),
    branch({
      kind: 'enrollment_token',
      table: enrollmentTokens,
      where: sql`${inProject} and e.revoked_at is null and e.expires_at is not null and (e.max_uses is null or e.uses < e.max_uses)`,
      ...ofProject,
      startedAt: sql`e.created_at`,
    }),
    branch({
      kind: 'manifest',
      table: releases,
      where: sql`${inProject} and e.state in ('awaiting_signature', 'ready', 'released') and e.expires_at is not null`,
      project: sql`e.project_id`,
      name: sql`e.name || ' ' || coalesce(e.display_version, e.version::text)`,
      detail: sql`e.state`,
    }),
    branch({
      kind: 'certificate',
      table: bundleArtifacts,
      where: sql`${inProject} and e.certificate_expires_at is not null and exists (
        select from ${secureBootBundles} b where b.id = e.bundle_id and b.state not in ('revoked', 'archived'))`,
      project: sql`e.project_id`,
      name: sql`e.file_name`,
      expiresAt: sql`e.certificate_expires_at`,
      detail: sql`e.bundle_id`,
    }),
  ]
  // The seats of the plan limit the open invites, and each account has one current subscription.
  const others = [
    branch({
      kind: 'invite',
      table: invites,
      where: sql`e.state = 'pending' and ${isSentByInviter} and (e.organization_id = any(${list(visible.inviting)}) or e.project_id = any(${list(visible.guestProjects)}))`,
      name: sql`e.email`,
      startedAt: sql`e.last_sent_at`,
      project: sql`e.project_id`,
      organization: sql`e.organization_id`,
    }),
    branch({
      kind: 'subscription',
      table: subscriptions,
      where: sql`e.is_current and (e.cancel_at_period_end or e.state in ('past_due', 'canceled')) and e.current_period_end is not null
        and (e.organization_id = any(${list(visible.subscribed)}) or e.user_id = ${visible.userId}::text)`,
      name: sql`e.plan || ' plan'`,
      organization: sql`e.organization_id`,
      expiresAt: sql`e.current_period_end`,
    }),
  ]
  const { rows } = await tx.execute<
    Record<'kind' | 'id' | 'name' | 'at', string> & Record<'project_id' | 'organization_id' | 'detail' | 'since', string | null>
  >(sql`
    select kind, id, name, project_id, organization_id, detail, (extract(epoch from expires_at) * 1000)::bigint::text as at,
      (extract(epoch from started_at) * 1000)::bigint::text as since from (
      select found.* from unnest(${list(visible.projects)}) as p(id)
        cross join lateral (${sql.join(perProject, sql` union all `)}) as found
      union all ${sql.join(others, sql` union all `)}
    ) as every_kind order by expires_at, id limit ${page.take}`)
  const found = rows.flatMap(({ kind: name, at, since, ...row }) => {
    const kind = expirationKinds.find((one) => one === name)
    const { project_id: projectId, organization_id: organizationId, ...rest } = row
    const times = { expiresAt: new Date(Number(at)), startedAt: since === null ? null : new Date(Number(since)) }
    return kind ? [{ ...rest, kind, projectId, organizationId, ...times }] : []
  })
  return page.cut(found, ({ expiresAt, id }) => [expiresAt.toISOString(), id])
}

export type ExpirationRow = Awaited<ReturnType<typeof listExpirations>>['rows'][number]
