import { expect, it } from 'vitest'
import { type Audience, audiences, decidedNouns } from '../contract/accounts/audiences'
import { auditActions } from '../contract/core/audit-actions'
import { eventTypes } from '../contract/accounts/events'
import { notificationKinds } from '../contract/accounts/notifications'

const rows: readonly (readonly [string, Audience])[] = Object.entries(audiences)
const nounOf = (action: string) => action.slice(0, action.indexOf('.'))

it('each action of the audit log about people, devices, releases, keys, tokens and plans has its audience', () => {
  const nouns: readonly string[] = decidedNouns
  const actions = auditActions.filter((action) => nouns.includes(nounOf(action)))
  expect(actions.length).toBeGreaterThan(100)
  expect(actions.filter((action) => !(action in audiences))).toEqual([])
  // What is left is read, or belongs to one of these.
  expect([...new Set(auditActions.filter((action) => !nouns.includes(nounOf(action))).map(nounOf))]).toEqual([
    'tag',
    'asset',
    'config',
    'audit',
  ])
})

it('each event and each notification has one audience', () => {
  const sorted = (texts: readonly string[]) => texts.toSorted()
  expect(sorted(rows.flatMap(([, { webhooks = [] }]) => webhooks))).toEqual(sorted(eventTypes))
  const told = rows.flatMap(([, row]) => ('notification' in row ? row.notification : []))
  expect(sorted([...new Set(told)])).toEqual(sorted(notificationKinds))
})

it('docs/who-is-notified.md has the table', async () => {
  const codes = (texts: readonly string[] = []) => texts.map((text) => `\`${text}\``).join(', ')
  const lines = rows.map(([what, row]) => {
    const told = 'none' in row ? `– (${row.none})` : codes('notification' in row ? row.notification : [])
    return `| \`${what}\` | ${codes(row.webhooks)} | ${told} | ${('mail' in row && row.mail) || ''} |\n`
  })
  const page = `# Who is notified

Of each thing that can happen: the events that webhooks send, the notification in the bell (mailed too, as a person has chosen for a
project), and mails that do not depend on that choice. The audit log has each of them with a person or token. Generated from
\`contract/accounts/audiences.ts\` by \`tests/audiences.test.ts\`, which fails for an event, a notification or an action of the audit log without a
decision; \`npx vitest run --project node tests/audiences.test.ts -u\` regenerates it.

| What happens | Webhooks | Bell | Mail |
| --- | --- | --- | --- |
${lines.join('')}`
  await expect(page).toMatchFileSnapshot('../docs/who-is-notified.md')
})
