import { Suspense, useState } from 'react'
import type { Project } from '../../../contract/accounts/projects'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'

const TransferDialog = lazyPart(() => import('./transfer-dialog').then((part) => part.TransferDialog))

export const TransferProject = ({ project }: { project: Project }) => {
  const refused = useRefusal('project:delete')
  const [asked, setAsked] = useState(false)
  return (
    <Panel
      title="Transfer project"
      aside={
        <Button {...(refused !== undefined && { refused })} aria-haspopup="dialog" onClick={() => setAsked(true)}>
          Transfer project
        </Button>
      }
    >
      <p>Gives the project to another organization, or to your personal space. Its devices keep working.</p>
      {asked && (
        <Suspense>
          <TransferDialog project={project} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
