import { Suspense, useState } from 'react'
import type { Project } from '../../../contract/accounts/projects'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'

const DeleteProjectDialog = lazyPart(() => import('./delete-project-dialog').then((part) => part.DeleteProjectDialog))

export const DeleteProject = ({ project }: { project: Project }) => {
  const refused = useRefusal('project:delete')
  const [asked, setAsked] = useState(false)
  return (
    <Panel
      title="Delete project"
      aside={
        <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={() => setAsked(true)}>
          Delete project
        </Button>
      }
    >
      <p>Devices, releases, logs and history of this project are deleted too. This cannot be undone.</p>
      {asked && (
        <Suspense>
          <DeleteProjectDialog project={project} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
