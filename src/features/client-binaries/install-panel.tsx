import { useState } from 'react'
import { css } from 'styled-system/css'
import { type ClientBinary, type System } from '../../../contract/fleet/client-binaries'
import { Code } from '../../ui/text/code'
import { Panel } from '../../ui/layout/panel'
import { Segment } from '../../ui/form/segment'
import { stepsOf, systemOf } from './commands'

const steps = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const step = css({ display: 'grid', gap: '6', gridTemplateColumns: 'minmax(0, 1fr)' })
const number = css({ color: 'muted', fontWeight: 'regular', mr: '8' })
const label = css({ textStyle: 'strong' })
const after = css({ mt: '12', color: 'muted', textStyle: 'small' })

const systems = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
] as const satisfies readonly { value: System; label: string }[]

const afterText = ({ kind, url }: ClientBinary, system: System) => {
  if (kind === 'cli')
    return `Set TEASEL_URL to ${new URL(url).origin} and TEASEL_TOKEN to an access token from the Access page of a project.`
  return system === 'windows'
    ? 'For PowerShell. Devices that install updates run Linux.'
    : 'Create device.json with the config generator of a project, under Devices.'
}

/** The installation commands, one line per step, to be copied. */
export const InstallPanel = ({ binary }: { binary: ClientBinary }) => {
  const [system, setSystem] = useState<System>(() => systemOf(navigator.userAgent))
  return (
    <Panel title="Install" aside={<Segment small label="System" items={systems} value={system} onValueChange={setSystem} />}>
      <ol className={steps}>
        {stepsOf(binary, system).map(({ label: what, command }, index) => (
          <li key={what} className={step}>
            <span className={label}>
              <span className={number}>{index + 1}</span>
              {what}
            </span>
            <Code label={what} code={command} />
          </li>
        ))}
      </ol>
      <p className={after}>{afterText(binary, system)}</p>
    </Panel>
  )
}
