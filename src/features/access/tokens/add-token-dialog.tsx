import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { type EnrollmentToken, NewEnrollmentToken } from '../../../../contract/fleet/enrollment-tokens'
import { createEnrollmentTokenMutation } from '../../../api/mutations/fleet/enrollment-tokens'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { textOf } from '../../../lib/form-data'
import { parseTime } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/form/choice'
import { Code } from '../../../ui/text/code'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { MultiSelectField } from '../../../ui/form/select-field'
import { NumberField, TextField } from '../../../ui/form/text-field'
import { Callout } from '../../../ui/layout/notice'
import { DateTime } from '../../../ui/text/time'

// Loaded together, as they share their parts.
export { AddAuthorityDialog } from './add-authority-dialog'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const models = 'hardware-models'

const kinds = [
  { value: 'group', label: 'Several devices' },
  { value: 'single', label: 'One device' },
] as const
type Kind = (typeof kinds)[number]['value']

const forms = [
  { value: 'long', label: 'Long' },
  { value: 'short', label: 'Short' },
] as const
type Form = (typeof forms)[number]['value']

const days = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
] as const
type Lifetime = (typeof days)[number]['value']

const afterDays = (start: number, count: number) => `${new Date(start + count * 86_400_000).toISOString().slice(0, 19)}+00:00`

/** The shortest of the offered lifetimes that is as long as that of a token. */
const lifetimeOf = ({ created_at, expires_at }: EnrollmentToken): Lifetime => {
  const lived = expires_at === null ? Infinity : (parseTime(expires_at).getTime() - parseTime(created_at).getTime()) / 86_400_000
  return days.find(({ value }) => Number(value) >= Math.floor(lived))?.value ?? '365'
}

type Props = {
  projectId: string
  /** The token that the new one replaces: its limits are filled in. */
  former?: EnrollmentToken
  onClose: () => void
}

/** Creates an enrollment token within its limits, and shows it once. */
export const AddTokenDialog = ({ projectId, former, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('add_enrollment_token', onClose)
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const { data: tags } = useSuspenseQuery(tagsQuery(api, projectId))
  const [kind, setKind] = useState<Kind>(former?.kind ?? 'group')
  const [length, setLength] = useState<Form>(former?.prefix.startsWith('ens') ? 'short' : 'long')
  const [chosen, setChosen] = useState<string[]>(
    () => former?.default_tags.filter((name) => tags.some((tag) => tag.name === name)) ?? [],
  )
  const [lifetime, setLifetime] = useState<Lifetime>(former ? lifetimeOf(former) : '7')
  // A try after a lost answer has the same end.
  const [opened] = useState(Date.now)
  const { data: made, mutateAsync } = useMutation({ ...createEnrollmentTokenMutation(api, projectId), gcTime: 0 })
  const { hardware_models, auto_accept_devices } = project.settings
  const read = (data: FormData): unknown => {
    const limit = textOf(data, 'max_uses')
    const model = textOf(data, 'hardware_model')
    return {
      name: data.get('name'),
      kind,
      ...(length === 'short' && { form: length }),
      ...(kind === 'group' && { max_uses: limit === '' ? null : Number(limit) }),
      hardware_model: model === '' ? null : model,
      default_tags: chosen,
      expires_at: afterDays(opened, Number(lifetime)),
      auto_accept: data.get('auto_accept') !== null,
    }
  }
  const form = useForm({
    schema: NewEnrollmentToken,
    read,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {},
  })
  // One window for question and answer: a second one would open where nothing can be pressed.
  return (
    <Dialog.Root {...root} {...(made && Dialog.shownOnce)}>
      <Dialog.Window
        wide
        title={made ? `Enrollment token ${made.name}` : former ? `Renew ${former.name}` : 'Add an enrollment token'}
        description={
          made ? (
            <>
              Admits {made.max_uses === null ? 'any number of devices' : pluralize(made.max_uses, 'new device')} until{' '}
              <DateTime value={made.expires_at} never="it is revoked" />.
            </>
          ) : former ? (
            'Creates another token with these limits. The former one works until it expires: give the new one to devices that have yet to enroll, or revoke the former.'
          ) : (
            'Devices with this token in their device.json enroll by themselves. The Config Generator creates one with each group configuration.'
          )
        }
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <div className={stack}>
            <Callout kind="warning">The token is shown only now. Anyone with it can enroll devices within its limits.</Callout>
            {length === 'short' ? (
              <Code label="Gateway token of a hawkBit client" code={made.token} />
            ) : (
              <Code json label="Part of device.json" code={JSON.stringify({ enrollment_token: made.token }, null, 2)} />
            )}
          </div>
        ) : (
          <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Add token" submittingLabel="Adding...">
            <TextField {...form.field('name')} label="Name" defaultValue={former?.name} required autoFocus />
            <SegmentField label="For" items={kinds} value={kind} onValueChange={setKind} />
            {kind === 'group' && (
              <NumberField
                {...form.field('max_uses')}
                label="Devices at most"
                defaultValue={former ? (former.max_uses?.toString() ?? '') : '100'}
                hint="Leave empty for any number."
              />
            )}
            <SegmentField
              {...form.field('form')}
              label="Token"
              items={forms}
              value={length}
              onValueChange={setLength}
              hint={
                length === 'short'
                  ? '32 characters, as many as the settings of Zephyr hold. Only hawkBit clients of one hardware model take it.'
                  : 'For our agent, and as gateway token of hawkBit clients.'
              }
            />
            <SegmentField
              {...form.field('expires_at')}
              label="Valid for"
              items={days}
              value={lifetime}
              onValueChange={setLifetime}
            />
            <TextField
              {...form.field('hardware_model')}
              label="Hardware model"
              defaultValue={former?.hardware_model ?? undefined}
              list={models}
              spellCheck={false}
              hint={
                length === 'short'
                  ? 'The model of the devices that it registers.'
                  : 'Leave empty for any model of the project. A gateway token of hawkBit clients needs one.'
              }
            />
            <datalist id={models}>
              {hardware_models.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </datalist>
            {tags.length > 0 && (
              <MultiSelectField
                label="Tags of new devices"
                error={form.field('default_tags').error}
                items={tags.map(({ name }) => ({ value: name, label: name }))}
                value={chosen}
                onValueChange={setChosen}
                placeholder="None"
              />
            )}
            {auto_accept_devices ? (
              <Checkbox name="auto_accept" defaultChecked={former?.auto_accept ?? true}>
                Accept new devices automatically
              </Checkbox>
            ) : (
              <p>A person must accept each new device: the project requires it.</p>
            )}
          </BoundForm>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
