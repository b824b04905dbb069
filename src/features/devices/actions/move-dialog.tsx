import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { missing } from '../../../../contract/core/permissions'
import { describeError } from '../../../system/failure/describe-error'
import { moveDeviceMutation } from '../../../api/mutations/fleet/devices'
import { signingKeysQuery } from '../../../api/queries/fleet/keys'
import { permissionsQuery } from '../../../api/queries/accounts/permissions'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { FailureBox } from '../../../system/failure/failure-box'
import { refusalOf } from '../../../system/scope/grants'
import { AskDialog } from '../../../system/ask-dialog'
import { useModal } from '../../../system/modals/use-modal'
import { notify } from '../../../system/failure/notify'
import { scopeToPath, useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { Checkbox } from '../../../ui/form/choice'
import { Callout } from '../../../ui/layout/notice'
import { lacksKeys, moveConsequences, moveRefusal } from './move-consequences'
import { ProjectChoice } from '../form/project-choice'
import { useMovingOutRefusal } from './use-moving-out'

const stack = css({ display: 'grid', gap: '12' })
const list = css({ display: 'grid', gap: '4', pl: '16', listStyle: 'disc' })

/** The project to move to, with what the dialog says about it; undefined until all of that is loaded. */
const useGoal = (scope: string | null, projectId: string) => {
  const { api } = useSystem()
  const enabled = projectId !== ''
  const project = useQuery({ ...projectQuery(api, projectId), enabled })
  const keys = useQuery({ ...signingKeysQuery(api, projectId), enabled })
  const tags = useQuery({ ...tagsQuery(api, projectId), enabled })
  const permissions = useQuery({ ...permissionsQuery(api, scope, projectId), enabled })
  const failed = [project, keys, tags, permissions].filter(({ error }) => error !== null)
  const retry = () => failed.forEach((query) => void query.refetch())
  const goal = project.data && keys.data && tags.data && { project: project.data, keys: keys.data, tags: tags.data }
  const refused = permissions.data && refusalOf(missing(permissions.data.grants, ['project:manage_devices']))
  return { error: failed[0]?.error ?? null, retry, goal: permissions.data ? goal : undefined, refused }
}

/** Names what the move changes, for the chosen project; the notice afterwards offers to move the device back. */
export const MoveDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('move_device', onClose)
  const { navigate } = useRouter()
  const { scope: current = null } = useRouteScope()
  const { data: here } = useQuery(projectQuery(api, device.project_id))
  const [{ projectId, scope }, setGoal] = useState({ projectId: '', scope: current })
  const [anyway, setAnyway] = useState(false)
  const { goal, error, retry, refused } = useGoal(scope, projectId)
  const move = useMutation(moveDeviceMutation(api))
  const from = here?.name ?? 'this project'
  const movingOut = useMovingOutRefusal(device.project_id, { projectId, scope })
  const refusal = goal && (refused ?? movingOut ?? moveRefusal(device, goal))
  const untrusted = goal !== undefined && lacksKeys(device, goal)

  const moveTo = async (moved: Device, to: { projectId: string; scope: string | null; untrusted: boolean }) => {
    const done = await move.mutateAsync({
      device: moved,
      body: { project_id: to.projectId, ...(to.untrusted && { without_trusted_key: true }) },
    })
    await navigate({
      to: '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId',
      params: { organizationId: scopeToPath(to.scope), projectId: to.projectId, deviceId: done.id },
      replace: true,
    })
    return done
  }
  const confirm = async (name: string) => {
    const done = await moveTo(device, { projectId, scope, untrusted })
    modal.close()
    const undo = () =>
      void moveTo(done, { projectId: device.project_id, scope: current, untrusted: true }).catch(
        (failed: unknown) => void notify({ kind: 'error', text: describeError(failed, `${done.name} was not moved back`) }),
      )
    void notify({ kind: 'success', text: `${done.name} was moved to ${name}`, action: { label: 'Undo', onClick: undo } })
  }

  return (
    <AskDialog
      modal={modal}
      title={`Move ${device.name}`}
      text={`It belongs to ${from}. Choose another project in which your role manages devices.`}
      verb="Move device"
      busyVerb="Moving..."
      ready={goal !== undefined && refusal === undefined && (!untrusted || anyway)}
      busy={move.isPending}
      error={move.error}
      onConfirm={() => goal && void confirm(goal.project.name).catch(() => {})}
    >
      <div className={stack}>
        <ProjectChoice
          projectId={device.project_id}
          value={projectId}
          onValueChange={(id, owner) => {
            setGoal({ projectId: id, scope: owner })
            setAnyway(false)
            move.reset()
          }}
        />
        {goal && refusal === undefined && (
          <ul className={list}>
            {moveConsequences(device, from, goal).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        {refusal !== undefined && <Callout kind="warning">{refusal}</Callout>}
        {untrusted && refusal === undefined && (
          <Checkbox checked={anyway} onChange={(event) => setAnyway(event.target.checked)}>
            Move it although it refuses every release there
          </Checkbox>
        )}
        {error !== null && <FailureBox error={error} onRetry={retry} />}
      </div>
    </AskDialog>
  )
}
