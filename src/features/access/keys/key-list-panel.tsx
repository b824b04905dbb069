import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import { pluralize } from '../../../lib/pluralize'
import { Status } from '../../../ui/text/chip'
import { Panel, PanelRow } from '../../../ui/layout/panel'
import { Progress } from '../../../ui/layout/progress'
import * as Table from '../../../ui/list/table'
import { DateTime, RelativeTime } from '../../../ui/text/time'

type Props = {
  list: NonNullable<KeyRotation['newest']>
  coverage: KeyRotation['coverage']
  /** Some of the devices take a next list by one of the keys that may sign it. */
  canFollow: boolean
}

/** The newest key list, and the active devices that do not hold it. */
export const KeyListPanel = ({ list, coverage: { total, trusting, missing, ahead }, canFollow }: Props) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const lacking = total - trusting
  return (
    <Panel
      flush
      title={`Key list ${list.counter}`}
      aside={
        <Progress
          label="Devices that hold the key list"
          value={total === 0 ? 1 : trusting / total}
          kind={lacking === 0 ? 'success' : 'info'}
        >
          {trusting} of {total}
        </Progress>
      }
    >
      <PanelRow>
        <span>
          Trusted keys: {list.keys.map(({ name, fingerprint }) => name ?? fingerprint.slice(0, 16)).join(', ')}. Signed with{' '}
          {list.signed_by.name ?? list.signed_by.fingerprint.slice(0, 16)}, published by {list.created_by.name},{' '}
          <DateTime value={list.created_at} />.
        </span>
      </PanelRow>
      {ahead.length > 0 && (
        <PanelRow>
          <span>
            {`Ahead of key list ${list.counter}, so they do not take it: `}
            {ahead.map(({ name, counter }) => `${name} (${counter})`).join(', ')}. The next list is numbered above theirs.
          </span>
        </PanelRow>
      )}
      {lacking === 0 ? (
        <PanelRow>
          {total === 0 ? 'No device is active.' : `All ${pluralize(total, 'active device')} trust exactly these keys.`}
        </PanelRow>
      ) : (
        <Table.Root caption="Devices without this key list" auto scroll stack>
          <Table.Head>
            <Table.Th>Device</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th>Takes the list</Table.Th>
          </Table.Head>
          <Table.Body>
            {missing.map((device) => (
              <Table.Row key={device.id}>
                <Table.Cell at="lead">
                  <Link
                    to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId"
                    params={{ organizationId, projectId, deviceId: device.id }}
                    className={link()}
                    data-ink
                  >
                    <code>{device.name}</code>
                  </Link>
                </Table.Cell>
                <Table.Cell quiet at="end">
                  <RelativeTime value={device.last_seen_at} />
                </Table.Cell>
                <Table.Cell at="sub">
                  {device.follows ? (
                    <Status shape="waiting">At its next check-in</Status>
                  ) : (
                    <Status shape="warning">
                      Trusts no key that signed a list:{' '}
                      {canFollow ? 'publish it again, signed with one that it trusts' : 'set public_keys in its device.json'}
                    </Status>
                  )}
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
      {lacking > missing.length && (
        <PanelRow>
          <span className={css({ color: 'muted' })}>And {pluralize(lacking - missing.length, 'more device')}.</span>
        </PanelRow>
      )}
    </Panel>
  )
}
