import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { deletedDeviceDays } from '../../../../contract/fleet/devices'
import { pluralize } from '../../../lib/pluralize'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { useSystem } from '../../../system/system'
import { Checkbox } from '../../../ui/form/choice'
import { Callout } from '../../../ui/layout/notice'
import { ProjectChoice } from '../form/project-choice'
import { useMovingOutRefusal } from '../actions/use-moving-out'
import { BulkWindow } from './bulk-window'
import { type DialogProps, useBulkChange } from './use-bulk-change'

const list = css({ display: 'grid', gap: '4', pl: '16', listStyle: 'disc' })

/** The server decides for each device; the page of the job says which were not moved, and why. */
export const MoveDialog = (props: DialogProps) => {
  const { api } = useSystem()
  const change = useBulkChange('bulk_move', props)
  const [{ goalId, scope }, setGoal] = useState<{ goalId: string; scope: string | null }>({ goalId: '', scope: null })
  const [anyway, setAnyway] = useState(false)
  const { projectId, count } = props.selected
  const { data: goal } = useQuery({ ...projectQuery(api, goalId), enabled: goalId !== '' })
  const refusal = useMovingOutRefusal(projectId, { projectId: goalId, scope })
  const devices = pluralize(count, 'device')
  return (
    <BulkWindow
      change={change}
      title={`Move ${devices}`}
      text="Choose another project in which your role manages devices. It can be undone: the devices return with their history."
      verb={`Move ${devices}`}
      danger
      ready={goalId !== '' && refusal === undefined}
      onStart={() => void change.start('move', { project_id: goalId, ...(anyway && { without_trusted_key: true }) })}
    >
      <ProjectChoice projectId={projectId} value={goalId} onValueChange={(id, owner) => setGoal({ goalId: id, scope: owner })} />
      {/* Above what is loaded, which would move it away under the pointer. */}
      <Checkbox checked={anyway} onChange={(event) => setAnyway(event.target.checked)}>
        Also move devices that trust no signing key there, and so refuse every release of it
      </Checkbox>
      {refusal !== undefined && <Callout kind="warning">{refusal}</Callout>}
      {goal && refusal === undefined && (
        <ul className={list}>
          <li>Each keeps its token and gets a new id. Agents follow at the next check-in.</li>
          <li>Tags that {goal.name} does not have are lost. Open rollouts of this project go on without them.</li>
          <li>
            Not moved, and named as failed: devices with a running update, without a token of their own, with a hardware model or
            name that does not fit {goal.name}.
          </li>
          <li>
            Updates, logs and metrics stay here and return with a device that is moved back within {deletedDeviceDays} days.
          </li>
        </ul>
      )}
    </BulkWindow>
  )
}
