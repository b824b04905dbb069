import type { RollBackPreview } from '../../../../contract/updates/roll-backs'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { Pairs } from '../../../ui/layout/facts'
import { Callout } from '../../../ui/layout/notice'

type Group = { count: number; sample: readonly { name: string }[] }

const total = (groups: readonly Group[]) => groups.reduce((sum, { count }) => sum + count, 0)
const labelOf = (release: { version: number; display_version: string | null }) => release.display_version ?? `v${release.version}`

/** "3: gw-1, gw-2, gw-3", "12: gw-1, … and 7 more". */
const inNames = ({ count, sample }: Group) => {
  const names = sample.map(({ name }) => name).join(', ')
  return `${formatCount(count)}: ${names}${count > sample.length ? ` and ${formatCount(count - sample.length)} more` : ''}`
}

const underWayText = ({ returning, staying }: RollBackPreview['under_way']) =>
  `${pluralize(returning + staying, 'device is', 'devices are')} updating and asked to stop. Devices that finish anyway are treated the same way.`

const alsoOfferedText = ({ also_offered: others }: RollBackPreview, label: string) =>
  `${others.map(({ name }) => name).join(', ')} ${others.length === 1 ? 'is' : 'are'} open and may install ${label} on other devices, also on those that join later. To stop this, halt or cancel ${others.length === 1 ? 'it' : 'them'}, or revoke the release.`

/** Which devices return to which release, and which keep this one and why. */
export const RollBackFacts = ({ preview, label, hasEnded }: { preview: RollBackPreview; label: string; hasEnded: boolean }) => {
  const { returns, stays, under_way } = preview
  const [back, kept] = [total(returns), total(stays)]
  return (
    <>
      {back + kept === 0 && (
        <Callout kind="info">
          {hasEnded
            ? `No device of this rollout has ${label} any more.`
            : `No device has ${label} yet. The rollout ends without a rollback.`}
        </Callout>
      )}
      {kept > 0 && (
        <Callout kind="warning">
          {back === 0
            ? `No device returns. All ${formatCount(kept)} keep ${label}.`
            : `${formatCount(kept)} of ${formatCount(back + kept)} keep ${label}.`}{' '}
          To replace it, roll out a release with a higher version.
        </Callout>
      )}
      {preview.also_offered.length > 0 && <Callout kind="warning">{alsoOfferedText(preview, label)}</Callout>}
      {back + kept > 0 && (
        <Pairs
          wide
          facts={[
            ...returns.map((one) => ({ label: `Return to ${labelOf(one)}`, value: inNames(one), key: one.release_id })),
            ...stays.map((one) => ({ label: `Keep ${label}: ${one.text}`, value: inNames(one), key: one.text })),
          ]}
        />
      )}
      {under_way.returning + under_way.staying > 0 && <p>{underWayText(under_way)}</p>}
    </>
  )
}
