import { afterAll, beforeAll, expect, it } from 'vitest'
import { project as projectEndpoint } from '../../contract/accounts/projects'
import { updateProject } from '../../contract/accounts/project-changes'
import { createWebhook, deleteWebhook, webhooks } from '../../contract/accounts/webhooks'
import { answerWith, isSignedBy, openReceiver, type Receiver, verifyReceived } from '../support/webhook-receiver'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()
let receiver: Receiver
beforeAll(async () => void (receiver = await openReceiver()))
afterAll(() => receiver.close())

it('adds a webhook, shows its secret once, and shows, tests, repeats, rotates, disables, enables and deletes what it sends', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/access`)
  await page.getByRole('link', { name: 'Open webhooks' }).click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()

  const dialog = page.getByRole('dialog')
  const url = dialog.getByRole('textbox', { name: 'URL' })
  const submit = dialog.getByRole('button', { name: 'Add webhook' })
  const shownSecret = async () => {
    const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent())?.trim() ?? ''
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    return secret
  }
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await url.fill('https://10.0.0.1/teasel')
  await dialog.getByRole('checkbox', { name: 'project.settings_updated' }).check()
  await submit.click()
  await dialog.getByText('This URL leads to a private address', { exact: false }).first().waitFor()
  await url.fill(receiver.url)
  await submit.click()
  await dialog.getByText('The secret is shown only now.', { exact: false }).waitFor()
  const first = await shownSecret()
  expect(await page.content()).not.toContain(first)
  const [made] = (await call(hosts().api, webhooks, { projectId }, { as })).body.webhooks
  expect(made).toMatchObject({ url: receiver.url, state: 'active' })
  expect(made?.types).toEqual(expect.arrayContaining(['rollout.halted', 'project.settings_updated']))
  await page.getByText('Nothing was sent in the last 30 days.', { exact: false }).waitFor()

  const { host } = new URL(receiver.url)
  const choose = async (item: string) => {
    await page.getByRole('button', { name: `Actions of ${host}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const answer = async (title: string, button: string) => {
    const question = page.getByRole('alertdialog', { name: title, exact: true })
    await question.getByRole('button', { name: button, exact: true }).click()
    await question.waitFor({ state: 'detached' })
  }
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  const row = (text: string | RegExp) => deliveries.getByRole('row').filter({ hasText: text }).first()
  const arrived = (count: number) => expect.poll(() => receiver.received.length).toBe(count)

  await choose('Send a test')
  await row(/webhook\.test.*HTTP 204/).waitFor()
  await arrived(1)
  expect(receiver.received.map((one) => verifyReceived(one, first))).toMatchObject([{ type: 'webhook.test' }])

  // It fails once.
  receiver.answers((response, one) => {
    receiver.answers(answerWith(204))
    answerWith(500)(response, one)
  })
  const { headers } = await call(hosts().api, projectEndpoint, { projectId }, { as })
  const body = { settings: { polling_interval_s: 240 } } as never
  await call(hosts().api, updateProject, { projectId }, { as, body, headers: { 'if-match': headers.get('etag') ?? '' } })
  await row(/project\.settings_updated.*HTTP 204/).waitFor()
  const [, failed, repeated] = receiver.received
  expect([repeated?.id, repeated?.body]).toEqual([failed?.id, failed?.body])

  receiver.answers(answerWith(500, 'no room for it'))
  await choose('Send a test')
  await row(/webhook\.test.*Failed.*HTTP 500/)
    .getByRole('button', { name: 'Details of webhook.test' })
    .click()
  await expect.poll(() => dialog.getByLabel('Answer', { exact: true }).textContent()).toBe('no room for it')
  await expect.poll(() => dialog.getByLabel('Request', { exact: true }).textContent()).toContain('"by"')
  receiver.answers(answerWith(204))
  const before = receiver.received.length
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.waitFor({ state: 'detached' })
  await arrived(before + 1)
  expect(receiver.received.at(-1)?.id).toBe(receiver.received.at(-2)?.id)

  await choose('Rotate secret…')
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByText('The former secret also signs until').waitFor()
  const second = await shownSecret()
  await page.getByText('Two secrets sign until', { exact: false }).waitFor()
  await choose('Send a test')
  await arrived(before + 2)
  expect([first, second].map((secret) => isSignedBy(receiver.received.at(-1) ?? expect.fail(), secret))).toEqual([true, true])

  await choose('Edit…')
  await dialog.getByRole('checkbox', { name: 'device.offline' }).check()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await call(hosts().api, webhooks, { projectId }, { as })).body.webhooks[0]?.types)
    .toContain('device.offline')

  await hosts().sql(
    `update webhooks set state = 'failing', state_reason = 'A delivery failed 10 times', failing_since = now() where project_id = $1`,
    [projectId],
  )
  await page.getByText('A delivery failed 10 times. Nothing but failures since', { exact: false }).waitFor()
  await choose('Disable…')
  await page.getByText('Waiting deliveries are cancelled', { exact: false }).waitFor()
  await answer('Disable this webhook?', 'Cancel')
  await choose('Disable…')
  await answer('Disable this webhook?', 'Disable')
  await page.getByText('This webhook is disabled. Events are not sent', { exact: false }).waitFor()
  await choose('Enable')
  await page.getByText('This webhook is disabled.', { exact: false }).waitFor({ state: 'detached' })
  await choose('Delete…')
  await answer('Delete this webhook?', 'Delete')
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
})

it('the page of a link to a deleted webhook says that it is gone, and shows no other in its place', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const add = async (path: string) => {
    const body = { url: `${receiver.url}${path}`, types: ['device.offline' as const] }
    return (await call(hosts().api, createWebhook, { projectId }, { as, body })).body.id
  }
  const [kept, gone] = [await add('/kept'), await add('/gone')]
  await call(hosts().api, deleteWebhook, { webhookId: gone }, { as })
  const page = await (await open(ines)).newPage()
  const list = `${hosts().console}/organizations/none/projects/${projectId}/access/webhooks`
  const text = page.getByText('The webhook of this link does not exist any more.', { exact: false })
  const deliveries = page.getByRole('region', { name: 'Deliveries' })
  await page.goto(`${list}?webhook=${gone}`)
  await page.getByRole('link', { name: `${receiver.url}/kept` }).waitFor()
  await text.waitFor()
  expect(await deliveries.count()).toBe(0)
  await page.getByRole('link', { name: `${receiver.url}/kept` }).click()
  await deliveries.waitFor()
  await text.waitFor({ state: 'detached' })

  // Who deletes it here has no link to a deleted one.
  await page.goto(`${list}?webhook=${kept}`)
  await page.getByRole('button', { name: /^Actions of / }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL((url) => !url.searchParams.has('webhook'))
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  expect(await text.count()).toBe(0)
})
