import { useMutation } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Infer, Struct } from 'superstruct'
import { NewInvites, NewProjectInvites, inviteLimits } from '../../../contract/accounts/invites'
import { createInvitesMutation, type SentInvite } from '../../api/mutations/accounts/members'
import type { MemberScope } from '../../api/queries/accounts/members'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { TextareaField } from '../../ui/form/text-field'
import { type Role, memberRoutes, useGrantable, useMemberScope, useManageRefusal } from './member-scope'
import { SeatsCallout, useSeats } from './seats'
import { freeSeats, describeSeatLimit, seatsUsed } from './seat-text'
import { SentInvites } from './sent-invites'

type Body = Infer<typeof NewInvites> | Infer<typeof NewProjectInvites>
/** The struct of the request. The cast is safe: each struct returns one member of the union. */
const schemaFor = (scope: MemberScope) => ('projectId' in scope ? NewProjectInvites : NewInvites) as unknown as Struct<Body>
const RoleField = lazyPart(() => import('./role-select').then((part) => part.RoleField))
type FailedInvite = { email: string; code: string }

/** By the code of the server. */
const failureTexts: Readonly<Record<string, string>> = {
  already_member: 'is already a member',
  already_invited: 'already has an open invite',
  seat_limit: 'was not invited: no seats left in the plan',
}
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })

/** Splits addresses at any separator. */
const splitAddresses = (text: FormDataEntryValue | null) =>
  (typeof text === 'string' ? text : '').split(/[\s,;]+/).filter((word) => word !== '')
const readForm = (data: FormData): unknown => ({
  emails: splitAddresses(data.get('emails')),
  base_role: data.get('base_role'),
  message: data.get('message'),
})

const describeFailures = (failed: readonly FailedInvite[]) =>
  failed.length === 0
    ? undefined
    : failed.map(({ email, code }) => `${email} ${failureTexts[code] ?? 'was not invited'}`).join('; ')

type Answer = { invites: SentInvite[]; failed: FailedInvite[] }
/** What the fields contain at first. */
type InitialValues = { failed: readonly FailedInvite[]; role: Role | undefined; message: string }
type FieldsProps = {
  initial: InitialValues
  defaultRole: Role
  /** Some invites were already sent from this page. */
  again: boolean
  onBack: () => void
  onSent: (answer: Answer, kept: Omit<InitialValues, 'failed'>) => void
}

const InviteFields = ({ initial, defaultRole, again, onBack, onSent }: FieldsProps) => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const refused = useManageRefusal()
  const seats = useSeats(scope, refused === undefined)
  const noSeats = seats && freeSeats(seats) === 0 ? describeSeatLimit(seats) : undefined
  const [addressCount, setAddressCount] = useState(initial.failed.length)
  const grantable = useGrantable()
  const [role, setRole] = useState(initial.role)
  const [failed, setFailed] = useState(initial.failed)
  const { mutateAsync } = useMutation(createInvitesMutation(api, scope))
  const chosen = role ?? (grantable.includes(defaultRole) ? defaultRole : grantable.at(-1)) ?? 'viewer'
  const form = useForm<Body, { answer: Answer; message: string }>({
    schema: schemaFor(scope),
    read: readForm,
    save: async (body, extra) => ({ answer: await mutateAsync({ body, ...extra }), message: body.message ?? '' }),
    onSaved: ({ answer, message }) => onSent(answer, { role, message }),
  })
  const field = form.field('emails')
  return (
    <BoundForm
      form={form}
      onCancel={onBack}
      refused={refused ?? noSeats}
      submitLabel={again ? 'Send more' : 'Send invites'}
      submittingLabel="Sending..."
      note={seats && !noSeats && seatsUsed(seats)}
    >
      {seats && <SeatsCallout seats={seats} scope={scope} typed={addressCount} />}
      <TextareaField
        {...field}
        error={field.error ?? describeFailures(failed)}
        label="E-mail addresses"
        required
        autoFocus
        spellCheck={false}
        defaultValue={initial.failed.map(({ email }) => email).join('\n')}
        onChange={(event) => {
          setFailed([])
          setAddressCount(splitAddresses(event.target.value).length)
        }}
        hint={`Up to ${inviteLimits.emails}, one per line or separated by commas.`}
      />
      <Suspense
        fallback={
          <>
            <input type="hidden" name="base_role" value={chosen} />
            <FieldSkeleton />
          </>
        }
      >
        <RoleField field={form.field('base_role')} roles={grantable} value={chosen} onChange={setRole} />
      </Suspense>
      <TextareaField
        {...form.field('message')}
        label="Message"
        limit={500}
        defaultValue={initial.message}
        hint="Included in the mail, with your name."
      />
    </BoundForm>
  )
}

/**
 * Invites people by their addresses. Those that failed stay in the field with their reasons, those that were invited are listed
 * with their links.
 */
export const InviteForm = ({ defaultRole }: { defaultRole: Role }) => {
  const scope = useMemberScope()
  const { navigate } = useRouter()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const [sent, setSent] = useState<readonly SentInvite[]>([])
  const [{ submits, ...initial }, setInitial] = useState<InitialValues & { submits: number }>({
    submits: 0,
    failed: [],
    role: undefined,
    message: '',
  })
  const back = () => void navigate({ to: memberRoutes(scope).invites, params: { organizationId, projectId } })
  return (
    <div className={stack}>
      {sent.length > 0 && <SentInvites sent={sent} onDone={back} />}
      <InviteFields
        // A new form after each submit, with the addresses that failed.
        key={submits}
        initial={initial}
        defaultRole={defaultRole}
        again={sent.length > 0}
        onBack={back}
        onSent={(answer, kept) => {
          setSent([...sent, ...answer.invites])
          setInitial({ ...kept, failed: answer.failed, submits: submits + 1 })
        }}
      />
    </div>
  )
}
