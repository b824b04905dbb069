import type { ModelCount } from '../../../../../contract/fleet/model-counts'
import type { Tag } from '../../../../../contract/fleet/tags'
import { labelModel } from '../../../../lib/model-note'
import { Switch } from '../../../../ui/form/choice'
import { SegmentField } from '../../../../ui/form/choice-field'
import { Pair } from '../../../../ui/form/form'
import { MultiSelectField } from '../../../../ui/form/select-field'
import { TextField } from '../../../../ui/form/text-field'
import { FailedDevices } from './failed-devices'
import { NamedDevices } from './named-devices'
import { options, type PartProps, withChosen } from './plan-fields'
import { Section } from './section'

type Props = PartProps & { projectId: string; tags: readonly Tag[]; models: readonly ModelCount[] }

const tagFields = [
  { name: 'tags_all', label: 'With all of the tags' },
  { name: 'tags_any', label: 'With any of the tags' },
  { name: 'tags_none', label: 'With none of the tags' },
] as const

/** Which devices get the release. */
export const TargetFields = ({ draft, onChange, errorOf, groupError, projectId, tags, models }: Props) => {
  const tagItems = options(tags.map(({ name }) => name))
  return (
    <Section
      title="Devices"
      description="Devices that meet every filled field, and the named ones. Incompatible devices are left out."
      error={groupError('target')}
    >
      <Switch checked={draft.everything} onChange={(event) => onChange({ everything: event.target.checked })}>
        All compatible devices
      </Switch>
      {tagFields
        .filter(({ name }) => name === 'tags_none' || !draft.everything)
        .map(({ name, label }) => (
          <MultiSelectField
            key={name}
            label={label}
            items={withChosen(tagItems, draft[name])}
            value={draft[name]}
            onValueChange={(value) => onChange({ [name]: value })}
            error={errorOf(`target.${name}`)}
            placeholder={tags.length === 0 ? 'The project has no tags' : 'None'}
          />
        ))}
      {!draft.everything && (
        <>
          <MultiSelectField
            label="Models"
            items={withChosen(
              models.map((model) => ({ value: model.id, label: labelModel(model) })),
              draft.models,
            )}
            value={draft.models}
            onValueChange={(value) => onChange({ models: value })}
            error={errorOf('target.models')}
            placeholder="Any"
          />
          <Pair>
            <TextField
              label="Installed versions"
              mono
              value={draft.versions}
              onChange={(event) => onChange({ versions: event.target.value })}
              error={errorOf('target.versions')}
              hint="Version numbers, separated by commas."
              placeholder="Any"
            />
            <TextField
              label="Name or serial number contains"
              value={draft.query}
              onChange={(event) => onChange({ query: event.target.value })}
              error={errorOf('target.query')}
              placeholder="Any"
            />
          </Pair>
          {draft.failed_in !== '' && <FailedDevices rolloutId={draft.failed_in} onRemove={() => onChange({ failed_in: '' })} />}
          <NamedDevices
            projectId={projectId}
            ids={draft.device_ids}
            onChange={(ids) => onChange({ device_ids: ids })}
            error={errorOf('target.device_ids')}
          />
        </>
      )}
      <SegmentField
        label="Devices that match later"
        items={[
          { value: 'frozen', label: 'Leave out' },
          { value: 'dynamic', label: 'Include' },
        ]}
        value={draft.membership}
        onValueChange={(membership) => onChange({ membership })}
        error={errorOf('membership')}
        hint={
          draft.membership === 'frozen'
            ? 'Exactly the previewed devices get the release, also those that no longer match by then.'
            : 'Devices join while the rollout is running, in the wave of their tag or share. One that has joined stays, also when it loses its tag.'
        }
      />
    </Section>
  )
}
