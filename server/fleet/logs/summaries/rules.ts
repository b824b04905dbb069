import type { SummaryVerdict } from '../../../../contract/log-summaries'
import type { SummaryLine } from './line'

type Severity = Exclude<SummaryVerdict, 'normal'>
type Told = { lines: readonly SummaryLine[]; named: string; times: string }

/**
 * The meaning of a single line. At least `least` matching lines within ten minutes are needed: fewer are the noise of a normal day.
 * The sentence names the first group of `form`.
 */
export type Rule = {
  id: string
  severity: Severity
  form: RegExp
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
    form: /Kernel panic|\bOops: |BUG: unable to handle/,
    sentence: (told) => `The kernel failed ${told.times}`,
    step: 'Keep the whole boot log of the failure, and compare the kernel and modules with the previous release.',
  },
  {
    id: 'out_of_memory',
    severity: 'critical',
    form: /Out of memory: Killed process \d+ \(([^)]+)\)|^(\S+) invoked oom-killer|Failed with result 'oom-kill'/,
    sentence: (told) => `Memory ran out ${told.times}${told.named === '' ? '' : `, ${told.named} was killed`}`,
    step: 'Check the memory chart of the hours before. Set a memory limit for the process.',
  },
  {
    id: 'filesystem_errors',
    severity: 'critical',
    form: /EXT4-fs error|[Rr]emounting filesystem read-only|Read-only file system|Buffer I\/O error|blk_update_request: I\/O error/,
    sentence: (told) => `A file system failed or became read-only ${told.times}`,
    step: 'Take the device out of rollouts and check the storage: writes may be lost.',
  },
  {
    id: 'watchdog',
    severity: 'problem',
    form: /watchdog\S*:? .*(?:did not stop|timed? ?out|reset|BUG: soft lockup)|rst:0x\w+ \((?:\w*WDT\w*)/i,
    sentence: (told) => `The watchdog triggered ${told.times}`,
    step: 'Find what blocked the processor in the lines just before the reset.',
  },
  {
    id: 'segfault',
    severity: 'problem',
    form: /(\S+)\[\d+\]: segfault at|status=11\/SEGV|SIGSEGV|Guru Meditation/,
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
    form: /[Uu]nder-?voltage detected|brown-?out/i,
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
    least: 5,
    sentence: (told) =>
      `Services stopped and were restarted ${told.times}${told.named === '' ? '' : `, most often ${told.named}`}`,
    step: 'Check the last lines of the service before each stop.',
  },
  {
    id: 'sign_in_failures',
    severity: 'notable',
    form: /Failed password for|Invalid user|authentication failure/,
    least: 3,
    sentence: (told) => `Sign-in failed ${told.times}`,
    step: 'Close SSH to networks that do not need it.',
  },
  {
    id: 'rollback',
    severity: 'notable',
    form: /\broll(?:ed|ing) ?back\b|rollback (?:started|completed)/i,
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

/** One kernel event causes several lines: the finding counts events and quotes the most frequent line. */
export const describeFinding = (rule: Rule, lines: readonly SummaryLine[]): string =>
  rule.sentence({ lines, named: namedBy(lines, rule), times: times(lines.length) })
