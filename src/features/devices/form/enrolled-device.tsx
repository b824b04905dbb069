import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { createDevice } from '../../../../contract/fleet/devices'
import type { AnswerOf } from '../../../../contract/core/endpoint'
import { CopyButton } from '../../../ui/text/copy-button'
import { Callout } from '../../../ui/layout/notice'
import { Panel } from '../../../ui/layout/panel'
import { GeneratorLink, ShownToken } from './shown-token'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', pt: '12' })
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

/** The created device; only this answer contains its token. */
export const EnrolledDevice = ({ device }: { device: AnswerOf<typeof createDevice> }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  return (
    <div className={stack}>
      <Callout kind="success">
        <code>{device.name}</code> is enrolled. Shown as never seen until the first check-in.
      </Callout>
      <Panel
        title="Device token"
        aside={
          <CopyButton value={device.device_token} label="Copy token">
            Copy token
          </CopyButton>
        }
      >
        <ShownToken device={device} token={device.device_token} />
      </Panel>
      <div className={row}>
        <GeneratorLink primary device={device} token={device.device_token} />
        <Link
          to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId"
          params={{ organizationId, projectId, deviceId: device.id }}
          className={button()}
        >
          Open the device
        </Link>
      </div>
    </div>
  )
}
