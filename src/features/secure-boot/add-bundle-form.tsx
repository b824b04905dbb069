import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { type PlatformId, platformIds, platformRules } from '../../../contract/updates/secure-boot/platforms'
import { createBundleMutation } from '../../api/mutations/updates/bundles'
import { nextBundleVersionQuery } from '../../api/queries/updates/bundles'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { projectQuery } from '../../api/queries/accounts/projects'
import { useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useSystem } from '../../system/system'
import { SelectField } from '../../ui/form/select-field'
import { TextField } from '../../ui/form/text-field'
import { platformLabels, roleLabels } from './bundle-display'
import { BundleFields } from './bundle-fields'
import { NewBundleForm, readNewBundle } from './bundle-form'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/add')
const list = '/organizations/$organizationId/projects/$projectId/secure-boot/list' as const
const items = platformIds.map((value) => ({ value, label: platformLabels[value] }))
const needed = css({ textStyle: 'small', color: 'muted' })

const partsOf = (platform: PlatformId) =>
  platformRules[platform].required.map((roles) => roles.map((role) => roleLabels[role]).join(' or ')).join(', ')

/** Loaded with its lists, so that its first values are those it is compared with. */
export const AddBundleForm = () => {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: version } = useSuspenseQuery(nextBundleVersionQuery(api, params.projectId))
  const { data: signingKeys } = useSuspenseQuery(signingKeysQuery(api, params.projectId))
  const { mutateAsync } = useMutation(createBundleMutation(api, params.projectId))
  const [platform, setPlatform] = useState<PlatformId>()
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/secure-boot/list`)
  const form = useForm({
    schema: NewBundleForm,
    read: readNewBundle,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: (bundle) =>
      void navigate({ to: `${list}/$artifactsBundleId`, params: { ...params, artifactsBundleId: bundle.id }, replace: true }),
  })
  const models = project.settings.hardware_models.map((model) => model.id)
  return (
    <BoundForm form={form} onCancel={back} sticky note="Required fields have an asterisk.">
      <TextField {...form.field('name')} label="Name" required autoFocus />
      <SelectField
        {...form.field('platform')}
        label="Platform"
        required
        items={items}
        placeholder="Choose a platform"
        onValueChange={setPlatform}
        hint="It cannot be changed later."
      />
      {platform && <p className={needed}>Required parts: {partsOf(platform)}. They are uploaded in the next step.</p>}
      <BundleFields
        projectId={params.projectId}
        form={form}
        platform={platform}
        signingKeys={signingKeys}
        start={{ version, models }}
      />
    </BoundForm>
  )
}
