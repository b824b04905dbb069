import { useState } from 'react'
import { css } from 'styled-system/css'
import type { FuseConfig, FuseWord } from '../../../contract/updates/secure-boot/fuses'
import { debugLocks, fusePurposes } from '../../../contract/updates/secure-boot/fuses'
import { maxFuseWords } from '../../../contract/device/secure-boot-report'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/form/choice'
import { SegmentField } from '../../ui/form/choice-field'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { NumberField, TextField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import { IconButton } from '../../ui/icon/icon-button'
import { Callout } from '../../ui/layout/notice'
import { type FormParts, FormPart, FormRow } from './form-part'
import { purposeLabels } from './fuse-text'
import { useRows } from './rows'

const purposes = fusePurposes.map((value) => ({ value, label: purposeLabels[value] }))
const lockLabels = { open: 'Open', auth: 'With authentication', closed: 'Closed' } as const
const locks = debugLocks.map((value) => ({ value, label: lockLabels[value] }))
const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

type WordProps = FormParts & { at: string; word: FuseWord | undefined; purpose: FuseWord['purpose'] }

const WordFields = ({ at, word, purpose, field, groupError }: WordProps) => {
  const mask = field(`${at}.mask_hex`)
  return (
    <div className={stack}>
      <TextField {...field(`${at}.name`)} label="Name" required mono defaultValue={word?.name} placeholder="SRK_HASH_0" />
      <Pair>
        <NumberField {...field(`${at}.bank`)} label="Bank" required defaultValue={word && String(word.bank)} />
        <NumberField {...field(`${at}.word`)} label="Word" required defaultValue={word && String(word.word)} />
      </Pair>
      <Pair>
        <TextField
          {...field(`${at}.value_hex`)}
          label="Value"
          required
          mono
          spellCheck={false}
          defaultValue={word?.value_hex}
          hint="Up to 8 hexadecimal digits."
        />
        <TextField
          {...mask}
          // The rule about mask and value belongs to the word as a whole.
          error={mask.error ?? groupError(at)}
          label="Mask"
          required
          mono
          spellCheck={false}
          defaultValue={word?.mask_hex ?? 'ffffffff'}
          hint="The bits that are written; it covers the value."
        />
      </Pair>
      <SelectField {...field(`${at}.purpose`)} label="Purpose" items={purposes} defaultValue={word?.purpose ?? purpose} />
      <Checkbox name={`${at}.irreversible`} defaultChecked={word?.irreversible ?? true}>
        Cannot be undone once it is written
      </Checkbox>
    </div>
  )
}

type Props = FormParts & { start: FuseConfig | undefined; name: string; platformWrites: boolean }

/** What is written into the part: fuse words, the debug lock, and the step that closes it. */
export const FuseFields = ({ start, name, platformWrites, ...form }: Props) => {
  const words = useRows(start?.words ?? [])
  const [closes, setCloses] = useState(start?.close_step != null)
  const [byWord, setByWord] = useState(start?.close_step?.word != null)
  const { field, groupError } = form
  return (
    <>
      <FormPart
        title="Fuse words"
        description={
          platformWrites
            ? 'Words of fuses or OTP besides the key hash, in the order in which they are written. Without one, only the key hash is written.'
            : 'This platform keeps its keys in variables or in the bootloader: usually no fuse is written.'
        }
        error={groupError('fuse_config.words')}
      >
        {words.rows.map(({ key, start: word }, index) => (
          <FormRow
            key={key}
            title={`Fuse word ${index + 1}`}
            action={
              <IconButton
                icon="x"
                size="small"
                variant="ghost"
                label={`Remove fuse word ${index + 1}`}
                data-analytics-name="Remove fuse word"
                onClick={() => words.remove(key)}
              />
            }
          >
            <WordFields {...form} at={`fuse_config.words.${index}`} word={word} purpose="feature" />
          </FormRow>
        ))}
        <div>
          <Button icon={<Icon name="plus" />} onClick={words.add} disabled={words.rows.length >= maxFuseWords}>
            Add fuse word
          </Button>
        </div>
      </FormPart>
      <SegmentField
        {...field('fuse_config.debug_lock')}
        label="Debug lock"
        items={locks}
        defaultValue={start?.debug_lock ?? 'open'}
        hint="The state of the debug port (JTAG) after the plan. Locking it cannot be undone."
      />
      <FormPart
        title="Closing step"
        description="The last step of the plan: from then on the part boots only images that these keys have signed."
        error={groupError('fuse_config.close_step')}
      >
        <Checkbox name="close" checked={closes} onChange={(event) => setCloses(event.target.checked)}>
          Close the part
        </Checkbox>
        {closes && (
          <>
            <Callout kind="warning" shape="warning">
              A closed part can never be opened again. With a wrong key it never boots again.
            </Callout>
            <Checkbox checked={byWord} onChange={(event) => setByWord(event.target.checked)}>
              A fuse word closes it
            </Checkbox>
            {byWord && (
              <FormRow title="Fuse word that closes the part">
                <WordFields
                  {...form}
                  at="fuse_config.close_step.word"
                  word={start?.close_step?.word ?? undefined}
                  purpose="close"
                />
              </FormRow>
            )}
            <Checkbox
              name="fuse_config.close_step.samples_tested"
              defaultChecked={start?.close_step != null}
              aria-invalid={field('fuse_config.close_step.samples_tested').error !== undefined || undefined}
            >
              Samples were tested: they boot with this bundle
            </Checkbox>
            {field('fuse_config.close_step.samples_tested').error !== undefined && (
              <Callout kind="error">{field('fuse_config.close_step.samples_tested').error}</Callout>
            )}
            <TextField
              {...field('fuse_config.close_step.confirm')}
              label="Type the name of the bundle to confirm"
              required
              defaultValue={start?.close_step == null ? undefined : name}
              autoComplete="off"
            />
          </>
        )}
      </FormPart>
    </>
  )
}
