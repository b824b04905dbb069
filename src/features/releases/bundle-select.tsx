import type { BundleSummary } from '../../../contract/updates/secure-boot/bundles'
import { SelectField } from '../../ui/form/select-field'
import { noBundle } from './release-fields'

type Props = { name: string; error: string | undefined; bundles: readonly BundleSummary[]; start: string | null }

const describeBundle = ({ name, version, state }: BundleSummary) =>
  state === 'ready' || state === 'in_use' ? `${name} (${version})` : `${name} (${version}, ${state})`

/** Loaded separately, with its list. The bundle of the release is an option also when the list does not reach it. */
export const BundleSelect = ({ bundles, start, ...field }: Props) => (
  <SelectField
    {...field}
    label="Secure boot bundle"
    items={[
      { value: noBundle, label: 'None' },
      ...bundles.map((bundle) => ({ value: bundle.id, label: describeBundle(bundle) })),
      ...(start !== null && !bundles.some(({ id }) => id === start) ? [{ value: start, label: 'Current bundle' }] : []),
    ]}
    defaultValue={start ?? noBundle}
    hint="The bundle that devices need for this release. The manifest takes over its rollback version."
  />
)
