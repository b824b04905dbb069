import { Suspense, useState } from 'react'
import type { Device } from '../../../../contract/fleet/devices'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { FactButton } from '../list/fact-button'

const IssueToken = lazyPart(() => import('../form/issue-token-dialog').then((part) => part.IssueTokenDialog))

/** The token is never shown again; it can be replaced. */
export const TokenFact = ({ device }: { device: Device }) => {
  const refused = useRefusal('project:manage_devices')
  const [open, setOpen] = useState(false)
  if (refused !== undefined || device.lifecycle === 'decommissioned' || device.lifecycle === 'rejected') return '–'
  return (
    <>
      <FactButton onClick={() => setOpen(true)}>Issue a new one</FactButton>
      <Suspense>{open && <IssueToken device={device} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
