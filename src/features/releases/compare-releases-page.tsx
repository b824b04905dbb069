import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { listLimit } from '../../../contract/core/limits'
import { compareReleases, type FieldDifference, type FileDifference } from '../../../contract/updates/release-comparison'
import type { Release } from '../../../contract/updates/releases'
import { releaseQuery, releasesQuery } from '../../api/queries/updates/releases'
import { formatBytes } from '../../lib/bytes'
import { groupFingerprint } from '../../lib/names'
import { FailureBox } from '../../system/failure/failure-box'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/text/chip'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { EmptyState } from '../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../ui/layout/panel'
import type { ShapeName } from '../../ui/layout/shape'
import * as Table from '../../ui/list/table'
import { ComponentDifferences } from './components/component-differences'

const ComboboxField = lazyPart(() => import('../../ui/form/select-field').then((part) => part.ComboboxField))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/compare')
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })
const choice = css({ maxW: '400' })
const wideOnly = css({ hideBelow: 'lg' })

const nameOf = ({ name, display_version: shown, version }: Release) => `${name} (${shown ?? `v${version}`})`

const changes: Record<FileDifference['change'], { shape: ShapeName; word: string }> = {
  changed: { shape: 'warning', word: 'Changed' },
  added: { shape: 'success', word: 'Added' },
  removed: { shape: 'error', word: 'Removed' },
  same: { shape: 'waiting', word: 'Unchanged' },
}

const sizeChange = (before: number, after: number) =>
  before === after ? formatBytes(after) : `${formatBytes(before)} → ${formatBytes(after)}`

const shortHash = (hash: string | null | undefined) => (hash ? groupFingerprint(hash, 12) : '–')

const FieldTable = ({ fields }: { fields: FieldDifference[] }) => (
  <Table.Root caption="Fields that differ" stack>
    <Table.Head>
      <Table.Th className={css({ w: '232' })}>Field</Table.Th>
      <Table.Th>Before</Table.Th>
      <Table.Th>After</Table.Th>
    </Table.Head>
    <Table.Body>
      {fields.map(({ field, before, after }) => (
        <Table.Row key={field}>
          <Table.Cell at="lead">{field}</Table.Cell>
          <Table.Cell mono quiet at="sub" title={before}>
            {before}
          </Table.Cell>
          <Table.Cell mono at="subEnd" title={after}>
            {after}
          </Table.Cell>
        </Table.Row>
      ))}
    </Table.Body>
  </Table.Root>
)

const FileTable = ({ files }: { files: FileDifference[] }) => (
  <Table.Root caption="Files" stack>
    <Table.Head>
      <Table.Th>File</Table.Th>
      <Table.Th className={css({ w: '136' })}>Change</Table.Th>
      <Table.Th className={css({ w: '200', hideBelow: 'lg' })}>SHA-256 before</Table.Th>
      <Table.Th className={css({ w: '200', hideBelow: 'lg' })}>SHA-256 after</Table.Th>
      <Table.Th align="end" className={css({ w: '180' })}>
        Size
      </Table.Th>
    </Table.Head>
    <Table.Body>
      {files.map(({ path, change, before, after }) => (
        <Table.Row key={path} dimmed={change === 'same'}>
          <Table.Cell mono at="lead" title={path}>
            {path}
          </Table.Cell>
          <Table.Cell at="sub">
            <Status shape={changes[change].shape}>{changes[change].word}</Status>
          </Table.Cell>
          <Table.Cell mono quiet className={wideOnly}>
            {shortHash(before?.sha256)}
          </Table.Cell>
          <Table.Cell mono quiet className={wideOnly}>
            {shortHash(after?.sha256)}
          </Table.Cell>
          <Table.Cell align="end" at="subEnd">
            {sizeChange((before ?? after)?.size ?? 0, (after ?? before)?.size ?? 0)}
          </Table.Cell>
        </Table.Row>
      ))}
    </Table.Body>
  </Table.Root>
)

const Comparison = ({ before, after }: { before: Release; after: Release }) => {
  const { fields, files, size } = compareReleases(before, after)
  const changed = files.filter(({ change }) => change !== 'same').length
  return (
    <>
      <Panel title="Fields" aside={`${fields.length} of them differ`}>
        {fields.length === 0 ? <EmptyState small title="Not Found" /> : <FieldTable fields={fields} />}
      </Panel>
      <Panel title="Files" aside={`${changed} of ${files.length} differ, ${sizeChange(size.before, size.after)}`}>
        {files.length === 0 ? <EmptyState small title="Not Found" /> : <FileTable files={files} />}
      </Panel>
      <ComponentDifferences releaseId={after.id} before={before.id} />
    </>
  )
}

/** What a device gets that goes from another release of the project to this one. */
export default function CompareReleasesPage() {
  const { api } = useSystem()
  const { projectId, releaseId } = route.useParams()
  const { with: chosen } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: after } = useSuspenseQuery(releaseQuery(api, releaseId))
  const list = useInfiniteQuery(releasesQuery(api, projectId, { limit: listLimit.max }))
  const others = list.data?.pages.flatMap((page) => page.releases).filter(({ id }) => id !== releaseId) ?? []
  // Newest first: the first one that is older is the release before this one.
  const beforeId = chosen ?? (others.find(({ version }) => version < after.version) ?? others[0])?.id
  const before = useQuery({ ...releaseQuery(api, beforeId ?? ''), enabled: beforeId !== undefined })
  const error = list.error ?? before.error
  const options = (before.data && !others.some(({ id }) => id === before.data.id) ? [before.data, ...others] : others).map(
    (release) => ({ value: release.id, label: nameOf(release) }),
  )
  if (error) return <FailureBox error={error} onRetry={() => void (list.error ? list.refetch() : before.refetch())} />
  if (list.data && beforeId === undefined)
    return (
      <EmptyState small title="Not Found">
        This project has no other release.
      </EmptyState>
    )
  return (
    <div className={stack}>
      <div className={choice}>
        <Suspense fallback={<FieldSkeleton />}>
          <ComboboxField
            label="Compare with"
            items={options}
            value={beforeId ?? ''}
            onValueChange={(value) =>
              value !== '' && void navigate({ search: (kept) => ({ ...kept, with: value }), replace: true })
            }
          />
        </Suspense>
      </div>
      {before.data ? (
        <Comparison before={before.data} after={after} />
      ) : (
        <Panel flush title="Files">
          <PanelSkeletons rows={4} />
        </Panel>
      )}
    </div>
  )
}
