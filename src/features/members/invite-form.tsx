import { useMutation } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Infer, Struct } from 'superstruct'
import { NewInvites, NewProjectInvites, inviteLimits } from '../../../contract/invites'
import { createInvitesMutation, type SentInvite } from '../../api/mutations/members'
import type { MemberScope } from '../../api/queries/members'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { lazyPart } from '../../system/lazy'
import { useSystem } from '../../system/system'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { TextareaField } from '../../ui/form/text-field'
import { type Role, memberRoutes, useGrantable, useMemberScope, useManaging } from './member-scope'
import { SeatsCallout, useSeats } from './seats'
import { freeSeats, describeSeatLimit, seatsUsed } from './seat-text'
import { SentInvites } from './sent-invites'

type Body = Infer<typeof NewInvites> | Infer<typeof NewProjectInvites>
/** The schema for either target: validates the body of the matching mutation. */
// Each struct returns one member of the union.
const schemaOf = (home: MemberScope) => ('projectId' in home ? NewProjectInvites : NewInvites) as unknown as Struct<Body>
const RoleField = lazyPart(() => import('./role-select').then((part) => part.RoleField))
type Failed = { email: string; code: string }

const reasons: Readonly<Record<string, string>> = {
  already_member: 'is already a member',
  already_invited: 'already has an open invite',
  seat_limit: 'was not invited: no seats left in the plan',
}
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })

/** Splits addresses at any separator. */
const split = (text: FormDataEntryValue | null) =>
  (typeof text === 'string' ? text : '').split(/[\s,;]+/).filter((word) => word !== '')
const read = (data: FormData): unknown => ({
  emails: split(data.get('emails')),
  base_role: data.get('base_role'),
  message: data.get('message'),
})

const words = (failed: readonly Failed[]) =>
  failed.length === 0 ? undefined : failed.map(({ email, code }) => `${email} ${reasons[code] ?? 'was not invited'}`).join('; ')

type Answer = { invites: SentInvite[]; failed: Failed[] }
type Start = { failed: readonly Failed[]; role: Role | undefined; message: string }
type FieldsProps = { start: Start; startRole: Role; more: boolean; onBack: () => void } & {
  onSent: (answer: Answer, kept: Omit<Start, 'failed'>) => void
}

const InviteFields = ({ start, startRole, more, onBack, onSent }: FieldsProps) => {
  const { api } = useSystem()
  const home = useMemberScope()
  const refused = useManaging()
  const seats = useSeats(home, refused === undefined)
  const full = seats && freeSeats(seats) === 0 ? describeSeatLimit(seats) : undefined
  const [typed, setTyped] = useState(start.failed.length)
  const grantable = useGrantable()
  const [role, setRole] = useState(start.role)
  const [failed, setFailed] = useState(start.failed)
  const { mutateAsync } = useMutation(createInvitesMutation(api, home))
  const chosen = role ?? (grantable.includes(startRole) ? startRole : grantable.at(-1)) ?? 'viewer'
  const form = useForm<Body, { answer: Answer; message: string }>({
    schema: schemaOf(home),
    read,
    save: async (body, extra) => ({ answer: await mutateAsync({ body, ...extra }), message: body.message ?? '' }),
    onSaved: ({ answer, message }) => onSent(answer, { role, message }),
  })
  const field = form.field('emails')
  return (
    <BoundForm
      form={form}
      onCancel={onBack}
      refused={refused ?? full}
      submitLabel={more ? 'Send more' : 'Send invites'}
      submittingLabel="Sending..."
      note={seats && !full && seatsUsed(seats)}
    >
      {seats && <SeatsCallout seats={seats} home={home} typed={typed} />}
      <TextareaField
        {...field}
        error={field.error ?? words(failed)}
        label="E-mail addresses"
        required
        autoFocus
        spellCheck={false}
        defaultValue={start.failed.map(({ email }) => email).join('\n')}
        onChange={(event) => {
          setFailed([])
          setTyped(split(event.target.value).length)
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
        defaultValue={start.message}
        hint="Included in the mail, with your name."
      />
    </BoundForm>
  )
}

/** Addresses that were not invited stay in the box with their reasons; the invited ones are listed with their links. */
export const InviteForm = ({ startRole }: { startRole: Role }) => {
  const home = useMemberScope()
  const { navigate } = useRouter()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const [sent, setSent] = useState<readonly SentInvite[]>([])
  const [{ round, ...start }, setStart] = useState<Start & { round: number }>({
    round: 0,
    failed: [],
    role: undefined,
    message: '',
  })
  const back = () => void navigate({ to: memberRoutes(home).invites, params: { organizationId, projectId } })
  return (
    <div className={stack}>
      {sent.length > 0 && <SentInvites sent={sent} onDone={back} />}
      <InviteFields
        // Starts again with the addresses that were not sent.
        key={round}
        start={start}
        startRole={startRole}
        more={sent.length > 0}
        onBack={back}
        onSent={(answer, kept) => {
          setSent([...sent, ...answer.invites])
          setStart({ ...kept, failed: answer.failed, round: round + 1 })
        }}
      />
    </div>
  )
}
