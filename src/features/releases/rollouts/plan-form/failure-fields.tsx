import type { Release } from '../../../../../contract/updates/releases'
import { Switch } from '../../../../ui/form/choice'
import { SegmentField } from '../../../../ui/form/choice-field'
import { NumberField, TextField } from '../../../../ui/form/text-field'
import { reasonHint } from '../../reason'
import type { PartProps } from './plan-fields'
import { Section } from './section'

/** What a failed gate does, and whether devices may return from a newer version. */
export const FailureFields = ({ draft, onChange, errorOf, groupError, release }: PartProps & { release: Release }) => {
  const { downgrade } = draft
  const set = (changes: Partial<typeof downgrade>) => onChange({ downgrade: { ...downgrade, ...changes } })
  return (
    <Section title="Failure and downgrade" error={groupError('allow_downgrade')}>
      <SegmentField
        label="When a gate fails"
        items={[
          { value: 'halt', label: 'Halt' },
          { value: 'halt_and_roll_back', label: 'Halt and roll back' },
        ]}
        value={draft.on_failure}
        onValueChange={(on_failure) => onChange({ on_failure })}
        error={errorOf('on_failure')}
        hint={
          draft.on_failure === 'halt'
            ? 'No new offers. A person decides what follows.'
            : 'No new offers, and updated devices return to their previous release.'
        }
      />
      <Switch
        checked={draft.downgrades}
        onChange={(event) => onChange({ downgrades: event.target.checked })}
        hint="For devices with a newer version whose signed manifest lists this one as a version to return to."
      >
        Allow downgrade
      </Switch>
      {draft.downgrades && (
        <>
          <TextField
            label="Reason for the downgrade"
            required
            value={downgrade.reason}
            onChange={(event) => set({ reason: event.target.value })}
            error={errorOf('allow_downgrade.reason')}
            hint={reasonHint}
          />
          <NumberField
            label={`Type ${release.version} to confirm the version`}
            required
            value={downgrade.version}
            onChange={(event) => set({ version: event.target.value })}
            error={errorOf('allow_downgrade.version')}
          />
        </>
      )}
    </Section>
  )
}
