import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { OrganizationSummary } from '../../../contract/accounts/organizations'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Project } from '../../../contract/accounts/projects'
import { rolePermissions } from '../../../contract/core/roles'
import { transferProjectMutation } from '../../api/mutations/accounts/projects'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { selfQuery } from '../../api/queries/accounts/self'
import { pluralize } from '../../lib/pluralize'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { notify } from '../../system/failure/notify'
import { scopeToPath } from '../../system/scope/scope'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { SelectField } from '../../ui/form/select-field'

const list = css({ display: 'grid', gap: '4', pl: '16', listStyle: 'disc' })
const personal = 'personal'

const may = ({ base_role: role }: OrganizationSummary, permission: 'project:create' | 'project:delete') =>
  rolePermissions[role].includes(permission)

type Owner = { name: string; plan: keyof typeof planLimits; organization: OrganizationSummary | null }

const consequencesOf = (
  { counts, organization_id: id }: Project,
  from: string,
  { name, plan, organization }: Owner,
): string[] => [
  `${pluralize(counts.devices, 'device')} and ${pluralize(counts.open_rollouts, 'open rollout')} continue: tokens, keys and settings stay. Webhooks are disabled until somebody enables them.`,
  id === undefined
    ? 'Guests lose access, and open invites stop working.'
    : `Members of ${from} lose access, unless they are members of ${name} too. Roles in this project end.`,
  organization ? `Members of ${name} get access by their role.` : 'Only you have access.',
  `Limits of ${name} apply: ${planLimits[plan].projects} projects, ${planLimits[plan].devices_per_project} devices in each (${plan} plan).`,
  `The audit logs of both record the transfer. Earlier entries stay in the log of ${from}.`,
  organization && !may(organization, 'project:delete')
    ? `You cannot transfer it back: your role in ${name} is ${organization.base_role}.`
    : 'You can transfer it back.',
]

/** Names what the transfer changes for people, and requires typing the name of the project. */
export const TransferDialog = ({ project, onClose }: { project: Project; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('transfer_project', onClose)
  const { navigate } = useRouter()
  const { data: organizations = [] } = useQuery(organizationsQuery(api))
  const { data: self } = useQuery(selfQuery(api))
  const [to, setTo] = useState('')
  const transfer = useMutation(transferProjectMutation(api))
  const current = project.organization_id
  const from = organizations.find((one) => one.public_id === current)?.name ?? 'your personal space'
  const owners: (Owner & { value: string })[] = [
    ...organizations
      .filter((one) => one.public_id !== current && may(one, 'project:create'))
      .map((one) => ({ value: one.public_id, name: one.name, plan: one.plan, organization: one })),
    ...(current === undefined || !self
      ? []
      : [{ value: personal, name: 'your personal space', plan: self.pricing_plan, organization: null }]),
  ]
  const owner = owners.find(({ value }) => value === to)

  const moveTo = async (moved: Project, organizationId: string | null) => {
    const done = await transfer.mutateAsync({ project: moved, organizationId, confirmName: moved.name })
    modal.close()
    await navigate({
      to: '/organizations/$organizationId/projects/$projectId/settings/general',
      params: { organizationId: scopeToPath(organizationId), projectId: done.id },
    })
    return done
  }
  const confirm = async ({ name, organization }: Owner) => {
    const done = await moveTo(project, organization?.public_id ?? null)
    const undo = () =>
      void moveTo(done, current ?? null).catch(
        (error: unknown) => void notify({ kind: 'error', text: describeError(error, `${done.name} was not transferred back`) }),
      )
    void notify({
      kind: 'success',
      text: `${done.name} now belongs to ${name}`,
      ...((!organization || may(organization, 'project:delete')) && { action: { label: 'Undo', onClick: undo } }),
    })
  }

  return (
    <AskDialog
      modal={modal}
      title={`Transfer ${project.name}`}
      text={`It belongs to ${from}.`}
      verb="Transfer project"
      busyVerb="Transferring..."
      typedName={project.name}
      ready={owner !== undefined}
      busy={transfer.isPending}
      error={transfer.error}
      onConfirm={() => owner && void confirm(owner).catch(() => {})}
    >
      <SelectField
        name="owner"
        error={undefined}
        label="New owner"
        placeholder="Choose"
        items={owners.map(({ value, name }) => ({ value, label: name }))}
        value={to}
        onValueChange={setTo}
        hint="Organizations in which your role may add projects."
      />
      {owner && (
        <ul className={list}>
          {consequencesOf(project, from, owner).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </AskDialog>
  )
}
