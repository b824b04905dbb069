import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { Device, DeviceChange } from '../../../../contract/fleet/devices'
import { updateDeviceMutation } from '../../../api/mutations/fleet/devices'
import { deviceQuery } from '../../../api/queries/fleet/devices'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { BackLink, useBack } from '../../../system/page/back'
import { BoundForm } from '../../../system/form/bound-form'
import { ConflictNotice } from '../../../system/form/conflict-notice'
import { useForm } from '../../../system/form/form'
import { useRefusal } from '../../../system/scope/grants'
import type { LoaderArgs } from '../../../system/scope/guard'
import { notify } from '../../../system/failure/notify'
import { useSystem } from '../../../system/system'
import { type EditConflict, useEditConflict } from '../../../system/form/edit-conflict'
import { Page, PageHead } from '../../../ui/layout/page'
import { DeviceFields } from './device-fields'
import { DeviceForm, fieldsOf, labels, readDevice } from './device-form'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId_/edit')
const list = '/organizations/$organizationId/projects/$projectId/devices/list' as const

const EditDevice = ({ threeWay }: { threeWay: EditConflict<Device, DeviceChange> }) => {
  const { api } = useSystem()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: tags } = useSuspenseQuery(tagsQuery(api, params.projectId))
  const { navigate } = useRouter()
  const refused = useRefusal('project:manage_devices')
  const device = `/organizations/${params.organizationId}/projects/${params.projectId}/devices/list/${params.deviceId}`
  const back = useBack(device)
  const { base, conflict } = threeWay
  const form = useForm({
    schema: DeviceForm,
    read: readDevice(base),
    save: (body) => threeWay.save(body),
    onSaved: () => {
      void notify({ kind: 'success', text: 'Saved' })
      void navigate({ to: `${list}/$deviceId`, params, replace: true })
    },
  })
  return (
    <BoundForm
      form={form}
      onCancel={back}
      refused={refused}
      sticky
      note="Required fields have an asterisk."
      conflict={
        conflict && (
          <ConflictNotice conflict={conflict} labels={labels} onKeepMine={threeWay.keepMine} onTakeTheirs={threeWay.takeTheirs} />
        )
      }
    >
      <DeviceFields device={base} tags={tags} projectPollS={project.settings.polling_interval_s} field={form.field} />
    </BoundForm>
  )
}

export const load = async ({ context: { api, queryClient }, params }: LoaderArgs<'projectId' | 'deviceId'>) => {
  const [device] = await Promise.all([
    queryClient.ensureQueryData(deviceQuery(api, params.deviceId)),
    queryClient.ensureQueryData(tagsQuery(api, params.projectId)),
  ])
  return device
}

/** The editable fields of a device; what it reports itself cannot be changed. */
export default function EditDevicePage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { data: device } = useSuspenseQuery(deviceQuery(api, params.deviceId))
  const { mutateAsync } = useMutation(updateDeviceMutation(api))
  const threeWay = useEditConflict(device, fieldsOf, (object, body) => mutateAsync({ device: object, body }))
  return (
    <Page width="form">
      <PageHead
        title={`Edit ${device.name}`}
        crumbs={[
          <BackLink key="list" to={list} params={params}>
            Devices
          </BackLink>,
          <BackLink key="device" to={`${list}/$deviceId`} params={params}>
            <code>{device.name}</code>
          </BackLink>,
          'Edit',
        ]}
      />
      <EditDevice key={threeWay.base.revision} threeWay={threeWay} />
    </Page>
  )
}
