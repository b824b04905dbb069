import { useState } from 'react'
import { refine } from 'superstruct'
import { NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import { clientKinds, type ClientKind, kindsConfirmedByClient, standardClient } from '../../../contract/ddi/model-client'
import { product } from '../../../contract/core/limits'
import type { Project } from '../../../contract/accounts/projects'
import { textOf } from '../../lib/form-data'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice } from '../../system/form/conflict-notice'
import type { EditConflict, Fields } from '../../system/form/edit-conflict'
import { useForm } from '../../system/form/form'
import { SegmentField } from '../../ui/form/choice-field'
import { ReadOnlyField } from '../../ui/form/field'
import { SecondsField } from '../../ui/form/seconds-field'
import { SelectField } from '../../ui/form/select-field'
import { TextareaField, TextField } from '../../ui/form/text-field'
import { labels, say, toFields } from './model-change'
import { clientNames } from './model-text'

const slots = [
  { value: 'single', label: 'One slot' },
  { value: 'ab', label: 'A/B slots' },
] as const
const kinds = clientKinds.map((value) => ({ value, label: clientNames[value] }))
const confirmations = [
  { value: 'version', label: 'Its version' },
  { value: 'client', label: "The client's word" },
] as const

type Props = { edit: EditConflict<Project, Fields>; model: HardwareModel | undefined; close: () => void; cancel: () => void }

/** The fields of a hardware model. Its id stays, since devices and signed releases name it. */
export const ModelForm = ({ edit, model, close, cancel }: Props) => {
  const { base, conflict } = edit
  const models = base.settings.hardware_models
  const start = model?.client ?? standardClient
  const [kind, setKind] = useState<ClientKind>(start.kind)
  const [chosenBy, setBy] = useState(start.confirm_by)
  const by = kindsConfirmedByClient.includes(kind) ? chosenBy : 'version'
  const isOther = kind !== product.slug

  const schema = refine(NewHardwareModel, 'taken', ({ id }, { path }) =>
    model !== undefined || !models.some((other) => other.id === id)
      ? true
      : { path: [...path, 'id'], message: 'The project has a model with this id' },
  )
  const read = (data: FormData): unknown => ({
    id: model?.id ?? textOf(data, 'id'),
    name: data.get('name'),
    platform: data.get('platform'),
    slots: data.get('slots'),
    client: isOther
      ? {
          kind,
          confirm_by: by,
          version_attribute: by === 'version' ? textOf(data, 'client.version_attribute') : start.version_attribute,
          confirm_within_s: Number(textOf(data, 'client.confirm_within_s') || Number.NaN),
          boards: textOf(data, 'client.boards').split(/\s+/).filter(Boolean),
        }
      : { ...start, kind, confirm_by: 'version' },
  })
  const form = useForm({ schema, read, save: (body) => edit.save(toFields(body)), onSaved: close })
  return (
    <BoundForm
      form={form}
      dense
      inDialog
      onCancel={cancel}
      {...(!model && { submitLabel: 'Add model', submittingLabel: 'Adding...' })}
      conflict={
        conflict && (
          <ConflictNotice
            conflict={conflict}
            labels={labels}
            say={say}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )
      }
    >
      {model ? (
        <ReadOnlyField label="Id">
          <code>{model.id}</code>
        </ReadOnlyField>
      ) : (
        <TextField
          {...form.field('id')}
          label="Id"
          required
          autoFocus
          spellCheck={false}
          hint="As devices report it. It cannot be changed later."
        />
      )}
      <TextField {...form.field('name')} label="Name" required defaultValue={model?.name} />
      <TextField
        {...form.field('platform')}
        label="Platform"
        required
        defaultValue={model?.platform}
        hint="Such as nxp-hab or esp32."
      />
      <SegmentField {...form.field('slots')} label="Slots" items={slots} defaultValue={model?.slots ?? 'single'} />
      <SelectField
        {...form.field('client.kind')}
        label="Client"
        items={kinds}
        defaultValue={start.kind}
        onValueChange={setKind}
        {...(model && kind !== start.kind && { hint: 'Updates that are under way follow the change at their next report.' })}
      />
      {kindsConfirmedByClient.includes(kind) && (
        <SegmentField
          {...form.field('client.confirm_by')}
          label="An update is confirmed by"
          items={confirmations}
          value={by}
          onValueChange={setBy}
          hint={
            by === 'client'
              ? 'After a restart with every byte downloaded, its report of success is believed.'
              : 'Its report of success is a claim until the device reports the new version.'
          }
        />
      )}
      {isOther && (
        <>
          {by === 'version' && (
            <TextField
              {...form.field('client.version_attribute')}
              label="Version attribute"
              required
              spellCheck={false}
              defaultValue={start.version_attribute}
              hint="Names the installed version: without it no update can be confirmed."
            />
          )}
          <SecondsField
            {...form.field('client.confirm_within_s')}
            label="Time to confirm"
            required
            defaultValue={start.confirm_within_s}
            hint="After its restart or its report of success."
          />
          <TextareaField
            {...form.field('client.boards')}
            label="Boards"
            rows={2}
            spellCheck={false}
            defaultValue={start.boards.join('\n')}
            hint="The hw_boardname that fits, one per line; none: the id of the model. A device that reports another board gets no update."
          />
        </>
      )}
    </BoundForm>
  )
}
