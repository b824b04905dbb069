import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Organization } from '../../../contract/accounts/organization'
import { minAuditDays, planLimits } from '../../../contract/accounts/plan-limits'
import { selfQuery } from '../../api/queries/accounts/self'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/form/choice'
import { GroupField } from '../../ui/form/choice-field'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'

const OrganizationChoices = lazyPart(() => import('./organization-choices').then((part) => part.OrganizationChoices))

/** The values of the controls, as the body of a change. */
export const readOrganization = (data: FormData): unknown => ({
  name: data.get('name'),
  description: data.get('description'),
  settings: {
    default_role: data.get('settings.default_role'),
    session_idle_s: Number(data.get('settings.session_idle_s')),
    audit_retention_days: Number(data.get('settings.audit_retention_days') || Number.NaN),
    require_mfa: data.has('settings.require_mfa'),
    require_release_approval: data.has('settings.require_release_approval'),
  },
})

type Props = {
  organization: Organization
  field: (name: string) => { name: string; error: string | undefined }
  /** The user may not change the organization: the form says so at its button. */
  isRefused: boolean
}

export const OrganizationFields = ({ organization: { name, description, plan, settings }, field, isRefused }: Props) => {
  const most = planLimits[plan].audit_days
  const { api } = useSystem()
  const { data: self } = useQuery(selfQuery(api))
  const role = field('settings.default_role')
  const idleTime = field('settings.session_idle_s')
  const factor = field('settings.require_mfa')
  // A user without a second factor would lock themselves out.
  const mayDemand = isRefused || settings.require_mfa || self?.mfa_enabled === true
  return (
    <>
      <TextField {...field('name')} label="Name" required defaultValue={name} />
      <TextareaField {...field('description')} label="Description" defaultValue={description} limit={256} />
      <Suspense
        fallback={
          <>
            <input type="hidden" name={role.name} value={settings.default_role} />
            <input type="hidden" name={idleTime.name} value={settings.session_idle_s} />
            <FieldSkeleton />
            <FieldSkeleton />
          </>
        }
      >
        <OrganizationChoices settings={settings} role={role} idleTime={idleTime} />
      </Suspense>
      <NumberField
        {...field('settings.audit_retention_days')}
        label="Keep the audit log for"
        unit="days"
        required
        defaultValue={settings.audit_retention_days}
        hint={`From ${minAuditDays} to ${most} days with the ${plan} plan${settings.audit_retention_days > most ? ', which applies until you upgrade' : ''}. Older entries are removed within six hours, for good: export the log before you lower this.`}
      />
      <GroupField
        label="Safety"
        error={factor.error}
        hint={mayDemand ? undefined : 'To require it, turn on two-step sign-in for your own account first.'}
      >
        <Switch {...{ name: factor.name }} defaultChecked={settings.require_mfa} disabled={!mayDemand}>
          Members need two-step sign-in
        </Switch>
        <Switch name={field('settings.require_release_approval').name} defaultChecked={settings.require_release_approval}>
          Every rollout needs approval by a second person
        </Switch>
      </GroupField>
    </>
  )
}
