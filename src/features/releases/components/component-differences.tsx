import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { ComponentComparison, ComponentDifference } from '../../../../contract/updates/components'
import { componentDifferencesQuery } from '../../../api/queries/updates/components'
import { formatCount } from '../../../lib/amounts'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { EmptyState } from '../../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import type { ShapeName } from '../../../ui/layout/shape'
import * as Table from '../../../ui/list/table'
import { VirtualRows } from '../../../ui/list/virtual-rows'

const changes: Record<ComponentDifference['change'], { shape: ShapeName; word: string }> = {
  changed: { shape: 'warning', word: 'Changed' },
  added: { shape: 'success', word: 'Added' },
  removed: { shape: 'error', word: 'Removed' },
}
const roomyOnly = css({ hideBelow: 'lg' })

const DifferenceRow = ({ difference: { change, before, after } }: { difference: ComponentDifference }) => {
  const { name, purl } = after ?? before ?? { name: '', purl: null }
  return (
    <Table.Row>
      <Table.Cell at="lead" title={purl ?? name}>
        {name}
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={changes[change].shape}>{changes[change].word}</Status>
      </Table.Cell>
      <Table.Cell mono at="subEnd">
        {change === 'changed' ? `${before?.version ?? '–'} → ${after?.version ?? '–'}` : ((after ?? before)?.version ?? '–')}
      </Table.Cell>
      <Table.Cell quiet className={roomyOnly} title={(after ?? before)?.licence ?? undefined}>
        {(after ?? before)?.licence ?? '–'}
      </Table.Cell>
    </Table.Row>
  )
}

const missing = ({ total }: ComponentComparison) =>
  total.after === 0 ? 'This release has no components' : 'The other release has no components'

const Differences = ({ comparison }: { comparison: ComponentComparison }) => {
  const { total, counts, differences } = comparison
  if (total.before === 0 || total.after === 0)
    return (
      <EmptyState small title="Not Found">
        {missing(comparison)}: add an SBOM to a release to compare what it contains.
      </EmptyState>
    )
  if (differences.length === 0) return <EmptyState small title="Not Found" />
  const hidden = counts.added + counts.removed + counts.changed - differences.length
  return (
    <>
      <Table.Root caption="Components that differ" stack virtual>
        <Table.Head>
          <Table.Th>Component</Table.Th>
          <Table.Th className={css({ w: '136' })}>Change</Table.Th>
          <Table.Th className={css({ w: '232' })}>Version</Table.Th>
          <Table.Th className={roomyOnly}>Licence</Table.Th>
        </Table.Head>
        <VirtualRows stack count={differences.length}>
          {(index) => {
            const difference = differences[index]
            return difference && <DifferenceRow key={index} difference={difference} />
          }}
        </VirtualRows>
      </Table.Root>
      {hidden > 0 && <p className={css({ color: 'muted' })}>{formatCount(hidden)} more are not shown.</p>}
    </>
  )
}

const summary = ({ counts: { added, removed, changed } }: ComponentComparison) =>
  `${formatCount(changed)} changed, ${formatCount(added)} added, ${formatCount(removed)} removed`

/** The components that change from one release to another, by their SBOMs. */
export const ComponentDifferences = ({ releaseId, before }: { releaseId: string; before: string }) => {
  const { api } = useSystem()
  const { data, error, refetch } = useQuery(componentDifferencesQuery(api, releaseId, before))
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  return (
    <Panel flush={!data} title="Components" aside={data && summary(data)}>
      {data ? <Differences comparison={data} /> : <PanelSkeletons rows={3} />}
    </Panel>
  )
}
