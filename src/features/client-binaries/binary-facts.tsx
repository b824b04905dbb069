import type { ClientBinary } from '../../../contract/fleet/client-binaries'
import { formatBytes } from '../../lib/bytes'
import { FactStrip } from '../../ui/layout/facts'
import { DateTime } from '../../ui/text/time'

export const BinaryFacts = ({ binary }: { binary: ClientBinary }) => (
  <FactStrip
    facts={[
      { label: 'Program', value: <code>{binary.name}</code> },
      { label: 'Version', value: <code>{binary.version}</code> },
      { label: 'Size', value: formatBytes(binary.size) },
      { label: 'Built', value: <DateTime value={binary.released_at} /> },
      { label: 'Runs on', value: binary.runtime },
    ]}
  />
)
