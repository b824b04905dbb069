import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { Status } from '../../ui/text/chip'
import { Panel, PanelRow } from '../../ui/layout/panel'
import { roleLabels } from './bundle-display'

/** What the platform requires, each with whether a file is there. */
export const CompletenessPanel = ({ bundle: { completeness } }: { bundle: SecureBootBundle }) => (
  <Panel flush title="Required parts" aside={`${completeness.present} of ${completeness.total}`}>
    {completeness.required.map(({ roles, present }) => (
      <PanelRow key={roles.join()}>
        <Status shape={present ? 'success' : 'waiting'}>
          {roles.map((role) => roleLabels[role]).join(' or ')}
          {present ? '' : ': missing'}
        </Status>
      </PanelRow>
    ))}
  </Panel>
)
