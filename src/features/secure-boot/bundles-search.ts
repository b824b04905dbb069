import { create, type Infer, is, type } from 'superstruct'
import { listQuery } from '../../../contract/core/lists'
import { BundleFilter } from '../../../contract/updates/secure-boot/bundles'

const BundlesSearch = type({ q: listQuery.q, ...BundleFilter })
export type BundlesSearch = Infer<typeof BundlesSearch>

const fields = Object.keys(BundlesSearch.schema) as (keyof BundlesSearch)[] // the keys of its own schema

/** The filters of the URL. Invalid values are ignored; the others count. */
export const readBundlesSearch = (search: Record<string, unknown>): BundlesSearch => {
  const kept: Record<string, unknown> = {}
  for (const field of fields) {
    const one = { [field]: search[field] }
    if (search[field] !== undefined && is(one, BundlesSearch)) kept[field] = search[field]
  }
  return create(kept, BundlesSearch)
}
