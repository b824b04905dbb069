import { Suspense, useEffect, useRef, useState } from 'react'
import { css } from 'styled-system/css'
import type { DeviceConfig } from '../../../contract/device/config'
import { warningsOf } from '../../../contract/fleet/generated-config'
import { formatBytes } from '../../lib/bytes'
import { changedLines } from '../../lib/changed-lines'
import { pluralize } from '../../lib/pluralize'
import { saveFile } from '../../lib/save-file'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { Code } from '../../ui/text/code'
import { Icon } from '../../ui/icon/icon'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { DateTime } from '../../ui/text/time'
import type { Made } from './device-config-generator-page'
import { shellLine } from './shell-line'

const Qr = lazyPart(() => import('../../ui/text/qr').then((part) => part.Qr))

const arrival = css({ scrollMarginTop: '64' })
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
const devicesFor = (maxUses: number | null) =>
  maxUses === null ? 'any number of devices' : `up to ${pluralize(maxUses, 'device')}`
const fileName = 'device.json'
const command = `node teasel-agent.mjs --config ${fileName}`
/** More does not fit into a code that a camera reads from a screen. */
const mostInCode = 2048

const sizeOf = (text: string) => new TextEncoder().encode(text).length

const ConfigCode = ({ json }: { json: string }) => {
  const size = sizeOf(json)
  return size > mostInCode ? (
    <Callout kind="warning">
      This file has {formatBytes(size)}. A QR code holds at most {formatBytes(mostInCode)}: use the file.
    </Callout>
  ) : (
    <Suspense>
      <Qr value={json} label={`${fileName} as a QR code`} large />
    </Suspense>
  )
}

const Findings = ({ warnings }: Pick<Made, 'warnings'>) =>
  warnings.map((finding) => (
    <Callout key={`${finding.path}:${finding.text}`} kind={finding.level}>
      <code>{finding.path}</code>: {finding.text}
    </Callout>
  ))

/** The file as the form stands, with the lines of the last change marked. */
const Draft = ({ draft }: { draft: DeviceConfig }) => {
  const code = JSON.stringify(draft, null, 2)
  const [shown, setShown] = useState<{ code: string; marked: number[] }>({ code, marked: [] })
  if (shown.code !== code) setShown({ code, marked: changedLines(shown.code, code) })
  return (
    <Panel title={fileName}>
      <div className={stack}>
        <Callout kind="info">A preview. Generate checks the file and completes it with its token.</Callout>
        <Code json label="Preview of the device configuration" code={code} marked={shown.marked} copy={false} />
        <Findings warnings={warningsOf(draft)} />
      </div>
    </Panel>
  )
}

type Props = {
  made: Made | undefined
  /** The form has other values than those of `made`. */
  outdated: boolean
  draft: DeviceConfig | undefined
}

/** The finished file; only this answer contains its token, so it must be saved now or created again. */
export const ConfigResult = ({ made, outdated, draft }: Props) => {
  const top = useRef<HTMLDivElement>(null)
  const [coded, setCoded] = useState(false)
  // The submit button is at the end of a long form, so the result scrolls into view.
  useEffect(() => {
    if (made) top.current?.scrollIntoView({ block: 'start' })
  }, [made])
  if (!made) return draft && <Draft draft={draft} />
  const json = JSON.stringify(made.config, null, 2)
  const short = JSON.stringify(made.config)
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
          {outdated && (
            <Callout kind="warning">
              The form has changed since this file was generated. Generate again to include the changes.
            </Callout>
          )}
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
          <div className={buttons}>
            <Button size="small" aria-expanded={coded} onClick={() => setCoded(!coded)}>
              {coded ? 'Hide QR code' : 'Show QR code'}
            </Button>
          </div>
          {coded && <ConfigCode json={short} />}
          <Code label="Shell one-liner that writes the file" code={shellLine(fileName, short)} />
          <Code label="Command that starts the client" code={command} />
          <Findings warnings={made.warnings} />
        </div>
      </Panel>
    </div>
  )
}
