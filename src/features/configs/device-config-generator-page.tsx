import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, type SyntheticEvent, useEffect, useState } from 'react'
import type { ConfiguredClient } from '../../../contract/fleet/client-configs'
import { createDeviceConfig, DeviceConfigForm } from '../../../contract/fleet/configs'
import type { AnswerOf } from '../../../contract/core/endpoint'
import { clientOf } from '../../../contract/fleet/hardware-models'
import type { SigningKey } from '../../../contract/fleet/keys'
import { product } from '../../../contract/core/limits'
import type { Project } from '../../../contract/accounts/projects'
import { createDeviceConfigMutation } from '../../api/mutations/fleet/configs'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { projectQuery } from '../../api/queries/accounts/projects'
import { BackLink, useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { type DeviceCredentials, dropCredentials, heldCredentials } from '../../system/device-credentials'
import { useForm } from '../../system/form/form'
import { useRefusal } from '../../system/scope/grants'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { SegmentField } from '../../ui/form/choice-field'
import { Page, PageHead } from '../../ui/layout/page'
import { Skeleton } from '../../ui/layout/skeleton'
import { ConfigFields } from './config-fields'
import { ConfigResult } from './config-result'
import { type Defaults, defaultsOf, readForm } from './config-form'
import { GeneratorColumns } from './generator-columns'
import { useDraft } from './use-draft'

const CheckConfig = lazyPart(() => import('./check-config').then((part) => part.CheckConfig))
const ClientGenerator = lazyPart(() => import('./client-generator').then((part) => part.ClientGenerator))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/device-config-generator')
export type Made = AnswerOf<typeof createDeviceConfig>

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  queryClient.ensureQueryData(signingKeysQuery(api, params.projectId))

type Client = typeof product.slug | ConfiguredClient
const clients: readonly { value: Client; label: string }[] = [
  { value: product.slug, label: 'Agent' },
  { value: 'swupdate', label: 'SWUpdate' },
  { value: 'rauc', label: 'RAUC' },
  { value: 'zephyr', label: 'Zephyr' },
]

type AgentProps = { project: Project; keys: readonly SigningKey[]; defaults: Defaults; onCancel: () => void }

/** The device.json of our own agent. */
const AgentGenerator = ({ project, keys, defaults, onCancel }: AgentProps) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(createDeviceConfigMutation(api, project.id))
  const refused = useRefusal('project:manage_devices')
  const [made, setMade] = useState<Made>()
  const [outdated, setOutdated] = useState(false)
  const active = keys.filter((key) => (key.state === 'active' || key.state === 'retiring') && key.purpose !== 'secure_boot')
  const [keyIds, setKeyIds] = useState<string[]>(active.filter((key) => key.state === 'active').map((key) => key.id))
  const form = useForm({
    schema: DeviceConfigForm,
    read: (data) => readForm(data, keyIds),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: (answer) => {
      setMade(answer)
      setOutdated(false)
    },
  })
  const { draft, read } = useDraft(project.id, active, keyIds)
  const changed = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    read(currentTarget)
    setOutdated(true)
  }
  return (
    <GeneratorColumns
      result={
        <>
          <ConfigResult made={made} outdated={outdated} draft={draft} />
          <Suspense>
            <CheckConfig projectId={project.id} />
          </Suspense>
        </>
      }
    >
      <div ref={read} onInput={changed} onChange={changed}>
        <BoundForm form={form} onCancel={onCancel} submitLabel="Generate" submittingLabel="Generating..." refused={refused}>
          <ConfigFields form={form} defaults={defaults} keys={active} keyIds={keyIds} onKeyIds={setKeyIds} />
        </BoundForm>
      </div>
    </GeneratorColumns>
  )
}

/** Which client a new device runs: what its hardware model says, as far as the generator knows it. */
const firstClient = (project: Project, device: DeviceCredentials | undefined): Client => {
  if (device?.protocol !== 'ddi') return product.slug
  const { kind } = clientOf(project.settings.hardware_models, device.hardwareModel)
  return clients.find(({ value }) => value === kind && value !== product.slug)?.value ?? 'swupdate'
}

/** The complete configuration of a client, ready to be copied to a device. */
export default function DeviceConfigGeneratorPage() {
  const { api, environment } = useSystem()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: keys } = useSuspenseQuery(signingKeysQuery(api, params.projectId))
  const [credentials] = useState(() => heldCredentials(params.projectId))
  useEffect(() => dropCredentials, [])
  const [client, setClient] = useState(() => firstClient(project, credentials))
  const defaults = defaultsOf(environment.api, project, credentials)
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/devices/list`)
  const devices = (
    <BackLink to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
      Devices
    </BackLink>
  )
  return (
    <Page>
      <PageHead title="Config Generator" crumbs={[devices, 'Config Generator']} />
      <SegmentField label="Client" items={clients} value={client} onValueChange={setClient} />
      {client === product.slug ? (
        <AgentGenerator project={project} keys={keys} defaults={defaults} onCancel={back} />
      ) : (
        <Suspense fallback={<Skeleton height="control" />}>
          <ClientGenerator key={client} client={client} projectId={project.id} defaults={defaults} onCancel={back} />
        </Suspense>
      )}
    </Page>
  )
}
