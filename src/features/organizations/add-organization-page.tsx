import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { NewOrganization } from '../../../contract/accounts/organization'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { createOrganizationMutation } from '../../api/mutations/accounts/organizations'
import { selfQuery } from '../../api/queries/accounts/self'
import { BackLink, useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useSystem } from '../../system/system'
import { ReadOnlyField } from '../../ui/form/field'
import { TextareaField, TextField } from '../../ui/form/text-field'
import { Page, PageHead } from '../../ui/layout/page'

const list = '/account/settings/organizations/list'

/** Shows the limit of the plan before it is reached. */
const Plan = () => {
  const { api } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  if (!user) return null
  const { organizations, members } = planLimits[user.pricing_plan]
  return (
    <ReadOnlyField
      label="Plan"
      hint={`${organizations === 1 ? 'One organization' : `${organizations} organizations`} of your own, ${members === 1 ? '1 member' : `up to ${members} members`} in each. Invites into others do not count.`}
    >
      {user.pricing_plan}
    </ReadOnlyField>
  )
}

export default function AddOrganizationPage() {
  const { api, organization } = useSystem()
  const { navigate } = useRouter()
  const { mutateAsync } = useMutation(createOrganizationMutation(api))
  const back = useBack(list)
  const form = useForm({
    schema: NewOrganization,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: ({ public_id: organizationId }) => {
      // The new organization becomes the current one: the switcher shows it, and Projects links to its projects.
      organization.send({ type: 'route.entered', scope: organizationId })
      void navigate({
        to: '/account/settings/organizations/list/$organizationId/summary',
        params: { organizationId },
        replace: true,
      })
    },
  })
  const crumbs = [
    <BackLink key="list" to={list}>
      Organizations
    </BackLink>,
    'Add organization',
  ]
  return (
    <Page width="form">
      <PageHead title="Add organization" crumbs={crumbs} />
      <BoundForm form={form} onCancel={back} note="Required fields have an asterisk.">
        <TextField {...form.field('name')} label="Name" required autoFocus />
        <TextareaField {...form.field('description')} label="Description" limit={256} />
        <Plan />
      </BoundForm>
    </Page>
  )
}
