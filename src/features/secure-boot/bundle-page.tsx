import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { bundleQuery } from '../../api/queries/updates/bundles'
import { dueIn, paces } from '../../api/refresh'
import { BackLink } from '../../system/page/back'
import { GonePage, isGone } from '../../system/gone/gone-page'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { ChartPanel } from '../../ui/chart/chart-panel'
import { Chip } from '../../ui/text/chip'
import { FactStrip } from '../../ui/layout/facts'
import { Callout } from '../../ui/layout/notice'
import { Columns, Page, PageHead } from '../../ui/layout/page'
import { Panel, PanelSkeletons } from '../../ui/layout/panel'
import { DateTime } from '../../ui/text/time'
import { AppliedPanel } from './applied-panel'
import { BundleActions } from './bundle-actions'
import { bundleDisplay, platformLabels } from './bundle-display'
import { ChecksPanel } from './checks-panel'
import { CompletenessPanel } from './completeness-panel'
import { KeysPanel } from './keys-panel'
import { PartsPanel } from './parts-panel'
import { ReleasesPanel } from './releases-panel'

const BundleChart = lazyPart(() => import('./bundle-chart').then((part) => part.BundleChart))
const PlanPanel = lazyPart(() => import('./plan-panel').then((part) => part.PlanPanel))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId')
const list = '/organizations/$organizationId/projects/$projectId/secure-boot/list' as const
const mono = css({ textStyle: 'mono' })
const text = css({ color: 'text2', maxW: '960', py: '12', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' })

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'artifactsBundleId'>) =>
  queryClient.ensureQueryData(bundleQuery(api, params.artifactsBundleId))

/** One bundle: its parts, the findings of the checks, its fuse plan, and the devices that have it. */
export default function BundlePage() {
  const { api } = useSystem()
  const { artifactsBundleId, ...params } = route.useParams()
  const query = useSuspenseQuery({
    ...bundleQuery(api, artifactsBundleId),
    refetchInterval: ({ state }) => dueIn(state, state.data?.state === 'checking' ? paces.log : paces.fleet),
  })
  const { data: bundle } = query
  const { shape, word } = bundleDisplay(bundle.state)
  const crumbs = [
    <BackLink key="list" to={list} params={params}>
      Secure Boot
    </BackLink>,
    bundle.name,
  ]
  const destroyed = bundle.artifacts.filter((part) => part.reject_code === 'private_key')
  if (isGone(query)) return <GonePage kind="artifact_bundle" id={bundle.id} name={bundle.name} log={params} crumbs={crumbs} />
  return (
    <Page>
      <PageHead
        crumbs={crumbs}
        title={bundle.name}
        count={<code className={mono}>{bundle.version}</code>}
        chips={<Chip shape={shape}>{bundle.state_reason === null ? word : `${word}: ${bundle.state_reason}`}</Chip>}
        actions={<BundleActions bundle={bundle} />}
      />
      <RefreshFailed query={query} />
      <FactStrip
        facts={[
          { label: 'Platform', value: platformLabels[bundle.platform] },
          { label: 'Models', value: <span className={mono}>{bundle.hardware_models.join(', ')}</span> },
          { label: 'Rollback version', value: bundle.rollback_version },
          { label: 'Required parts', value: `${bundle.completeness.present} of ${bundle.completeness.total}` },
          {
            label: 'Devices',
            value: bundle.applied.devices === 0 ? '0' : `${bundle.applied.devices}, ${bundle.applied.closed} closed`,
          },
          { label: 'Checked', value: <DateTime value={bundle.checked_at} /> },
        ]}
      />
      {bundle.description !== '' && <p className={text}>{bundle.description}</p>}
      {destroyed.length > 0 && (
        <div className={css({ py: '12' })}>
          <Callout kind="error">
            A private key was found in {destroyed.map((part) => part.file_name).join(', ')}. The bytes were deleted at once and
            are not stored anywhere here; this is recorded in the audit log. Consider the key as exposed: it has left your
            machine. Replace it, and remove the file from this bundle.
          </Callout>
        </div>
      )}
      <div className={css({ pt: '16' })}>
        <Columns
          side={
            <>
              <CompletenessPanel bundle={bundle} />
              <KeysPanel bundle={bundle} />
              <AppliedPanel bundle={bundle} />
              <ReleasesPanel bundle={bundle} />
            </>
          }
        >
          <PartsPanel bundle={bundle} />
          <ChecksPanel bundle={bundle} />
          <Suspense
            fallback={
              <Panel flush title="Fuse plan">
                <PanelSkeletons rows={4} />
              </Panel>
            }
          >
            <PlanPanel bundle={bundle} />
          </Suspense>
          <ChartPanel about="All states of a bundle, and the one it is in.">
            <BundleChart bundle={bundle} />
          </ChartPanel>
        </Columns>
      </div>
    </Page>
  )
}
