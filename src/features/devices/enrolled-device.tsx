import { Link } from '@tanstack/react-router'
import { useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { createDevice } from '../../../contract/devices'
import type { AnswerOf } from '../../../contract/endpoint'
import { Code } from '../../ui/code'
import { CopyButton } from '../../ui/copy-button'
import { Callout } from '../../ui/notice'
import { Panel } from '../../ui/panel'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', pt: '12' })
const inside = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
const devices = '/organizations/$organizationId/projects/$projectId/devices' as const

/** The device is there; its token is in this answer only. */
export const EnrolledDevice = ({ device }: { device: AnswerOf<typeof createDevice> }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const params = { organizationId, projectId }
  const part = JSON.stringify({ device_id: device.id, device_token: device.device_token }, null, 2)
  return (
    <div className={stack}>
      <Callout kind="success">
        <code>{device.name}</code> is enrolled. It stands as never seen until its client checks in.
      </Callout>
      <Panel
        title="Device token"
        aside={
          <CopyButton value={device.device_token} label="Copy token">
            Copy token
          </CopyButton>
        }
      >
        <div className={inside}>
          <Callout kind="warning">The token is shown only now. Whoever has it is this device.</Callout>
          <p>
            In <code>device.json</code> these two stand in place of an enrollment token; the Config Generator makes the whole
            file, with Pre-enrolled chosen.
          </p>
          <Code json label="Part of device.json" code={part} />
        </div>
      </Panel>
      <div className={row}>
        <Link
          to={`${devices}/list/$deviceId`}
          params={{ ...params, deviceId: device.id }}
          className={button({ variant: 'primary' })}
        >
          Open the device
        </Link>
        <Link to={`${devices}/device-config-generator`} params={params} className={button()} target="_blank">
          Config Generator
        </Link>
      </div>
    </div>
  )
}
