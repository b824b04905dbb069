import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  resendDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
} from '../../../../contract/accounts/webhooks'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

const renew = (client: QueryClient, projectId: string) => client.invalidateQueries({ queryKey: ['webhooks', projectId] })
const renewDeliveries = (client: QueryClient, webhookId: string) =>
  client.invalidateQueries({ queryKey: ['webhook-deliveries', webhookId] })

export const createWebhookMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createWebhook>>) =>
      api(createWebhook, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_made, _input, _kept, { client }) => renew(client, projectId),
  })

export const updateWebhookMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ webhook, body }: { webhook: Webhook; body: BodyOf<typeof updateWebhook> }) =>
      api(updateWebhook, { webhookId: webhook.id }, { body, ifMatch: webhook.revision }),
    onSuccess: (_webhook, _input, _kept, { client }) => renew(client, projectId),
  })

export const rotateWebhookSecretMutation = (api: Api, projectId: string, webhookId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof rotateWebhookSecret>>) =>
      api(rotateWebhookSecret, { webhookId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_webhook, _input, _kept, { client }) => renew(client, projectId),
  })

const actions = { disable: disableWebhook, enable: enableWebhook, delete: deleteWebhook, test: testWebhook }
export type WebhookAction = keyof typeof actions

export const changeWebhookMutation = (api: Api, { id: webhookId, project_id: projectId }: Webhook) =>
  mutationOptions({
    mutationFn: (action: WebhookAction): Promise<unknown> => api(actions[action], { webhookId }),
    onSuccess: (_done, _action, _kept, { client }) => Promise.all([renew(client, projectId), renewDeliveries(client, webhookId)]),
  })

export const resendDeliveryMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ webhookDeliveryId, ...input }: { webhookDeliveryId: string; idempotencyKey?: string }) =>
      api(resendDelivery, { webhookDeliveryId }, keyOf(input)),
    onSuccess: (made, _input, _kept, { client }) => renewDeliveries(client, made.webhook_id),
  })
