import { useParams, useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Tag } from '../../../contract/fleet/tags'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'
import { describeUsage, usageOf } from './tag-usage'

const DeleteTagDialog = lazyPart(() => import('./delete-tag-dialog').then((part) => part.DeleteTagDialog))

export const DeleteTag = ({ tag }: { tag: Tag }) => {
  const { navigate } = useRouter()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:manage_devices')
  const [asked, setAsked] = useState(false)
  const used = describeUsage(usageOf(tag))
  return (
    <Panel
      title="Delete tag"
      aside={
        <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={() => setAsked(true)}>
          Delete tag
        </Button>
      }
    >
      <p>{used === undefined ? 'Not used by any device, open rollout or enrollment token.' : `${used}.`}</p>
      {asked && (
        <Suspense>
          <DeleteTagDialog
            tag={tag}
            onClose={() => setAsked(false)}
            onDeleted={() =>
              void navigate({
                to: '/organizations/$organizationId/projects/$projectId/tags/list',
                params: { organizationId, projectId },
                replace: true,
              })
            }
          />
        </Suspense>
      )}
    </Panel>
  )
}
