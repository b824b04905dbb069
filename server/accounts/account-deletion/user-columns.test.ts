import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())

const own = 'deleted with the account'
const nobody = 'set to null'
const kept = 'keeps the id, and the name "Deleted user"'
const idOnly = 'keeps an id that leads to nobody'
const blocked = 'none is left: it stands in the way of the deletion'

/** What the deletion of an account does with each column that names a person. */
const fates: Readonly<Record<string, string>> = {
  'access_requests.decided_by': nobody,
  'access_requests.user_id': own,
  'access_tokens.maker_id': own,
  'audit_entries.actor': 'stays as it was written until retention: the hash of the entry covers it',
  'avatars.user_id': own,
  'credentials.user_id': own,
  'device_commands.created_by': 'keeps an id that leads to nobody; the page names no author',
  'device_imports.created_by': kept,
  'device_jobs.maker': `${kept}, without address and browser`,
  'email_changes.user_id': own,
  'identities.user_id': own,
  'identity_links.user_id': own,
  'idempotent_answers.actor': 'is the id of a session or token; deleted after a day',
  'interstitials.user_id': own,
  'invites.email': 'deleted if it was answered; an open invite belongs to the organization, and is for whoever has the address',
  'invites.invited_by': own,
  'key_lists.created_by': kept,
  'known_browsers.user_id': own,
  'members.invited_by': `${idOnly}: the list of members names no inviter`,
  'members.user_id': own,
  'notification_queue.caused_by': `${idOnly}; deleted within seconds`,
  'notification_settings.user_id': own,
  'notifications.user_id': own,
  'organizations.created_by': 'passes to the owner who is longest there',
  'password_resets.user_id': own,
  'profiles.user_id': own,
  'project_guests.invited_by': `${idOnly}: the list of guests names no inviter`,
  'project_guests.user_id': own,
  'project_roles.user_id': 'ends with the membership',
  'projects.owner_id': blocked,
  'recovery_codes.user_id': own,
  'registrations.email': 'of a sign-up with the address, which may go on; deleted after a day',
  'release_signatures.signed_by': kept,
  'releases.created_by': kept,
  'rollout_timeline.by': 'gets the name "Deleted user"',
  'rollouts.created_by': kept,
  'saved_views.owner_id': 'of a shared view: passes to an owner; of another one: deleted with the account',
  'second_factors.user_id': own,
  'secure_boot_bundles.created_by': kept,
  'sessions.user_id': own,
  'sign_in_codes.user_id': own,
  'sign_in_steps.user_id': own,
  'sign_ins.user_id': own,
  'subscriptions.user_id': own,
  'uploads.owner_id': `${own}; open ones end first`,
  'webhooks.maker_id': nobody,
}

/** Columns with such names that hold no person. */
const others: Readonly<Record<string, string>> = {
  'device_jobs.undone_by': 'a job',
  'devices.token_shared_by': 'what showed that a token has two users',
  'email_changes.new_email': 'of the row of `email_changes.user_id`',
  'email_changes.old_email': 'of the row of `email_changes.user_id`',
  'identities.email': 'of the row of `identities.user_id`',
  'key_lists.signed_by': 'a key',
  'users.email': 'the account itself',
}

it('each column that names a person has its fate when the account is deleted', async () => {
  const { rows } = await api.db.execute<{ name: string; references_users: boolean }>(sql`
    select c.relname || '.' || a.attname as name, exists (
      select from pg_constraint f where f.contype = 'f' and f.confrelid = 'users'::regclass and f.conrelid = c.oid and a.attnum = any(f.conkey)
    ) as references_users
    from pg_class c inner join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`)
  const names = /(^|_)(user_id|owner_id|maker|maker_id|by|actor|author|author_id|email|person_id)$/
  const naming = rows.filter(({ name, references_users: refers }) => refers || names.test(name.split('.')[1] ?? ''))
  const known = { ...fates, ...others }
  expect(naming.map(({ name }) => name).toSorted()).toEqual(Object.keys(known).toSorted())
  const referring = rows.filter(({ references_users: refers }) => refers).map(({ name }) => name)
  expect(referring.filter((name) => !(name in fates))).toEqual([])
})

it('the database deletes or empties exactly the columns of which the table says so', async () => {
  const { rows } = await api.db.execute<{ name: string; action: string }>(sql`
    select c.relname || '.' || a.attname as name, f.confdeltype as action
    from pg_constraint f inner join pg_class c on c.oid = f.conrelid
    inner join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
    where f.contype = 'f' and f.confrelid = 'users'::regclass`)
  for (const { name, action } of rows) {
    const fate = fates[name] ?? ''
    const expected = fate === nobody ? 'n' : fate.startsWith('passes to the owner') ? 'a' : 'c'
    expect(action, `${name}: ${fate}`).toBe(expected)
  }
})
