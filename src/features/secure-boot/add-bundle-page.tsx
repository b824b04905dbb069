import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { nextBundleVersionQuery } from '../../api/queries/updates/bundles'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { BackLink } from '../../system/page/back'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { Page, PageHead } from '../../ui/layout/page'

const AddBundleForm = lazyPart(() => import('./add-bundle-form').then((part) => part.AddBundleForm))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/add')
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)', pt: '12', maxW: 'form' })

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  Promise.all([
    queryClient.ensureQueryData(nextBundleVersionQuery(api, params.projectId)),
    queryClient.ensureQueryData(signingKeysQuery(api, params.projectId)),
  ])

/** Creates the draft; its parts are uploaded on its page. */
export default function AddBundlePage() {
  const params = route.useParams()
  const bundles = (
    <BackLink to="/organizations/$organizationId/projects/$projectId/secure-boot/list" params={params}>
      Secure Boot
    </BackLink>
  )
  return (
    <Page width="form">
      <PageHead title="Add Bundle" crumbs={[bundles, 'Add Bundle']} />
      <Suspense
        fallback={
          <div className={stack} aria-busy>
            <FieldSkeleton />
            <FieldSkeleton />
            <FieldSkeleton />
          </div>
        }
      >
        <AddBundleForm />
      </Suspense>
    </Page>
  )
}
