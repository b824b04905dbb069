import type { BundleSummary } from '../../../contract/secure-boot/bundles'
import { SelectField } from '../../ui/form/select-field'
import { noBundle } from './release-fields'

type Props = { name: string; error: string | undefined; bundles: readonly BundleSummary[]; start: string | null }

/** Loaded separately, with its list. */
export const BundleSelect = ({ bundles, start, ...field }: Props) => (
  <SelectField
    {...field}
    label="Secure boot bundle"
    items={[
      { value: noBundle, label: 'None' },
      ...bundles.map(({ id, name, version }) => ({ value: id, label: `${name} (${version})` })),
    ]}
    defaultValue={start ?? noBundle}
    hint="The bundle that devices need for this release. The manifest takes over its rollback version."
  />
)
