import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { NewTag, type Tag } from '../../../contract/fleet/tags'
import { updateTagMutation } from '../../api/mutations/fleet/tags'
import { tagQuery } from '../../api/queries/fleet/tags'
import { BackLink, useBack } from '../../system/page/back'
import { GonePage, isGone } from '../../system/gone/gone-page'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice } from '../../system/form/conflict-notice'
import { useForm } from '../../system/form/form'
import { useRefusal } from '../../system/scope/grants'
import type { LoaderArgs } from '../../system/scope/guard'
import { useSystem } from '../../system/system'
import { type EditConflict, useEditConflict } from '../../system/form/edit-conflict'
import { Page, PageHead } from '../../ui/layout/page'
import { DeleteTag } from './delete-tag'
import { TagFields } from './tag-fields'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/tags/list/$tagId/edit')
const list = '/organizations/$organizationId/projects/$projectId/tags/list' as const
const stack = css({ display: 'grid', gap: '40', gridTemplateColumns: 'minmax(0, 1fr)', maxW: 'form' })
const fieldsOf = ({ name, colour, description }: Tag) => ({ name, colour, description })
const labels = { name: 'Name', colour: 'Colour', description: 'Description' }

const EditTag = ({ threeWay }: { threeWay: EditConflict<Tag, ReturnType<typeof fieldsOf>> }) => {
  const { navigate } = useRouter()
  const params = route.useParams()
  const refused = useRefusal('project:manage_devices')
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/tags/list`)
  const { base, conflict } = threeWay
  const form = useForm({
    schema: NewTag,
    save: ({ name, colour, description = '' }) => threeWay.save({ name, colour, description }),
    onSaved: () => void navigate({ to: list, params, replace: true }),
  })
  return (
    <BoundForm
      form={form}
      onCancel={back}
      refused={refused}
      note="Required fields have an asterisk."
      conflict={
        conflict && (
          <ConflictNotice conflict={conflict} labels={labels} onKeepMine={threeWay.keepMine} onTakeTheirs={threeWay.takeTheirs} />
        )
      }
    >
      <TagFields tag={base} field={form.field} />
    </BoundForm>
  )
}

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'tagId'>) =>
  queryClient.ensureQueryData(tagQuery(api, params.tagId))

export default function EditTagPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const query = useSuspenseQuery(tagQuery(api, params.tagId))
  const { data: tag } = query
  const { mutateAsync } = useMutation(updateTagMutation(api, params.projectId))
  const threeWay = useEditConflict(tag, fieldsOf, (object, body) => mutateAsync({ tag: object, body }))
  const tags = (
    <BackLink key="list" to={list} params={params}>
      Tags
    </BackLink>
  )
  const { id, name } = tag
  const crumbs = [tags, <code key="name">{name}</code>]
  if (isGone(query)) return <GonePage kind="tag" id={id} name={name} log={params} crumbs={crumbs} mono />
  return (
    <Page width="form">
      <PageHead title={name} mono crumbs={crumbs} />
      <div className={stack}>
        <EditTag key={threeWay.base.revision} threeWay={threeWay} />
        <DeleteTag tag={tag} />
      </div>
    </Page>
  )
}
