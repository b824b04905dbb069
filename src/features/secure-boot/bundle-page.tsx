import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { BackLink } from '../../system/back'
import { titles } from '../../../contract/errors'
import { ErrorBox } from '../../ui/notice'
import { Page, PageHead } from '../../ui/page'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId')
const list = '/organizations/$organizationId/projects/$projectId/secure-boot/list' as const

/** §8: no bundle has this id. */
export default function BundlePage() {
  const { artifactsBundleId, ...params } = route.useParams()
  const bundles = (
    <BackLink to={list} params={params}>
      Secure Boot
    </BackLink>
  )
  return (
    <Page>
      <PageHead title="Bundle" crumbs={[bundles, <code key="id">{artifactsBundleId}</code>]} />
      <div className={css({ pt: '8' })}>
        <ErrorBox
          title={titles.notFound}
          action={
            <Link to={list} params={params} className={button()}>
              All bundles
            </Link>
          }
        >
          No bundle of this project has this id.
        </ErrorBox>
      </div>
    </Page>
  )
}
