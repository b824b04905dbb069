import { expect, it } from 'vitest'
import { self } from '../../contract/users'
import { createTestApi } from '../support/api'
import { createSignIn } from '../support/sign-in'

/** What the two hosts show to whoever asks, with the variables of an installation. */
const shownBy = async (variables: Record<string, string>) => {
  const api = await createTestApi(variables)
  const host = await createSignIn(api)
  try {
    const visitor = host.browser()
    const [outbox, billing] = [await visitor.get('/outbox'), await visitor.get('/billing')]
    const answer = await api.call(self, {})
    return {
      outbox: outbox.status,
      billing: billing.status,
      transportSecurity: [outbox, billing, answer].map(({ headers }) => headers['strict-transport-security'] !== undefined),
    }
  } finally {
    await host.close()
    await api.close()
  }
}

const never = { outbox: 404, billing: 404, transportSecurity: [true, true, true] }

it('shows mails and the stand-in for billing where only this machine reaches the hosts', async () => {
  expect(await shownBy({})).toMatchObject({ outbox: 200, transportSecurity: [false, false, false] })
})

it.each([
  ['on a URL of a private network', { TEASEL_WEB_URL: 'http://192.168.1.20:5173' }],
  ['on an address that others reach', { TEASEL_BIND: '0.0.0.0' }],
  ['in another environment than the local one', { TEASEL_ENVIRONMENT: 'staging' }],
])('shows neither mails nor the stand-in for billing %s, and demands TLS from then on', async (_, variables) => {
  expect(await shownBy(variables)).toEqual(never)
})

it('does not show mails that a mail server has been given', async () => {
  expect(await shownBy({ SMTP_URL: 'smtp://127.0.0.1:2525' })).toMatchObject({ outbox: 404 })
})
