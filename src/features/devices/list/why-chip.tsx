import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Device } from '../../../../contract/fleet/devices'
import { updateDecisionQuery } from '../../../api/queries/fleet/devices'
import { every, paces } from '../../../api/refresh'
import { useSystem } from '../../../system/system'
import { Chip } from '../../../ui/text/chip'

/** These say that there is nothing to install. */
const upToDate: ReadonlySet<string> = new Set(['not_already_installed', 'version_newer'])

/** Why a rollout that concerns the device does not update it; leads to all checks. */
export const WhyChip = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data } = useQuery({ ...updateDecisionQuery(api, device.id), refetchInterval: every(paces.list) })
  const stopped = data?.checks.find((check) => check.result === 'fail')
  const isConcerned = data?.checks.some((check) => check.id === 'rollout_matches' && check.result === 'pass')
  if (!stopped || !isConcerned || upToDate.has(stopped.id)) return null
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
      params={{ organizationId, projectId, deviceId: device.id }}
      title="Why is this device not updating?"
    >
      <Chip shape={data?.outcome === 'wait' ? 'waiting' : 'warning'} kind="warning">
        {stopped.text}
      </Chip>
    </Link>
  )
}
