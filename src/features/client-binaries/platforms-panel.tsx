import { css } from 'styled-system/css'
import type { ClientPlatform } from '../../../contract/fleet/client-binaries'
import { Status } from '../../ui/text/chip'
import { Panel } from '../../ui/layout/panel'
import type { ShapeName } from '../../ui/layout/shape'
import * as Table from '../../ui/list/table'

const systems: Record<ClientPlatform['os'], string> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' }
const arches: Record<ClientPlatform['arch'], string> = { x86_64: 'x86-64', aarch64: 'aarch64', armv7: 'armv7' }
const support: Record<ClientPlatform['support'], { shape: ShapeName; word: string }> = {
  tested: { shape: 'success', word: 'Tested' },
  expected: { shape: 'notreached', word: 'Not tested' },
  commands: { shape: 'none', word: 'Commands' },
}
const narrow = css({ w: '104' })
const wider = css({ w: '120' })

/** One file for all platforms, with the support level of each. */
export const PlatformsPanel = ({ platforms }: { platforms: readonly ClientPlatform[] }) => (
  <Panel flush title="Platforms">
    <Table.Root caption="Platforms" scroll stack>
      <Table.Head>
        <Table.Th className={narrow}>System</Table.Th>
        <Table.Th className={narrow}>Processor</Table.Th>
        <Table.Th className={wider}>Support</Table.Th>
        <Table.Th>What works</Table.Th>
      </Table.Head>
      <Table.Body>
        {platforms.map(({ os, arch, support: how, notes }) => (
          <Table.Row key={`${os} ${arch}`}>
            <Table.Cell at="lead">{systems[os]}</Table.Cell>
            <Table.Cell mono at="subEnd">
              {arches[arch]}
            </Table.Cell>
            <Table.Cell at="end">
              <Status shape={support[how].shape}>{support[how].word}</Status>
            </Table.Cell>
            <Table.Cell quiet wrap at="sub">
              {notes}
            </Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  </Panel>
)
