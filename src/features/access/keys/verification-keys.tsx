import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { publicKeyFromPem } from '../../../../contract/device/public-key'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { signingKeysQuery } from '../../../api/queries/fleet/keys'
import { useSystem } from '../../../system/system'
import { Code } from '../../../ui/text/code'
import { Panel } from '../../../ui/layout/panel'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

/** Keys that devices may start to trust. */
const isForDevices = ({ state, purpose }: SigningKey) => (state === 'active' || state === 'retiring') && purpose !== 'secure_boot'

/** The project's keys in the form of device.json, for devices whose file is not made by the config generator. */
export const VerificationKeys = ({ projectId }: { projectId: string }) => {
  const { api } = useSystem()
  const { data: keys = [] } = useQuery(signingKeysQuery(api, projectId))
  const usable = keys.filter(isForDevices)
  const { data: read = [] } = useQuery({
    queryKey: ['verification-keys', usable.map(({ fingerprint }) => fingerprint)],
    queryFn: () => Promise.all(usable.map(({ public_key_pem }) => publicKeyFromPem(public_key_pem))),
  })
  const public_keys = read.filter((key) => key !== null)
  if (public_keys.length === 0) return null
  return (
    <Panel title="Verification keys">
      <div className={stack}>
        <p>A device installs only releases signed with a key of its device.json. The Config Generator includes these keys.</p>
        <Code json label="Verification keys for device.json" code={JSON.stringify({ public_keys }, null, 2)} />
      </div>
    </Panel>
  )
}
