import type { Notification, NotificationSetting } from '../../../contract/accounts/notifications'
import { formatTimestamp } from '../../core/timestamps'
import { describeNotification, linkOf } from './describe'
import type { ProjectPerson } from './people.repository'
import { factsOf, type NotificationRow } from './repository'

/** `place`: the project it is about, with its reader. */
export const notificationToJson = (row: NotificationRow, place: ProjectPerson | undefined): Notification => {
  const facts = factsOf(row)
  return {
    id: row.id,
    kind: row.kind,
    at: formatTimestamp(row.at),
    read: row.readAt !== null,
    ...describeNotification(facts),
    project: place?.project ?? null,
    link: linkOf(facts, place ? { publicId: place.organization?.publicId ?? 'none', projectId: place.project.id } : null),
  }
}

export const notificationSettingToJson = ({ project, organization, level }: ProjectPerson): NotificationSetting => ({
  project,
  organization: organization && { public_id: organization.publicId, name: organization.name },
  level,
})
