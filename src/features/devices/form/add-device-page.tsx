import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { assign, object } from 'superstruct'
import type { Protocol } from '../../../../contract/ddi/confirm'
import { type createDevice, Metadata, NewDevice, type TokenForm } from '../../../../contract/fleet/devices'
import type { AnswerOf } from '../../../../contract/core/endpoint'
import { clientOf } from '../../../../contract/fleet/hardware-models'
import { product } from '../../../../contract/core/limits'
import { createDeviceMutation } from '../../../api/mutations/fleet/devices'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { BackLink, useBack } from '../../../system/page/back'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useRefusal } from '../../../system/scope/grants'
import type { LoaderArgs } from '../../../system/scope/guard'
import { jsonObject, jsonOf } from '../../../system/form/json-value'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { JsonField } from '../../../ui/form/json-field'
import { TextField } from '../../../ui/form/text-field'
import { Page, PageHead } from '../../../ui/layout/page'
import { Skeleton } from '../../../ui/layout/skeleton'
import { ClientField, TokenFormField } from './client-fields'
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
    protocol: data.get('protocol'),
    ...(data.has('token_form') && { token_form: data.get('token_form') }),
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
  const [modelId, setModelId] = useState<string>()
  const [asked, setAsked] = useState<Protocol>()
  const [askedForm, setTokenForm] = useState<TokenForm>()
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
  const { kind } = clientOf(models, modelId ?? models[0]?.id ?? '')
  const protocol = asked ?? (kind === product.slug ? product.slug : 'ddi')
  const isController = protocol === 'ddi'
  const tokenForm = askedForm ?? (kind === 'zephyr' ? 'short' : 'long')
  return (
    <Page width="form">
      <PageHead title="Add Device" crumbs={[devices, 'Add Device']} />
      {made ? (
        <EnrolledDevice device={made} />
      ) : (
        <BoundForm form={form} onCancel={back} refused={refused} note="Required fields have an asterisk.">
          <TextField {...form.field('name')} label="Name" required mono autoFocus spellCheck={false} />
          {models.length === 0 ? (
            <TextField {...model} label="Hardware model" required mono spellCheck={false} placeholder="gw-imx8m" />
          ) : (
            <Suspense fallback={<Skeleton height="control" />}>
              <ModelSelect {...model} models={models} onValueChange={setModelId} />
            </Suspense>
          )}
          <ClientField
            {...form.field('protocol')}
            value={protocol}
            onValueChange={setAsked}
            hint={
              isController
                ? 'SWUpdate, rauc-hawkbit-updater, Zephyr and others that speak DDI, the device API of hawkBit.'
                : 'teasel-agent, with its device.json.'
            }
          />
          <TextField
            {...form.field('serial_number')}
            label="Serial number"
            required={isController}
            mono
            spellCheck={false}
            hint={
              isController
                ? 'The controller id, exactly as the client sends it: 1 to 128 visible characters without spaces / ? # %'
                : 'As printed on the device. Optional.'
            }
          />
          {isController && <TokenFormField {...form.field('token_form')} value={tokenForm} onValueChange={setTokenForm} />}
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
