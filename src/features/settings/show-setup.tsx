import { useSetupHidden } from '../../system/setup-hidden'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'

/** Undoes Hide of the setup steps on the Monitor page. */
export const ShowSetup = ({ projectId }: { projectId: string }) => {
  const { hidden, setHidden } = useSetupHidden(projectId)
  if (!hidden) return null
  return (
    <Panel title="Setup steps" aside={<Button onClick={() => setHidden(false)}>Show setup steps</Button>}>
      <p>You have hidden the setup steps of this project in this browser. The Monitor page shows them while one is open.</p>
    </Panel>
  )
}
