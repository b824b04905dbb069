import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Webhook } from '../../../contract/accounts/webhooks'
import type { Api } from '../../../src/api/client'
import { unanswered } from '../../../src/api/failure'
import { WebhookMenu } from '../../../src/features/access/webhooks/webhook-menu'
import { Toaster } from '../../../src/ui/overlay/toast'
import { makeSystem, mount } from './system'

it('a failed action of a menu says what the failure means, as a failed page does', async () => {
  // The fields that the menu reads.
  const webhook = { id: 'w1', project_id: 'p1', url: 'https://hooks.example.org/a', state: 'active' } as Webhook
  const api = (() => Promise.reject(unanswered('network_error', undefined))) as unknown as Api // Answers nothing.
  mount(
    { ...makeSystem(), api },
    <>
      <WebhookMenu webhook={webhook} refused={undefined} onDialog={() => {}} onDeleted={() => {}} />
      <Toaster />
    </>,
  )
  await page.getByRole('button', { name: 'Actions of hooks.example.org' }).click()
  await page.getByRole('menuitem', { name: 'Send a test' }).click()
  await expect.element(page.getByText('The control center cannot be reached at the moment.')).toBeVisible()
})
