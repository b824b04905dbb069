import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { css } from 'styled-system/css'
import { createDeviceConfig, DeviceConfigForm } from '../../../contract/configs'
import type { AnswerOf } from '../../../contract/endpoint'
import { createDeviceConfigMutation } from '../../api/mutations/configs'
import { signingKeysQuery } from '../../api/queries/keys'
import { projectQuery } from '../../api/queries/projects'
import { BackLink, useBack } from '../../system/back'
import { BoundForm } from '../../system/bound-form'
import { dropCredentials, heldCredentials } from '../../system/device-credentials'
import { useForm } from '../../system/form'
import { useRefusal } from '../../system/grants'
import type { LoaderArgs } from '../../system/guard'
import { useSystem } from '../../system/system'
import { Page, PageHead } from '../../ui/page'
import { ConfigFields } from './config-fields'
import { ConfigResult } from './config-result'
import { defaultsOf, readForm } from './config-form'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/device-config-generator')
const columns = css({
  display: 'grid',
  gap: '24',
  alignItems: 'start',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
})
const beside = css({ position: { lg: 'sticky' }, top: { lg: '64' } })

export type Made = AnswerOf<typeof createDeviceConfig>

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  queryClient.ensureQueryData(signingKeysQuery(api, params.projectId))

/** Form on the left, the complete device.json on the right, ready for the client. */
export default function DeviceConfigGeneratorPage() {
  const { api, environment } = useSystem()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: keys } = useSuspenseQuery(signingKeysQuery(api, params.projectId))
  const { mutateAsync } = useMutation(createDeviceConfigMutation(api, params.projectId))
  const refused = useRefusal('project:manage_devices')
  const [made, setMade] = useState<Made>()
  const active = keys.filter((key) => (key.state === 'active' || key.state === 'retiring') && key.purpose !== 'secure_boot')
  const [keyIds, setKeyIds] = useState<string[]>(active.filter((key) => key.state === 'active').map((key) => key.id))
  const [credentials] = useState(() => heldCredentials(params.projectId))
  useEffect(() => dropCredentials, [])
  const defaults = defaultsOf(environment.api, project, credentials)
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/devices/list`)
  const form = useForm({
    schema: DeviceConfigForm,
    read: (data) => readForm(data, keyIds),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: setMade,
  })
  const devices = (
    <BackLink to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
      Devices
    </BackLink>
  )
  return (
    <Page>
      <PageHead title="Config Generator" crumbs={[devices, 'Config Generator']} />
      <div className={columns}>
        <BoundForm form={form} onCancel={back} submitLabel="Generate" submittingLabel="Generating..." refused={refused}>
          <ConfigFields form={form} defaults={defaults} keys={active} keyIds={keyIds} onKeyIds={setKeyIds} />
        </BoundForm>
        <div className={beside}>
          <ConfigResult made={made} />
        </div>
      </div>
    </Page>
  )
}
