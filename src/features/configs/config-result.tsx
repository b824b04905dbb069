import { useEffect, useRef } from 'react'
import { css } from 'styled-system/css'
import { pluralize } from '../../lib/pluralize'
import { saveFile } from '../../lib/save-file'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Icon } from '../../ui/icon'
import { Callout, EmptyState } from '../../ui/notice'
import { Panel } from '../../ui/panel'
import { DateTime } from '../../ui/time'
import type { Made } from './device-config-generator-page'

const arrival = css({ scrollMarginTop: '64' })
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const devicesFor = (maxUses: number | null) =>
  maxUses === null ? 'any number of devices' : `up to ${pluralize(maxUses, 'device')}`
const fileName = 'device.json'
const command = `node teasel-agent.mjs --config ${fileName}`

/** The finished file; only this answer contains its token, so it must be saved now or created again. */
export const ConfigResult = ({ made }: { made: Made | undefined }) => {
  const top = useRef<HTMLDivElement>(null)
  // The submit button is at the end of a long form, so the result scrolls into view.
  useEffect(() => {
    if (made) top.current?.scrollIntoView({ block: 'start' })
  }, [made])
  if (!made)
    return (
      <EmptyState small title="No configuration yet">
        Generate creates a complete {fileName}: with a new enrollment token for a group, or with the id and token of a device.
      </EmptyState>
    )
  const json = JSON.stringify(made.config, null, 2)
  return (
    <div ref={top} className={arrival}>
      <Panel
        title={fileName}
        aside={
          <Button
            size="small"
            icon={<Icon name="dl" size={14} />}
            onClick={() => saveFile(fileName, `${json}\n`, 'application/json')}
          >
            Download {fileName}
          </Button>
        }
      >
        <div className={stack}>
          <Callout kind="warning">
            Copy this file now. The token is not shown again.
            {made.enrollment_limits && (
              <>
                {' '}
                It enrolls {devicesFor(made.enrollment_limits.max_uses)} until{' '}
                <DateTime value={made.enrollment_limits.expires_at} />.
              </>
            )}
          </Callout>
          <Code json label="Device configuration" code={json} />
          <Code label="Command that starts the client" code={command} />
          {made.warnings.map((finding) => (
            <Callout key={`${finding.path}:${finding.text}`} kind={finding.level}>
              <code>{finding.path}</code>: {finding.text}
            </Callout>
          ))}
        </div>
      </Panel>
    </div>
  )
}
