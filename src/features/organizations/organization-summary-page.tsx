import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Infer } from 'superstruct'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { type Organization, OrganizationChange } from '../../../contract/accounts/organization'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { updateOrganizationMutation } from '../../api/mutations/accounts/organizations'
import { organizationQuery } from '../../api/queries/accounts/organization'
import { useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice } from '../../system/form/conflict-notice'
import { Expirations } from '../../system/expirations'
import { useForm } from '../../system/form/form'
import { useRefusal } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { type EditConflict, type Fields, useEditConflict } from '../../system/form/edit-conflict'
import { flattenFields, nestFields } from '../../system/form/nested-fields'
import { CopyableId } from '../../ui/text/copyable-id'
import { FactStrip } from '../../ui/layout/facts'
import { DateTime } from '../../ui/text/time'
import { DeleteOrganization } from './delete-organization'
import { OrganizationFields, readOrganization } from './organization-fields'

const route = getRouteApi('/account/settings/organizations/list/$organizationId/summary')
const expirations = css({ pt: '24' })
const stack = css({ display: 'grid', gap: '40', maxW: 'form', pt: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const fieldsOf = ({ name, description, settings }: Organization): Fields => ({
  name,
  description,
  ...flattenFields('settings', settings),
})
const labels = {
  name: 'Name',
  description: 'Description',
  'settings.default_role': 'Role of new members',
  'settings.session_idle_s': 'Seconds until unused sessions end',
  'settings.audit_retention_days': 'Days of the audit log',
  'settings.require_mfa': 'Members need two-step sign-in',
  'settings.require_release_approval': 'Every rollout needs approval',
}

const EditOrganization = ({ threeWay }: { threeWay: EditConflict<Organization, Fields> }) => {
  const refused = useRefusal('organization:update')
  const back = useBack('/account/settings/organizations/list')
  const { base, conflict } = threeWay
  const form = useForm({
    schema: OrganizationChange,
    read: readOrganization,
    save: ({ settings = {}, ...body }) => threeWay.save({ ...body, ...flattenFields('settings', settings) }),
    onSaved: () => {
      threeWay.settle()
      void notify({ kind: 'success', text: 'Saved' })
    },
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
      <OrganizationFields organization={base} field={form.field} isRefused={refused !== undefined} />
    </BoundForm>
  )
}

/** §2: the edit form of the organization. */
export default function OrganizationSummaryPage() {
  const { api } = useSystem()
  const { organizationId } = route.useParams()
  const { data: organization } = useSuspenseQuery(organizationQuery(api, organizationId))
  const { mutateAsync } = useMutation(updateOrganizationMutation(api))
  const threeWay = useEditConflict(organization, fieldsOf, (object, fields) =>
    // The fields of `fieldsOf`, which are those of the body.
    mutateAsync({ organization: object, body: nestFields('settings', fields) as Infer<typeof OrganizationChange> }),
  )
  const { plan, base_role: role, member_count: people, project_count: projects, created_at: created } = organization
  const limits = planLimits[plan]
  return (
    <>
      <FactStrip
        facts={[
          { label: 'Plan', value: plan },
          { label: 'Your role', value: role },
          { label: 'Members', value: `${people} of ${limits.members}` },
          {
            label: 'Projects',
            value: (
              <Link to="/organizations/$organizationId/projects" params={{ organizationId }} className={link()}>
                {projects} of {limits.projects}
              </Link>
            ),
          },
          { label: 'Created', value: <DateTime value={created} /> },
          { label: 'Id', value: <CopyableId value={organizationId} label="Copy organization id" /> },
        ]}
      />
      <div className={expirations}>
        <Expirations scope={{ organization_id: organizationId }} />
      </div>
      <div className={stack}>
        <EditOrganization key={threeWay.base.revision} threeWay={threeWay} />
        <DeleteOrganization organization={organization} />
      </div>
    </>
  )
}
