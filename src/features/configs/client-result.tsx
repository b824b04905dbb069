import { useEffect, useRef } from 'react'
import { css } from 'styled-system/css'
import type { ConfiguredClient, createClientConfig } from '../../../contract/fleet/client-configs'
import type { AnswerOf } from '../../../contract/core/endpoint'
import { pluralize } from '../../lib/pluralize'
import { saveFile } from '../../lib/save-file'
import { tarOf } from '../../lib/tar'
import { Button } from '../../ui/button'
import { Code } from '../../ui/text/code'
import { Icon } from '../../ui/icon/icon'
import { Callout, EmptyState } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { DateTime } from '../../ui/text/time'
import { clientNames } from './client-names'

type Made = AnswerOf<typeof createClientConfig>

const arrival = css({ scrollMarginTop: '64' })
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })

const list = css({ display: 'grid', gap: '8' })

const archiveOf = (client: ConfiguredClient) => `${client}-config.tar`
const installWith = (client: ConfiguredClient) =>
  client === 'zephyr'
    ? `tar -xf ${archiveOf(client)}`
    : [
        `tar -xpf ${archiveOf(client)} -C /`,
        'systemctl daemon-reload',
        `systemctl enable --now ${client === 'swupdate' ? 'swupdate' : 'rauc-hawkbit-updater'}`,
      ].join('\n')

const nameOf = (client: ConfiguredClient, path: string) => (client === 'zephyr' ? path : `/${path}`)

/** The finished files; only this answer contains their token, so they must be saved now or created again. */
export const ClientResult = ({ client, made }: { client: ConfiguredClient; made: Made | undefined }) => {
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (made) top.current?.scrollIntoView({ block: 'start' })
  }, [made])
  if (!made)
    return (
      <EmptyState small title="No files yet">
        Generate creates the complete files of {clientNames[client]}: with a new enrollment token for a group, or with the token
        of a device.
      </EmptyState>
    )
  const limits = made.enrollment_limits
  const save = async () => {
    const bytes = await tarOf(made.files, new Date()).arrayBuffer()
    saveFile(archiveOf(client), bytes, 'application/x-tar')
  }
  return (
    <div ref={top} className={arrival}>
      <Panel
        title={`Files of ${clientNames[client]}`}
        aside={
          <Button size="small" icon={<Icon name="dl" size={14} />} onClick={() => void save()}>
            Download {archiveOf(client)}
          </Button>
        }
      >
        <div className={stack}>
          <Callout kind="warning">
            Copy these files now. The token is not shown again.
            {limits && (
              <>
                {' '}
                It registers{' '}
                {limits.max_uses === null ? 'any number of devices' : `up to ${pluralize(limits.max_uses, 'device')}`} until{' '}
                <DateTime value={limits.expires_at} />.
              </>
            )}
          </Callout>
          <Callout kind="info">
            <ul className={list}>
              {made.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Callout>
          <Code
            label={client === 'zephyr' ? 'Command in the sources' : 'Commands on the device, as root'}
            code={installWith(client)}
          />
          {made.files.map(({ path, text }) => (
            <div key={path}>
              <p className={css({ textStyle: 'mono', pb: '4' })}>{nameOf(client, path)}</p>
              <Code label={nameOf(client, path)} code={text.trimEnd()} />
            </div>
          ))}
        </div>
      </Panel>
    </div>
  )
}
