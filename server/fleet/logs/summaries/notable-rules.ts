import type { Rule } from './rule'

export const notableRules: readonly Rule[] = [
  {
    id: 'sign_in_failures',
    severity: 'notable',
    forms: [
      /Failed (?:password|keyboard-interactive\S{0,8}|hostbased|unknown) for|[Ii]nvalid user|[Aa]uthentication failure|authentication error for/,
      /[Bb]ad password attempt for|[Ll]ogin attempt for nonexistent user|Max auth tries reached|maximum authentication attempts exceeded/,
      /^ROOT LOGIN REFUSED|^User \S{1,64} (?:from \S{1,256} )?not allowed because|: Auth fail\b|for illegal user /,
    ],
    counts: [/Failed (?:password|keyboard-interactive\S{0,8}) for|[Bb]ad password attempt for/, /[Aa]uthentication failure/],
    least: 3,
    sentence: (told) => `Sign-in failed ${told.times}`,
    step: 'Close SSH to networks that do not need it.',
  },
  {
    id: 'rollback',
    severity: 'notable',
    forms: [
      /\broll(?:ed|ing) ?back\b|rollback (?:started|completed|successful)|rollback to (?:a )?previous|initiating rollback/i,
      /^Entering ArtifactRollback state|rolled-back condition|Rollback to previously worked|Swap type: revert|Bootlimit \(\d{1,6}\) exceeded/,
    ],
    // A database rolls back its own changes.
    unless: /transaction|savepoint|migration|database|\bsql|commit/i,
    // A client tells that it will return, and that it has.
    spanMs: 60_000,
    sentence: (told) => `The device returned to an earlier release ${told.times}`,
    step: 'See its update events for the failed check.',
  },
  {
    id: 'storage_timeout',
    severity: 'notable',
    forms: [
      /\bmmc(?:blk)?\d{1,3}: (?:timeout waiting|timed out|error|cache flush error|card stuck|reset 0x\w{1,8} never|final write|retrying using single)/i,
      /^mmc_host \S{1,32}: Timeout|mmc_blk_ioctl_cmd: data error/,
      /\bata\d{1,3}(?:\.\d{2})?: (?:failed command|exception Emask|softreset failed|link is slow)/,
      /\bnvme\d{1,3}: (?:I\/O \d{1,10} .{0,16}timeout|controller is down)|hostbyte=DID_(?:TIME_OUT|ERROR|NO_CONNECT)|: timing out command, waited/,
    ],
    // A command that ends late is told with its registers, by each layer.
    spanMs: 500,
    sentence: (told) => `Storage was slow or did not respond ${told.times}`,
    step: 'Check the wear of the flash: timeouts often precede read-only file systems.',
  },
  {
    id: 'thermal_throttle',
    severity: 'notable',
    forms: [
      /(?:clock|cpu|thermal).*throttl/i,
      /[Cc]ritical temperature reached|Temperature too high|arm-frequency-capped|^soctherm: OC ALARM|^System is too hot/,
    ],
    unless: /throttling (?:states|enabled|supported)/i,
    // Each core tells the same.
    spanMs: 500,
    sentence: (told) => `The processor was throttled or stopped by heat ${told.times}`,
    step: 'Check the location and the fan. The temperature chart shows the hours.',
  },
  {
    id: 'dns_failure',
    severity: 'notable',
    forms: [
      /[Cc]ould not resolve|[Cc]ouldn't resolve|can't resolve|[Cc]annot resolve|unable to resolve host|[Ff]ailed to resolve|couldn't get hostname/,
      /Name or service not known|Name does not resolve|Temporary failure in name resolution|EAI_AGAIN|ENOTFOUND|NXDOMAIN|UnknownHostException/,
      /\bbad address '|: no such host|server misbehaving|lookup \S{1,256}: i\/o timeout|no servers could be reached/,
    ],
    // The system resolver asks again in another way, and is answered.
    unless: /mitigating potential DNS violation/,
    least: 3,
    sentence: (told) => `Name resolution failed ${told.times}`,
    step: 'Check the name server that the network gives to the device.',
  },
  {
    id: 'connection_flapping',
    severity: 'notable',
    forms: [
      /[Cc]onnection (?:reset|refused|timed out|lost)|beacon timeout|bcn_timeout|exceeded timeout, disconnecting|ECONNRESET|ECONNREFUSED|ETIMEDOUT/,
      /[Ll]ink (?:is )?[Dd]own\b|Link has been severed|link connectivity loss|[Nn]etwork is (?:down|unreachable)|[Nn]o [Rr]oute to [Hh]ost/,
      /CTRL-EVENT-(?:BEACON-LOSS|DISCONNECTED)|WiFi: Disconnected|Disconnected from the network|Lost carrier|Connection to AP \S{1,32} lost/,
      /(?:deauthenticated|disassociated) from|Socket error on client|Error transport connect|ping-restart\), restarting/,
    ],
    least: 10,
    // A link that is lost is told by the driver, the supplicant and the network manager.
    spanMs: 500,
    sentence: (told) => `Connections were lost ${told.times}`,
    step: 'Compare with the signal strength of these hours.',
  },
]
