import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { Device } from '../../../../contract/fleet/devices'
import { holdCredentials } from '../../../system/device-credentials'
import { useSystem } from '../../../system/system'
import { Code } from '../../../ui/text/code'
import { Callout } from '../../../ui/layout/notice'
import { ClientLines } from './client-lines'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

type Props = { device: Device; token: string }

/** Id and token of a device, as in the configuration of its client. The server sends the token once. */
export const ShownToken = ({ device, token }: Props) => {
  const { environment } = useSystem()
  return (
    <div className={stack}>
      <Callout kind="warning">The token is shown only now. Anyone with it can act as this device.</Callout>
      {device.protocol === 'ddi' ? (
        <ClientLines device={device} token={token} server={environment.api} />
      ) : (
        <>
          <p>
            In <code>device.json</code> these two fields replace an enrollment token. The Config Generator creates the whole file
            with both filled in.
          </p>
          <Code json label="Part of device.json" code={JSON.stringify({ device_id: device.id, device_token: token }, null, 2)} />
        </>
      )}
    </div>
  )
}

/** Links to the generator with the credentials; none for a client whose files it does not know. */
export const GeneratorLink = ({ device, token, primary }: Props & { primary?: boolean }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const take = () =>
    holdCredentials({
      projectId,
      id: device.id,
      name: device.name,
      hardwareModel: device.hardware_model,
      protocol: device.protocol,
      pollingIntervalS: device.polling_interval_s,
      token,
    })
  if (device.verifier === 'unknown') return null
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/device-config-generator"
      params={{ organizationId, projectId }}
      className={button(primary ? { variant: 'primary' } : {})}
      onClick={take}
    >
      Config Generator
    </Link>
  )
}
