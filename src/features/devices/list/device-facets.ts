import type { DeviceFacets } from '../../../../contract/fleet/devices'
import { tagColours } from '../../../../contract/fleet/tags'
import { connectivityDisplay, healthDisplay, type StatusDisplay, updateGroupDisplay } from '../../../lib/status-display'
import type { Facet, FacetValue } from '../../../ui/list/facets'
import { kindOf } from '../../../ui/layout/shape'
import type { DevicesSearch } from './devices-search'

type Counts = DeviceFacets['connectivity']

const shaped = (counts: Counts, lookOf: (value: string) => StatusDisplay, chosen: string | undefined): FacetValue[] =>
  counts.map(({ value, count }) => {
    const { shape, word } = lookOf(value)
    const kind = kindOf(shape)
    return {
      value,
      label: word,
      count,
      shape,
      kind: kind === 'neutral' || kind === 'quiet' ? 'rest' : kind,
      chosen: value === chosen,
    }
  })

// Versions are ordered, so they use the color scale from dark to light, newest darkest.
const stepOf = (index: number) => Math.min(index, 3) as 0 | 1 | 2 | 3 // the scale has four steps

const tagOf = (colour: string | undefined) => tagColours.find((one) => one === colour) ?? 'stone'

export const facetLabels = ['Connectivity', 'Update', 'Health', 'Version', 'Tag'] as const

/** The counts of the whole filter, field by field. */
export const facetsOf = ({ connectivity, update, health, version, tag }: DeviceFacets, chosen: DevicesSearch): Facet[] => [
  { field: 'connectivity', label: 'Connectivity', values: shaped(connectivity, connectivityDisplay, chosen.connectivity) },
  { field: 'update', label: 'Update', values: shaped(update, updateGroupDisplay, chosen.update) },
  { field: 'health', label: 'Health', values: shaped(health, healthDisplay, chosen.health) },
  {
    field: 'version',
    label: 'Version',
    values: version.map(({ value, count }, index) => ({
      value,
      label: value,
      count,
      step: stepOf(index),
      mono: true,
      chosen: value === chosen.version,
    })),
  },
  {
    field: 'tag',
    label: 'Tag',
    values: tag.map(({ value, count, colour }) => ({
      value,
      label: value,
      count,
      tag: tagOf(colour),
      chosen: chosen.tag_mode !== 'none' && chosen.tag?.includes(value) === true,
    })),
  },
]
