import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { bundleQuery } from '../../api/queries/updates/bundles'
import { useSystem } from '../../system/system'

const line = css({ color: 'muted', textStyle: 'body', '& code': { textStyle: 'mono' } })

/** The secure boot bundle that devices need for a release. */
export const BundleNote = ({ bundleId }: { bundleId: string }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data } = useQuery(bundleQuery(api, bundleId))
  return (
    <p className={line}>
      Needs the secure boot bundle{' '}
      <Link
        to="/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId"
        params={{ organizationId, projectId, artifactsBundleId: bundleId }}
        className={link()}
      >
        {data ? `${data.name} (${data.version})` : bundleId}
      </Link>
      {data && (
        <>
          , rollback version <code>{data.rollback_version}</code>
          {data.state === 'revoked' && ', which was revoked: the release can no longer be rolled out'}
        </>
      )}
      .
    </p>
  )
}
