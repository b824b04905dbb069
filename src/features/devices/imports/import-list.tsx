import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { DeviceImport } from '../../../../contract/fleet/device-imports'
import { deletedDeviceDays } from '../../../../contract/fleet/devices'
import { undoDeviceImportMutation } from '../../../api/mutations/fleet/device-imports'
import { deviceImportsQuery } from '../../../api/queries/fleet/device-imports'
import { every, paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { fetchPart } from '../../../system/page/lazy'
import { notify } from '../../../system/failure/notify'
import { useSystem } from '../../../system/system'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { Button } from '../../../ui/button'
import { Freshness } from '../../../system/refresh/freshness'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../../ui/layout/panel'
import { Progress } from '../../../ui/layout/progress'
import * as Table from '../../../ui/list/table'
import { RelativeTime } from '../../../ui/text/time'

type Place = { organizationId: string; projectId: string }
const list = '/organizations/$organizationId/projects/$projectId/devices/list' as const

const consequence = ({ seen }: DeviceImport) =>
  `Their clients are refused from then on. ${seen === 0 ? '' : `The ${pluralize(seen, 'device')} that contacted this server stay. `}Deleted devices can be restored for ${deletedDeviceDays} days, and the file can be imported again.`

const Undo = ({ one, projectId }: { one: DeviceImport; projectId: string }) => {
  const { api, modals } = useSystem()
  const refused = useRefusal('project:manage_devices')
  const { mutateAsync, isPending } = useMutation({ ...undoDeviceImportMutation(api, projectId), onError: notifyFailed })
  const unseen = one.devices - one.seen
  const undo = async () => {
    const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
    const question = {
      title: `Delete ${pluralize(unseen, 'device')} never seen?`,
      text: consequence(one),
      accept: 'Delete',
      decline: 'Cancel',
      danger: true,
    }
    if (!(await confirm(modals, question))) return
    const answer = await mutateAsync(one.id).catch(() => undefined)
    if (answer) void notify({ kind: 'success', text: `${pluralize(answer.deleted, 'device')} deleted` })
  }
  return (
    <Button
      size="small"
      variant="dangerOutline"
      refused={refused}
      busy={isPending}
      busyLabel="Deleting..."
      onClick={() => void undo()}
    >
      Undo
    </Button>
  )
}

const Row = ({ one, place }: { one: DeviceImport; place: Place }) => {
  const unseen = one.devices - one.seen
  const name = one.file_name ?? 'Pasted lines'
  return (
    <Table.Row>
      <Table.Cell at="lead">
        <Link className={link()} data-ink title={name} to={list} params={place} search={{ import_id: one.id }}>
          {name}
        </Link>
      </Table.Cell>
      <Table.Cell quiet at="sub">
        <RelativeTime value={one.created_at} /> by {one.created_by.name}
      </Table.Cell>
      <Table.Cell>{formatCount(one.devices)}</Table.Cell>
      <Table.Cell at="subEnd">
        <Progress
          value={one.devices === 0 ? 0 : one.seen / one.devices}
          kind={unseen === 0 ? 'success' : 'info'}
          label={`Seen of ${name}`}
        >
          Seen {formatCount(one.seen)} of {formatCount(one.devices)}
        </Progress>
      </Table.Cell>
      <Table.Cell>
        {unseen === 0 ? (
          '–'
        ) : (
          <Link className={link()} to={list} params={place} search={{ import_id: one.id, connectivity: 'never_seen' }}>
            {formatCount(unseen)} not yet
          </Link>
        )}
      </Table.Cell>
      <Table.Cell align="end" at="end" className={css({ py: '0' })}>
        {unseen > 0 && <Undo one={one} projectId={place.projectId} />}
      </Table.Cell>
    </Table.Row>
  )
}

/** The imports, and how many of their devices have contacted this server since. */
export const ImportList = (place: Place) => {
  const { api } = useSystem()
  const query = useQuery({ ...deviceImportsQuery(api, place.projectId), refetchInterval: every(paces.fleet) })
  const { data: imports, error, refetch } = query
  return (
    <Panel flush title="Arrival of imported devices" aside={<Freshness query={query} />}>
      {!imports &&
        (error ? (
          <PanelBody>
            <FailureBox error={error} onRetry={() => void refetch()} />
          </PanelBody>
        ) : (
          <PanelSkeletons rows={2} />
        ))}
      {imports?.length === 0 && (
        <PanelRow>Not Found. After an import, this list counts the devices that have contacted this server.</PanelRow>
      )}
      {imports && imports.length > 0 && (
        <Table.Root caption="Imports" auto scroll stack>
          <Table.Head>
            <Table.Th>File</Table.Th>
            <Table.Th>Imported</Table.Th>
            <Table.Th>Devices</Table.Th>
            <Table.Th>Seen</Table.Th>
            <Table.Th>Never seen</Table.Th>
            <Table.Th aria-label="Undo" />
          </Table.Head>
          <Table.Body>
            {imports.map((one) => (
              <Row key={one.id} one={one} place={place} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Panel>
  )
}
