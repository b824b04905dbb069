import type { Sbom } from '../../../../contract/components'
import { formatCount } from '../../../lib/amounts'
import { Status } from '../../../ui/chip'
import { Panel, PanelRow } from '../../../ui/panel'
import type { ShapeName } from '../../../ui/shape'
import { css } from 'styled-system/css'

const states: Record<Sbom['state'], { shape: ShapeName; word: string }> = {
  waiting: { shape: 'waiting', word: 'Not read yet' },
  read: { shape: 'success', word: 'Read' },
  refused: { shape: 'error', word: 'Refused' },
}
const formats = { cyclonedx: 'CycloneDX', spdx: 'SPDX' } as const
const row = css({ display: 'flex', flexWrap: 'wrap', columnGap: '16', rowGap: '4', alignItems: 'center', minW: '0' })
const name = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const quiet = css({ color: 'muted', overflowWrap: 'anywhere' })

const describe = ({ format, format_version, component_count, problem }: Sbom): string => {
  if (problem) return problem.field === '' ? problem.rule : `${problem.field}: ${problem.rule}`
  if (format === null) return 'Its components are shown a few seconds after its upload.'
  return `${formats[format]} ${format_version ?? ''}, ${formatCount(component_count)} components`
}

/** The SBOM files of a release: what was read, or why a file was refused. */
export const SbomFiles = ({ sboms }: { sboms: readonly Sbom[] }) => (
  <Panel flush title="SBOM files">
    {sboms.map((sbom) => (
      <PanelRow key={sbom.asset_id}>
        <div className={row}>
          <span className={name}>{sbom.name}</span>
          <Status shape={states[sbom.state].shape}>{states[sbom.state].word}</Status>
          <span className={quiet}>{describe(sbom)}</span>
        </div>
      </PanelRow>
    ))}
  </Panel>
)
