import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { formatDuration } from '../../../lib/durations'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { FactButton } from '../list/fact-button'

const PollingDialog = lazyPart(() => import('../actions/polling-dialog').then((part) => part.PollingDialog))
const quiet = css({ color: 'muted' })

/** Who has set the interval (docs/decisions/0009). */
const ownerOf = ({ polling_interval_s: own, configured_polling_interval_s: asked }: Device) => {
  if (own === null) return 'from the project'
  return own === asked ? 'from its device.json' : 'set for this device'
}

/** How often a device checks in, who set that, and a button to change it. */
export const PollingFact = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const { data: project } = useSuspenseQuery(projectQuery(api, device.project_id))
  const refused = useRefusal('project:manage_devices')
  const [open, setOpen] = useState(false)
  const words = `every ${formatDuration(device.polling_interval_s ?? project.settings.polling_interval_s)}`
  return (
    <>
      {refused === undefined ? (
        <FactButton label={`Checks in ${words}: change`} onClick={() => setOpen(true)}>
          {words}
        </FactButton>
      ) : (
        words
      )}{' '}
      <span className={quiet}>{ownerOf(device)}</span>
      <Suspense>{open && <PollingDialog device={device} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
