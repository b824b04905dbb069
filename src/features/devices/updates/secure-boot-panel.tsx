import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { DeviceSecureBoot } from '../../../../contract/updates/secure-boot/devices'
import { deviceSecureBootQuery } from '../../../api/queries/updates/secure-boot-devices'
import { every, paces } from '../../../api/refresh'
import { groupFingerprint } from '../../../lib/names'
import { secureBootDisplay } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { Pairs } from '../../../ui/layout/facts'
import { Callout } from '../../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'

const title = 'Secure boot'
const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const mono = css({ textStyle: 'mono', overflowWrap: 'anywhere' })

const BundleLink = ({ bundle }: { bundle: DeviceSecureBoot['bundle'] }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  if (!bundle) return '–'
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId"
      params={{ organizationId, projectId, artifactsBundleId: bundle.id }}
      className={link()}
    >
      {bundle.name} <code>{bundle.version}</code>
    </Link>
  )
}

/** What the device reports about its secure boot, its bundle, and each difference between both. */
export const SecureBootPanel = ({ deviceId }: { deviceId: string }) => {
  const { api } = useSystem()
  const { data, error, refetch } = useQuery({ ...deviceSecureBootQuery(api, deviceId), refetchInterval: every(paces.fleet) })
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (!data)
    return (
      <Panel flush title={title}>
        <PanelSkeletons />
      </Panel>
    )
  const { shape, word } = secureBootDisplay(data.state)
  return (
    <Panel title={title}>
      <div className={stack}>
        <Pairs
          facts={[
            { label: 'State', value: <Status shape={shape}>{word}</Status> },
            { label: 'Bundle', value: <BundleLink bundle={data.bundle} /> },
            ...(data.expected && data.expected.id !== data.bundle?.id
              ? [{ label: 'In use for its model', value: <BundleLink bundle={data.expected} /> }]
              : []),
            { label: 'Rollback version', value: data.rollback_version ?? '–' },
            {
              label: 'Key hash',
              value:
                data.key_hash === null ? (
                  '–'
                ) : (
                  <code className={mono} title={groupFingerprint(data.key_hash)}>
                    {groupFingerprint(data.key_hash, 16)}
                  </code>
                ),
            },
          ]}
        />
        {data.drift.map(({ field, text, reported, expected }) => (
          <Callout key={field} kind="warning">
            <p>Drift: {text}.</p>
            <p className={mono}>
              reported {reported ?? 'nothing'}, expected {expected ?? 'nothing'}
            </p>
          </Callout>
        ))}
      </div>
    </Panel>
  )
}
