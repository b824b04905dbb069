import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { BackLink } from '../../system/back'
import { lazyPart } from '../../system/lazy'
import { Callout } from '../../ui/notice'
import { Page, PageHead } from '../../ui/page'
import { Panel, PanelRow } from '../../ui/panel'
import { Shape } from '../../ui/shape'
import { Skeleton } from '../../ui/skeleton'
import { type Platform, platforms } from './platforms'

const PlatformSelect = lazyPart(() => import('./platform-select').then((part) => part.PlatformSelect))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/add')
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)', pt: '12', maxW: 'form' })
const line = css({ display: 'flex', alignItems: 'center', gap: '8' })

const Needed = ({ platform }: { platform: Platform }) => (
  <>
    <Panel flush title="Parts" aside={String(platform.parts.length)}>
      {platform.parts.map((part) => (
        <PanelRow key={part}>{part}</PanelRow>
      ))}
    </Panel>
    <Panel flush title="Written once, permanently" aside={String(platform.fuses.length)}>
      {platform.fuses.length === 0 && <PanelRow>Nothing: the keys are in variables or in the bootloader.</PanelRow>}
      {platform.fuses.map((fuse) => (
        <PanelRow key={fuse}>
          <span className={line}>
            <Shape name="warning" />
            {fuse}
          </span>
        </PanelRow>
      ))}
    </Panel>
  </>
)

/** The requirements of a bundle by platform; the API host does not accept bundles yet. */
export default function AddBundlePage() {
  const params = route.useParams()
  const [platform, setPlatform] = useState(platforms[0])
  const bundles = (
    <BackLink to="/organizations/$organizationId/projects/$projectId/secure-boot/list" params={params}>
      Secure Boot
    </BackLink>
  )
  return (
    <Page width="form">
      <PageHead title="Add Bundle" crumbs={[bundles, 'Add Bundle']} />
      <div className={stack}>
        <Callout kind="info">Bundles cannot be uploaded yet. Prepare these parts of a bundle for your board.</Callout>
        <Suspense fallback={<Skeleton height="control" />}>
          <PlatformSelect platform={platform} onChoose={setPlatform} />
        </Suspense>
        {platform && <Needed platform={platform} />}
      </div>
    </Page>
  )
}
