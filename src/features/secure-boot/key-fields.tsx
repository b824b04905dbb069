import { useState } from 'react'
import { css } from 'styled-system/css'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { BundleKey } from '../../../contract/updates/secure-boot/bundles'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/form/choice'
import { SegmentField } from '../../ui/form/choice-field'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { NumberField, TextareaField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import { IconButton } from '../../ui/icon/icon-button'
import { type FormParts, FormPart, FormRow } from './form-part'
import { useRows } from './rows'

const sources = [
  { value: 'project', label: 'Signing key' },
  { value: 'pem', label: 'Public key' },
] as const
/** The keys that a slot may take, and its own, which may have been revoked since. */
const itemsFor = (signingKeys: readonly SigningKey[], own: string | null | undefined) =>
  signingKeys
    .filter(({ id, purpose, state }) => id === own || (purpose !== 'release' && state !== 'revoked'))
    .map(({ id, name, state }) => ({ value: id, label: state === 'revoked' ? `${name} (revoked)` : name }))
const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

type KeyProps = FormParts & { at: string; index: number; start: BundleKey | undefined; signingKeys: readonly SigningKey[] }

const KeyRow = ({ at, index, start, signingKeys, field, groupError }: KeyProps) => {
  const items = itemsFor(signingKeys, start?.key_id)
  const fromProject = start ? start.key_id !== null : items.length > 0
  const [source, setSource] = useState<'project' | 'pem'>(fromProject ? 'project' : 'pem')
  return (
    <div className={stack}>
      <Pair>
        <NumberField
          {...field(`${at}.slot`)}
          label="Slot"
          required
          defaultValue={String(start?.slot ?? index)}
          hint="0 to 15, as in the part's key table."
        />
        {items.length > 0 && <SegmentField label="Key" items={sources} value={source} onValueChange={setSource} />}
      </Pair>
      {source === 'project' && items.length > 0 ? (
        <SelectField
          {...field(`${at}.key_id`)}
          label="Signing key"
          required
          items={items}
          defaultValue={start?.key_id ?? items[0]?.value}
        />
      ) : (
        <TextareaField
          {...field(`${at}.public_key_pem`)}
          error={field(`${at}.public_key_pem`).error ?? groupError(at)}
          label="Public key"
          required
          rows={4}
          spellCheck={false}
          defaultValue={start?.public_key_pem}
          placeholder="-----BEGIN PUBLIC KEY-----"
          hint="As PEM. Never paste a private key: it is refused and not stored."
        />
      )}
      <Checkbox name={`${at}.revoked`} defaultChecked={start?.revoked ?? false}>
        Revoked: the plan revokes this slot
      </Checkbox>
    </div>
  )
}

type Props = FormParts & { start: readonly BundleKey[]; signingKeys: readonly SigningKey[] }

/** The public keys by slot. The stages of the bundle are verified with them. */
export const KeyFields = ({ start, signingKeys, ...form }: Props) => {
  const keys = useRows(start)
  return (
    <FormPart
      title="Keys"
      description="Public keys that the boot stages are signed with, by the slot of the part. Signatures are verified with them."
      error={form.groupError('keys')}
    >
      {keys.rows.map(({ key, start: one }, index) => (
        <FormRow
          key={key}
          title={`Key ${index + 1}`}
          action={
            <IconButton
              icon="x"
              size="small"
              variant="ghost"
              label={`Remove key ${index + 1}`}
              data-analytics-name="Remove bundle key"
              onClick={() => keys.remove(key)}
            />
          }
        >
          <KeyRow {...form} at={`keys.${index}`} index={index} start={one} signingKeys={signingKeys} />
        </FormRow>
      ))}
      <div>
        <Button icon={<Icon name="plus" />} onClick={keys.add} disabled={keys.rows.length >= 16}>
          Add key
        </Button>
      </div>
    </FormPart>
  )
}
