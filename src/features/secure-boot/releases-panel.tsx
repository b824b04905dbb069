import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { releaseDisplay } from '../../lib/status-display'
import { Status } from '../../ui/text/chip'
import { Panel, PanelBody, PanelRow } from '../../ui/layout/panel'

const row = css({ display: 'flex', justifyContent: 'space-between', gap: '8', w: 'full', minW: '0', overflowWrap: 'anywhere' })

/** The releases that devices get only with this bundle. */
export const ReleasesPanel = ({ bundle: { releases } }: { bundle: SecureBootBundle }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  return (
    <Panel flush title="Releases that need it" aside={String(releases.length)}>
      {releases.length === 0 && (
        <PanelBody>
          <span className={css({ color: 'muted' })}>None.</span>
        </PanelBody>
      )}
      {releases.map(({ id, name, version, state }) => {
        const { shape, word } = releaseDisplay(state)
        return (
          <PanelRow key={id}>
            <div className={row}>
              <Link
                to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status"
                params={{ organizationId, projectId, releaseId: id }}
                className={link()}
                data-ink
              >
                {name} <code>{version}</code>
              </Link>
              <Status shape={shape}>{word}</Status>
            </div>
          </PanelRow>
        )
      })}
    </Panel>
  )
}
