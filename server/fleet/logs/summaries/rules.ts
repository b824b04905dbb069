import type { SummaryVerdict } from '../../../../contract/log-summaries'
import { type Counting, eventsOf } from './events'
import type { SummaryLine } from './line'

type Severity = Exclude<SummaryVerdict, 'normal'>
type Told = { lines: readonly SummaryLine[]; named: string; times: string }

/**
 * The meaning of a single line. At least `least` events within ten minutes are needed: fewer are the noise of a normal day. The
 * sentence names the first group of `form`. Lines that have `unless` are none of the rule.
 */
export type Rule = Counting & {
  id: string
  severity: Severity
  form: RegExp
  unless?: RegExp
  least?: number
  sentence: (told: Told) => string
  step: string
}

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

/** Worst first: a line counts for the first rule that it matches. */
export const rules: readonly Rule[] = [
  {
    id: 'kernel_panic',
    severity: 'critical',
    form: /Kernel panic - |\bOops: [0-9a-f]{1,16}\b|\bOops - |[Uu]nable to handle (?:kernel|page)|kernel BUG at |^Internal error: /,
    // An oops writes its cause, its number and, at the end, the panic.
    spanMs: 60_000,
    sentence: (told) => `The kernel failed ${told.times}`,
    step: 'Keep the whole boot log of the failure, and compare the kernel and modules with the previous release.',
  },
  {
    id: 'out_of_memory',
    severity: 'critical',
    form: /[Oo]ut of memory: Kill(?:ed)? process \d+ \(([^)]+)\)|invoked oom-killer|result 'oom-kill'|killed by the OOM killer/,
    counts: [/[Oo]ut of memory: Kill/, /invoked oom-killer/, /result 'oom-kill'/],
    sentence: (told) => `Memory ran out ${told.times}${told.named === '' ? '' : `, ${told.named} was killed`}`,
    step: 'Check the memory chart of the hours before. Set a memory limit for the process.',
  },
  {
    id: 'filesystem_errors',
    severity: 'critical',
    form: /(?:EXT[234]-fs|UBIFS|UBI|ubi\d+|SQUASHFS|BTRFS) error|[Rr]emounting filesystem read-only|Read-only file system|\bI\/O error,? (?:on )?dev|JBD2: Error |FAT-fs \([^)]+\): error|XFS \([^)]+\): (?:Metadata )?[Cc]orruption/,
    // One bad block is told by each layer above it.
    spanMs: 1000,
    sentence: (told) => `A file system failed or became read-only ${told.times}`,
    step: 'Take the device out of rollouts and check the storage: writes may be lost.',
  },
  {
    id: 'watchdog',
    severity: 'problem',
    // Not that its driver starts, or that it runs on while the system restarts.
    form: /BUG: soft lockup|detected hard LOCKUP|: Watchdog timeout \(limit|Task watchdog got triggered|reset was caused by (?:the )?watchdog|rst:0x\w+ \(\w*WDT/,
    spanMs: 1000,
    sentence: (told) => `The watchdog triggered ${told.times}`,
    step: 'Find what blocked the processor in the lines just before the reset.',
  },
  {
    id: 'segfault',
    severity: 'problem',
    form: /(\S+)\[\d+\]: segfault at|status=11\/SEGV|SIGSEGV|Guru Meditation/,
    counts: [/segfault at/, /status=11\/SEGV/],
    sentence: (told) => `A process crashed ${told.times}${told.named === '' ? '' : `: ${told.named}`}`,
    step: 'Collect diagnostics from the device, and compare with the previous release.',
  },
  {
    id: 'disk_full',
    severity: 'problem',
    form: /No space left on device|ENOSPC/,
    sentence: (told) => `A disk was full ${told.times}`,
    step: 'Free space: an update needs its size plus 10 %.',
  },
  {
    id: 'under_voltage',
    severity: 'problem',
    form: /under-?voltage detected|brown-?out (?:detector was triggered|reset|detected)/i,
    sentence: (told) => `The supply voltage was too low ${told.times}`,
    step: 'Check the power supply and the cable: flash written at low voltage may be damaged.',
  },
  {
    id: 'signature_refused',
    severity: 'problem',
    form: /signature (?:verification )?(?:failed|invalid|refused)|[Ff]ailed to verify required signature|secure boot verification failed/i,
    sentence: (told) => `A signature was rejected ${told.times}`,
    step: 'Compare the keys that the device trusts with the key that signed the release.',
  },
  {
    id: 'hash_mismatch',
    severity: 'problem',
    form: /(?:hash|checksum|digest) mismatch|Bad hash/i,
    sentence: (told) => `A checksum did not match ${told.times}`,
    step: 'Look for a proxy or a disk that changes files.',
  },
  {
    id: 'hook_failed',
    severity: 'problem',
    form: /hook\b.*\bfailed|(?:pre_install|post_install|post_reboot)\b.*\bfailed/i,
    sentence: (told) => `A hook of a release failed ${told.times}`,
    step: 'Run the hook on a device of this model, with the same files.',
  },
  {
    id: 'tls_failure',
    severity: 'problem',
    form: /certificate (?:has )?expired|certificate is not yet valid|certificate verify failed|unable to get local issuer|x509: |CERT_[A-Z_]+/,
    sentence: (told) => `A certificate was rejected ${told.times}`,
    step: 'Check the clock of the device first, then its certificate authorities.',
  },
  {
    id: 'unit_restarts',
    severity: 'problem',
    form: /^(\S+?\.service)?:? ?(?:Main process exited|Scheduled restart job|Failed with result)/,
    counts: [/Scheduled restart job/, /Main process exited/],
    least: 3,
    sentence: (told) =>
      `Services stopped and were restarted ${told.times}${told.named === '' ? '' : `, most often ${told.named}`}`,
    step: 'Check the last lines of the service before each stop.',
  },
  {
    id: 'sign_in_failures',
    severity: 'notable',
    form: /Failed password for|Invalid user|authentication failure/,
    counts: [/Failed password for/, /authentication failure/],
    least: 3,
    sentence: (told) => `Sign-in failed ${told.times}`,
    step: 'Close SSH to networks that do not need it.',
  },
  {
    id: 'rollback',
    severity: 'notable',
    form: /\broll(?:ed|ing) ?back\b|rollback (?:started|completed)/i,
    // A database rolls back its own changes.
    unless: /transaction|savepoint|migration|database|\bsql|commit/i,
    sentence: (told) => `The device returned to an earlier release ${told.times}`,
    step: 'See its update events for the failed check.',
  },
  {
    id: 'storage_timeout',
    severity: 'notable',
    form: /mmc\d+: (?:Timeout|error|cache flush error)|ata\d+.*failed command/i,
    sentence: (told) => `Storage was slow or did not respond ${told.times}`,
    step: 'Check the wear of the flash: timeouts often precede read-only file systems.',
  },
  {
    id: 'thermal_throttle',
    severity: 'notable',
    form: /(?:clock|cpu|thermal).*throttl/i,
    unless: /throttling (?:states|enabled|supported)/i,
    sentence: (told) => `The processor was throttled by heat ${told.times}`,
    step: 'Check the location and the fan. The temperature chart shows the hours.',
  },
  {
    id: 'dns_failure',
    severity: 'notable',
    form: /[Cc]ould not resolve|Name or service not known|Temporary failure in name resolution|EAI_AGAIN|NXDOMAIN/,
    least: 3,
    sentence: (told) => `Name resolution failed ${told.times}`,
    step: 'Check the name server that the network gives to the device.',
  },
  {
    id: 'connection_flapping',
    severity: 'notable',
    form: /[Cc]onnection (?:reset|refused|timed out|lost)|connection timed out|beacon timeout|Link is Down|exceeded timeout, disconnecting/,
    least: 10,
    sentence: (told) => `Connections were lost ${told.times}`,
    step: 'Compare with the signal strength of these hours.',
  },
]

const namedBy = (lines: readonly SummaryLine[], { form }: Rule): string => {
  const counts = new Map<string, number>()
  for (const { message } of lines) {
    const name = form.exec(message)?.slice(1).find(Boolean)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** The rule of a line: the first that it follows. */
export const ruleOf = ({ message }: SummaryLine): Rule | undefined =>
  rules.find(({ form, unless }) => form.test(message) && unless?.test(message) !== true)

/** One failure causes several lines: the finding counts events, and names what most lines name. */
export const describeFinding = (rule: Rule, lines: readonly SummaryLine[]): { sentence: string; count: number } => {
  const count = eventsOf(lines, rule).length
  return { sentence: rule.sentence({ lines, named: namedBy(lines, rule), times: times(count) }), count }
}
