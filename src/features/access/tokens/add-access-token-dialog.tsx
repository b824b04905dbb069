import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { NewAccessToken, tokenPermissions } from '../../../../contract/accounts/access-tokens'
import { createAccessTokenMutation } from '../../../api/mutations/accounts/access-tokens'
import { textOf } from '../../../lib/form-data'
import { pluralize } from '../../../lib/pluralize'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { refusalOf, useGrants } from '../../../system/scope/grants'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/form/choice'
import * as Dialog from '../../../ui/overlay/dialog'
import { GroupField, SegmentField } from '../../../ui/form/choice-field'
import { SelectField } from '../../../ui/form/select-field'
import { TextareaField, TextField } from '../../../ui/form/text-field'
import { DateTime } from '../../../ui/text/time'
import { ShownToken } from './shown-token'
import { describePermission, givable, permissionsOf, type Preset, presets, type TokenPermission } from './token-permissions'

const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'No end' },
] as const
type Lifetime = (typeof lifetimes)[number]['value']

const permission = css({ display: 'grid', columnGap: '12', gridTemplateColumns: { base: '1fr', md: '190px 1fr' } })
const name = css({ textStyle: 'mono' })
const quiet = css({ color: 'muted', textStyle: 'small' })

const linesOf = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Creates an access token, and shows it once. */
export const AddAccessTokenDialog = ({ projectId, onClose }: { projectId: string; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('add_access_token', onClose)
  const known = useGrants()
  // Null means everything: the owner of a personal project.
  const grants = known === undefined ? [] : known
  const held = givable(grants)
  const [preset, setPreset] = useState<Preset>('release')
  const [chosen, setChosen] = useState<readonly TokenPermission[]>(() => permissionsOf('release', grants))
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const { data: made, mutateAsync } = useMutation({ ...createAccessTokenMutation(api, projectId), gcTime: 0 })
  const choosePreset = (next: Preset) => {
    setPreset(next)
    if (next !== 'chosen') setChosen(permissionsOf(next, grants))
  }
  const toggle = (one: TokenPermission, on: boolean) => {
    setPreset('chosen')
    setChosen(tokenPermissions.filter((each) => (each === one ? on : chosen.includes(each))))
  }
  const form = useForm({
    schema: NewAccessToken,
    read: (data: FormData): unknown => ({
      name: data.get('name'),
      permissions: chosen,
      lifetime_days: lifetime === 'never' ? null : Number(lifetime),
      allowed_addresses: linesOf(textOf(data, 'allowed_addresses')),
    }),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {},
  })
  // One window for question and answer: a second one would open where nothing can be pressed.
  return (
    <Dialog.Root {...root} {...(made && Dialog.shownOnce)}>
      <Dialog.Window
        wide
        title={made ? `Access token ${made.name}` : 'Add an access token'}
        description={
          made ? (
            <>
              May use {pluralize(made.permissions.length, 'permission')} in this project until{' '}
              <DateTime value={made.expires_at} never="it is revoked" />.
            </>
          ) : (
            'For a program, such as a build server. It acts in your name, in this project only, and never with more than you may do.'
          )
        }
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <ShownToken token={made.token} />
        ) : (
          <BoundForm
            form={form}
            dense
            inDialog
            sticky
            onCancel={cancel}
            submitLabel="Add access token"
            submittingLabel="Adding..."
          >
            <TextField {...form.field('name')} label="Name" required autoFocus placeholder="Release pipeline" />
            <SelectField label="Rights" items={presets} value={preset} onValueChange={choosePreset} />
            <GroupField label="Permissions" error={form.field('permissions').error}>
              {tokenPermissions.map((one) => (
                <Checkbox
                  key={one}
                  checked={chosen.includes(one)}
                  disabled={!held.includes(one)}
                  title={held.includes(one) ? undefined : refusalOf([one])}
                  onChange={(event) => toggle(one, event.currentTarget.checked)}
                >
                  <span className={permission}>
                    <code className={name}>{one}</code>
                    <span className={quiet}>{describePermission(one)}</span>
                  </span>
                </Checkbox>
              ))}
            </GroupField>
            <SegmentField
              {...form.field('lifetime_days')}
              label="Valid for"
              items={lifetimes}
              value={lifetime}
              onValueChange={setLifetime}
              hint={
                lifetime === 'never'
                  ? 'Works until someone revokes it, also if it leaks unnoticed. Needs the production plan.'
                  : 'Rotate it before it ends: the new token lives as long.'
              }
            />
            <TextareaField
              {...form.field('allowed_addresses')}
              label="Allowed addresses"
              mono
              spellCheck={false}
              placeholder={'192.0.2.7\n10.0.0.0/24'}
              hint="Addresses and networks of the programs, one per line. Leave empty for any."
            />
          </BoundForm>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
