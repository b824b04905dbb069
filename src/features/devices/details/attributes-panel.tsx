import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { deviceReportQuery } from '../../../api/queries/fleet/devices'
import { useSystem } from '../../../system/system'
import { CopyButton } from '../../../ui/text/copy-button'
import { SearchInput } from '../../../ui/form/input'
import { Panel } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { RelativeTime } from '../../../ui/text/time'

const quiet = css({ color: 'muted' })
const tools = css({ px: '16', py: '8', borderBottom: 'line' })
const padded = css({ px: '16', py: '12' })
const mono = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const copyColumn = css({ w: '48' })

/** With fewer there is nothing to search. */
const searchedFrom = 8

/** A client of hawkBit sends them when it is asked. */
const AskedAge = ({ deviceId }: { deviceId: string }) => {
  const { api } = useSystem()
  const { data } = useQuery(deviceReportQuery(api, deviceId))
  return data && data.attributes_received_at !== null && <RelativeTime value={data.attributes_received_at} />
}

/** An agent compares a hash of them with the server at each check-in, and sends them again when it differs. */
const Age = ({ device }: { device: Device }) => (
  <span>
    Reported {device.protocol === 'ddi' ? <AskedAge deviceId={device.id} /> : <RelativeTime value={device.last_seen_at} />}
  </span>
)

/** The facts that a device reports about itself. */
export const AttributesPanel = ({ device }: { device: Device }) => {
  const [search, setSearch] = useState('')
  const all = Object.entries(device.attributes).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const wanted = search.trim().toLowerCase()
  const shown = all.filter(([name, value]) => `${name} ${String(value)}`.toLowerCase().includes(wanted))
  return (
    <Panel flush title="Attributes" aside={all.length > 0 && <Age device={device} />}>
      {all.length === 0 ? (
        <p className={`${padded} ${quiet}`}>The device has not reported any attributes.</p>
      ) : (
        <>
          {all.length >= searchedFrom && (
            <div className={tools}>
              <SearchInput
                small
                label="Filter attributes"
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
            </div>
          )}
          {shown.length === 0 ? (
            <p className={`${padded} ${quiet}`}>Not Found</p>
          ) : (
            <Table.Root caption="Attributes" dense scroll>
              <Table.Head>
                <Table.Th>Name</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th aria-label="Copy" className={copyColumn} />
              </Table.Head>
              <Table.Body>
                {shown.map(([name, value]) => (
                  <Table.Row key={name}>
                    <Table.Cell mono wrap>
                      {name}
                    </Table.Cell>
                    <Table.Cell wrap>
                      <span className={mono}>{String(value)}</span>
                    </Table.Cell>
                    <Table.Cell menu>
                      <CopyButton value={String(value)} label={`Copy ${name}`} />
                    </Table.Cell>
                  </Table.Row>
                ))}
              </Table.Body>
            </Table.Root>
          )}
        </>
      )}
    </Panel>
  )
}
