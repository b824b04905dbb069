import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { Code } from '../../../ui/text/code'

type Facts = { id: string; token: string; server: string }
type Lines = { file: string; lines: readonly string[]; note?: string }

/** Any word: the token finds the project. Older clients of Zephyr look for this one. */
const tenant = 'DEFAULT'
const quoted = (text: string) => JSON.stringify(text)

const swupdate = ({ id, token, server }: Facts): Lines => ({
  file: 'swupdate.cfg',
  lines: [
    'suricatta : {',
    `  tenant = ${quoted(tenant)};`,
    `  id = ${quoted(id)};`,
    `  url = ${quoted(server)};`,
    `  targettoken = ${quoted(token)};`,
    '};',
  ],
})

const rauc = ({ id, token, server }: Facts): Lines => {
  const { host, protocol } = new URL(server)
  return {
    file: 'config.conf',
    lines: [
      '[client]',
      `hawkbit_server = ${host}`,
      `ssl = ${String(protocol === 'https:')}`,
      `tenant_id = ${tenant}`,
      // A backslash escapes in a key file of GLib.
      `target_name = ${id.replaceAll('\\', '\\\\')}`,
      `auth_token = ${token}`,
    ],
  }
}

const zephyr = ({ token, server }: Facts): Lines => {
  const { hostname, port, protocol } = new URL(server)
  const isTls = protocol === 'https:'
  return {
    file: 'prj.conf',
    lines: [
      `CONFIG_HAWKBIT_SERVER=${quoted(hostname)}`,
      `CONFIG_HAWKBIT_PORT=${port || (isTls ? '443' : '80')}`,
      `CONFIG_HAWKBIT_TENANT=${quoted(tenant)}`,
      `CONFIG_HAWKBIT_USE_TLS=${isTls ? 'y' : 'n'}`,
      'CONFIG_HAWKBIT_DDI_TARGET_SECURITY=y',
      `CONFIG_HAWKBIT_DDI_SECURITY_TOKEN=${quoted(token)}`,
    ],
    note: 'Zephyr makes its controller id itself: the serial number of this device must be that id.',
  }
}

const other = ({ id, token, server }: Facts): Lines => ({
  file: 'the configuration of the client',
  lines: [`Server: ${server}`, `Tenant: ${tenant}`, `Controller id: ${id}`, `Authorization: TargetToken ${token}`],
})

const linesOf: Record<Device['verifier'], (facts: Facts) => Lines> = {
  swupdate_cms: swupdate,
  rauc_cms: rauc,
  mcuboot: zephyr,
  manifest: other,
  unknown: other,
}

/** What a hawkBit client needs to reach this server, in the form of its own configuration. */
export const ClientLines = ({ device, token, server }: { device: Device; token: string; server: string }) => {
  const { file, lines, note } = linesOf[device.verifier]({ id: device.serial_number ?? '', token, server })
  return (
    <>
      <p>
        In <code>{file}</code> these lines replace those of the same names; the rest stays as it is.
      </p>
      <Code label={`Part of ${file}`} code={lines.join('\n')} />
      {note !== undefined && <p className={css({ color: 'muted' })}>{note}</p>}
    </>
  )
}
