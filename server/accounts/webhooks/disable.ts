import { product } from '../../../contract/core/limits'
import { allows } from '../../../contract/core/permissions'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { queueMail } from '../../core/mail/queue-mail'
import { sanitizeText } from '../../core/plain-text'
import { recordSystemEvent } from '../audit/system'
import { listProjectPeople, type ProjectPerson } from '../notifications/people.repository'
import { lockWebhook, updateWebhookHealth, type WebhookRow } from './repository'
import { webhookTarget } from './webhook'

/** The maker, or everybody who may change webhooks where the maker may no longer. */
const listTold = async (tx: Tx, { projectId, makerId }: WebhookRow): Promise<ProjectPerson[]> => {
  const people = (await listProjectPeople(tx, { projectIds: [projectId] })).filter(({ grants }) =>
    allows(grants, ['project:update']),
  )
  const maker = people.filter(({ user }) => user.id === makerId)
  return maker.length > 0 ? maker : people
}

const letterTo = ({ config }: Deps, { id, url }: WebhookRow, reason: string, { user, project, organization }: ProjectPerson) => {
  const page = `${config.urls.console}/organizations/${organization?.publicId ?? 'none'}/projects/${project.id}/access/webhooks?webhook=${id}`
  const text = `The webhook to ${new URL(url).host} in the project ${sanitizeText(project.name, 64)} was disabled. ${reason}.

Events are not sent to it any more. Repair the receiver, then enable the webhook:
${page}
`
  return { limited: false, to: user.email, subject: `${product.name}: A webhook was disabled`, text }
}

/** Sends nothing more, records it and tells the people who can mend it. */
export const disableFailing = async (deps: Deps, id: string, reason: string, now: Date): Promise<void> => {
  const letters = await deps.db.transaction(async (tx) => {
    const webhook = await lockWebhook(tx, id)
    if (!webhook || webhook.state === 'disabled') return []
    await updateWebhookHealth(tx, id, { state: 'disabled', stateReason: reason })
    const target = webhookTarget(webhook)
    const about = { projectId: webhook.projectId, action: 'webhook.disable', by: 'Webhooks', target, reason } as const
    await recordSystemEvent(tx, about, now)
    const sends: (() => void)[] = []
    for (const person of await listTold(tx, webhook))
      sends.push(await queueMail(tx, deps, letterTo(deps, webhook, reason, person)))
    return sends
  })
  for (const send of letters) send()
}
