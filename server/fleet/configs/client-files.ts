import type { ClientConfigForm, ClientFile, ConfiguredClient } from '../../../contract/fleet/client-configs'

type ClientFacts = {
  server: string
  tenant: string
  /** Null for a group: every device names itself by its machine id. */
  controllerId: string | null
  token: string
  hardwareModel: string
  versionAttribute: string
}

/** Replaced on the device, where the id of a group's device is known. */
const idPlaceholder = '@CONTROLLER_ID@'
const quoted = (text: string) => JSON.stringify(text)
/** A word of a shell script. */
const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const lines = (...all: (string | false)[]) => `${all.filter((line) => line !== false).join('\n')}\n`

const secret = 0o600
const program = 0o755
const plain = 0o644

/** What both scripts read from the running system. */
const readSystem = ({ controllerId, hardwareModel }: ClientFacts) => [
  `board=${word(hardwareModel)}`,
  'version=$(. /etc/os-release; printf \'%s\' "${VERSION_ID:-}")',
  'boot_id=$(cat /proc/sys/kernel/random/boot_id)',
  controllerId === null && 'id=$(cat /etc/machine-id)',
]

/** Writes the configuration, with the id of this device where it is one of a group. */
const copyConfig = ({ controllerId }: ClientFacts, path: string) =>
  controllerId === null ? `  sed "s/${idPlaceholder}/$id/" ${path}` : `  cat ${path}`

const unit = (facts: { description: string; name: string; prepare: string; start: string; environment?: string }) =>
  lines(
    '[Unit]',
    `Description=${facts.description}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `RuntimeDirectory=${facts.name}`,
    'RuntimeDirectoryMode=0700',
    `ExecStartPre=${facts.prepare}`,
    facts.environment !== undefined && `EnvironmentFile=-${facts.environment}`,
    `ExecStart=${facts.start}`,
    'Restart=always',
    'RestartSec=30',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  )

const swupdate = (facts: ClientFacts, isGroup: boolean): ClientFile[] => [
  {
    path: 'etc/swupdate/swupdate.cfg',
    mode: secret,
    text: lines(
      'globals : {',
      '  public-key-file = "/etc/swupdate/cert.pem";',
      '};',
      'suricatta : {',
      `  tenant = ${quoted(facts.tenant)};`,
      `  id = ${quoted(facts.controllerId ?? idPlaceholder)};`,
      `  url = ${quoted(facts.server)};`,
      `  ${isGroup ? 'gatewaytoken' : 'targettoken'} = ${quoted(facts.token)};`,
      '};',
    ),
  },
  {
    path: 'usr/lib/swupdate/prepare',
    mode: program,
    text: lines(
      '#!/bin/sh',
      '# Before each start: adds what this boot runs to the configuration, and confirms an update whose self-test passes.',
      'set -eu',
      'umask 077',
      ...readSystem(facts),
      `revision=$(cat /etc/hwrevision 2>/dev/null || printf '1.0')`,
      '# SWUpdate writes the values into JSON as they are.',
      `clean() { printf '%s' "$1" | tr -d '\\\\"'; }`,
      '{',
      copyConfig(facts, '/etc/swupdate/swupdate.cfg'),
      "  printf 'identify : (\\n'",
      `  printf '  { name = "${facts.versionAttribute}"; value = "%s"; },\\n' "$(clean "$version")"`,
      `  printf '  { name = "boot_id"; value = "%s"; },\\n' "$boot_id"`,
      `  printf '  { name = "hw_boardname"; value = "%s"; }\\n' "$(clean "$board")"`,
      "  printf ');\\n'",
      '} > /run/swupdate/swupdate.cfg',
      '# SWUpdate sets ustate to 1 when it has installed an update. Without a self-test nothing is said: the version above counts.',
      "confirm=''",
      'if [ -x /etc/swupdate/self-test ] && [ "$(fw_printenv -n ustate 2>/dev/null || true)" = 1 ]; then',
      "  if /etc/swupdate/self-test; then confirm='-c 2'; else confirm='-c 3'; fi",
      'fi',
      `printf 'HARDWARE="%s:%s"\\nSURICATTA="%s"\\n' "$board" "\${revision##* }" "$confirm" > /run/swupdate/environment`,
    ),
  },
  {
    path: 'etc/systemd/system/swupdate.service',
    mode: plain,
    text: unit({
      description: 'SWUpdate',
      name: 'swupdate',
      prepare: '/usr/lib/swupdate/prepare',
      environment: '/run/swupdate/environment',
      start: '/usr/bin/swupdate -f /run/swupdate/swupdate.cfg -H ${HARDWARE} -u ${SURICATTA}',
    }),
  },
]

const rauc = (facts: ClientFacts, isGroup: boolean): ClientFile[] => {
  const { host, protocol } = new URL(facts.server)
  return [
    {
      path: 'etc/rauc-hawkbit-updater/config.conf',
      mode: secret,
      text: lines(
        '[client]',
        `hawkbit_server = ${host}`,
        `ssl = ${String(protocol === 'https:')}`,
        `tenant_id = ${facts.tenant}`,
        // A backslash escapes in a key file of GLib.
        `target_name = ${(facts.controllerId ?? idPlaceholder).replaceAll('\\', '\\\\')}`,
        `${isGroup ? 'gateway_token' : 'auth_token'} = ${facts.token}`,
        'bundle_download_location = /var/tmp/bundle.raucb',
        // Otherwise a cut download is reported as a failed update.
        'resume_downloads = true',
        'post_update_reboot = true',
      ),
    },
    {
      path: 'usr/lib/rauc-hawkbit-updater/prepare',
      mode: program,
      text: lines(
        '#!/bin/sh',
        '# Before each start: adds what this boot runs to the configuration.',
        'set -eu',
        'umask 077',
        ...readSystem(facts),
        '{',
        copyConfig(facts, '/etc/rauc-hawkbit-updater/config.conf'),
        "  printf '\\n[device]\\n'",
        `  printf '${facts.versionAttribute} = %s\\n' "$version"`,
        '  printf \'boot_id = %s\\n\' "$boot_id"',
        '  printf \'hw_boardname = %s\\n\' "$board"',
        '} > /run/rauc-hawkbit-updater/config.conf',
      ),
    },
    {
      path: 'etc/systemd/system/rauc-hawkbit-updater.service',
      mode: plain,
      text: unit({
        description: 'RAUC hawkBit updater',
        name: 'rauc-hawkbit-updater',
        prepare: '/usr/lib/rauc-hawkbit-updater/prepare',
        start: '/usr/bin/rauc-hawkbit-updater -c /run/rauc-hawkbit-updater/config.conf',
      }),
    },
  ]
}

const zephyr = (facts: ClientFacts, isGroup: boolean): ClientFile[] => {
  const { hostname, port, protocol } = new URL(facts.server)
  const isTls = protocol === 'https:'
  return [
    {
      path: 'hawkbit.conf',
      mode: secret,
      text: lines(
        '# For the build: west build -- -DEXTRA_CONF_FILE=hawkbit.conf',
        'CONFIG_HAWKBIT=y',
        `CONFIG_HAWKBIT_SERVER=${quoted(hostname)}`,
        `CONFIG_HAWKBIT_PORT=${port || (isTls ? '443' : '80')}`,
        `CONFIG_HAWKBIT_TENANT=${quoted(facts.tenant)}`,
        `CONFIG_HAWKBIT_USE_TLS=${isTls ? 'y' : 'n'}`,
        `CONFIG_HAWKBIT_DDI_${isGroup ? 'GATEWAY' : 'TARGET'}_SECURITY=y`,
        `CONFIG_HAWKBIT_DDI_SECURITY_TOKEN=${quoted(facts.token)}`,
        '# The callback of hawkbit_set_custom_data_cb sends these attributes:',
        `# ${facts.versionAttribute}, as the release names its version, and hw_boardname = ${quoted(facts.hardwareModel)}.`,
        'CONFIG_HAWKBIT_CUSTOM_ATTRIBUTES=y',
      ),
    },
  ]
}

const filesOf: Record<ConfiguredClient, (facts: ClientFacts, isGroup: boolean) => ClientFile[]> = { swupdate, rauc, zephyr }

/** The complete files of a client. */
export const clientFiles = (client: ConfiguredClient, facts: ClientFacts, isGroup: boolean): ClientFile[] =>
  filesOf[client](facts, isGroup)

const warningsOfClient: Record<ConfiguredClient, (facts: ClientFacts) => string[]> = {
  swupdate: () => [
    'Put the certificate that verifies your bundles into /etc/swupdate/cert.pem. SWUpdate refuses to start without it.',
    'An own test in /etc/swupdate/self-test lets SWUpdate report an update as done or failed. It needs the bootloader environment (fw_printenv).',
  ],
  rauc: () => [
    'The updater restarts the device after each installation. Your system must mark the slot as good after its own test.',
  ],
  zephyr: ({ versionAttribute }) => [
    `Without ${versionAttribute} no update can be confirmed: the application must register hawkbit_set_custom_data_cb.`,
    'Zephyr makes its controller id itself: the serial number of the device must be that id.',
  ],
}

/** What the files cannot do by themselves. */
export const clientWarnings = (form: ClientConfigForm, facts: ClientFacts, kind: string): string[] => [
  ...warningsOfClient[form.client](facts),
  ...(form.client !== 'zephyr'
    ? [`The installed version is VERSION_ID of /etc/os-release: it must be the display version of your releases.`]
    : []),
  ...(form.enrollment === 'group' && form.client !== 'zephyr'
    ? ['Each device takes its machine id as controller id: it must differ between devices, also when they start from one image.']
    : []),
  ...(facts.server.startsWith('http://') ? ['Without https, others on the network can read the token.'] : []),
  ...(kind === form.client
    ? []
    : [`The hardware model ${facts.hardwareModel} is not set to this client. Change it in the settings of the project.`]),
]
