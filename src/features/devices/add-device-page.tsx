import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { assign, object } from 'superstruct'
import { type createDevice, Metadata, NewDevice } from '../../../contract/devices'
import type { AnswerOf } from '../../../contract/endpoint'
import { createDeviceMutation } from '../../api/mutations/devices'
import { projectQuery } from '../../api/queries/projects'
import { tagsQuery } from '../../api/queries/tags'
import { BackLink, useBack } from '../../system/back'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useRefusal } from '../../system/grants'
import type { LoaderArgs } from '../../system/guard'
import { jsonObject, jsonOf } from '../../system/json-value'
import { lazyPart } from '../../system/lazy'
import { useSystem } from '../../system/system'
import { JsonField } from '../../ui/form/json-field'
import { TextField } from '../../ui/form/text-field'
import { Page, PageHead } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { EnrolledDevice } from './enrolled-device'
import { tagNames, TagsField } from './tags-field'

const ModelSelect = lazyPart(() => import('./model-select').then((part) => part.ModelSelect))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/add')
const list = '/organizations/$organizationId/projects/$projectId/devices/list' as const

const AddForm = assign(NewDevice, object({ metadata: jsonObject(Metadata) }))

const read = (data: FormData): unknown => {
  const serial = data.get('serial_number')
  return {
    name: data.get('name'),
    ...(typeof serial === 'string' && serial.trim() !== '' && { serial_number: serial.trim() }),
    hardware_model: data.get('hardware_model') ?? '',
    tags: tagNames(data.get('tags')),
    metadata: jsonOf(data.get('metadata')),
  }
}

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  queryClient.ensureQueryData(tagsQuery(api, params.projectId))

/** Pre-enrolls a device: creates it with a token before it is switched on. */
export default function AddDevicePage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: tags } = useSuspenseQuery(tagsQuery(api, params.projectId))
  const { mutateAsync } = useMutation({ ...createDeviceMutation(api, params.projectId), gcTime: 0 })
  const refused = useRefusal('project:manage_devices')
  const [chosen, setChosen] = useState<string[]>([])
  const [made, setMade] = useState<AnswerOf<typeof createDevice>>()
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/devices/list`)
  const form = useForm({
    schema: AddForm,
    read,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: setMade,
  })
  const devices = (
    <BackLink to={list} params={params}>
      Devices
    </BackLink>
  )
  const models = project.settings.hardware_models
  const model = form.field('hardware_model')
  return (
    <Page width="form">
      <PageHead title="Add Device" crumbs={[devices, 'Add Device']} />
      {made ? (
        <EnrolledDevice device={made} />
      ) : (
        <BoundForm form={form} onCancel={back} refused={refused} note="Required fields have an asterisk.">
          <TextField {...form.field('name')} label="Name" required mono autoFocus spellCheck={false} />
          <TextField
            {...form.field('serial_number')}
            label="Serial number"
            mono
            spellCheck={false}
            hint="As printed on the device. Optional."
          />
          {models.length === 0 ? (
            <TextField {...model} label="Hardware model" required mono spellCheck={false} placeholder="gw-imx8m" />
          ) : (
            <Suspense fallback={<Skeleton height="control" />}>
              <ModelSelect {...model} models={models} />
            </Suspense>
          )}
          <TagsField {...form.field('tags')} tags={tags} value={chosen} onValueChange={setChosen} />
          <JsonField
            {...form.field('metadata')}
            label="Metadata"
            defaultValue={{}}
            limit={16_384}
            hint="Your own data as a JSON object. Not sent to the device."
          />
        </BoundForm>
      )}
    </Page>
  )
}
