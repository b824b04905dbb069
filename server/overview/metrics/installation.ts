import type { Tx } from '../../core/database/tx'
import type { Reading } from '../../core/metrics/metrics'
import { readInstallation } from './repository'

/** The gauges of the whole installation. Every API process has them: they are equal, so take the largest. */
export const installationReading = (tx: Tx) =>
  ({
    gauges: {
      teasel_devices: {
        help: 'Devices in use (not rejected, decommissioned or deleted), by connectivity.',
        label: 'connectivity',
      },
      teasel_rollouts_under_way: {
        help: 'Rollouts that have neither ended nor wait for their approval, by state.',
        label: 'state',
      },
      teasel_outbox_depth: {
        help: 'Messages that are stored but not delivered yet; at most 10000 of a kind are counted.',
        label: 'kind',
      },
    },
    read: () => readInstallation(tx),
  }) satisfies Reading
