import type { Release } from '../../contract/updates/releases'
import { type Cell, facts, formatBytes, table } from '../core/print'

const colours: Partial<Record<Release['state'], 'green' | 'yellow' | 'red'>> = {
  ready: 'green',
  released: 'green',
  awaiting_signature: 'yellow',
  rejected: 'red',
  revoked: 'red',
}

const words = (state: string) => state.replaceAll('_', ' ')
const stateCell = ({ state }: Release): Cell => ({ text: words(state), colour: colours[state] })

export const releaseTable = (releases: readonly Release[]): string =>
  table(
    ['Version', 'Display version', 'Name', 'Kind', 'Models', 'State', 'Id'],
    releases.map((one) => [
      one.version,
      one.display_version,
      one.name,
      words(one.type),
      one.hardware_models.join(', '),
      stateCell(one),
      one.id,
    ]),
  )

export const releaseFacts = (release: Release): string =>
  facts([
    ['Release', release.name],
    ['Id', release.id],
    ['Version', release.display_version === null ? release.version : `${release.version} (${release.display_version})`],
    ['Kind', words(release.type)],
    ['Models', release.hardware_models.join(', ')],
    ['State', stateCell(release)],
    ...(release.state_reason === null ? [] : [['Reason', release.state_reason] as const]),
    ['Signed with', release.signatures.map(({ key_name: name }) => name).join(', ')],
  ])

export const fileTable = (release: Release): string =>
  table(
    ['File', 'Kind', 'Size', 'On the device', 'Mode', 'State', 'SHA-256'],
    release.assets.map((asset) => [
      asset.name,
      asset.kind,
      formatBytes(asset.size),
      asset.install_location,
      asset.mode,
      asset.state,
      asset.sha256,
    ]),
  )
