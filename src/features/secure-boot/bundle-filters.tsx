import { useQuery } from '@tanstack/react-query'
import { bundleStates } from '../../../contract/updates/secure-boot/bundles'
import { platformIds } from '../../../contract/updates/secure-boot/platforms'
import { projectQuery } from '../../api/queries/accounts/projects'
import { useSystem } from '../../system/system'
import { Select } from '../../ui/form/select'
import { bundleDisplay, platformLabels } from './bundle-display'
import type { BundlesSearch } from './bundles-search'

const states = bundleStates.map((value) => ({ value, label: bundleDisplay(value).word }))
const platforms = platformIds.map((value) => ({ value, label: platformLabels[value] }))

type Props = {
  projectId: string
  search: BundlesSearch
  /** Of the rows in sight: a project may list none in its settings. */
  models: readonly string[]
  onChange: (change: BundlesSearch) => void
}

/** The filters that are not set; those that are stand beside them as chips. Loaded separately, with its lists. */
export const BundleFilters = ({ projectId, search, models, onChange }: Props) => {
  const { api } = useSystem()
  const { data } = useQuery(projectQuery(api, projectId))
  const known = new Map(data?.settings.hardware_models.map(({ id, name }) => [id, name]))
  const ids = [...new Set([...known.keys(), ...models])]
  return (
    <>
      {search.state === undefined && (
        <Select small label="State" placeholder="State" items={states} onValueChange={(state) => onChange({ state })} />
      )}
      {search.platform === undefined && (
        <Select
          small
          label="Platform"
          placeholder="Platform"
          items={platforms}
          onValueChange={(platform) => onChange({ platform })}
        />
      )}
      {search.hardware_model === undefined && ids.length > 0 && (
        <Select
          small
          label="Model"
          placeholder="Model"
          items={ids.map((id) => ({ value: id, label: (known.get(id) ?? id) === id ? id : `${known.get(id)} (${id})` }))}
          onValueChange={(id) => onChange({ hardware_model: id })}
        />
      )}
    </>
  )
}
