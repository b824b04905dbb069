import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { generatedTokenLimitsFor } from '../../../contract/fleet/enrollment-tokens'
import { ClientConfigForm, type ConfiguredClient, type createClientConfig } from '../../../contract/fleet/client-configs'
import type { AnswerOf } from '../../../contract/core/endpoint'
import { createClientConfigMutation } from '../../api/mutations/fleet/configs'
import { textOf } from '../../lib/form-data'
import { pluralize } from '../../lib/pluralize'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useGrants, useRefusal } from '../../system/scope/grants'
import { useSystem } from '../../system/system'
import { SegmentField } from '../../ui/form/choice-field'
import { Pair } from '../../ui/form/form'
import { TextField } from '../../ui/form/text-field'
import { ClientResult } from './client-result'
import { clientNames } from './client-names'
import type { Defaults } from './config-form'
import { GeneratorColumns } from './generator-columns'

type Props = { client: ConfiguredClient; projectId: string; defaults: Defaults; onCancel: () => void }

const filled = (data: FormData, ...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (textOf(data, name) === '' ? [] : [[name, textOf(data, name)]])))

const useGroupHint = (): string | undefined => {
  const grants = useGrants()
  if (grants === undefined) return undefined
  const { maxUses, days } = generatedTokenLimitsFor(grants)
  const many = maxUses === null ? 'any number of devices' : `up to ${pluralize(maxUses, 'device')}`
  return `Devices register themselves with a new enrollment token: ${many} within ${days} days. It stays their token after that.`
}

/** The files of a hawkBit client: form on the left, files on the right. */
export const ClientGenerator = ({ client, projectId, defaults, onCancel }: Props) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(createClientConfigMutation(api, projectId))
  const refused = useRefusal('project:manage_devices')
  const groupHint = useGroupHint()
  const { device } = defaults
  const [enrollment, setEnrollment] = useState<ClientConfigForm['enrollment']>(device ? 'pre_enrolled' : 'group')
  const [made, setMade] = useState<AnswerOf<typeof createClientConfig>>()
  const form = useForm({
    schema: ClientConfigForm,
    read: (data) => ({
      name: textOf(data, 'name'),
      client,
      enrollment: textOf(data, 'enrollment'),
      server_url: textOf(data, 'server_url'),
      hardware_model: textOf(data, 'hardware_model'),
      ...filled(data, 'tenant', ...(textOf(data, 'enrollment') === 'pre_enrolled' ? ['device_id', 'device_token'] : [])),
    }),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: setMade,
  })
  return (
    <GeneratorColumns result={<ClientResult client={client} made={made} />}>
      <BoundForm form={form} onCancel={onCancel} submitLabel="Generate" submittingLabel="Generating..." refused={refused}>
        <TextField
          {...form.field('name')}
          label="Name"
          required
          defaultValue={device?.name}
          hint="Name of the device, or of the group that shares these files."
        />
        <SegmentField
          {...form.field('enrollment')}
          label="Token"
          items={[
            { value: 'group', label: 'Group' },
            { value: 'pre_enrolled', label: 'One device' },
          ]}
          value={enrollment}
          onValueChange={setEnrollment}
          hint={enrollment === 'group' ? groupHint : undefined}
        />
        {enrollment === 'pre_enrolled' && (
          <Pair>
            <TextField
              {...form.field('device_id')}
              label="Device id"
              required
              mono
              defaultValue={device?.id}
              spellCheck={false}
            />
            <TextField
              {...form.field('device_token')}
              label="Device token"
              required
              mono
              defaultValue={device?.token}
              autoComplete="off"
              spellCheck={false}
              hint="Shown once, when the device was added or a new token was issued."
            />
          </Pair>
        )}
        <Pair>
          <TextField
            {...form.field('hardware_model')}
            label="Hardware model"
            required
            mono
            defaultValue={defaults.hardware_model}
          />
          <TextField {...form.field('server_url')} label="Server URL" required mono defaultValue={defaults.server_url} />
        </Pair>
        <TextField
          {...form.field('tenant')}
          label="Tenant"
          mono
          placeholder="DEFAULT"
          hint={`Any word that ${clientNames[client]} sends as its tenant; the token finds the project.`}
        />
      </BoundForm>
    </GeneratorColumns>
  )
}
