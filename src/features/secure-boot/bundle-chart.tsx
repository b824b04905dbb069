import { css } from 'styled-system/css'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import layout from '../../../machines/secure-boot/secure-boot.layout.json'
import { Statechart } from '../../ui/chart/statechart'
import { bundleDisplay } from './bundle-display'

const scroll = css({ overflow: 'auto', p: '16' })

/** The chart of bundles with the present state of this one; the page refetches it. */
export const BundleChart = ({ bundle }: { bundle: SecureBootBundle }) => (
  <div className={scroll} tabIndex={0} role="region" aria-label="States of the bundle">
    <Statechart
      chart={layout}
      label={`${bundle.name}: ${bundleDisplay(bundle.state).word}`}
      lit={[`secureBoot.${bundle.state}`]}
      walked={[]}
      last={[]}
    />
  </div>
)
