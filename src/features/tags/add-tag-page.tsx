import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { NewTag } from '../../../contract/fleet/tags'
import { createTagMutation } from '../../api/mutations/fleet/tags'
import { BackLink, useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useRefusal } from '../../system/scope/grants'
import { useSystem } from '../../system/system'
import { Page, PageHead } from '../../ui/layout/page'
import { TagFields } from './tag-fields'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/tags/list/add')
const list = '/organizations/$organizationId/projects/$projectId/tags/list' as const

export default function AddTagPage() {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const refused = useRefusal('project:manage_devices')
  const { mutateAsync } = useMutation(createTagMutation(api, params.projectId))
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/tags/list`)
  const form = useForm({
    schema: NewTag,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => void navigate({ to: list, params, replace: true }),
  })
  const tags = (
    <BackLink to={list} params={params}>
      Tags
    </BackLink>
  )
  return (
    <Page width="form">
      <PageHead title="Add Tag" crumbs={[tags, 'Add Tag']} />
      <BoundForm form={form} onCancel={back} refused={refused} note="Required fields have an asterisk.">
        <TagFields field={form.field} />
      </BoundForm>
    </Page>
  )
}
