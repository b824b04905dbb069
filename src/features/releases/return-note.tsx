import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Release } from '../../../contract/updates/releases'
import { returnVersionsQuery } from '../../api/queries/updates/releases'
import { useSystem } from '../../system/system'

const line = css({ color: 'muted', textStyle: 'body', '& code': { textStyle: 'mono' } })

const Versions = ({ versions }: { versions: readonly number[] }) => (
  <>
    version{versions.length > 1 && 's'} <code>{versions.join(', ')}</code>
  </>
)

/** The list that a draft without one would get if the manifest was built now. */
const Proposed = ({ release }: { release: Release }) => {
  const { api } = useSystem()
  const asked = { hardware_models: release.hardware_models.join(','), below: String(release.version) }
  const { data } = useQuery(returnVersionsQuery(api, release.project_id, asked))
  if (!data) return null
  const { versions } = data
  if (versions.length === 0)
    return (
      <>
        Devices could not return from this release: its manifest will list the older versions that devices run, and none runs one
        now. Edit the release to list versions yourself.
      </>
    )
  return (
    <>
      Devices may return from this release to <Versions versions={versions} />, which devices run now. The list is made again when
      the manifest is built.
    </>
  )
}

/** Versions that devices may return to from this release, signed or proposed. */
export const ReturnNote = ({ release }: { release: Release }) => {
  const { may_return_to: versions, manifest } = release
  return (
    <p className={line}>
      {versions === null ? (
        manifest === null ? (
          <Proposed release={release} />
        ) : (
          'Devices cannot return from this release: it was signed before releases listed versions to return to.'
        )
      ) : versions.length === 0 ? (
        'Devices cannot return from this release: its signed manifest lists no older version.'
      ) : (
        <>
          Devices may return from this release to <Versions versions={versions} />.
        </>
      )}
    </p>
  )
}
