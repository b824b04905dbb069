import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { keyCoverageQuery } from '../../../api/queries/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { RelativeTime } from '../../../ui/text/time'

const scrolled = css({ maxH: '320', overflowY: 'auto' })

/** The devices that do not report that they trust a key. */
export const KeyCoverageDialog = ({ signingKey, onClose }: { signingKey: SigningKey; onClose: () => void }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { close, root } = useModal('key_coverage', onClose)
  const { data, error, refetch } = useQuery(keyCoverageQuery(api, signingKey.id))
  const lacking = data && data.total - data.trusting
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Devices without ${signingKey.name}`}
        description={
          lacking === 0
            ? 'Every active device trusts this key.'
            : 'They refuse releases that only this key has signed, until they take a key list with it (Key rotation), or have it in their device.json.'
        }
        footer={<Button onClick={close}>Close</Button>}
      >
        {!data && (error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <PanelSkeletons />)}
        {data && data.missing.length > 0 && (
          <div className={scrolled}>
            <Table.Root caption="Devices without this key" dense>
              <Table.Head>
                <Table.Th>Device</Table.Th>
                <Table.Th className={css({ w: '112' })}>Last seen</Table.Th>
              </Table.Head>
              <Table.Body>
                {data.missing.map((device) => (
                  <Table.Row key={device.id}>
                    <Table.Cell>
                      <Link
                        to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId"
                        params={{ organizationId, projectId, deviceId: device.id }}
                        className={link()}
                        data-ink
                      >
                        <code>{device.name}</code>
                      </Link>
                    </Table.Cell>
                    <Table.Cell quiet>
                      <RelativeTime value={device.last_seen_at} />
                    </Table.Cell>
                  </Table.Row>
                ))}
              </Table.Body>
            </Table.Root>
          </div>
        )}
        {data && lacking !== undefined && lacking > data.missing.length && (
          <p>And {pluralize(lacking - data.missing.length, 'more device')}.</p>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
