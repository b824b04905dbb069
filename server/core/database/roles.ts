import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { createClient } from './clients'

/** The role of the hosts in the embedded PostgreSQL. */
export const HOST_ROLE = 'teasel_host'

const CHAIN = ['audit_entries', 'audit_chains', 'audit_counts'] as const
const DEFINERS = [
  'lock_audit_chain(text)',
  'make_partitions(text, date, int)',
  'make_weeks(text, date, int)',
  'make_days(text, date, int)',
  'make_telemetry_partitions(date)',
  'drop_partitions(text, timestamptz)',
  'telemetry_partitions(text)',
  'delete_telemetry(text, text, timestamptz, interval, bool, int)',
]

/** Runs `work` on one connection, which is closed afterwards. The URL names the role. */
export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = createClient({ connectionString: url, application_name: 'teasel-roles' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Creates a login role without any other right, or sets the password of an existing one. */
export const createRole = async (client: Client, name: string, password: string): Promise<void> => {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  const rights = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls'
  await client.query(
    `${rowCount ? 'alter' : 'create'} role ${escapeIdentifier(name)} with ${rights} password ${escapeLiteral(password)}`,
  )
}

/** The role in a connection URL. */
export const roleOf = (url: string): string => decodeURIComponent(new URL(url).username)

/**
 * Grants the rights of the hosts' role, run as the owner of the tables: all rows of every table, but only reading and appending
 * for the audit log. Repeated after each migration, because a new table has no grants.
 */
export const grantHostRights = async (client: Client, name: string): Promise<void> => {
  const role = escapeIdentifier(name)
  const chain = CHAIN.map((table) => `'public.${table}'::regclass`).join(', ')
  const { rows } = await client.query<{ table: string; of_chain: boolean }>(
    `select c.oid::regclass::text as table, coalesce(i.inhparent, c.oid) in (${chain}) as of_chain
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and (not c.relispartition or i.inhparent in (${chain}))`,
  )
  const tables = (ofChain: boolean) => rows.filter((row) => row.of_chain === ofChain).map((row) => row.table)
  // One query of several statements is one transaction, so that no partial grants are visible.
  await client.query(
    [
      `grant usage on schema public, drizzle to ${role}`,
      `grant select on all tables in schema drizzle to ${role}`,
      `grant select, insert, update, delete on ${tables(false).join(', ')} to ${role}`,
      `grant usage, select on all sequences in schema public to ${role}`,
      `revoke all on ${tables(true).join(', ')} from ${role}`,
      `grant select, insert on audit_entries to ${role}`,
      `grant select on audit_chains, audit_counts to ${role}`,
      `grant execute on function ${DEFINERS.join(', ')} to ${role}`,
    ].join(';\n'),
  )
  await prepareQueueSchema(client, name)
}

// The queue creates its own tables there. Tables that belonged to another role are recreated: they only hold jobs that are due
// now.
const prepareQueueSchema = async (client: Client, name: string) => {
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(relowner) as owner from pg_class where relnamespace = to_regnamespace('pgboss') and relkind in ('r', 'p')`,
  )
  if (rows.some(({ owner }) => owner !== name)) await client.query('drop schema pgboss cascade')
  await client.query(`create schema if not exists pgboss; grant usage, create on schema pgboss to ${escapeIdentifier(name)}`)
}

/** Whether the role of a URL could change or remove entries of the audit log. */
export const mayChangeAuditLog = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ may: boolean }>(
      `select bool_or(has_table_privilege(name, 'update, delete, truncate')) as may
       from unnest(array['public.audit_entries', 'public.audit_chains']) as name`,
    )
    return rows[0]?.may ?? false
  })
