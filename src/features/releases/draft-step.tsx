import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { useState } from 'react'
import type { Release } from '../../../contract/updates/releases'
import { finalizeReleaseMutation } from '../../api/mutations/updates/releases'
import { failureOf } from '../../api/failure'

import { ChangeFailure } from '../../system/failure/change-failure'
import { notKnownText } from '../../system/form/held-request'
import { useRefusal } from '../../system/scope/grants'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { NumberField } from '../../ui/form/text-field'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const list = css({ display: 'grid', gap: '8', mb: '16' })
const build = css({ display: 'grid', gap: '16', maxW: '320', mt: '16', justifyItems: 'start' })
/** The server's limits: 24 hours and two years. */
const isDays = (text: string) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 730

/**
 * What is left to do for a release in draft: upload its files, then build the manifest. The server checks all fields before it
 * builds, and its refusals are listed.
 */
export const DraftStep = ({ release }: { release: Release }) => {
  const { api } = useSystem()
  const params = route.useParams()
  const refused = useRefusal('project:manage_releases')
  const { mutate, error, isPending } = useMutation(finalizeReleaseMutation(api))
  const [days, setDays] = useState('365')
  const valid = isDays(days.trim())
  const ready = release.assets.filter((asset) => asset.state === 'ready').length
  const total = release.assets.length
  const details = failureOf(error)?.details ?? []
  return (
    <Panel title="Finish the draft">
      <div className={list}>
        <Status shape={total > 0 && ready === total ? 'success' : 'waiting'}>
          {total === 0 ? 'No files yet' : `${ready} of ${total} files uploaded and hashed`}
        </Status>
        <Status shape="waiting">Manifest not built</Status>
        <Status shape="waiting">Not signed</Status>
      </div>
      {details.length > 0 ? (
        <Callout kind="error">
          {details.map((detail) => (
            <p key={detail.field}>{detail.message}</p>
          ))}
        </Callout>
      ) : (
        <ChangeFailure error={error} unanswered={notKnownText} />
      )}
      {total === 0 ? (
        <Link
          to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/assets"
          params={params}
          className={button({ variant: 'primary' })}
        >
          Add files
        </Link>
      ) : (
        <div className={build}>
          <NumberField
            label="Valid for"
            unit="days"
            required
            value={days}
            onChange={(event) => setDays(event.target.value)}
            error={valid ? undefined : 'Enter a whole number from 1 to 730'}
            hint="Devices install the release within this time only. It is signed with the manifest."
          />
          <Button
            variant="primary"
            refused={refused}
            disabled={ready !== total || !valid}
            busy={isPending}
            busyLabel="Building..."
            onClick={() => mutate({ releaseId: release.id, body: { valid_days: Number(days) } })}
          >
            Build manifest
          </Button>
        </div>
      )}
    </Panel>
  )
}
