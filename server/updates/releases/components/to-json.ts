import type { Component, FoundComponent, Sbom } from '../../../../contract/updates/components'
import { formatTimestampOrNull } from '../../../core/timestamps'
import type { AssetRow } from '../assets/repository'
import type { ReleaseRow } from '../repository'
import type { ComponentRow, SbomRow } from './repository'

const stateOf = (sbom: SbomRow | null): Sbom['state'] => (sbom === null ? 'waiting' : sbom.format === null ? 'refused' : 'read')

export const sbomToJson = ({ asset, sbom }: { asset: AssetRow; sbom: SbomRow | null }): Sbom => ({
  asset_id: asset.id,
  name: asset.name,
  state: stateOf(sbom),
  format: sbom?.format ?? null,
  format_version: sbom?.formatVersion ?? null,
  component_count: sbom?.componentCount ?? 0,
  problem: sbom?.problemRule ? { field: sbom.problemField ?? '', rule: sbom.problemRule } : null,
  notes: sbom?.notes ?? [],
  note_count: sbom?.noteCount ?? 0,
  read_at: formatTimestampOrNull(sbom?.readAt ?? null),
})

export const componentToJson = (row: ComponentRow): Component => ({
  id: row.id,
  asset_id: row.assetId,
  name: row.name,
  version: row.version,
  purl: row.purl,
  licence: row.licence,
  hash: row.hash,
  supplier: row.supplier,
})

type Found = { component: ComponentRow; release: ReleaseRow }

export const foundComponentToJson = ({ component, release }: Found, devices: number): FoundComponent => ({
  ...componentToJson(component),
  release: {
    id: release.id,
    name: release.name,
    version: release.version,
    display_version: release.displayVersion,
    state: release.state,
  },
  devices,
})
