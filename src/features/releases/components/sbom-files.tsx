import type { Sbom } from '../../../../contract/updates/components'
import { formatCount } from '../../../lib/amounts'
import { Status } from '../../../ui/text/chip'
import { Panel, PanelRow } from '../../../ui/layout/panel'
import type { ShapeName } from '../../../ui/layout/shape'
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

const list = css({ w: 'full', color: 'muted', overflowWrap: 'anywhere' })

const fieldText = ({ field, rule }: Sbom['notes'][number]) => (field === '' ? rule : `${field}: ${rule}`)

const describe = ({ format, format_version, component_count, problem, note_count }: Sbom): string => {
  if (problem) return fieldText(problem)
  if (format === null) return 'Its components are shown a few seconds after its upload.'
  const read = `${formats[format]} ${format_version ?? ''}, ${formatCount(component_count)} components`
  if (note_count === 0) return read
  return `${read}. ${note_count === 1 ? '1 field was' : `${formatCount(note_count)} fields were`} cut or left out`
}

/** What of a file was not read as it is, and where. */
const Notes = ({ notes, note_count }: Sbom) => (
  <ul className={list} aria-label="Fields that were cut or left out">
    {notes.map((note, n) => (
      // oxlint-disable-next-line react/no-array-index-key -- the list never changes its order
      <li key={n}>{fieldText(note)}</li>
    ))}
    {note_count > notes.length && <li>and {formatCount(note_count - notes.length)} more</li>}
  </ul>
)

/** The SBOM files of a release: what was read, or why a file was refused. */
export const SbomFiles = ({ sboms }: { sboms: readonly Sbom[] }) => (
  <Panel flush title="SBOM files">
    {sboms.map((sbom) => (
      <PanelRow key={sbom.asset_id}>
        <div className={row}>
          <span className={name}>{sbom.name}</span>
          <Status shape={states[sbom.state].shape}>{states[sbom.state].word}</Status>
          <span className={quiet}>{describe(sbom)}</span>
          {sbom.notes.length > 0 && <Notes {...sbom} />}
        </div>
      </PanelRow>
    ))}
  </Panel>
)
