import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { css } from 'styled-system/css'
import { type SimulatedDevices, simulatedDeviceCount, simulatedTag } from '../../../../contract/fleet/simulated-devices'
import { addSimulatedDevicesMutation } from '../../../api/mutations/fleet/simulated-devices'
import { simulatedDevicesQuery } from '../../../api/queries/fleet/simulated-devices'
import { pluralize } from '../../../lib/pluralize'
import { useRefusal } from '../../../system/scope/grants'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import { Banner } from '../../../ui/layout/notice'

const offer = css({
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  gap: '8',
  w: 'full',
  mt: '16',
  pt: '16',
  borderTop: 'line',
})
const strip = css({ mb: '12' })
const hint = css({ color: 'text2', textStyle: 'small', maxW: 'form' })

const progressText = ({ devices, online, waiting }: SimulatedDevices) =>
  `${online} of ${devices} simulated devices are online.${waiting > 0 ? ` ${waiting} wait to be accepted.` : ''}`
const doneText = (devices: number) =>
  `${pluralize(devices, 'simulated device')} checked in. To remove them, filter by the tag ${simulatedTag}, select all and decommission them.`

/** Whether devices started while this page was open: then their arrival is worth a line. */
const useProgress = (projectId: string) => {
  const { api } = useSystem()
  const client = useQueryClient()
  const { data } = useQuery(simulatedDevicesQuery(api, projectId))
  const [watched, setWatched] = useState(false)
  if (data?.starting && !watched) setWatched(true)
  const before = useRef(data)
  useEffect(() => {
    const { added, online } = before.current ?? {}
    if (before.current && (data?.added !== added || data?.online !== online))
      void client.invalidateQueries({ queryKey: ['devices', projectId] })
    before.current = data
  }, [client, data, projectId])
  return { data, watched, dismiss: () => setWatched(false) }
}

/** How many of the simulated devices that were just added are online; nothing otherwise. */
export const SimulatedProgress = ({ projectId }: { projectId: string }) => {
  const { data, watched, dismiss } = useProgress(projectId)
  if (!data || data.devices === 0) return null
  if (!data.starting && !watched) return null
  return (
    <div className={strip}>
      {data.starting ? (
        <Banner kind="info">{progressText(data)}</Banner>
      ) : (
        <Banner kind="success" action={{ label: 'Dismiss', onClick: dismiss }}>
          {doneText(data.devices)}
        </Banner>
      )}
    </div>
  )
}

/** On a local installation an empty project can get simulated devices; other installations answer that they have none. */
export const AddSimulatedDevices = ({ projectId }: { projectId: string }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_devices')
  const { data } = useProgress(projectId)
  const { mutate, isPending } = useMutation({ ...addSimulatedDevicesMutation(api, projectId), onError: notifyFailed })
  if (!data) return null
  if (data.devices > 0)
    return (
      <div className={offer} role="status">
        {progressText(data)}
      </div>
    )
  return (
    <div className={offer}>
      <Button icon={<Icon name="plus" />} refused={refused} busy={isPending} busyLabel="Adding..." onClick={() => mutate()}>
        Add {simulatedDeviceCount} simulated devices
      </Button>
      <span className={hint}>
        They run on this machine, enroll, check in and take updates like other devices, and get the tag {simulatedTag}. To remove
        them, decommission them.
      </span>
    </div>
  )
}
